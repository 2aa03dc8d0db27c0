// Who holds each point at the end of uniform playouts: the ground for dead stones and for pictures of influence.
//
// Black and White begin in turn, so that nobody is favoured by being to move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rng.hpp"
#include "core/slice.hpp"
#include "games/go/position.hpp"

namespace katachi::go {

template <class B>
class OwnershipCount final : public Job {
   public:
    OwnershipCount(const Position<B>& position, EyeRule rule, std::uint64_t playouts, const Rng& rng)
        : starts_{start(position, Player::black, rule), start(position, Player::white, rule)},
          playouts_(playouts),
          rng_(rng),
          balance_(static_cast<std::size_t>(position.geometry().area())) {}

    // By point, the share of playouts in which Black held it less the share in which White did: -1 to 1.
    std::vector<double> shares() const {
        std::vector<double> shares;
        shares.reserve(balance_.size());
        for (const std::int64_t balance : balance_) {
            shares.push_back(done_ == 0 ? 0.0 : static_cast<double>(balance) / static_cast<double>(done_));
        }
        return shares;
    }

    bool advance(const Slice& slice) override {
        SliceTicker ticker(slice, 16);
        while (done_ < playouts_) {
            GoState<B> state = starts_[done_ % 2];
            state.uniform_playout(rng_, longest_playout);
            add(state.board());
            ++done_;
            if (ticker.expired()) {
                break;
            }
        }
        return done_ >= playouts_;
    }

    double progress() const override { return playouts_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(playouts_); }

   private:
    static GoState<B> start(Position<B> position, Player player, EyeRule rule) {
        position.turn_to(player);
        return position.search_state(rule, std::nullopt);
    }

    void add(const B& board) {
        const Geometry geometry = board.geometry();
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
    }

    std::array<GoState<B>, 2> starts_;
    std::uint64_t playouts_;
    std::uint64_t done_ = 0;
    Rng rng_;
    std::vector<std::int64_t> balance_;
};

}  // namespace katachi::go
