#include <nanobind/stl/array.h>

#include <atomic>
#include <thread>

#include "bindings/bindings.hpp"
#include "core/access.hpp"
#include "core/errors.hpp"
#include "core/normal.hpp"
#include "core/rng.hpp"
#include "core/team.hpp"

namespace katachi::bindings {

namespace {

// Lets the other threads of Python go on.
void pause() {
    const nb::gil_scoped_release release;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// The interpreter must not end while a thread is inside a slice: taking the lock back would then kill the process. So at exit
// the jobs of all other threads are stopped at the end of their slice, and these threads go no further. Under the
// interpreter lock, like Use.
struct Shutdown {
    bool begun = false;
    std::thread::id exiting;
    int drivers = 0;
};
Shutdown& shutdown() {
    static Shutdown state;
    return state;
}

bool is_left_behind() { return shutdown().begun && shutdown().exiting != std::this_thread::get_id(); }

void stop_at_exit() {
    shutdown().begun = true;
    shutdown().exiting = std::this_thread::get_id();
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (shutdown().drivers > 0 && std::chrono::steady_clock::now() < patience) {
        pause();
    }
}

// For a thread that is left behind by the end of the interpreter: waits without the lock until the process is gone.
void park() {
    const nb::gil_scoped_release release;
    while (true) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

// One driver at a time; released also when an exception leaves the loop.
class Driving {
   public:
    explicit Driving(Job& job) : job_(job), use_(job.use()) {
        check_idle(job);
        use_.driven = true;
        use_.driver = std::this_thread::get_id();
        ++shutdown().drivers;
    }
    Driving(const Driving&) = delete;
    Driving(Driving&&) = delete;
    Driving& operator=(const Driving&) = delete;
    Driving& operator=(Driving&&) = delete;
    ~Driving() {
        use_.driven = use_.in_slice = false;
        --shutdown().drivers;
    }

    bool advance() {
        use_.in_slice = true;
        bool done = false;
        if (job_.calls_python()) {
            done = job_.advance(Slice());
        } else {
            const nb::gil_scoped_release release;
            done = job_.advance(Slice());
        }
        use_.in_slice = false;
        while (use_.readers > 0) {
            pause();
        }
        return done;
    }

   private:
    Job& job_;
    Use& use_;
};

}  // namespace

bool drive(Job& job, const Progress& progress) {
    bool done = false;
    if (!is_left_behind()) {
        Driving driving(job);
        for (bool goes_on = true; goes_on && !done && !is_left_behind();) {
            done = driving.advance();
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
            goes_on = progress.is_none() || !nb::object(progress(job.progress())).is(nb::handle(Py_False));
        }
    }
    if (is_left_behind()) {
        park();
    }
    return done;
}

void await_slice(Use& use) {
    while (use.in_slice) {
        if (use.driver == std::this_thread::get_id()) {
            throw InvalidArgumentError("this cannot be read from inside its own simulation");
        }
        ++use.readers;
        pause();
        --use.readers;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }
}

void check_idle(const Job& job) {
    if (job.use().driven) {
        throw InvalidArgumentError(std::string(job.use().running) + ": in another thread, or because its own progress or game called it");
    }
}

void check_ours(const Use& use) {
    if (use.driven && use.driver != std::this_thread::get_id()) {
        throw InvalidArgumentError(std::string(use.running) + " in another thread");
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
    } catch (const DivergenceError& e) {
        raise_named("DivergenceError", e.what());
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

// Two threads hand a number to each other. Who has no core meanwhile gets one.
void pass_around(std::uint32_t rounds) {
    alignas(cache_line) std::atomic<std::uint32_t> number = 0;
    work_together(2, [&](std::size_t i, const std::atomic<bool>& is_stopped) {
        for (auto turn = static_cast<std::uint32_t>(i); turn < 2 * rounds; turn += 2) {
            for (std::uint32_t looks = 0; number.load(std::memory_order_acquire) != turn && !is_stopped; ++looks) {
                if (looks > 10'000) {
                    std::this_thread::yield();
                }
            }
            number.store(turn + 1, std::memory_order_release);
        }
    });
}

}  // namespace

void bind_core(nb::module_& m) {
    nb::register_exception_translator(translate);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(stop_at_exit));

    m.def("build_info", [] { return std::pair<std::string, std::string>(KATACHI_COMPILER, KATACHI_FLAGS); }, "(compiler, flags) of this build.");
    m.def("calibrate", &calibrate, "steps"_a, nb::call_guard<nb::gil_scoped_release>(),
          "A fixed loop of arithmetic, for comparing machines: draws that many random numbers and returns their sum.");
    m.def("pass_around", &pass_around, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Two threads hand a number to each other and back, that many times: how far apart their cores are.");

    nb::enum_<Player>(m, "Player", nb::is_arithmetic(), "Player 0 is Black, or the first, or the only player.")
        .value("BLACK", Player::black)
        .value("WHITE", Player::white)
        .def_prop_ro("opponent", &opponent, "The other player.");

    auto rng_class =
        nb::class_<Rng>(m, "Rng",
                        "The one random generator (xoshiro256++, seeded through SplitMix64). Pass it to whatever needs chance;\n"
                        "`split` it by name for independent streams.")
            .def(
                "__init__",
                [](Rng* self, const nb::int_& seed) {
                    std::uint64_t value = 0;
                    if (!nb::try_cast<std::uint64_t>(seed, value)) {
                        throw InvalidArgumentError("a seed is a whole number from 0 to 2**64 - 1, not " + nb::cast<std::string>(nb::repr(seed)));
                    }
                    new (self) Rng(value);
                },
                nb::sig("def __init__(self, seed: typing.SupportsIndex) -> None"), "seed"_a)
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
                "normal", [](Rng& rng) { return ziggurat().draw(rng); }, "A float, normally distributed: mean 0, variance 1.")
            .def(
                "choice",
                [](Rng& rng, const nb::sequence& items) {
                    const std::size_t size = nb::len(items);
                    if (size == 0) {
                        throw InvalidArgumentError("Rng.choice needs at least one item");
                    }
                    return nb::object(items[rng.below(static_cast<std::uint32_t>(size))]);
                },
                nb::sig("def choice(self, items: collections.abc.Sequence[typing.Any]) -> typing.Any"), "items"_a,
                "An item of a sequence, each equally likely.")
            .def(
                "split", [](const Rng& rng, const std::string& name, std::uint64_t index) { return rng.split(name, index); }, "name"_a, "index"_a = 0,
                "An independent generator for (name, index). This one does not advance.")
            .def_prop_ro("state", &Rng::state, "The four words of state.")
            .def_static(
                "from_state",
                [](const Rng::State& state) {
                    if (state == Rng::State{}) {
                        throw InvalidArgumentError("the state of a generator must not be all zeros");
                    }
                    return Rng(state);
                },
                "state"_a)
            .def(
                "__eq__", [](const Rng& a, const nb::object& b) { return nb::isinstance<Rng>(b) && a == nb::cast<const Rng&>(b); },
                nb::arg("other").none())
            .def("__getstate__", &Rng::state)
            .def(
                "__setstate__", [](Rng& rng, const Rng::State& state) { new (&rng) Rng(state); }, "state"_a)
            .def(
                "__hash__", [](const Rng&) -> Py_hash_t { throw nb::type_error("unhashable: a generator changes with every draw"); },
                nb::sig("def __hash__(self) -> typing.NoReturn"))
            .def("__copy__", [](const Rng& rng) { return rng; })
            .def(
                "__deepcopy__", [](const Rng& rng, const nb::object& /*memo*/) { return rng; }, "memo"_a)
            .def("__repr__", [](const Rng& rng) {
                return nb::str("Rng.from_state(({}, {}, {}, {}))").format(rng.state()[0], rng.state()[1], rng.state()[2], rng.state()[3]);
            });
}

}  // namespace katachi::bindings
