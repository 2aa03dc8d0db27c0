#include <nanobind/stl/shared_ptr.h>

#include <span>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "features/placements.hpp"
#include "policies/patterns.hpp"
#include "values/placement_factors.hpp"

namespace katachi::bindings {

Policy policy_of(const PolicyOrName& policy) {
    const auto* name = std::get_if<std::string>(&policy);
    return name == nullptr ? std::get<Policy>(policy) : Policy::named(*name);
}

void bind_policies(nb::module_& m) {
    nb::class_<features::Placements>(m, "Placements", "What one stone more changes of local shapes of 1x1 and 2x2.")
        .def(
            "__init__", [](features::Placements* self, const features::Representation& r) { new (self) features::Placements(r); }, "representation"_a,
            "With an error for other shapes, other sharing, and weights by turn or stage.")
        .def_prop_ro("side", &features::Placements::side)
        .def_prop_ro("weights", &features::Placements::weights, "How many there are.");
    nb::class_<FrozenPlacements>(m, "FrozenPlacements", "Weights of softmax over local shapes, made ready for playouts.")
        .def(
            "__init__",
            [](FrozenPlacements* self, std::shared_ptr<const features::Placements> placements, const DoublesIn& weights) {
                new (self) FrozenPlacements(std::move(placements), std::span(weights.data(), weights.size()));
            },
            "placements"_a, "weights"_a);

    nb::class_<Policy>(m, "Policy", "What plays simulated games, as native code takes it; see katachi.policies.")
        .def_static(
            "named", [](const std::string& name) { return Policy::named(name); }, "name"_a, "uniform, mogo or fuego.")
        .def_static(
            "learnt",
            [](const std::string& name, double number, std::shared_ptr<const ShapeEvaluator> shapes) {
                return Policy::learnt(name, number, std::move(shapes));
            },
            "name"_a, "number"_a, "shapes"_a, "greedy(epsilon), gaussian(sd) or softmax(tau) over values of local shapes.")
        .def_static("softmax_shapes", &Policy::softmax_shapes, "placements"_a, "Softmax over local shapes.")
        .def_static(
            "mix",
            [](const std::vector<std::pair<double, Policy>>& parts) {
                std::vector<double> shares;
                std::vector<Policy> policies;
                for (const auto& [share, policy] : parts) {
                    shares.push_back(share);
                    policies.push_back(policy);
                }
                return Policy::mix(std::move(shares), std::move(policies));
            },
            "parts"_a, "One of the parts at each move, by their shares.")
        .def_static("two_stages", &Policy::two_stages, "moves"_a, "first"_a, "second"_a, "The first for so many moves of a playout, then the second.")
        .def("__str__", &Policy::text);

    nb::class_<Pattern>(m, "Pattern", "A 3x3 pattern of playouts; see katachi.policies.")
        .def_static(
            "parse", [](std::string name, const std::string& text) { return Pattern::parse(std::move(name), text); }, "name"_a, "text"_a,
            "Three rows of three signs; blanks do not count.")
        .def_prop_ro("name", &Pattern::name)
        .def(
            "matches",
            [](const Pattern& pattern, const std::string& around, Player to_play) { return pattern.matches(parse_neighbourhood(around), to_play); },
            "neighbourhood"_a, "to_play"_a, "In any orientation and with either colour as X.")
        .def("__str__", &Pattern::text);
    m.def("playout_patterns", &playout_patterns, "Those that policies play by.");
    m.def(
        "matches_any_pattern",
        [](const std::string& around, Player to_play) { return pattern_table().matches(parse_neighbourhood(around), to_play); }, "neighbourhood"_a,
        "to_play"_a, "By the table that policies read. A neighbourhood is nine of X (Black), O, '.' and '#', row by row.");
}

}  // namespace katachi::bindings
