#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/choices.hpp"
#include "core/errors.hpp"
#include "training/self_play.hpp"

namespace katachi::bindings {

namespace {

using features::Entry;
using CountsIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FloatsOut = Array<float>;

// Arrays belong to themselves, not to the object that they were asked of.
constexpr auto owned = nb::rv_policy::automatic;

void check_size(std::size_t size, std::size_t expected, const std::string& what) {
    if (size != expected) {
        throw InvalidArgumentError(what + ": " + std::to_string(expected) + " numbers are needed, not " + std::to_string(size));
    }
}

void check_numbers(const FloatsIn& values, std::size_t expected, const std::string& what) {
    check_size(values.size(), expected, what);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values.data()[i])) {
            throw InvalidArgumentError(what + ": number " + std::to_string(i) + " is " + std::to_string(values.data()[i]));
        }
    }
}

void set_weights(ShapeWeights& weights, const FloatsIn& values) {
    check_numbers(values, weights.count(), "weights");
    for (std::uint32_t i = 0; i < weights.count(); ++i) {
        weights.set(static_cast<Entry>(i) + 1, values.data()[i]);
    }
}

std::vector<FloatsOut> step_memories(const StepSizes& steps) {
    std::vector<FloatsOut> arrays;
    for (const std::vector<float>& memory : steps.memories()) {
        arrays.push_back(array_of(memory));
    }
    return arrays;
}

