// Policies for playouts of Go: MoGo's and Fuego's (Silver 2009, 4.6.3 and 6.9); the uniform one is in go_state.hpp.
//
// A policy has
//
//     go::Point choose(B& board, const go::Recent& recent, Rng& rng);
//
// where no_point is the pass. It sees the board, the last two moves and chance, and may change the order of the empty points only. One that
// keeps something during a playout has two more, which nobody pays for elsewhere:
//
//     void begin(const B& board, int moves, Rng& rng);    // a playout begins, after so many moves of the game
//     void follow(const B& board, go::Point p);           // p is about to be played, whoever has chosen it
//
// So policies can be put together: one that asks others is a policy again (any_policy.hpp).
//
// MoGo's and Fuego's are lists of stages. The first stage that knows a move decides, all its moves are equally likely, and all are candidates: legal,
// no suicide, none of the policy's own eyes. The stages answer the opponent's last move, if its stone is still there; then come captures anywhere and
// a uniform choice. The slow twin is src/katachi/reference/playout_policies.py.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "games/go/go_state.hpp"
#include "policies/patterns.hpp"

namespace katachi {

// Which one of the rules below has decided.
enum class Stage : std::uint8_t { capture_last, escape, low_liberty, pattern, capture, uniform };

// The moves that a stage has found, each once.
class StageMoves {
   public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    const std::uint16_t* begin() const { return moves_.data(); }
    const std::uint16_t* end() const { return moves_.data() + count_; }

    // One that is known to be new; later ones are not compared with it.
    void add(go::Point p) { moves_[count_++] = static_cast<std::uint16_t>(p); }
    // Whether it is new cannot be foretold: there is no branch on it.
    void add_once(go::Point p) {
        std::uint64_t& word = seen_[static_cast<std::size_t>(p) / 64];
        const std::uint64_t bit = std::uint64_t{1} << p % 64;
        moves_[count_] = static_cast<std::uint16_t>(p);
        count_ += static_cast<std::size_t>((word & bit) == 0);
        word |= bit;
    }

    go::Point any(Rng& rng) const { return moves_[count_ == 1 ? 0 : rng.below(static_cast<std::uint32_t>(count_))]; }

   private:
    std::array<std::uint16_t, std::size_t{go::max_side} * go::max_side + 1> moves_;
    std::array<std::uint64_t, (go::padded_size(go::max_side, go::max_side) + 63) / 64> seen_{};
    std::size_t count_ = 0;
};

// Is the opponent's last move still on the board?
template <class B>
bool can_answer(const B& board, const go::Recent& recent) {
    return recent.last != go::no_point && board.colour(recent.last) == go::other(go::colour_of(board.to_play()));
}

// What saves chains next to the last move that are in atari: their last liberty, unless the chain is still in atari then, and captures of
// enemy chains next to them.
template <go::EyeRule rule, class B>
void find_escapes(const B& board, go::Point last, StageMoves& moves) {
    const go::Colour own = go::colour_of(board.to_play());
    const go::Colour enemy = go::other(own);
    const auto propose = [&](go::Point p) {
        if (board.template is_candidate<rule>(p)) {
            moves.add_once(p);
        }
    };
    const std::array<go::Point, 4> around = board.around(last);
    for (unsigned friends = board.around_of(last, own); friends != 0; friends &= friends - 1) {
        const go::Point next = around[static_cast<std::size_t>(std::countr_zero(friends))];
        if (!board.in_atari(next)) {
            continue;
        }
        const go::Point liberty = board.last_liberty(next);
        if (!board.is_self_atari(liberty)) {
            propose(liberty);
        }
        go::Point stone = next;
        do {
            for (const go::Point q : board.around(stone)) {
                if (board.colour(q) == enemy && board.in_atari(q)) {
                    propose(board.last_liberty(q));
                }
            }
            stone = board.next_in_chain(stone);
        } while (stone != next);
    }
}

template <go::EyeRule rule, class B>
void find_captures(const B& board, StageMoves& moves) {
    board.for_each_capture([&](go::Point p) {
        if (board.template is_candidate<rule>(p)) {
            moves.add_once(p);
        }
    });
}

// Calls visit(p) for the empty points around `centre`, a point on the board, that match a pattern. Which points are empty, and which of them match,
// cannot be foretold: there are no branches on it.
template <class B, class Visit>
void for_each_pattern(const PatternTable& patterns, const B& board, go::Point centre, Visit&& visit) {
    const std::array<go::Point, 8> points = board.all_around(centre);
    unsigned empty = 0;
    for (unsigned i = 0; i < points.size(); ++i) {
        empty |= static_cast<unsigned>(board.colour(points[i]) == go::Colour::empty) << i;
    }
    const Player to_play = board.to_play();
    unsigned matches = 0;
    for (; empty != 0; empty &= empty - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(empty));
        matches |= static_cast<unsigned>(patterns.matches(board.neighbourhood(points[i]), to_play)) << i;
    }
    for (; matches != 0; matches &= matches - 1) {
        visit(points[static_cast<std::size_t>(std::countr_zero(matches))]);
    }
}

