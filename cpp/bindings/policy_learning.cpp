#include "training/policy_learning.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/choices.hpp"

namespace katachi::bindings {

namespace {

constexpr auto owned = nb::rv_policy::automatic;

Array<double> copy_of(std::span<const double> values) { return array_of(std::vector<double>(values.begin(), values.end())); }
std::span<const double> span_of(const DoublesIn& values) { return {values.data(), values.size()}; }

void bind_options(nb::module_& m) {
    nb::class_<PolicyLearningOptions> options(m, "PolicyLearningOptions",
                                              "How a playout policy is learnt, as native code takes it: katachi.training.policy_learning.");
    options.def(nb::init<>());
    choice(options, "learner", &PolicyLearningOptions::rule, {"regression", "reinforcement", "balancing", "two-step"});
    choice(options, "rl_reward", &PolicyLearningOptions::rl_reward, {"mover_pm1", "literal"});
    choice(options, "baseline", &PolicyLearningOptions::baseline, {"none", "mean", "critic"});
    choice(options, "eye_rule", &PolicyLearningOptions::eye_rule, {"simple", "surrounded", "strict", "none"});
    options.def_rw("alpha", &PolicyLearningOptions::alpha)
        .def_rw("bias_simulations", &PolicyLearningOptions::bias_simulations)
        .def_rw("gradient_simulations", &PolicyLearningOptions::gradient_simulations)
        .def_rw("length_normalise", &PolicyLearningOptions::length_normalise)
        .def_rw("critic_alpha", &PolicyLearningOptions::critic_alpha)
        .def_rw("largest_weight", &PolicyLearningOptions::largest_weight)
        .def_rw("weight_decay", &PolicyLearningOptions::weight_decay)
        .def_rw("largest_bias", &PolicyLearningOptions::largest_bias)
        .def_rw("komi", &PolicyLearningOptions::komi)
        .def_rw("longest_simulation", &PolicyLearningOptions::longest_simulation)
        .def_rw("threads", &PolicyLearningOptions::threads);
}

void bind_data(nb::module_& m) {
    using Answers = std::vector<std::vector<Action>>;
    using Values = std::vector<std::vector<double>>;
    nb::class_<LabelledPosition>(m, "LabelledPosition", "What a playout policy is learnt from; katachi.training.data_set has it for Python.")
        .def(
            "__init__",
            [](LabelledPosition* self, std::vector<Action> moves, double value, Action best, std::vector<Action> first, Answers second,
               Values values) { new (self) LabelledPosition{std::move(moves), value, best, std::move(first), std::move(second), std::move(values)}; },
            nb::kw_only(), "moves"_a, "value"_a, "best"_a, "first"_a = std::vector<Action>{}, "second"_a = Answers{}, "values"_a = Values{});

    nb::class_<PolicyLearningTally>(m, "PolicyLearningTally", "Sums over steps, since they were last taken.")
        .def(nb::init<>())
        .def_rw("steps", &PolicyLearningTally::steps)
        .def_rw("skipped", &PolicyLearningTally::skipped, "Steps whose expert's move the policy never plays.")
        .def_rw("simulations", &PolicyLearningTally::simulations)
        .def_rw("moves", &PolicyLearningTally::moves, "Of the simulations.")
        .def_rw("cut", &PolicyLearningTally::cut, "Simulations that were too long.")
        .def_rw("black_wins", &PolicyLearningTally::black_wins, "Of the simulations; a draw counts half.")
        .def_rw("log_likelihood", &PolicyLearningTally::log_likelihood, "Of the expert's moves.")
        .def_rw("squared_bias", &PolicyLearningTally::squared_bias, "Of the values of the balancing rules.");
}

void bind_job(nb::module_& m) {
    nb::class_<PolicyLearning>(m, "PolicyLearning",
                               "Learning a playout policy. Between two steps all that the next one depends on can be read and set.")
        .def(
            "run",
            [](PolicyLearning& job, std::uint64_t until, const Progress& progress) {
                check_idle(job);
                job.begin(until);
                return drive(job, progress);
            },
            "until"_a, "progress"_a.none() = nb::none(), "Learns until there have been so many steps (True) or progress returns False.")
        .def(
            "take_tally",
            [](PolicyLearning& job) {
                await_slice(job);
                return job.take_tally();
            },
            "Sums over the steps since the last time.")
        .def_prop_rw(
            "tally", settled(&PolicyLearning::tally),
            [](PolicyLearning& job, const PolicyLearningTally& tally) {
                check_idle(job);
                job.set_tally(tally);
            },
            "A copy of the same, which stay what they are.")
        .def_prop_rw(
            "steps", settled(&PolicyLearning::steps),
            [](PolicyLearning& job, std::uint64_t steps) {
                check_idle(job);
                job.set_steps(steps);
            },
            "How many there have been.")
        .def_prop_rw(
            "weights",
            [](const PolicyLearning& job) {
                await_slice(job);
                return copy_of(job.weights());
            },
            [](PolicyLearning& job, const DoublesIn& weights) {
                check_idle(job);
                job.set_weights(span_of(weights));
            },
            owned, "theta")
        .def_prop_rw(
            "critic",
            [](const PolicyLearning& job) {
                await_slice(job);
                return copy_of(job.critic());
            },
            [](PolicyLearning& job, const DoublesIn& weights) {
                check_idle(job);
                job.set_critic(span_of(weights));
            },
            owned, "Weights of the critic; zeros unless it is the baseline.")
        .def(
            "scores",
            [](PolicyLearning& job, const std::vector<Action>& moves) {
                check_idle(job);
                PolicyScores found = job.scores(moves);
                return std::tuple(found.actions, array_of(std::move(found.probabilities)), array_of(std::move(found.scores)));
            },
            "moves"_a, "(actions, pi, psi row by row) of the candidates after these moves from the empty board.");

    m.def(
        "policy_learning",
        [](const std::shared_ptr<const features::Representation>& representation, std::vector<LabelledPosition> positions,
           const PolicyLearningOptions& options, const Rng& rng) { return make_policy_learning(representation, std::move(positions), options, rng); },
        "representation"_a, "positions"_a, "options"_a, "rng"_a, "Weights of 0 and no step yet.");
}

}  // namespace

void bind_policy_learning(nb::module_& m) {
    bind_options(m);
    bind_data(m);
    bind_job(m);
}

}  // namespace katachi::bindings
