// Go as a search sees it: a Board, the points White is given, and a cap on the number of plies.
//
// Simple ko holds here (Silver 2009; RLGO plays simulations so); moves that superko forbids at the root are removed by
// Position::root_candidates.
// The return is Black's z: 1 win, 0 loss, 0.5 draw (area_score equals White's points) or a game cut by the cap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "games/game_state.hpp"
#include "games/go/board.hpp"
#include "games/go/text.hpp"

namespace katachi::go {

struct SearchRules {
    double white_points = 7.5;  // komi and handicap bonus
    bool suicide = false;       // only for legal_actions: candidates never are suicides
    EyeRule eye_rule = EyeRule::simple;
    int max_plies = 0;  // from this state on; then the game is a draw (by default three times the area)
};

// The last two moves: no_point for a pass, and where there was none.
struct Recent {
    Point last = no_point;
    Point before = no_point;

    void add(Point p) {
        before = last;
        last = p;
    }
};

// Every candidate is equally likely.
template <EyeRule rule>
struct UniformPolicy {
    template <class B>
    Point choose(B& board, const Recent& /*recent*/, Rng& rng) const {
        return board.template random_candidate<rule>(rng);
    }
};

template <class B>
class GoState {
   public:
    // `moves`: how many have been played before; `recent`: the last of them.
    GoState(const B& board, const SearchRules& rules, int moves = 0, Recent recent = {})
        : board_(board), rules_(rules), moves_(moves), recent_(recent) {}

    const B& board() const { return board_; }
    const Recent& recent() const { return recent_; }
    const SearchRules& rules() const { return rules_; }
    // How many there have been in the whole game.
    int moves() const { return moves_ + plies_; }
    // Is the state after the next move terminal, whatever that is?
    bool is_last() const { return plies_ + 1 >= rules_.max_plies; }

    bool is_terminal() const { return board_.is_over() || plies_ >= rules_.max_plies; }
    Player to_play() const { return board_.to_play(); }
    std::uint64_t key() const { return board_.key(); }
    std::string text() const { return diagram(board_); }

    GameFacts facts() const {
        return {.players = 2,
                .action_space = board_.geometry().area() + 1,
                .return_bounds = Bounds{0, 1},
                .max_length = rules_.max_plies,
                .deterministic = true,
                .key = KeyKind::approximate,  // it does not know how many plies are left
                .final_reward = true};
    }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        if (is_terminal()) {
            return;
        }
        const Geometry geometry = board_.geometry();
        for (int i = 0; i < geometry.area(); ++i) {
            const Point p = geometry.padded_point(i);
            if (board_.colour(p) == Colour::empty && p != board_.ko() && (rules_.suicide || !board_.is_suicide(p))) {
                out.push_back(Action{i});
            }
        }
        out.push_back(geometry.pass());
    }

    // The eye filter; a pass only when nothing else is left, or at any time without a filter.
    void candidates(ActionBuffer& out) const {
        out.clear();
        if (is_terminal()) {
            return;
        }
        const Geometry geometry = board_.geometry();
        out.resize(static_cast<std::size_t>(geometry.area()));
        std::size_t found = 0;
        with_eye_rule(rules_.eye_rule, [&]<EyeRule rule> {
            int action = 0;
            for (int row = 0; row < geometry.height; ++row) {
                const Point end = geometry.point(row, geometry.width);
                for (Point p = geometry.point(row, 0); p < end; ++p, ++action) {
                    if (board_.colour(p) == Colour::empty && board_.template is_candidate<rule>(p)) {
                        out[found++] = Action{action};
                    }
                }
            }
        });
        out.resize(found);
        if (out.empty() || rules_.eye_rule == EyeRule::none) {
            out.push_back(geometry.pass());
        }
    }

    // What leaves everything to the opponent; nothing where it would end the game.
    std::optional<Action> null_action() const { return board_.passes() > 0 || is_last() ? std::nullopt : std::optional(board_.geometry().pass()); }

    Reward play(Action action) {
        const Geometry geometry = board_.geometry();
        return play_at(geometry.is_pass(action) ? no_point : geometry.padded_point(action.value));
    }
    // The same by a point of the board; no_point is the pass.
    Reward play_at(Point p) {
        step(p);
        return is_terminal() ? outcome() : 0;
    }

    // A game that meets the cap on its plies counts as cut, too, although it has ended then.
    Playout uniform_playout(Rng& rng, int most_steps) {
        return with_eye_rule(rules_.eye_rule, [&]<EyeRule rule> {
            UniformPolicy<rule> policy;
            return playout(policy, rng, most_steps, [](Point) {});
        });
    }

    // The one loop of all playouts, by a policy (cpp/policies/go_policies.hpp) that knows where it begins. A witness is told every move:
    // no_point for a pass.
    template <class Policy, class OnMove>
    Playout playout(Policy& policy, Rng& rng, int most_steps, OnMove&& on_move) {
        if (is_terminal()) {
            return {};
        }
        const int start = plies_;
        const int end = start + std::min(most_steps, rules_.max_plies - start);
        while (!board_.is_over() && plies_ < end) {
            const Point p = policy.choose(board_, std::as_const(recent_), rng);
            if constexpr (requires { policy.follow(std::as_const(board_), p); }) {
                policy.follow(std::as_const(board_), p);
            }
            step(p);
            on_move(p);
        }
        return {.total = is_terminal() ? outcome() : 0, .length = plies_ - start, .cut = !board_.is_over()};
    }

    // What a policy would play here; nothing is played.
    template <class Policy>
    Point choose(Policy& policy, Rng& rng) {
        return policy.choose(board_, std::as_const(recent_), rng);
    }

   private:
    void step(Point p) {
        if (p == no_point) {
            board_.pass();
        } else {
            board_.play(p);
        }
        recent_.add(p);
        ++plies_;
    }

    // Black's z.
    Reward outcome() const {
        if (!board_.is_over()) {
            return 0.5;
        }
        const double margin = board_.final_score() - rules_.white_points;
        return margin > 0 ? 1 : margin < 0 ? 0 : 0.5;
    }

    B board_;
    SearchRules rules_;
    int moves_;
    int plies_ = 0;
    Recent recent_;
};

}  // namespace katachi::go