// MoGo: save what the last move has put in atari; a pattern around it; a capture anywhere; any move (Silver 2009, 4.6.3).
class MogoPolicy {
   public:
    static constexpr go::EyeRule eye_rule = go::EyeRule::simple;

    // The moves of the deciding stage; none if that is the uniform one.
    template <class B>
    Stage find(const B& board, const go::Recent& recent, StageMoves& moves) const {
        if (can_answer(board, recent)) {
            find_escapes<eye_rule>(board, recent.last, moves);
            if (!moves.empty()) {
                return Stage::escape;
            }
            for_each_pattern(*patterns_, board, recent.last, [&](go::Point p) {
                if (board.template is_candidate<eye_rule>(p)) {
                    moves.add(p);
                }
            });
            if (!moves.empty()) {
                return Stage::pattern;
            }
        }
        find_captures<eye_rule>(board, moves);
        return moves.empty() ? Stage::uniform : Stage::capture;
    }

    template <class B>
    go::Point corrected(const B& /*board*/, go::Point p) const {
        return p;
    }

    template <class B>
    go::Point choose(B& board, const go::Recent& recent, Rng& rng) const {
        StageMoves moves;
        return find(board, recent, moves) == Stage::uniform ? board.template random_candidate<eye_rule>(rng) : moves.any(rng);
    }

   private:
    const PatternTable* patterns_ = &pattern_table();
};

// Fuego: take the last move's chain; save what it has put in atari; fight for the liberties of chains with two; patterns around the last two
// moves; a capture anywhere; any move. A self-atari is replaced (Silver 2009, 6.9; Fuego 0.1).
class FuegoPolicy {
   public:
    static constexpr go::EyeRule eye_rule = go::EyeRule::surrounded;

    template <class B>
    Stage find(const B& board, const go::Recent& recent, StageMoves& moves) const {
        if (can_answer(board, recent)) {
            const go::Point last = recent.last;
            if (board.in_atari(last)) {
                const go::Point liberty = board.last_liberty(last);
                if (board.template is_candidate<eye_rule>(liberty)) {
                    moves.add(liberty);
                    return Stage::capture_last;
                }
            }
            find_escapes<eye_rule>(board, last, moves);
            if (!moves.empty()) {
                return Stage::escape;
            }
            find_liberties(board, last, moves);
            const std::array<go::Point, 4> around = board.around(last);
            for (unsigned friends = board.around_of(last, go::colour_of(board.to_play())); friends != 0; friends &= friends - 1) {
                find_liberties(board, around[static_cast<std::size_t>(std::countr_zero(friends))], moves);
            }
            if (!moves.empty()) {
                return Stage::low_liberty;
            }
            find_patterns(board, recent, moves);
            if (!moves.empty()) {
                return Stage::pattern;
            }
        }
        find_captures<eye_rule>(board, moves);
        return moves.empty() ? Stage::uniform : Stage::capture;
    }

    // A self-atari gives way to the only liberty that its chain would have, if a stone there is legal and no self-atari.
    template <class B>
    go::Point corrected(const B& board, go::Point p) const {
        if (p == go::no_point || board.has_room(p) || board.joins_safely(p)) {
            return p;
        }
        const go::Liberties liberties = board.liberties_after(p);
        if (!liberties.at_most_one()) {
            return p;
        }
        const go::Point other = liberties.last();
        // Where a stone is taken there is nothing to play at yet.
        const bool is_better = board.colour(other) == go::Colour::empty && other != board.ko() && !board.is_self_atari(other);
        return is_better ? other : p;
    }

    template <class B>
    go::Point choose(B& board, const go::Recent& recent, Rng& rng) const {
        StageMoves moves;
        const Stage stage = find(board, recent, moves);
        return corrected(board, stage == Stage::uniform ? board.template random_candidate<eye_rule>(rng) : moves.any(rng));
    }

   private:
    // Of a chain with two liberties those where it would gain two or more, whoever plays there.
    template <class B>
    static void find_liberties(const B& board, go::Point stone, StageMoves& moves) {
        const auto liberties = board.two_liberties(stone);
        if (!liberties) {
            return;
        }
        for (const std::size_t i : {0U, 1U}) {
            const go::Point p = (*liberties)[i];
            if (board.gains_liberties(stone, p, (*liberties)[1 - i]) && !board.is_self_atari(p) && board.template is_candidate<eye_rule>(p)) {
                moves.add_once(p);
            }
        }
    }

    template <class B>
    void find_patterns(const B& board, const go::Recent& recent, StageMoves& moves) const {
        const auto propose = [&](go::Point p) {
            if (board.template is_candidate<eye_rule>(p) && !board.is_self_atari(p)) {
                moves.add_once(p);  // a point around both is found twice
            }
        };
        for_each_pattern(*patterns_, board, recent.last, propose);
        if (recent.before != go::no_point) {
            for_each_pattern(*patterns_, board, recent.before, propose);
        }
    }

    const PatternTable* patterns_ = &pattern_table();
};

}  // namespace katachi
