#include "bindings/bindings.hpp"
#include "search/limit.hpp"
#include "search/search.hpp"

namespace katachi::bindings {

void bind_search(nb::module_& m) {
    nb::class_<RootAction>(m, "RootAction", "What a search knows of one action at the root.")
        .def_prop_ro("action", [](const RootAction& root) { return root.action; })
        .def_ro("visits", &RootAction::visits)
        .def_ro("value", &RootAction::value, "Mean return of player 0 over these visits.")
        .def("__repr__", [](const RootAction& root) {
            return nb::str("RootAction(action={}, visits={}, value={})").format(root.action.value, root.visits, root.value);
        });

    nb::class_<Search>(m, "Search", "A search of one root state. It can be run again to go on.")
        .def(
            "run",
            [](Search& search, std::optional<std::uint64_t> simulations, std::optional<std::uint64_t> steps, std::optional<double> seconds,
               const Progress& progress) {
                check_idle(search);
                search.begin({simulations, steps, seconds});
                return drive(search, progress);
            },
            nb::kw_only(), "simulations"_a.none() = nb::none(), "steps"_a.none() = nb::none(), "seconds"_a.none() = nb::none(),
            "progress"_a.none() = nb::none(), "Searches until the first limit is reached (True) or progress returns False.")
        .def("root_actions", settled(&Search::root_actions))
        .def_prop_ro("simulations", settled(&Search::simulations), "Simulations so far, over all runs.")
        .def_prop_ro("steps", settled(&Search::steps), "Simulated steps so far.");

    m.def("flat_monte_carlo", [](const StateDoor& root, const Rng& rng) { return root.flat_monte_carlo(rng); }, "root"_a, "rng"_a);
    m.def(
        "tree_search", [](const StateDoor& root, double exploration, const Rng& rng) { return root.tree_search({.exploration = exploration}, rng); },
        "root"_a, "exploration"_a, "rng"_a);
}

}  // namespace katachi::bindings
