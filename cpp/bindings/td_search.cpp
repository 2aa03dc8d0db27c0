#include <nanobind/stl/shared_ptr.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "search/td_search.hpp"

namespace katachi::bindings {

namespace {

void bind_options(nb::module_& m) {
    nb::class_<TdSearchOptions>(m, "TdSearchOptions", "See katachi.search.td_search.TdSearchSettings.")
        .def(nb::init<>())
        .def_prop_rw(
            "exploration", [](const TdSearchOptions& o) { return o.exploration == Exploration::softmax ? "softmax" : "epsilon-greedy"; },
            [](TdSearchOptions& o, const std::string& name) {
                if (name != "softmax" && name != "epsilon-greedy") {
                    throw InvalidArgumentError("exploration has no value '" + name + "'");
                }
                o.exploration = name == "softmax" ? Exploration::softmax : Exploration::epsilon_greedy;
            })
        .def_rw("epsilon", &TdSearchOptions::epsilon)
        .def_rw("epsilon_policy", &TdSearchOptions::epsilon_policy)
        .def_rw("epsilon_half", &TdSearchOptions::epsilon_half)
        .def_rw("temperature", &TdSearchOptions::temperature)
        .def_rw("switch_after", &TdSearchOptions::switch_after)
        .def_rw("policy", &TdSearchOptions::policy)
        .def_rw("record_limit", &TdSearchOptions::record_limit)
        .def_rw("mercy", &TdSearchOptions::mercy)
        .def_rw("threads", &TdSearchOptions::threads);
}

std::vector<std::tuple<std::string, float, double, std::uint64_t>> grown_features(const ShortTermMemory& memory) {
    static constexpr std::array names{"table", "block", "sequence", "square"};
    std::vector<std::tuple<std::string, float, double, std::uint64_t>> all;
    const GrownMemory* const grown = memory.grown();
    if (grown == nullptr) {
        return all;
    }
    const auto first = static_cast<features::Entry>(memory.representation().weights()) + 1;
    for (int i = 0; i < grown->count(); ++i) {
        const auto number = static_cast<std::size_t>(i);
        const GrownMemory::Mean mean = grown->means().empty() ? GrownMemory::Mean{} : grown->mean(i);
        all.emplace_back(names[static_cast<std::size_t>(grown->kinds()[number])], memory.weights()[first + i], mean.total, mean.visits);
    }
    return all;
}

void bind_memory(nb::module_& m) {
    nb::class_<ShortTermMemory>(m, "ShortTermMemory", "The weights that a temporal-difference search learns, and keeps from move to move.")
        .def(
            "__init__",
            [](ShortTermMemory* self, std::shared_ptr<const features::Representation> representation, const TdOptions& options,
               const std::optional<GrownOptions>& grown) { new (self) ShortTermMemory(std::move(representation), options, grown); },
            "representation"_a, "options"_a, "grown"_a.none() = nb::none())
        .def_prop_rw(
            "weights",
            [](const ShortTermMemory& memory) {
                await_slice(memory.use());
                return weights_array(memory.weights());
            },
            [](ShortTermMemory& memory, const FloatsIn& values) {
                check_ours(memory.use());
                assign_weights(memory.weights(), values);
            },
            nb::rv_policy::automatic, "A copy; what is assigned are all of them.")
        .def(
            "grown",
            [](const ShortTermMemory& memory) {
                await_slice(memory.use());
                return grown_features(memory);
            },
            "The grown features in the order of their numbers: kind, weight, and of tables total outcome and visits.")
        .def(
            "evaluator",
            [](const ShortTermMemory& memory, std::optional<double> linear_offset) {
                await_slice(memory.use());
                return std::make_shared<ShapeEvaluator>(memory.shared_representation(), memory.weights(), linear_offset);
            },
            "linear_offset"_a.none() = nb::none(), "The weights as they are now.")
        .def(
            "clear",
            [](ShortTermMemory& memory) {
                check_ours(memory.use());
                memory.clear();
            },
            "As if nothing had been learnt.")
        .def(
            "add",
            [](ShortTermMemory& memory, const ShapeEvaluator& evaluator) {
                check_ours(memory.use());
                evaluator.add_to(memory.representation(), memory.weights());
            },
            "evaluator"_a, "Adds other weights to its own, shape by shape: what is known already before a search.");
    m.def(
        "add_shapes",
        [](const ShapeEvaluator& evaluator, const features::Representation& representation, ShapeWeights& weights) {
            check_weights(representation, weights);
            evaluator.add_to(representation, weights);
        },
        "evaluator"_a, "representation"_a, "weights"_a, "Adds what shapes are worth to weights of which every shape has one.");
}

}  // namespace

void bind_td_search(nb::module_& m) {
    bind_options(m);
    bind_memory(m);

    nb::class_<SimulatedGame>(m, "SimulatedGame", "One simulation of a search.")
        .def_ro("moves", &SimulatedGame::moves)
        .def_ro("recorded", &SimulatedGame::recorded, "How many of its states were learnt from.")
        .def_ro("outcome", &SimulatedGame::outcome, "1: Black has won.")
        .def_ro("errors", &SimulatedGame::errors);

    nb::class_<TdSearch, Search>(m, "TdSearch", "Temporal-difference search from one root.")
        .def_prop_ro("value", settled(&TdSearch::value), "Black's chance to win in the root, by the memories.")
        .def(
            "line",
            [](const TdSearch& search, Action first, int length) {
                await_slice(search);
                return search.line(first, length);
            },
            "first"_a, "length"_a, "An action of the root and what follows by values.")
        .def_prop_ro("last_game", settled(&TdSearch::last_game), nb::rv_policy::copy)
        .def_prop_ro("errors", settled(&TdSearch::errors), "Means over all simulations.");

    m.def(
        "td_search",
        [](const StateDoor& root, std::shared_ptr<ShortTermMemory> memory, const TdSearchOptions& options, const Rng& rng,
           std::shared_ptr<const ShapeEvaluator> long_term) {
            await_slice(memory->use());
            return root.td_search(std::move(memory), std::move(long_term), options, rng);
        },
        "root"_a, "memory"_a, "options"_a, "rng"_a, "long_term"_a.none() = nb::none());
}

}  // namespace katachi::bindings
