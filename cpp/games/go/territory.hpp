// The margin of a final position by territory and prisoners, for learners that are rewarded with it (Ekker, 4.2). This is a reward and no rule of
// play: what is dead is a guess.
//
// Stones that the other side holds in most playouts are taken off as prisoners; then empty regions that touch one side only are that side's.
// The playouts have a fixed seed and both sides begin in turn, so that the margin is a function of the stones alone.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/rng.hpp"
#include "games/go/go_state.hpp"
#include "games/go/ownership_tally.hpp"

namespace katachi::go {

struct TerritoryOptions {
    int playouts = 200;
    double dead_share = 0.6;  // of the playouts, in which the other side holds a chain; a point that nobody holds counts half for each
};

template <class B>
class TerritoryReferee {
   public:
    explicit TerritoryReferee(const TerritoryOptions& options) : options_(options) {}

    // Black's margin by what is on the board: territory, and dead stones as prisoners. Those taken before, and komi, are not in it.
    int margin(const B& board) {
        if (known_.size() >= most_known) {
            known_.clear();
        }
        const auto [entry, is_new] = known_.try_emplace(board.stones_key(), 0);
        if (is_new) {
            entry->second = margin_without(board, dead_stones(board, options_));
        }
        return entry->second;
    }

    // By point, row by row: is there a stone that is dead?
    static std::vector<bool> dead_stones(const B& board, const TerritoryOptions& options) {
        const Geometry geometry = board.geometry();
        const std::vector<double> shares = ownership(board, options.playouts);
        std::vector<bool> dead(static_cast<std::size_t>(geometry.area()));
        for (int i = 0; i < geometry.area() && !shares.empty(); ++i) {
            const Point head = geometry.padded_point(i);
            if (board.colour(head) == Colour::empty || board.head(head) != head) {
                continue;
            }
            double held = 0;  // how much more by its own side than by the other, over its stones
            for_each_stone(board, head, [&](Point p) { held += shares[static_cast<std::size_t>(geometry.dense(p))]; });
            held *= board.colour(head) == Colour::black ? 1 : -1;
            if (held <= (1 - 2 * options.dead_share) * board.chain_size(head)) {
                for_each_stone(board, head, [&](Point p) { dead[static_cast<std::size_t>(geometry.dense(p))] = true; });
            }
        }
        return dead;
    }

    static int margin_without(const B& board, const std::vector<bool>& dead) {
        const Geometry geometry = board.geometry();
        B left(geometry);
        int margin = 0;
        for (int i = 0; i < geometry.area(); ++i) {
            const Point p = geometry.padded_point(i);
            if (board.colour(p) == Colour::empty) {
                continue;
            }
            if (dead[static_cast<std::size_t>(i)]) {
                margin += board.colour(p) == Colour::white ? 1 : -1;
            } else {
                left.set_up(p, static_cast<Player>(board.colour(p)));
            }
        }
        left.for_each_territory([&](auto region, Player owner) {
            const int size = static_cast<int>(region.size());
            margin += owner == Player::black ? size : -size;
        });
        return margin;
    }

   private:
    static constexpr std::size_t most_known = 1U << 20;
    static constexpr std::uint64_t seed = 200;

    template <class Visit>
    static void for_each_stone(const B& board, Point head, Visit&& visit) {
        Point stone = head;
        do {
            visit(stone);
            stone = board.next_in_chain(stone);
        } while (stone != head);
    }

    static std::vector<double> ownership(const B& board, int playouts) {
        OwnershipTally tally;
        Rng rng(seed);
        B fresh(board.geometry());  // so that the order in which stones came does not matter
        for (int i = 0; i < board.geometry().area(); ++i) {
            const Point p = board.geometry().padded_point(i);
            if (board.colour(p) != Colour::empty) {
                fresh.set_up(p, static_cast<Player>(board.colour(p)));
            }
        }
        for (int i = 0; i < playouts; ++i) {
            fresh.set_up_turn(i % 2 == 0 ? Player::black : Player::white, no_point, 0);
            GoState<B> state(fresh, {.max_plies = 3 * board.geometry().area()});
            state.uniform_playout(rng, longest_playout);
            tally.add(state.board());
        }
        return tally.shares();
    }

    TerritoryOptions options_;
    std::unordered_map<std::uint64_t, int> known_;  // by the stones
};

}  // namespace katachi::go
