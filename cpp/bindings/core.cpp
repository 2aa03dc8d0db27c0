#include <nanobind/stl/array.h>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "core/rng.hpp"

namespace katachi::bindings {

bool drive(Job& job, const Progress& progress) {
    while (true) {
        bool done = false;
        if (job.calls_python()) {
            done = job.advance(Slice());
        } else {
            const nb::gil_scoped_release release;
            done = job.advance(Slice());
        }
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        const bool goes_on = progress.is_none() || !nb::object(progress(job.progress())).is(nb::handle(Py_False));
        if (done || !goes_on) {
            return done;
        }
    }
}

namespace {

void raise_named(const char* name, const char* message) {
    nb::object error = nb::module_::import_("katachi.core.errors").attr(name);
    PyErr_SetString(error.ptr(), message);
}

void translate(const std::exception_ptr& error, void* /*payload*/) {
    try {
        std::rethrow_exception(error);
    } catch (const IllegalMoveError& e) {
        raise_named("IllegalMoveError", e.what());
    } catch (const InvalidArgumentError& e) {
        raise_named("InvalidArgumentError", e.what());
    } catch (const GameContractError& e) {
        raise_named("GameContractError", e.what());
    }
}

std::uint64_t calibrate(std::uint32_t steps) {
    Rng rng(0);
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < steps; ++i) {
        sum += rng.below(1000);
    }
    return sum;
}

}  // namespace

void bind_core(nb::module_& m) {
    nb::register_exception_translator(translate);

    m.def("build_info", [] { return std::pair<std::string, std::string>(KATACHI_COMPILER, KATACHI_FLAGS); }, "(compiler, flags) of this build.");
    m.def("calibrate", &calibrate, "steps"_a, nb::call_guard<nb::gil_scoped_release>(),
          "A fixed loop of arithmetic, for comparing machines: draws that many random numbers and returns their sum.");

    nb::enum_<Player>(m, "Player", nb::is_arithmetic(), "Player 0 is Black, or the first, or the only player.")
        .value("BLACK", Player::black)
        .value("WHITE", Player::white)
        .def_prop_ro("opponent", &opponent, "The other player.");

    nb::class_<Rng>(m, "Rng",
                    "The one random generator (xoshiro256++, seeded through SplitMix64). Pass it to whatever needs chance;\n"
                    "`split` it by name for independent streams.")
        .def(nb::init<std::uint64_t>(), "seed"_a)
        .def("next", &Rng::next, "The next 64 random bits.")
        .def(
            "below",
            [](Rng& rng, std::int64_t bound) {
                if (bound < 1 || bound > 0xffffffffLL) {
                    throw InvalidArgumentError("Rng.below needs a bound from 1 to 2**32 - 1, not " + std::to_string(bound));
                }
                return rng.below(static_cast<std::uint32_t>(bound));
            },
            "bound"_a, "A whole number, uniform on [0, bound).")
        .def("uniform", &Rng::uniform, "A float, uniform on [0, 1).")
        .def(
            "split", [](const Rng& rng, const std::string& name, std::uint64_t index) { return rng.split(name, index); }, "name"_a, "index"_a = 0,
            "An independent generator for (name, index). This one does not advance.")
        .def_prop_ro("state", &Rng::state, "The four words of state.")
        .def_static(
            "from_state", [](const Rng::State& state) { return Rng(state); }, "state"_a)
        .def(
            "__eq__", [](const Rng& a, const nb::object& b) { return nb::isinstance<Rng>(b) && a == nb::cast<const Rng&>(b); },
            nb::arg("other").none())
        .def("__copy__", [](const Rng& rng) { return rng; })
        .def(
            "__deepcopy__", [](const Rng& rng, const nb::object& /*memo*/) { return rng; }, "memo"_a)
        .def("__repr__", [](const Rng& rng) {
            return nb::str("Rng.from_state(({}, {}, {}, {}))").format(rng.state()[0], rng.state()[1], rng.state()[2], rng.state()[3]);
        });
}

}  // namespace katachi::bindings
