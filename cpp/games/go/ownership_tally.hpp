// Who held each point when games ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/go/board.hpp"

namespace katachi::go {

class OwnershipTally {
   public:
    // One more game that ended so: stones, and empty regions that touch one player's stones only.
    template <class B>
    void add(const B& board) {
        const Geometry geometry = board.geometry();
        balance_.resize(static_cast<std::size_t>(geometry.area()));
        const auto give = [&](int dense, Player player) { balance_[static_cast<std::size_t>(dense)] += player == Player::black ? 1 : -1; };
        for (int i = 0; i < geometry.area(); ++i) {
            const Colour c = board.colour(geometry.padded_point(i));
            if (c != Colour::empty) {
                give(i, static_cast<Player>(c));
            }
        }
        board.for_each_territory([&](auto region, Player owner) {
            for (const Point p : region) {
                give(geometry.dense(p), owner);
            }
        });
        ++games_;
    }

    void add(const OwnershipTally& other) {
        balance_.resize(std::max(balance_.size(), other.balance_.size()));
        for (std::size_t i = 0; i < other.balance_.size(); ++i) {
            balance_[i] += other.balance_[i];
        }
        games_ += other.games_;
    }

    // By point, the share of games in which Black held it less the share in which White did: -1 to 1. Empty before the first one.
    std::vector<double> shares() const {
        std::vector<double> shares;
        shares.reserve(balance_.size());
        for (const std::int64_t balance : balance_) {
            shares.push_back(static_cast<double>(balance) / static_cast<double>(games_));
        }
        return shares;
    }

   private:
    std::vector<std::int64_t> balance_;
    std::uint64_t games_ = 0;
};

}  // namespace katachi::go
