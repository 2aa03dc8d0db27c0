#include <cmath>
#include <memory>
#include <tuple>

#include "bindings/bindings.hpp"
#include "bindings/python_game.hpp"
#include "door/state_door_of.hpp"
#include "training/network_learning_of.hpp"

namespace katachi::bindings {

namespace {

constexpr int deepest_tree = 1000;

void check_not_over(const StateDoor& state) {
    if (state.is_terminal()) {
        throw InvalidArgumentError("there is nothing to play: this game is over\n" + state.text());
    }
}

// The nested lists of katachi.games.native.ExplicitTree: a number is a leaf, a list a choice.
int add_node(TreeDescription& tree, const nb::handle& item, int depth = 0) {
    if (depth > deepest_tree) {
        throw InvalidArgumentError("explicit tree: deeper than " + std::to_string(deepest_tree) + " levels");
    }
    const auto index = static_cast<int>(tree.nodes.size());
    tree.nodes.emplace_back();
    if (nb::isinstance<nb::list>(item) || nb::isinstance<nb::tuple>(item)) {
        std::vector<int> children;
        for (const nb::handle child : item) {
            children.push_back(add_node(tree, child, depth + 1));
        }
        if (children.empty()) {
            throw InvalidArgumentError("explicit tree: a choice needs at least one child");
        }
        tree.nodes[static_cast<std::size_t>(index)].children = std::move(children);
        return index;
    }
    double value = 0;
    if (!nb::try_cast<double>(item, value) || !std::isfinite(value)) {
        throw InvalidArgumentError("explicit tree: expected a finite number or a list, not " + nb::cast<std::string>(nb::repr(item)));
    }
    tree.nodes[static_cast<std::size_t>(index)].value = value;
    return index;
}

std::unique_ptr<StateDoor> python_state(const GameFacts& facts, const nb::object& game, const nb::object& state) {
    auto methods = std::make_shared<PythonGame>(PythonGame{
        .facts = facts,
        .legal_actions = game.attr("legal_actions"),
        .candidates = nb::getattr(game, "candidates", game.attr("legal_actions")),
        .play = game.attr("play"),
        .is_terminal = game.attr("is_terminal"),
        .to_play = game.attr("to_play"),
        .key = facts.key == KeyKind::none ? nb::none() : nb::object(game.attr("key")),
        .format = nb::getattr(game, "format_state", nb::module_::import_("builtins").attr("str")),
        .uniform_playout = nb::getattr(game, "uniform_playout", nb::none()),
    });
    return std::make_unique<StateDoorOf<PythonState>>(PythonState(std::move(methods), state), std::nullopt, true);
}

}  // namespace

nb::object python_face(const StateDoor& state) {
    const auto* python = dynamic_cast<const StateDoorOf<PythonState>*>(&state);
    return python != nullptr ? python->state().object() : nb::cast(state.copy());
}

void bind_games(nb::module_& m) {
    nb::enum_<KeyKind>(m, "KeyKind", "How far the key of a state can be trusted.")
        .value("NONE", KeyKind::none, "There is no key.")
        .value("APPROXIMATE", KeyKind::approximate, "Equal keys: treating the states as one is reasonable.")
        .value("EXACT", KeyKind::exact, "Equal keys: equal futures, up to collisions of 64 bits.");

    nb::class_<GameFacts>(m, "GameFacts", "What does not change during a game.")
        .def(
            "__init__",
            [](GameFacts* self, int players, int action_space, std::optional<std::pair<double, double>> return_bounds, std::optional<int> max_length,
               bool deterministic, KeyKind key, bool final_reward) {
                if (players != 1 && players != 2) {
                    throw InvalidArgumentError("GameFacts: a game has 1 or 2 players, not " + std::to_string(players));
                }
                if (action_space < 1) {
                    throw InvalidArgumentError("GameFacts: the action space must be at least 1, not " + std::to_string(action_space));
                }
                const auto [low, high] = return_bounds.value_or(std::pair(0.0, 0.0));
                const bool ordered = low <= high;  // false for NaN
                if (!ordered || !std::isfinite(high - low)) {
                    throw InvalidArgumentError("GameFacts: return_bounds must be finite (low, high) with low <= high, not (" + std::to_string(low) +
                                               ", " + std::to_string(high) + ")");
                }
                if (max_length && *max_length < 1) {
                    throw InvalidArgumentError("GameFacts: max_length must be at least 1, not " + std::to_string(*max_length));
                }
                new (self)
                    GameFacts{.players = players,
                              .action_space = action_space,
                              .return_bounds = return_bounds ? std::optional(Bounds{return_bounds->first, return_bounds->second}) : std::nullopt,
                              .max_length = max_length,
                              .deterministic = deterministic,
                              .key = key,
                              .final_reward = final_reward};
            },
            nb::kw_only(), "players"_a, "action_space"_a, "return_bounds"_a.none() = nb::none(), "max_length"_a.none() = nb::none(),
            "deterministic"_a = true, "key"_a = KeyKind::none, "final_reward"_a = false)
        .def_ro("players", &GameFacts::players, "1, or 2 with constant sum.")
        .def_ro("action_space", &GameFacts::action_space, "Actions are the numbers below this.")
        .def_prop_ro(
            "return_bounds",
            [](const GameFacts& facts) {
                return facts.return_bounds ? std::optional(std::pair(facts.return_bounds->low, facts.return_bounds->high)) : std::nullopt;
            },
            "Lowest and highest return of player 0, or None.")
        .def_ro("max_length", &GameFacts::max_length, "The most steps that a game can take, or None.")
        .def_ro("deterministic", &GameFacts::deterministic, "False: play needs an Rng.")
        .def_ro("key", &GameFacts::key)
        .def_ro("final_reward", &GameFacts::final_reward, "True: only the last step of a game earns anything.")
        .def(
            "value_for", [](const GameFacts& facts, Player player, double value) { return value_for(player, value, facts); }, "player"_a, "value"_a,
            "A value of player 0 as `player` sees it, and back. The only place where a value changes sides.")
        .def(
            "__eq__", [](const GameFacts& a, const nb::object& b) { return nb::isinstance<GameFacts>(b) && a == nb::cast<const GameFacts&>(b); },
            nb::arg("other").none())
        .def("__hash__", [](const GameFacts& facts) { return nb::hash(nb::repr(nb::cast(facts))); })
        .def("__repr__", [](const GameFacts& facts) {
            const nb::object bounds =
                facts.return_bounds ? nb::object(nb::make_tuple(facts.return_bounds->low, facts.return_bounds->high)) : nb::none();
            return nb::str("GameFacts(players={}, action_space={}, return_bounds={}, max_length={}, deterministic={}, key={}, final_reward={})")
                .format(facts.players, facts.action_space, bounds, nb::cast(facts.max_length), facts.deterministic, nb::cast(facts.key),
                        facts.final_reward);
        });

    nb::class_<PlayoutBatch>(m, "PlayoutBatch", "Many playouts from one state.")
        .def(
            "run", [](PlayoutBatch& batch, const Progress& progress) { return drive(batch, progress); }, "progress"_a.none() = nb::none())
        .def_prop_ro("done", settled(&PlayoutBatch::done), "How many have been played.")
        .def_prop_ro("steps", settled(&PlayoutBatch::steps), "Steps of all of them.")
        .def_prop_ro("cut", settled(&PlayoutBatch::cut), "How many met the length cap.")
        .def_prop_ro("total", settled(&PlayoutBatch::total), "The sum of their returns, player 0's.");

    nb::class_<StateDoor>(m, "State", "One state of some game, native or not, as searches and playouts take it. Immutable.")
        .def_prop_ro("facts", &StateDoor::facts)
        .def_prop_ro("to_play", &StateDoor::to_play)
        .def_prop_ro("is_terminal", &StateDoor::is_terminal)
        .def_prop_ro("key", &StateDoor::key)
        .def("legal_actions", &StateDoor::legal_actions, "By the rules, ascending; empty when the game is over.")
        .def("candidates", &StateDoor::candidates, "What searches and playouts consider.")
        .def("only", &StateDoor::only, "actions"_a,
             "The same state, in which searches and playouts may begin with these actions only: legal ones, each once.")
        .def(
            "play",
            [](const StateDoor& state, Action action, Rng* rng) {
                if (rng == nullptr) {
                    if (!state.facts().deterministic) {
                        throw InvalidArgumentError("this game has chance in it: play(action, rng) needs an Rng");
                    }
                    Rng unused(0);
                    return state.play(action, unused);
                }
                return state.play(action, *rng);
            },
            "action"_a, "rng"_a.none() = nb::none(), "(next state, reward of player 0). Illegal actions raise IllegalMoveError.")
        .def(
            "uniform_playout",
            [](const StateDoor& state, Rng& rng, int most_steps) {
                if (most_steps < 0) {
                    throw InvalidArgumentError("a playout takes at most 0 or more steps, not " + std::to_string(most_steps));
                }
                const Playout playout = state.uniform_playout(rng, most_steps);
                return std::tuple(playout.total, playout.length, playout.cut);
            },
            "rng"_a, "most_steps"_a = longest_playout,
            "One uniform playout: (return of player 0, steps, was it cut?). The generator moves on as in a batch.")
        .def(
            "watched_playout",
            [](const StateDoor& state, Rng& rng, int most_steps) {
                if (most_steps < 0) {
                    throw InvalidArgumentError("a playout takes at most 0 or more steps, not " + std::to_string(most_steps));
                }
                std::vector<std::pair<Player, Action>> steps;
                const Playout playout = state.watched_playout(rng, most_steps, steps);
                return std::tuple(playout.total, steps, playout.cut);
            },
            "rng"_a, "most_steps"_a = longest_playout, "One uniform playout of a search with RAVE: (return of player 0, its steps, was it cut?).")
        .def(
            "playouts",
            [](const StateDoor& state, std::uint64_t count, const Rng& rng, const PolicyOrName& policy) {
                return state.playouts(count, rng, policy_of(policy));
            },
            "count"_a, "rng"_a, "policy"_a = "uniform", "A batch of playouts; call its run().")
        .def(
            "has_policy", [](const StateDoor& state, const PolicyOrName& policy) { return state.has_policy(policy_of(policy)); }, "policy"_a,
            "Can this game be played out so?")
        .def(
            "policy_action",
            [](const StateDoor& state, const PolicyOrName& policy, Rng& rng) {
                check_not_over(state);
                return state.policy_action(policy_of(policy), rng);
            },
            "policy"_a, "rng"_a, "What a playout policy plays here.")
        .def(
            "policy_moves",
            [](const StateDoor& state, const PolicyOrName& policy) {
                check_not_over(state);
                const PolicyMoves found = state.policy_moves(policy_of(policy));
                return std::pair(found.stage, found.moves);
            },
            "policy"_a, "(the deciding stage, [(action, probability), …]): what a playout policy may play here.")
        .def("is_same_kind", &StateDoor::is_same_kind, "other"_a, "Is the other one a state of the same game, whatever its size?")
        .def("__str__", &StateDoor::text);

    m.def("tic_tac_toe", &tic_tac_toe, "The empty board of tic-tac-toe.");
    m.def("pig", &pig, "target"_a, "The beginning of a game of Pig.");
    m.def("connect_four", &connect_four, "The empty board of connect four.");
    m.def("gomoku", &gomoku, "size"_a, "line"_a, "The empty board of Gomoku.");
    m.def("hex", &hex, "size"_a, "The empty board of Hex.");
    m.def("random_walk", &random_walk, "size"_a, "cap"_a, "The middle of a random walk.");
    m.def("shortest_walk", &shortest_walk, "size"_a, "cap"_a, "The middle of a shortest walk.");
    m.def(
        "explicit_tree",
        [](const nb::object& root, int players) {
            if (players != 1 && players != 2) {
                throw InvalidArgumentError("explicit tree: a game has 1 or 2 players, not " + std::to_string(players));
            }
            auto tree = std::make_shared<TreeDescription>();
            tree->players = players;
            add_node(*tree, root);
            return explicit_tree(tree);
        },
        "root"_a, "players"_a = 2, "The root of a hand-written tree: nested lists, numbers at the leaves.");
    m.def("python_state", &python_state, "facts"_a, "game"_a, "state"_a, "A state of a game written in Python.");
    m.def(
        "python_object",
        [](const StateDoor& state) {
            const auto* python = dynamic_cast<const StateDoorOf<PythonState>*>(&state);
            return python == nullptr ? nb::object(nb::none()) : python->state().object();
        },
        "state"_a, "The Python state inside, or None for a native one.");
}

}  // namespace katachi::bindings
