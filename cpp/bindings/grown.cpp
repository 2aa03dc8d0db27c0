#include <string>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "search/grown_memory.hpp"

namespace katachi::bindings {

void bind_grown(nb::module_& m) {
    nb::class_<GrownOptions>(m, "GrownOptions", "See katachi.search.grown.GrownSettings.")
        .def(nb::init<>())
        .def_rw("table", &GrownOptions::table)
        .def_rw("blocks", &GrownOptions::blocks)
        .def_rw("sequences", &GrownOptions::sequences)
        .def_rw("squares", &GrownOptions::squares)
        .def_rw("block_distance", &GrownOptions::block_distance)
        .def_rw("sequence_length", &GrownOptions::sequence_length)
        .def_rw("limit", &GrownOptions::limit)
        .def_rw("table_prior", &GrownOptions::table_prior)
        .def_prop_rw(
            "table_value", [](const GrownOptions& o) { return o.table_value == TableValue::interpolation ? "interpolation" : "regression"; },
            [](GrownOptions& o, const std::string& name) {
                if (name != "interpolation" && name != "regression") {
                    throw InvalidArgumentError("table_value has no value '" + name + "'");
                }
                o.table_value = name == "interpolation" ? TableValue::interpolation : TableValue::regression;
            });
}

}  // namespace katachi::bindings
