// Leaves of alpha-beta valued by a network (Ekker, 3.2 and 4.3), as the player who searches sees them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "games/game_state.hpp"
#include "values/network_value.hpp"

namespace katachi {

// What a state in which the game is over is worth from there on: what a network says, what a referee says, or nothing, since its last step has
// earned it already.
enum class EndValue : std::uint8_t { network, referee, earned };

template <GameState S>
class NetworkLeaves {
   public:
    struct Cursor {};

    // `referee`: what a final state earns Black in the end, for EndValue::referee. `adds_path_rewards`: a leaf's value has what its line earns in it.
    NetworkLeaves(std::shared_ptr<const NetworkValue> value, Player viewpoint, bool adds_path_rewards, EndValue ends,
                  std::function<double(const S&)> referee = {})
        : value_(std::move(value)), viewpoint_(viewpoint), adds_path_rewards_(adds_path_rewards), ends_(ends), referee_(std::move(referee)) {}

    void reset(Cursor& /*cursor*/, const S& /*state*/) const {}
    void follow(Cursor& /*cursor*/, const S& /*before*/, Action /*action*/) const {}

    double settled(const S& state, double earned) const {
        switch (ends_) {
            case EndValue::network:
                break;
            case EndValue::referee:
                return earned + referee_(state);
            case EndValue::earned:
                return earned;
        }
        return leaf(state, earned);
    }

    double leaf(const S& state, double earned) const {
        value_->read(state, viewpoint_, inputs_);
        const double value = value_->value_of(value_->network().sum(inputs_, pass_));
        return value_for(viewpoint_, value, value_->sides()) + (adds_path_rewards_ ? earned : 0);
    }

    std::optional<double> leaf_after(Cursor& /*cursor*/, const S& /*state*/, Action /*action*/) const { return std::nullopt; }

    // The value one ply on: moves that look good for their player come first.
    std::optional<double> outlook(Cursor& /*cursor*/, const S& state, Action action) const {
        S next = state;
        Rng no_chance(0);
        const double earned = play(next, action, no_chance);
        return next.is_terminal() ? settled(next, earned) : leaf(next, earned);
    }

   private:
    std::shared_ptr<const NetworkValue> value_;
    Player viewpoint_;
    bool adds_path_rewards_;
    EndValue ends_;
    std::function<double(const S&)> referee_;
    mutable features::InputList inputs_;  // room
    mutable Network::Pass pass_;
};

}  // namespace katachi
