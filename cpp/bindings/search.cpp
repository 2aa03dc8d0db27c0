#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "search/alpha_beta.hpp"
#include "search/limit.hpp"
#include "search/search.hpp"
#include "search/tree_memory.hpp"
#include "values/network_value.hpp"

namespace katachi::bindings {

namespace {

using Options = TreeSearchOptions;

// A setting with named values, in the order of its enumeration.
template <class E>
void choice(nb::class_<Options>& options, const char* name, E Options::* field, const std::vector<std::string>& names) {
    options.def_prop_rw(
        name, [field, names](const Options& o) { return names[static_cast<std::size_t>(o.*field)]; },
        [field, names, name](Options& o, const std::string& value) {
            const auto found = std::ranges::find(names, value);
            if (found == names.end()) {
                throw InvalidArgumentError(std::string(name) + " has no value '" + value + "'");
            }
            o.*field = static_cast<E>(found - names.begin());
        });
}

void bind_options(nb::module_& m) {
    nb::class_<Options> options(m, "TreeSearchOptions", "The settings of a tree search, as native code takes them: katachi.search.tree_settings.");
    options.def(nb::init<>());
    choice(options, "learner", &Options::learner, {"monte-carlo", "td", "q-naive", "q-watkins", "max", "mixed"});
    choice(options, "step_size", &Options::step_size, {"visits", "episodes", "constant", "linear", "exponential"});
    choice(options, "timing", &Options::timing, {"offline", "in-place", "online"});
    choice(options, "visit_mode", &Options::visit_mode, {"every", "first", "replacing"});
    choice(options, "convention", &Options::convention, {"afterstate", "state"});
    choice(options, "reward_timing", &Options::reward_timing, {"timed", "final-sum"});
    choice(options, "cut_rule", &Options::cut_rule, {"back-up", "drop"});
    choice(options, "control", &Options::control, {"ucb1", "epsilon-greedy", "softmax", "greedy", "random"});
    choice(options, "ucb_form", &Options::ucb_form, {"thesis", "no-two", "fuego"});
    choice(options, "parent_count", &Options::parent_count, {"children", "node"});
    choice(options, "rave", &Options::rave, {"none", "rave", "mc-rave", "uct-rave", "uct-rave-2007"});
    choice(options, "rave_moves", &Options::rave_moves, {"all", "first"});
    choice(options, "rave_schedule", &Options::rave_schedule, {"hand-selected", "min-mse"});
    choice(options, "prior", &Options::prior, {"none", "even", "grandfather", "handcrafted", "shapes", "shapes-or-handcrafted", "heuristic"});
    choice(options, "expansion", &Options::expansion, {"node", "all-children"});
    choice(options, "epsilon_decay", &Options::epsilon_decay, {"none", "linear", "exponential"});
    choice(options, "opponent", &Options::opponent, {"adversary", "cooperative", "greedy", "random"});
    choice(options, "normalisation", &Options::normalisation, {"none", "known", "observed", "local", "local-branch", "local-return"});
    choice(options, "global_source", &Options::global_source, {"running-return", "episode-return", "delta-sum", "target"});
    choice(options, "unscaled", &Options::unscaled, {"raw", "random"});
    choice(options, "structure", &Options::structure, {"tree", "graph", "fixed"});
    choice(options, "transitions", &Options::transitions, {"open-loop", "observed"});
    choice(options, "graph_counts", &Options::graph_counts, {"node", "edge"});
    choice(options, "when_full", &Options::when_full, {"stop-expanding", "stop", "collect"});
    choice(options, "playout_policy", &Options::playout_policy, {"policy", "weighted", "mast", "heuristic"});
    choice(options, "v_playout", &Options::v_playout,
           {"initial", "constant", "last-memorised", "leaf-over-gamma", "converged-next", "memory", "heuristic", "leaf-terminal"});
    options.def_rw("policy", &Options::policy)
        .def_rw("rave_k", &Options::rave_k)
        .def_rw("rave_bias", &Options::rave_bias)
        .def_rw("prior_count", &Options::prior_count)
        .def_rw("prior_visits", &Options::prior_visits)
        .def_rw("prior_rules", &Options::prior_rules)
        .def_prop_rw(
            "prior_shapes", [](const Options& o) { return o.prior_shapes; },
            [](Options& o, std::shared_ptr<const ShapeEvaluator> shapes) { o.prior_shapes = std::move(shapes); }, nb::arg().none())
        .def_rw("lambda_", &Options::lambda)
        .def_rw("lambda_rise", &Options::lambda_rise)
        .def_rw("gamma", &Options::gamma)
        .def_rw("step", &Options::step)
        .def_rw("step_decay", &Options::step_decay)
        .def_rw("step_prior", &Options::step_prior)
        .def_rw("plies", &Options::plies)
        .def_rw("horizon", &Options::horizon, nb::arg().none())
        .def_rw("mix", &Options::mix)
        .def_rw("c_p", &Options::c_p)
        .def_rw("first_play_urgency", &Options::first_play_urgency, nb::arg().none())
        .def_rw("epsilon", &Options::epsilon)
        .def_rw("epsilon_factor", &Options::epsilon_factor)
        .def_rw("temperature", &Options::temperature)
        .def_rw("tie_tolerance", &Options::tie_tolerance)
        .def_rw("bounds_include_init", &Options::bounds_include_init)
        .def_rw("new_nodes", &Options::new_nodes, nb::arg().none())
        .def_rw("memory", &Options::memory)
        .def_rw("v_init", &Options::v_init, nb::arg().none())
        .def_rw("playout_constant", &Options::playout_constant)
        .def_rw("mast_temperature", &Options::mast_temperature)
        .def_rw("threads", &Options::threads);
}

double checked(const nb::object& answer, const char* what) {
    double value = 0;
    if (!nb::try_cast<double>(answer, value) || !(std::abs(value) <= largest_value)) {
        throw GameContractError(std::string(what) + " returned " + nb::cast<std::string>(nb::repr(answer)) +
                                " instead of a number from -1e100 to 1e100");
    }
    return value;
}

// One number for each action.
std::vector<double> checked_all(const nb::object& answer, const char* what, const char* unit, std::size_t count) {
    if (!nb::isinstance<nb::iterable>(answer)) {
        throw GameContractError(std::string(what) + " returned " + nb::cast<std::string>(nb::repr(answer)) + " instead of " + unit);
    }
    std::vector<double> numbers;
    for (const nb::handle item : answer) {
        numbers.push_back(checked(nb::borrow(item), what));
    }
    if (numbers.size() != count) {
        throw GameContractError(std::string(what) + " returned " + std::to_string(numbers.size()) + " " + unit + " for " + std::to_string(count) +
                                " actions");
    }
    return numbers;
}

// Python functions of a state (as the game has it) as native ones; None stays empty.
DoorHeuristics heuristics(const nb::object& value, const nb::object& weights, const nb::object& prior) {
    DoorHeuristics found;
    if (!value.is_none()) {
        found.value = [value](const StateDoor& state) { return checked(value(python_face(state)), "the value function"); };
    }
    if (!weights.is_none()) {
        found.weights = [weights](const StateDoor& state, const ActionBuffer& actions) {
            std::vector<double> numbers = checked_all(weights(python_face(state), actions), "the playout policy", "weights", actions.size());
            for (const double number : numbers) {
                if (number < 0) {
                    throw GameContractError("the playout policy gave an action the weight " + std::to_string(number));
                }
            }
            return numbers;
        };
    }
    if (!prior.is_none()) {
        found.prior = [prior](const StateDoor& state, const ActionBuffer& actions) {
            return checked_all(prior(python_face(state), actions), "the prior", "values", actions.size());
        };
    }
    return found;
}

void bind_tree(nb::module_& m) {
    nb::class_<NodeView>(m, "NodeView", "What a tree search knows of a state.")
        .def_ro("index", &NodeView::index)
        .def_prop_ro("action", [](const NodeView& node) { return node.action; })
        .def_ro("visits", &NodeView::visits)
        .def_ro("episodes", &NodeView::episodes)
        .def_ro("value", &NodeView::value, "Expected return of player 0.")
        .def_ro("combined", &NodeView::combined, "The same with RAVE's share in it; of an action.")
        .def_prop_ro(
            "rave", [](const NodeView& node) { return node.rave ? std::optional(std::pair(node.rave->value(), node.rave->count)) : std::nullopt; },
            "RAVE value of an action, player 0's, and its count; None while there is none.")
        .def_prop_ro("range",
                     [](const NodeView& node) { return node.range ? std::optional(std::pair(node.range->low, node.range->high)) : std::nullopt; });

    nb::class_<Snapshot>(m, "Snapshot", "How a search stood after a number of steps.")
        .def_ro("steps", &Snapshot::steps)
        .def_ro("gain", &Snapshot::gain, "The rewards of all steps until then.")
        .def_ro("actions", &Snapshot::actions, "Of the root, as of the last episode that had ended.");

    nb::class_<TreeMemory, Search>(m, "TreeMemory", "A tree search and what it has memorised.")
        .def_prop_ro("root", settled(&TreeMemory::root))
        .def(
            "node",
            [](const TreeMemory& search, NodeIndex index) {
                await_slice(search);
                return search.node(index);
            },
            "index"_a)
        .def(
            "children",
            [](const TreeMemory& search, NodeIndex index) {
                await_slice(search);
                return search.children(index);
            },
            "index"_a)
        .def(
            "root_priors",
            [](TreeMemory& search) {
                await_slice(search);
                return search.root_priors();
            },
            "What the prior says of the actions at the root, player 0's; empty without one, or where it depends on the way.")
        .def_prop_ro("bytes", settled(&TreeMemory::bytes), "What its nodes take.")
        .def_prop_ro("nodes", settled(&TreeMemory::nodes), "How many states are memorised.")
        .def(
            "keep_ownership",
            [](TreeMemory& search, bool keeps) {
                check_idle(search);
                search.keep_ownership(keeps);
            },
            "keeps"_a, "In Go: counts from now on who holds which point when episodes end.")
        .def_prop_ro("ownership", settled(&TreeMemory::ownership), "By point, Black's share less White's; empty where nothing was counted.")
        .def_prop_ro("is_full", settled(&TreeMemory::is_full), "Has it met its memory cap?")
        .def(
            "watch",
            [](TreeMemory& search, std::vector<std::uint64_t> steps) {
                check_idle(search);
                if (!std::ranges::is_sorted(steps)) {
                    throw InvalidArgumentError("the steps to look at must ascend");
                }
                search.watch(std::move(steps));
            },
            "steps"_a, "Snapshots will be taken after these numbers of steps.")
        .def_prop_ro("snapshots", settled(&TreeMemory::snapshots))
        .def(
            "forget",
            [](TreeMemory& search, double share) {
                check_idle(search);
                search.forget(share);
            },
            "share"_a)
        .def(
            "move_root",
            [](TreeMemory& search, const StateDoor& state, const ActionBuffer& path, const Rng& rng) {
                check_idle(search);
                return state.move_root(search, path, rng);
            },
            "state"_a, "path"_a, "rng"_a, "Goes on from a state that the actions lead to. False: nothing was known of it.");

    m.def(
        "tree_search",
        [](const StateDoor& root, const Options& options, const Rng& rng, const nb::object& value, const nb::object& weights,
           const nb::object& prior) { return root.tree_search(options, heuristics(value, weights, prior), rng); },
        "root"_a, "options"_a, "rng"_a, "value"_a.none() = nb::none(), "weights"_a.none() = nb::none(), "prior"_a.none() = nb::none());

    m.def(
        "rave_weight",
        [](const Options& options, double visits, double rave_count, double parent_visits) {
            return RaveWeight(options, parent_visits)(visits, rave_count);
        },
        "options"_a, "visits"_a, "rave_count"_a, "parent_visits"_a, "beta: the share of the RAVE value of an action.");
}

void bind_alpha_beta(nb::module_& m) {
    nb::class_<AlphaBetaSearch, Search>(m, "AlphaBetaSearch", "Alpha-beta from one root state: what the last finished depth found.")
        .def_prop_ro("depth", settled(&AlphaBetaSearch::depth), "The depth that was finished; 0 before the first.")
        .def_prop_ro("value", settled(&AlphaBetaSearch::value), "Return of player 0.")
        .def_prop_ro("line", settled(&AlphaBetaSearch::line), "The principal variation.")
        .def_prop_ro("is_exact", settled(&AlphaBetaSearch::is_exact), "No leaf was evaluated: this is the value of the game.")
        .def_prop_ro("table_bytes", settled(&AlphaBetaSearch::table_bytes), "What its table takes.");

    nb::class_<AlphaBetaOptions>(m, "AlphaBetaOptions", "See katachi.search.alpha_beta.AlphaBetaSettings.")
        .def(nb::init<>())
        .def_rw("depth", &AlphaBetaOptions::depth)
        .def_rw("is_iterative", &AlphaBetaOptions::is_iterative)
        .def_rw("legal_moves", &AlphaBetaOptions::legal_moves)
        .def_rw("all_root_values", &AlphaBetaOptions::all_root_values)
        .def_rw("table_bytes", &AlphaBetaOptions::table_bytes)
        .def_rw("killers", &AlphaBetaOptions::killers)
        .def_rw("history", &AlphaBetaOptions::history)
        .def_rw("outlook", &AlphaBetaOptions::outlook)
        .def_rw("null_reduction", &AlphaBetaOptions::null_reduction);

    m.def(
        "alpha_beta",
        [](const StateDoor& root, const ActionBuffer& actions, const AlphaBetaOptions& options, const nb::object& evaluate) {
            DoorEvaluator evaluator;
            if (nb::isinstance<ShapeEvaluator>(evaluate)) {
                evaluator.shapes = nb::cast<std::shared_ptr<const ShapeEvaluator>>(evaluate);
            } else if (nb::isinstance<NetworkValue>(evaluate)) {
                evaluator.network = nb::cast<std::shared_ptr<const NetworkValue>>(evaluate);
            } else if (PyCallable_Check(evaluate.ptr()) != 0) {
                evaluator.function = [evaluate](const StateDoor& state) { return checked(evaluate(python_face(state)), "the evaluator"); };
            } else {
                evaluator.constant = checked(evaluate, "the evaluator");
            }
            return root.alpha_beta(actions, options, evaluator);
        },
        "root"_a, "actions"_a, "options"_a, "evaluate"_a,
        "`evaluate`: a number, weights of local shapes, a network, or a function of a state as the game has it.");
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<RootAction>(m, "RootAction", "What a search knows of one action at the root.")
        .def_prop_ro("action", [](const RootAction& root) { return root.action; })
        .def_ro("visits", &RootAction::visits)
        .def_ro("value", &RootAction::value, "Expected return of player 0, by these visits.")
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

    m.def(
        "flat_monte_carlo",
        [](const StateDoor& root, const Rng& rng, const PolicyOrName& policy) { return root.flat_monte_carlo(rng, policy_of(policy)); }, "root"_a,
        "rng"_a, "policy"_a = "uniform");
    bind_options(m);
    bind_tree(m);
    bind_alpha_beta(m);
}

}  // namespace katachi::bindings
