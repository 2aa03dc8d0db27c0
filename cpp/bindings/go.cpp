#include <algorithm>

#include "bindings/any_position.hpp"
#include "bindings/bindings.hpp"
#include "games/go/count.hpp"
#include "games/go/ownership.hpp"
#include "games/go/position.hpp"

namespace katachi::bindings {

namespace {

using go::EyeRule;
using go::Point;

std::vector<Action> chain(const AnyPosition& position, Action action) {
    const Point start = position.point(action);
    return position.visit([&](const auto& p) {
        std::vector<Action> stones;
        if (p.board().colour(start) == go::Colour::empty) {
            return stones;
        }
        Point stone = start;
        do {
            stones.push_back(p.geometry().action(stone));
            stone = p.board().next_in_chain(stone);
        } while (stone != start);
        std::ranges::sort(stones);
        return stones;
    });
}

// The root candidates, where superko leaves less than the search state's own.
template <class P, class S>
std::optional<ActionBuffer> restricted(const P& position, const S& state, EyeRule rule) {
    ActionBuffer own;
    ActionBuffer root;
    state.candidates(own);
    position.root_candidates(rule, root);
    return own == root ? std::nullopt : std::optional(root);
}

// One playout, move by move: the same choices as State.playouts makes with the same generator.
std::vector<Action> playout_moves(const AnyPosition& position, Rng& rng, EyeRule rule, std::optional<int> max_plies, const PolicyOrName& policy) {
    return position.visit([&](const auto& p) {
        auto state = p.search_state(rule, max_plies);
        std::vector<Action> moves;
        if (const auto first = restricted(p, state, rule); first && !state.is_terminal()) {
            moves.push_back((*first)[rng.below(static_cast<std::uint32_t>(first->size()))]);
            state.play(moves.back());
        }
        PolicyFor chosen(policy_of(policy), state);
        go_playout(state, chosen, rng, longest_playout, [&](Point point) { moves.push_back(p.geometry().action(point)); });
        return moves;
    });
}

void bind_rules(nb::module_& m) {
    nb::enum_<go::Ko>(m, "Ko").value("SIMPLE", go::Ko::simple).value("POSITIONAL", go::Ko::positional).value("SITUATIONAL", go::Ko::situational);
    nb::enum_<go::HandicapBonus>(m, "HandicapBonus")
        .value("NONE", go::HandicapBonus::none)
        .value("STONES", go::HandicapBonus::stones)
        .value("STONES_LESS_ONE", go::HandicapBonus::stones_less_one);
    nb::enum_<EyeRule>(m, "EyeRule", "What a simulation does not fill.")
        .value("SIMPLE", EyeRule::simple, "Own neighbours, and fewer than two enemies on the diagonals (none at the edge).")
        .value("SURROUNDED", EyeRule::surrounded, "Own neighbours, none of their chains in atari.")
        .value("STRICT", EyeRule::strict, "Own neighbours.")
        .value("NONE", EyeRule::none, "Nothing is an eye, and a pass is always a candidate.");
    nb::class_<go::Rules>(m, "Rules", "The parts of a rule set that the core acts on; see katachi.games.go.Rules.")
        .def(
            "__init__",
            [](go::Rules* self, go::Ko ko, bool suicide, double komi, go::HandicapBonus bonus) { new (self) go::Rules{ko, suicide, komi, bonus}; },
            nb::kw_only(), "ko"_a, "suicide"_a, "komi"_a, "handicap_bonus"_a)
        .def_ro("ko", &go::Rules::ko)
        .def_ro("suicide", &go::Rules::suicide)
        .def_ro("komi", &go::Rules::komi)
        .def_ro("handicap_bonus", &go::Rules::handicap_bonus);
}

constexpr int deepest_count = 1000;

void bind_counts(nb::module_& m) {
    m.def(
        "count_sequences",
        [](const AnyPosition& position, int depth, const Progress& progress) {
            if (depth < 1 || depth > deepest_count) {
                throw InvalidArgumentError("the depth must be from 1 to " + std::to_string(deepest_count) + ", not " + std::to_string(depth));
            }
            return position.visit([&](const auto& p) {
                go::SequenceCount count(p, depth);
                return drive(count, progress) ? std::optional(count.counts()) : std::nullopt;
            });
        },
        "position"_a, "depth"_a, "progress"_a.none() = nb::none(), "Move sequences of exactly 1, 2, …, depth plies; None if progress stopped it.");
    m.def(
        "count_games",
        [](const AnyPosition& position, const Progress& progress) {
            return position.visit([&](const auto& p) {
                if (!p.has_superko()) {
                    throw InvalidArgumentError("under simple ko games can go on for ever: count them under a rule set with superko");
                }
                go::SequenceCount count(p, 0);
                return drive(count, progress) ? std::optional(count.games()) : std::nullopt;
            });
        },
        "position"_a, "progress"_a.none() = nb::none(), "Whole games from here, each ended by two passes; None if progress stopped it.");
    m.def(
        "ownership",
        [](const AnyPosition& position, std::uint64_t playouts, EyeRule rule, const Rng& rng, const Progress& progress) {
            return position.visit([&](const auto& p) {
                go::OwnershipCount count(p, rule, playouts, rng);
                return drive(count, progress) ? std::optional(count.shares()) : std::nullopt;
            });
        },
        "position"_a, "playouts"_a, "eye_rule"_a, "rng"_a, "progress"_a.none() = nb::none(),
        "By point, how much more often Black than White held it after a playout, -1 to 1; None if progress stopped it.");
    m.def(
        "count_positions",
        [](int width, int height, const Progress& progress) {
            go::PositionCount count(checked_geometry(width, height));
            return drive(count, progress) ? std::optional(count.positions()) : std::nullopt;
        },
        "width"_a, "height"_a, "progress"_a.none() = nb::none(), "Legal positions: every chain has a liberty; None if progress stopped it.");
}

}  // namespace

void bind_go(nb::module_& m) {
    bind_rules(m);

    nb::class_<AnyPosition>(m, "Position", "A Go position with rules and history. Immutable; see katachi.games.go.Position.")
        .def(
            "__init__",
            [](AnyPosition* self, int width, int height, const go::Rules& rules) {
                new (self) AnyPosition(AnyPosition::make(checked_geometry(width, height), rules));
            },
            "width"_a, "height"_a, "rules"_a)
        .def_static(
            "set_up",
            [](int width, int height, const go::Rules& rules, const std::vector<Action>& black, const std::vector<Action>& white, Player to_play,
               std::optional<Action> ko, int passes,
               int handicap) { return AnyPosition::make(checked_geometry(width, height), rules, black, white, to_play, ko, passes, handicap); },
            "width"_a, "height"_a, "rules"_a, nb::kw_only(), "black"_a, "white"_a, "to_play"_a, "ko"_a.none() = nb::none(), "passes"_a = 0,
            "handicap"_a = 0)
        .def_prop_ro("width", [](const AnyPosition& a) { return a.geometry().width; })
        .def_prop_ro("height", [](const AnyPosition& a) { return a.geometry().height; })
        .def_prop_ro("to_play", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.to_play(); }); })
        .def_prop_ro("passes", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.board().passes(); }); })
        .def_prop_ro("is_over", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.is_over(); }); })
        .def_prop_ro("handicap", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.handicap(); }); })
        .def_prop_ro("turned_plies", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.turned_plies(); }); })
        .def_prop_ro("movers", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.movers(); }); })
        .def_prop_ro("moves", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.moves(); }); })
        .def_prop_ro("last_removed", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.last_removed(); }); })
        .def_prop_ro("ko",
                     [](const AnyPosition& a) {
                         return a.visit([](const auto& p) {
                             return p.board().ko() == go::no_point ? std::nullopt : std::optional(p.geometry().action(p.board().ko()));
                         });
                     })
        .def_prop_ro("key", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.board().key(); }); })
        .def_prop_ro("stones_key", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.board().stones_key(); }); })
        .def(
            "stones", [](const AnyPosition& a) { return a.visit([](const auto& p) { return go::diagram(p.board(), ""); }); },
            "One character a point, '.', 'X' or 'O', row by row from the top.")
        .def(
            "snapshot",
            [](const AnyPosition& a, std::size_t ply) {
                return a.visit([&](const auto& p) {
                    const auto shot = p.snapshot(ply);
                    return nb::make_tuple(shot.stones, shot.to_play, p.geometry().is_pass(shot.ko) ? nb::object(nb::none()) : nb::cast(shot.ko),
                                          shot.passes);
                });
            },
            nb::sig("def snapshot(self, ply: int) -> tuple[str, Player, int | None, int]"), "ply"_a,
            "(stones, player to move, ko point, passes) after that many moves.")
        .def(
            "captured", [](const AnyPosition& a, Player player) { return a.visit([&](const auto& p) { return p.captured(player); }); }, "player"_a,
            "Stones of that player taken so far.")
        .def(
            "illegality",
            [](const AnyPosition& a, Action action, std::optional<Player> player) -> std::optional<std::string> {
                const go::Verdict verdict = a.visit([&](const auto& p) { return player ? p.judge_as(*player, action) : p.judge(action); });
                return verdict == go::Verdict::legal ? std::nullopt : std::optional<std::string>(go::reason(verdict));
            },
            "action"_a, "player"_a.none() = nb::none(), "Why an action is illegal, or None.")
        .def("legal_actions",
             [](const AnyPosition& a) {
                 ActionBuffer out;
                 a.visit([&](const auto& p) { p.legal_actions(out); });
                 return out;
             })
        .def(
            "candidates",
            [](const AnyPosition& a, EyeRule rule) {
                ActionBuffer out;
                a.visit([&](const auto& p) { p.root_candidates(rule, out); });
                return out;
            },
            "eye_rule"_a)
        .def(
            "is_eye",
            [](const AnyPosition& a, Action action, Player player, EyeRule rule) {
                const Point point = a.point(action);
                return a.visit([&](const auto& p) { return p.board().is_eye(point, go::colour_of(player), rule); });
            },
            "point"_a, "player"_a, "rule"_a)
        .def(
            "in_atari",
            [](const AnyPosition& a, Action action) {
                const Point point = a.point(action);
                return a.visit([&](const auto& p) { return p.board().colour(point) != go::Colour::empty && p.board().in_atari(point); });
            },
            "point"_a)
        .def(
            "last_liberty",
            [](const AnyPosition& a, Action action) -> std::optional<Action> {
                const Point point = a.point(action);
                return a.visit([&](const auto& p) {
                    const bool atari = p.board().colour(point) != go::Colour::empty && p.board().in_atari(point);
                    return atari ? std::optional(p.geometry().action(p.board().last_liberty(point))) : std::nullopt;
                });
            },
            "point"_a, "The only liberty of a chain in atari, or None.")
        .def("chain", &chain, "point"_a, "The stones of the chain at a point, ascending; empty for an empty point.")
        .def(
            "play",
            [](AnyPosition a, Action action, std::optional<Player> player, bool forced) {
                a.visit([&](auto& p) { player ? p.play_as(*player, action, forced) : p.play(action); });
                return a;
            },
            "action"_a, "player"_a.none() = nb::none(), "forced"_a = false,
            "The position after a move, of the player to move or of the one named; see Position::play_as.")
        .def(
            "play_all",
            [](const AnyPosition& a, const std::vector<std::pair<Player, Action>>& moves, bool forced) {
                AnyPosition after = a;
                std::size_t played = 0;
                try {
                    for (; played < moves.size(); ++played) {
                        after.visit([&](auto& p) { p.play_as(moves[played].first, moves[played].second, forced); });
                    }
                } catch (const IllegalMoveError&) {
                    return std::pair(after, played);
                }
                return std::pair(after, played);
            },
            "moves"_a, "forced"_a = false, "The position after as many of these moves as are legal, and how many that are.")
        .def(
            "turned_to",
            [](AnyPosition a, Player player) {
                a.visit([&](auto& p) { p.turn_to(player); });
                return a;
            },
            "player"_a, "The same stones and history with that player to move; see Position::turn_to.")
        .def(
            "with_rules",
            [](AnyPosition a, const go::Rules& rules, int handicap) {
                a.visit([&](auto& p) { p.change_rules(rules, handicap); });
                return a;
            },
            "rules"_a, "handicap"_a, "The same history under other rules from here on.")
        .def("start", [](const AnyPosition& a) { return a.visit([](const auto& p) { return AnyPosition(p.start()); }); })
        .def("undo",
             [](AnyPosition a) {
                 a.visit([](auto& p) { p.undo(); });
                 return a;
             })
        .def("area_score", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.area_score(); }); })
        .def("score", [](const AnyPosition& a) { return a.visit([](const auto& p) { return p.score(); }); })
        .def(
            "search_state",
            [](const AnyPosition& a, EyeRule rule, std::optional<int> max_plies) {
                return a.visit([&](const auto& p) {
                    const auto state = p.search_state(rule, max_plies);
                    return go_state(state, restricted(p, state, rule));
                });
            },
            "eye_rule"_a, "max_plies"_a.none() = nb::none(), "What a search or a playout starts from: simple ko, superko obeyed at the root.")
        .def("playout_moves", &playout_moves, "rng"_a, "eye_rule"_a, "max_plies"_a.none() = nb::none(), "policy"_a = "uniform",
             "The moves of one playout.");

    m.def(
        "board_bytes",
        [](int width, int height) { return go::SmallBoard::fits(checked_geometry(width, height)) ? sizeof(go::SmallBoard) : sizeof(go::LargeBoard); },
        "width"_a, "height"_a, "What a search copies.");
    bind_counts(m);
}

}  // namespace katachi::bindings
