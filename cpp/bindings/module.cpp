#include "bindings/bindings.hpp"

NB_MODULE(_core, m) {
    // Objects that are alive at exit (a global of an interactive session, a fixture of a test) are no bug of the bindings.
    nb::set_leak_warnings(false);
    m.doc() = "The native core of Katachi. Use it through the packages around it: katachi.games, katachi.search, …";
    katachi::bindings::bind_core(m);
    katachi::bindings::bind_games(m);
    katachi::bindings::bind_go(m);
    katachi::bindings::bind_policies(m);
    katachi::bindings::bind_search(m);
    katachi::bindings::bind_endings(m);
    katachi::bindings::bind_shapes(m);
    katachi::bindings::bind_training(m);
    katachi::bindings::bind_networks(m);
    katachi::bindings::bind_network_learning(m);
    katachi::bindings::bind_policy_learning(m);
    katachi::bindings::bind_grown(m);
    katachi::bindings::bind_td_search(m);
}