void set_step_memories(StepSizes& steps, const std::vector<FloatsIn>& values) {
    auto& memories = steps.memories();
    if (values.size() != memories.size()) {
        throw InvalidArgumentError("this step rule remembers " + std::to_string(memories.size()) + " arrays, not " + std::to_string(values.size()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        check_numbers(values[i], memories[i].size(), "step memory " + std::to_string(i));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::copy_n(values[i].data(), values[i].size(), memories[i].begin());
    }
}

// The steps stand among the rest, as they do in the settings.
template <class T>
void step_field(nb::class_<TdOptions>& options, const char* name, T StepSizeOptions::* field) {
    options.def_prop_rw(name, [field](const TdOptions& o) { return o.step.*field; }, [field](TdOptions& o, T value) { o.step.*field = value; });
}

void bind_options(nb::module_& m) {
    nb::class_<TdOptions> td(m, "TdOptions", "How weights learn from games, as native code takes it: katachi.learning.td_settings.");
    td.def(nb::init<>());
    choice(td, "head", &TdOptions::head, {"logistic", "non-linear", "linear"});
    choice(td, "target", &TdOptions::target, {"td", "monte-carlo"});
    choice(td, "traces", &TdOptions::traces, {"accumulating", "replacing"});
    choice(td, "trace_norm", &TdOptions::trace_norm, {"at-add", "at-update"});
    choice(td, "trace_parity", &TdOptions::trace_parity, {"per-colour", "single"});
    choice(td, "update_mode", &TdOptions::update_mode, {"end-refresh", "end-cached", "online"});
    choice(td, "normaliser", &TdOptions::normaliser, {"state", "successor"});
    const std::vector<std::string> rules{"constant", "counts", "kalman", "idbd"};
    td.def_prop_rw(
        "step_rule", [rules](const TdOptions& o) { return rules[static_cast<std::size_t>(o.step.rule)]; },
        [rules](TdOptions& o, const std::string& value) { o.step.rule = named<StepRule>(rules, "step_rule", value); });
    td.def_rw("plies", &TdOptions::plies)
        .def_rw("lambda_", &TdOptions::lambda)
        .def_rw("trace_cutoff", &TdOptions::trace_cutoff)
        .def_rw("learns_last", &TdOptions::learns_last)
        .def_rw("linear_offset", &TdOptions::linear_offset);
    step_field(td, "alpha", &StepSizeOptions::alpha);
    step_field(td, "count_scale", &StepSizeOptions::count_scale);
    step_field(td, "variance", &StepSizeOptions::variance);
    step_field(td, "meta_step", &StepSizeOptions::meta_step);

    nb::class_<SelfPlayOptions> play(m, "SelfPlayOptions", "How games of self-play go, as native code takes it: katachi.training.self_play.");
    play.def(nb::init<>());
    choice(play, "eye_rule", &SelfPlayOptions::eye_rule, {"simple", "surrounded", "strict", "none"});
    choice(play, "ties", &SelfPlayOptions::ties, {"random", "last"});
    play.def_rw("komi", &SelfPlayOptions::komi)
        .def_rw("epsilon", &SelfPlayOptions::epsilon)
        .def_rw("longest_game", &SelfPlayOptions::longest_game)
        .def_rw("count_occurrences", &SelfPlayOptions::count_occurrences)
        .def_rw("threads", &SelfPlayOptions::threads)
        .def_rw("td", &SelfPlayOptions::td);
}

// Weights that learn from games which are given as data.
struct GameLearner {
    GameLearner(const TdOptions& options, std::uint32_t count) : weights(count), learner(options, count) {}

    GameErrors learn_game(const std::vector<std::vector<Entry>>& states, double outcome) {
        meet(states);
        return learner.learn_game(weights, game, outcome);
    }

    void learn_steps(const std::vector<std::vector<Entry>>& states) {
        if (learner.options().update_mode != UpdateMode::online) {
            throw InvalidArgumentError("a game that has no outcome is learnt from with update_mode=online");
        }
        meet(states);
    }

    // The states of a game one after the other; online, with what they teach.
    void meet(const std::vector<std::vector<Entry>>& states) {
        game.clear();
        learner.begin_game();
        for (const auto& state : states) {
            for (const Entry entry : state) {
                check(entry);
                game.add(entry);
            }
            game.end_state(learner.value(weights, state));
            if (learner.options().update_mode == UpdateMode::online) {
                learner.learn_step(weights, game);
            }
        }
    }

    double value(const std::vector<Entry>& state) const {
        std::ranges::for_each(state, [&](Entry entry) { check(entry); });
        return learner.value(weights, state);
    }

    void check(Entry entry) const {
        const auto count = static_cast<std::int64_t>(weights.count());
        if (entry == 0 || std::abs(static_cast<std::int64_t>(entry)) > count) {
            throw InvalidArgumentError("an entry is a weight's number from 1 to " + std::to_string(count) + ", with a sign, not " +
                                       std::to_string(entry));
        }
    }

    ShapeWeights weights;
    TdLearner learner;
    GameTrace game;
};

void bind_learner(nb::module_& m) {
    nb::class_<GameErrors>(m, "GameErrors", "What was wrong with the values of a game before it was learnt from; of a tally, sums over games.")
        .def_ro("cross_entropy", &GameErrors::cross_entropy, "Mean over states, between targets and values.")
        .def_ro("mean", &GameErrors::mean, "Of target - value.")
        .def_ro("rms", &GameErrors::rms)
        .def_ro("rms_to_outcome", &GameErrors::rms_to_outcome);

    nb::class_<GameLearner>(m, "TdLearner", "Weights that learn from games given as data: for each state its signed entries, weight number + 1.")
        .def(nb::init<const TdOptions&, std::uint32_t>(), "options"_a, "weights"_a)
        .def_prop_rw(
            "weights", [](const GameLearner& g) { return weights_array(g.weights); },
            [](GameLearner& g, const FloatsIn& values) { set_weights(g.weights, values); }, owned)
        .def_prop_rw(
            "step_memories", [](GameLearner& g) { return step_memories(g.learner.step_sizes()); },
            [](GameLearner& g, const std::vector<FloatsIn>& values) { set_step_memories(g.learner.step_sizes(), values); }, owned)
        .def("value", &GameLearner::value, "state"_a, "Of a state by the weights of now.")
        .def("learn_game", &GameLearner::learn_game, "states"_a, "outcome"_a, "Learns from a game; the terminal state is not among its states.")
        .def("learn_steps", &GameLearner::learn_steps, "states"_a,
             "Learns from a game that was broken off, online: as far as a state's target is one of its states.");
}

void bind_self_play(nb::module_& m) {
    nb::class_<SelfPlayTally>(m, "SelfPlayTally", "Sums over games, since they were last taken.")
        .def_ro("games", &SelfPlayTally::games)
        .def_ro("moves", &SelfPlayTally::moves)
        .def_ro("values", &SelfPlayTally::values, "Afterstates that were valued.")
        .def_ro("cut", &SelfPlayTally::cut, "Games that were too long.")
        .def_ro("black_wins", &SelfPlayTally::black_wins, "A draw counts half.")
        .def_ro("errors", &SelfPlayTally::errors);

    nb::class_<SelfPlay>(m, "SelfPlay", "Learning by self-play. Between two games all that the next one depends on can be read and set.")
        .def(
            "run",
            [](SelfPlay& job, std::uint64_t until, const Progress& progress) {
                check_idle(job);
                job.begin(until);
                return drive(job, progress);
            },
            "until"_a, "progress"_a.none() = nb::none(), "Plays until there have been so many games (True) or progress returns False.")
        .def(
            "take_tally",
            [](SelfPlay& job) {
                await_slice(job);
                return job.take_tally();
            },
            "Sums over the games since the last time.")
        .def_prop_rw(
            "games", settled(&SelfPlay::games),
            [](SelfPlay& job, std::uint64_t games) {
                check_idle(job);
                job.set_games(games);
            },
            "How many there have been.")
        .def_prop_rw(
            "weights",
            [](const SelfPlay& job) {
                await_slice(job);
                return weights_array(job.weights());
            },
            [](SelfPlay& job, const FloatsIn& values) {
                check_idle(job);
                set_weights(job.weights(), values);
            },
            owned)
        .def_prop_rw(
            "step_memories",
            [](SelfPlay& job) {
                await_slice(job);
                return step_memories(job.learner().step_sizes());
            },
            [](SelfPlay& job, const std::vector<FloatsIn>& values) {
                check_idle(job);
                set_step_memories(job.learner().step_sizes(), values);
            },
            owned, "What steps that adapt remember: an array or two by weight; of the constant step, none.")
        .def_prop_rw(
            "occurrences",
            [](SelfPlay& job) {
                await_slice(job);
                return array_of(job.occurrences());
            },
            [](SelfPlay& job, const CountsIn& values) {
                check_idle(job);
                auto& occurrences = job.occurrences();
                check_size(values.size(), occurrences.size(), "occurrences");
                std::copy_n(values.data(), values.size(), occurrences.begin());
            },
            owned, "By weight: how often it was active in the states of all games; for count_occurrences.")
        .def_prop_rw(
            "rng",
            [](SelfPlay& job) {
                await_slice(job);
                return Rng(job.rng());
            },
            [](SelfPlay& job, const Rng& rng) {
                check_idle(job);
                job.rng() = rng;
            },
            "A copy of its generator.");

    m.def(
        "self_play",
        [](std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng) {
            return make_self_play(std::move(representation), options, rng);
        },
        "representation"_a, "options"_a, "rng"_a, "Weights of 0 and no game yet.");
}

}  // namespace

void bind_training(nb::module_& m) {
    bind_options(m);
    bind_learner(m);
    bind_self_play(m);
}

}  // namespace katachi::bindings
