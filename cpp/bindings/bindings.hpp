// What the files of this folder share: one function per layer, the Action converter, and the loop that drives native jobs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "core/slice.hpp"
#include "core/types.hpp"
#include "door/state_door.hpp"

namespace nb = nanobind;
using namespace nb::literals;

// In Python an action is an int (katachi.core.types.Action).
template <>
struct nanobind::detail::type_caster<katachi::Action> {
    NB_TYPE_CASTER(katachi::Action, const_name("int"))

    // A number that no game can have as an action becomes -1, which every game refuses.
    bool from_python(handle src, uint8_t flags, cleanup_list* cleanup) noexcept {
        make_caster<std::int32_t> number;
        if (number.from_python(src, flags, cleanup)) {
            value = katachi::Action{number.value};
            return true;
        }
        value = katachi::Action{-1};
        return PyLong_Check(src.ptr()) != 0;
    }

    static handle from_cpp(katachi::Action action, rv_policy policy, cleanup_list* cleanup) noexcept {
        return make_caster<std::int32_t>::from_cpp(action.value, policy, cleanup);
    }
};

namespace katachi::bindings {

// Called between slices with the share of work done; returning False stops the job where it is.
using Progress = nb::object;

// Drives a job to its end in slices, with the interpreter released unless the job calls Python. Between slices signals are
// served (Ctrl-C raises KeyboardInterrupt) and `progress`, when given, is told and asked. True: the job is done.
// A job that is running already, in another thread or further up in this one, is refused.
bool drive(Job& job, const Progress& progress);

// The refusal, for callers that have something to prepare.
void check_idle(const Job& job);

// To be called before what jobs work on is changed: refuses while another thread drives one. Whoever drives it may, between two slices.
void check_ours(const Use& use);

// To be called before a job is looked at: waits for the end of the slice that another thread may be working on.
void await_slice(Use& use);
inline void await_slice(const Job& job) { await_slice(job.use()); }

// A getter of a job that waits like that.
template <class R, class J>
auto settled(R (J::*getter)() const) {
    return [getter](const J& job) {
        await_slice(job);
        return (job.*getter)();
    };
}

// A state as its game has it in Python: the object of a game written there, a State of a native one.
nb::object python_face(const StateDoor& state);

// A playout policy, or the name of a plain one.
using PolicyOrName = std::variant<std::string, Policy>;
Policy policy_of(const PolicyOrName& policy);

// An error unless there are as many weights as the shapes have, with both signs where these need them.
void check_weights(const features::Representation& shapes, const ShapeWeights& weights);

void bind_core(nb::module_& m);
void bind_endings(nb::module_& m);
void bind_games(nb::module_& m);
void bind_go(nb::module_& m);
void bind_grown(nb::module_& m);
void bind_networks(nb::module_& m);
void bind_network_learning(nb::module_& m);
void bind_policies(nb::module_& m);
void bind_policy_learning(nb::module_& m);
void bind_search(nb::module_& m);
void bind_shapes(nb::module_& m);
void bind_td_search(nb::module_& m);
void bind_training(nb::module_& m);

}  // namespace katachi::bindings
