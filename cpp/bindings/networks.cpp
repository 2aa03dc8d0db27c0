#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "bindings/any_position.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/choices.hpp"
#include "bindings/networks.hpp"
#include "core/errors.hpp"
#include "features/board_inputs.hpp"
#include "learning/episode_rules.hpp"
#include "learning/network_trainer.hpp"
#include "values/network.hpp"

namespace katachi::bindings {

namespace {

using features::BoardInputs;
using features::InputGroup;
using features::InputList;

std::vector<std::string> group_names() { return {"points", "liberties", "difference", "edge", "atari", "ko"}; }

// Arrays belong to themselves, not to the object that they were asked of.
constexpr auto owned = nb::rv_policy::automatic;

Array<double> dense(const InputList& inputs, int size) {
    std::vector<double> values(static_cast<std::size_t>(size));
    for (const features::Input& input : inputs) {
        values[input.place] += input.value;
    }
    return array_of(std::move(values));
}

InputList sparse(const DoublesIn& values, int size) {
    if (values.size() != static_cast<std::size_t>(size)) {
        throw InvalidArgumentError("this network has " + std::to_string(size) + " inputs, not " + std::to_string(values.size()));
    }
    InputList inputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values.data()[i])) {
            throw InvalidArgumentError("input " + std::to_string(i) + " is " + std::to_string(values.data()[i]));
        }
        if (values.data()[i] != 0) {
            inputs.push_back({static_cast<std::uint32_t>(i), values.data()[i]});
        }
    }
    return inputs;
}

void bind_inputs(nb::module_& m) {
    nb::class_<BoardInputs>(m, "BoardInputs", "A Go board as numbers for a network: katachi.features.board_inputs.")
        .def(
            "__init__",
            [](BoardInputs* self, int width, int height, const std::vector<std::string>& groups, bool scaled) {
                std::vector<InputGroup> chosen;
                chosen.reserve(groups.size());
                for (const std::string& group : groups) {
                    chosen.push_back(named<InputGroup>(group_names(), "groups", group));
                }
                new (self) BoardInputs(checked_geometry(width, height), std::move(chosen), scaled);
            },
            "width"_a, "height"_a, "groups"_a, "scaled"_a = false)
        .def_prop_ro("size", &BoardInputs::size, "How many numbers.")
        .def_prop_ro("names", &BoardInputs::names, "What they are called.")
        .def(
            "read",
            [](const BoardInputs& inputs, const AnyPosition& position, Player viewpoint) {
                if (!(position.geometry() == inputs.geometry())) {
                    throw InvalidArgumentError("these inputs are for boards of " + std::to_string(inputs.geometry().width) + "x" +
                                               std::to_string(inputs.geometry().height) + ", not of " + std::to_string(position.geometry().width) +
                                               "x" + std::to_string(position.geometry().height));
                }
                InputList found;
                position.visit([&](const auto& p) { inputs.read(p.board(), viewpoint, found); });
                return dense(found, inputs.size());
            },
            "position"_a, "viewpoint"_a, "All numbers, as a player sees the board.");
}

void bind_network(nb::module_& m) {
    nb::class_<Network>(m, "Network", "A multilayer perceptron with one logistic output: katachi.values.network.")
        .def(
            "__init__",
            [](Network* self, const std::vector<int>& layers, const std::string& hidden, bool bias) {
                new (self) Network({layers, named<Activation>({"logistic", "tanh"}, "hidden", hidden), bias});
            },
            "layers"_a, "hidden"_a = "logistic", "bias"_a = true)
        .def_prop_ro("layers", [](const Network& n) { return n.shape().layers; })
        .def_prop_rw(
            "weights", [](const Network& n) { return array_of(std::vector<double>(n.weights().begin(), n.weights().end())); },
            [](Network& n, const DoublesIn& values) { assign_numbers(n.weights(), values, "weights"); }, owned,
            "Layer by layer: for each unit below its weights to all units above; then their biases.")
        .def(
            "randomise", [](Network& n, Rng& rng, double range) { n.randomise(rng, range); }, "rng"_a, "range"_a, "Uniform on [-range, range).")
        .def(
            "value",
            [](const Network& n, const DoublesIn& inputs) {
                Network::Pass pass;
                n.forward(sparse(inputs, n.inputs()), pass);
                return std::pair(pass.sum, pass.output);
            },
            "inputs"_a, "The sum x before the output unit's function, and the output y.")
        .def(
            "gradient",
            [](const Network& n, const DoublesIn& inputs) {
                Network::Pass pass;
                const InputList list = sparse(inputs, n.inputs());
                std::vector<double> gradient(n.weights().size());
                n.forward(list, pass);
                n.add_gradient(list, pass, 1, gradient);
                return array_of(std::move(gradient));
            },
            "inputs"_a, "Of the sum x by each weight.");
}

