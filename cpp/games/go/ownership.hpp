// Who holds each point at the end of uniform playouts: the ground for dead stones and for pictures of influence.
//
// Black and White begin in turn, so that nobody is favoured by being to move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rng.hpp"
#include "core/slice.hpp"
#include "games/go/ownership_tally.hpp"
#include "games/go/position.hpp"

namespace katachi::go {

template <class B>
class OwnershipCount final : public Job {
   public:
    OwnershipCount(const Position<B>& position, EyeRule rule, std::uint64_t playouts, const Rng& rng)
        : starts_{start(position, Player::black, rule), start(position, Player::white, rule)},
          playouts_(playouts),
          rng_(rng),
          area_(static_cast<std::size_t>(position.geometry().area())) {}

    std::vector<double> shares() const { return done_ == 0 ? std::vector<double>(area_) : tally_.shares(); }

    bool advance(const Slice& slice) override {
        SliceTicker ticker(slice, 16);
        while (done_ < playouts_) {
            GoState<B> state = starts_[done_ % 2];
            state.uniform_playout(rng_, longest_playout);
            tally_.add(state.board());
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

    std::array<GoState<B>, 2> starts_;
    std::uint64_t playouts_;
    std::uint64_t done_ = 0;
    Rng rng_;
    std::size_t area_;
    OwnershipTally tally_;
};

}  // namespace katachi::go
