#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "policies/patterns.hpp"

namespace katachi::bindings {

DefaultPolicy parse_policy(const std::string& name) {
    for (const DefaultPolicy policy : {DefaultPolicy::uniform, DefaultPolicy::mogo, DefaultPolicy::fuego}) {
        if (name == policy_name(policy)) {
            return policy;
        }
    }
    throw InvalidArgumentError("there is no playout policy '" + name + "'");
}

void bind_policies(nb::module_& m) {
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