void bind_rules(nb::module_& m) {
    nb::class_<EpisodeRuleOptions> options(m, "EpisodeRuleOptions",
                                           "How errors come of a game, as native code takes it: katachi.learning.episode_rules.");
    options.def(nb::init<>());
    choice(options, "rule", &EpisodeRuleOptions::rule, {"td-0", "td-lambda", "td-directed", "td-leaf", "td-mu", "td-leaf-mu"});
    choice(options, "squash", &EpisodeRuleOptions::squash, {"logistic", "none"});
    choice(options, "updates", &EpisodeRuleOptions::updates, {"all", "learner"});
    options.def_rw("lambda_", &EpisodeRuleOptions::lambda)
        .def_rw("score_scale", &EpisodeRuleOptions::score_scale)
        .def_rw("mu_delta_includes_reward", &EpisodeRuleOptions::delta_includes_reward);

    m.def(
        "episode_lesson",
        [](const DoublesIn& values, const DoublesIn& leaf_values, const DoublesIn& best_values, const std::vector<bool>& leaf_learns,
           const DoublesIn& rewards, const std::vector<bool>& by_learner, const std::vector<bool>& learner_to_move, double final_reward,
           const EpisodeRuleOptions& chosen) {
            const std::size_t count = values.size();
            if (leaf_values.size() != count || best_values.size() != count || leaf_learns.size() != count || rewards.size() != count ||
                by_learner.size() != count || learner_to_move.size() != count) {
                throw InvalidArgumentError("an episode has values, leaf values, rewards, movers and turns of all its " + std::to_string(count) +
                                           " states");
            }
            ValuedGame episode;
            episode.final_reward = final_reward;
            for (std::size_t i = 0; i < count; ++i) {
                episode.states.push_back({values.data()[i], leaf_values.data()[i], best_values.data()[i], leaf_learns[i], rewards.data()[i],
                                          by_learner[i], learner_to_move[i]});
            }
            const Lesson lesson = lesson_of(episode, chosen);
            return std::pair(lesson.states, array_of(lesson.errors));
        },
        "values"_a, "leaf_values"_a, "best_values"_a, "leaf_learns"_a, "rewards"_a, "by_learner"_a, "learner_to_move"_a, "final_reward"_a,
        "options"_a, "Which states of a game a rule is about, and their errors.");
}

