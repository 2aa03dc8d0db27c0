// Chains that cannot be taken even if their owner passes for ever: unconditional life (Benson 1976, "Life in the game of Go").
//
// A chain is safe when two regions are vital to it. A region is a connected set of points without stones of the owner; it is vital to a chain
// next to it if each of its empty points is a liberty of that chain, so that the opponent cannot take that chain's last liberty there. Chains
// with less than two vital regions fall, and with them the regions that they border on, until nothing changes.
//
// For boards of up to 64 points: sets of points are the bits of a word. The twin is src/katachi/reference/endings.py.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/go/geometry.hpp"

namespace katachi::go {

using PointSet = std::uint64_t;

// The points of a small board, and who is next to whom.
class PointSets {
   public:
    static constexpr int most_points = 64;

    explicit PointSets(Geometry geometry) : width_(geometry.width) {
        assert(geometry.area() <= most_points);
        for (int i = 0; i < geometry.area(); ++i) {
            all_ |= PointSet{1} << i;
            if (i % width_ != 0) {
                not_first_ |= PointSet{1} << i;
            }
        }
    }

    PointSet all() const { return all_; }
    // The points next to a set; some may be of it.
    PointSet next_to(PointSet points) const {
        const PointSet right = (points << 1) & not_first_;
        const PointSet left = (points & not_first_) >> 1;
        const PointSet below = width_ < most_points ? points << width_ : 0;
        const PointSet above = width_ < most_points ? points >> width_ : 0;
        return (right | left | below | above) & all_;
    }
    // All that is connected with a seed.
    PointSet flood(PointSet seed, PointSet within) const {
        for (PointSet grown = seed;; seed = grown) {
            grown = (seed | next_to(seed)) & within;
            if (grown == seed) {
                return seed;
            }
        }
    }

   private:
    int width_;
    PointSet all_ = 0;
    PointSet not_first_ = 0;  // all but the first column
};

// What a player holds whatever the opponent does, without one more move.
struct SafeArea {
    PointSet stones = 0;
    PointSet eyes = 0;  // single points between safe stones only: the opponent cannot stay there

    int size() const { return std::popcount(stones) + std::popcount(eyes); }
};

inline SafeArea safe_area(const PointSets& board, PointSet own, PointSet empty) {
    struct Chain {
        PointSet stones;
        PointSet liberties;
        bool is_safe = true;
    };
    struct Region {
        PointSet points;
        PointSet border;
        bool is_enclosed = true;  // by chains that are still taken to be safe
    };
    std::vector<Chain> chains;
    for (PointSet rest = own; rest != 0;) {
        const PointSet stones = board.flood(rest & -rest, own);
        chains.push_back({.stones = stones, .liberties = board.next_to(stones) & empty});
        rest &= ~stones;
    }
    std::vector<Region> regions;
    for (PointSet rest = board.all() & ~own; rest != 0;) {
        const PointSet points = board.flood(rest & -rest, board.all() & ~own);
        regions.push_back({.points = points, .border = board.next_to(points) & own});
        rest &= ~points;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (Chain& chain : chains) {
            int vital = 0;
            for (const Region& region : regions) {
                const PointSet inside = region.points & empty;
                vital += static_cast<int>(region.is_enclosed && (region.border & chain.stones) != 0 && (inside & ~chain.liberties) == 0);
            }
            if (!chain.is_safe || vital >= 2) {
                continue;
            }
            chain.is_safe = false;
            changed = true;
            for (Region& region : regions) {
                region.is_enclosed = region.is_enclosed && (region.border & chain.stones) == 0;
            }
        }
    }
    SafeArea safe;
    for (const Chain& chain : chains) {
        safe.stones |= chain.is_safe ? chain.stones : 0;
    }
    for (const Region& region : regions) {
        if (region.is_enclosed && region.border != 0 && std::has_single_bit(region.points)) {
            safe.eyes |= region.points;
        }
    }
    return safe;
}

}  // namespace katachi::go
