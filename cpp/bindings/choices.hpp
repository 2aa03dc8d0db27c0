// Values of enumerations by the names that settings give them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"

namespace katachi::bindings {

// A named value, in the order of its enumeration.
template <class E>
E named(const std::vector<std::string>& names, const std::string& what, const std::string& value) {
    const auto found = std::ranges::find(names, value);
    if (found == names.end()) {
        throw InvalidArgumentError(what + " has no value '" + value + "'");
    }
    return static_cast<E>(found - names.begin());
}

template <class O, class E>
void choice(nb::class_<O>& options, const char* name, E O::* field, const std::vector<std::string>& names) {
    options.def_prop_rw(
        name, [field, names](const O& o) { return names[static_cast<std::size_t>(o.*field)]; },
        [field, names, name](O& o, const std::string& value) { o.*field = named<E>(names, name, value); });
}

}  // namespace katachi::bindings