void bind_trainer(nb::module_& m) {
    nb::class_<NetworkTrainerOptions> options(m, "NetworkTrainerOptions",
                                              "How weights follow errors, as native code takes it: katachi.learning.network_trainers.");
    options.def(nb::init<>());
    choice(options, "phi_rule", &NetworkTrainerOptions::phi_rule, {"safe", "literal"});
    choice(options, "phi_per", &NetworkTrainerOptions::phi_per, {"batch", "step"});
    choice(options, "residual_pair", &NetworkTrainerOptions::pair, {"next", "previous"});
    choice(options, "gradient_of", &NetworkTrainerOptions::gradient_of, {"output", "sum"});
    choice(options, "step", &NetworkTrainerOptions::step, {"plain", "rprop"});
    options.def_rw("mix", &NetworkTrainerOptions::mix, nb::arg().none())
        .def_rw("phi_margin", &NetworkTrainerOptions::phi_margin)
        .def_rw("eta", &NetworkTrainerOptions::eta)
        .def_rw("rprop_growth", &NetworkTrainerOptions::rprop_growth)
        .def_rw("rprop_shrinkage", &NetworkTrainerOptions::rprop_shrinkage)
        .def_rw("rprop_first", &NetworkTrainerOptions::rprop_first)
        .def_rw("rprop_smallest", &NetworkTrainerOptions::rprop_smallest)
        .def_rw("rprop_largest", &NetworkTrainerOptions::rprop_largest)
        .def_rw("batch_games", &NetworkTrainerOptions::batch_games);

    nb::class_<NetworkTrainer>(m, "NetworkTrainer", "Moves the weights of a network after every batch of games.")
        .def(nb::init<const NetworkTrainerOptions&, std::size_t>(), "options"_a, "weights"_a)
        .def(
            "add_game",
            [](NetworkTrainer& trainer, Network& network, const std::vector<std::optional<DoublesIn>>& states, const DoublesIn& errors) {
                if (states.size() != errors.size()) {
                    throw InvalidArgumentError(std::to_string(states.size()) + " states have " + std::to_string(errors.size()) + " errors");
                }
                if (trainer.memories().front()->size() != network.weights().size()) {
                    throw InvalidArgumentError("this trainer is for " + std::to_string(trainer.memories().front()->size()) + " weights, not for " +
                                               std::to_string(network.weights().size()));
                }
                std::vector<InputList> lists(states.size());
                std::vector<const InputList*> inputs(states.size());
                for (std::size_t i = 0; i < states.size(); ++i) {
                    if (states[i]) {
                        lists[i] = sparse(*states[i], network.inputs());
                        inputs[i] = &lists[i];
                    }
                }
                return trainer.add_game(network, inputs, std::span(errors.data(), errors.size()));
            },
            "network"_a, "states"_a, "errors"_a,
            "Inputs (None: not valued by the network) and errors of a game's states. True: the weights have moved.")
        .def_prop_rw(
            "memories", [](NetworkTrainer& trainer) { return trainer_memories(trainer); },
            [](NetworkTrainer& trainer, const std::vector<DoublesIn>& values) { set_trainer_memories(trainer, values); }, owned,
            "Sums of the batch (direct, residual); steps, gradients and changes of RPROP. What is not needed is empty.")
        .def_prop_rw("games_in_batch", &NetworkTrainer::games_in_batch, &NetworkTrainer::set_games_in_batch)
        .def_prop_ro("last_mix", &NetworkTrainer::last_mix, "Phi of the last step, if it had one.");

    m.def(
        "adaptive_mix",
        [](const DoublesIn& direct, const DoublesIn& residual, const std::string& rule, double margin) {
            if (direct.size() != residual.size()) {
                throw InvalidArgumentError("two sums of " + std::to_string(direct.size()) + " and " + std::to_string(residual.size()) + " weights");
            }
            return adaptive_mix(std::span(direct.data(), direct.size()), std::span(residual.data(), residual.size()),
                                named<PhiRule>({"safe", "literal"}, "phi_rule", rule), margin);
        },
        "direct"_a, "residual"_a, "rule"_a, "margin"_a, "Phi for two sums (Ekker, eq. 28).");
}

}  // namespace

void assign_numbers(std::span<double> target, const DoublesIn& values, const std::string& what) {
    if (values.size() != target.size()) {
        throw InvalidArgumentError(what + ": " + std::to_string(target.size()) + " numbers are needed, not " + std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values.data()[i])) {
            throw InvalidArgumentError(what + ": number " + std::to_string(i) + " is " + std::to_string(values.data()[i]));
        }
    }
    std::copy_n(values.data(), values.size(), target.begin());
}

std::vector<Array<double>> trainer_memories(NetworkTrainer& trainer) {
    std::vector<Array<double>> arrays;
    for (const std::vector<double>* const memory : trainer.memories()) {
        arrays.push_back(array_of(*memory));
    }
    return arrays;
}

void set_trainer_memories(NetworkTrainer& trainer, const std::vector<DoublesIn>& values) {
    const auto memories = trainer.memories();
    if (values.size() != memories.size()) {
        throw InvalidArgumentError("a trainer has " + std::to_string(memories.size()) + " memories, not " + std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        assign_numbers(*memories[i], values[i], "memory " + std::to_string(i));
    }
}

void bind_networks(nb::module_& m) {
    bind_inputs(m);
    bind_network(m);
    bind_rules(m);
    bind_trainer(m);
}

}  // namespace katachi::bindings
