// What a network makes of states: inputs of some kind, the network, and the unit in which its answer is given (Ekker, 5.1 and 5.2).
//
// A value is that of a player, the *viewpoint*, whoever is to move. In *stones* it is c times the network's sum x, without bounds; as *output*
// it is y, from 0 to 1. Inputs of a board tell own and enemy stones apart. Those of a table and of local shapes are Black's; White sees them with
// the sign turned, which without biases is the same as turning the value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/errors.hpp"
#include "features/board_inputs.hpp"
#include "features/representation.hpp"
#include "games/game_state.hpp"
#include "values/network.hpp"
#include "values/recomputed.hpp"
#include "values/state_table.hpp"

namespace katachi {

enum class ValueUnit : std::uint8_t { stones, output };

using ShapeInputs = std::shared_ptr<const features::Representation>;
using NetworkInputs = std::variant<features::BoardInputs, ShapeInputs, StateTable>;

// A state of Go, of whichever kind.
template <class S>
concept HasBoard = requires(const S& state) {
    state.board().geometry();
    state.moves();
};

class NetworkValue {
   public:
    NetworkValue(Network network, NetworkInputs inputs, ValueUnit unit, double score_scale);

    Network& network() { return network_; }
    const Network& network() const { return network_; }
    const NetworkInputs& inputs() const { return inputs_; }
    // Of inputs by a table; nothing otherwise.
    StateTable* table() { return std::get_if<StateTable>(&inputs_); }
    ValueUnit unit() const { return unit_; }
    double score_scale() const { return score_scale_; }
    // How a value changes sides: as one of a game with these facts.
    const GameFacts& sides() const { return sides_; }

    // An error if the inputs are not for states of this game.
    template <GameState S>
    void check(const S& state) const {
        if constexpr (HasBoard<S>) {
            const go::Geometry geometry = state.board().geometry();
            if (const auto* board = std::get_if<features::BoardInputs>(&inputs_)) {
                check_size(board->geometry(), geometry);
            } else if (const auto* shapes = std::get_if<ShapeInputs>(&inputs_)) {
                check_size({(*shapes)->shapes().side(), (*shapes)->shapes().side()}, geometry);
            }
        } else if (!std::holds_alternative<StateTable>(inputs_)) {
            throw InvalidArgumentError("this network is for boards of Go, not for\n" + state.text());
        }
    }

    template <GameState S>
    void read(const S& state, Player viewpoint, features::InputList& out) const {
        if (const auto* table = std::get_if<StateTable>(&inputs_)) {
            out.clear();
            if (const auto place = table->find(state.key())) {
                out.push_back({*place, sign(viewpoint)});
            }
            return;
        }
        if constexpr (HasBoard<S>) {
            if (const auto* board = std::get_if<features::BoardInputs>(&inputs_)) {
                board->read(state.board(), viewpoint, out);
                return;
            }
            out.clear();
            const features::Representation& shapes = *std::get<ShapeInputs>(inputs_);
            for_each_active(shapes, state.board(), state.to_play(), shapes.stage(state.moves()), [&](features::Entry entry) {
                out.push_back({static_cast<std::uint32_t>(std::abs(entry)) - 1, entry > 0 ? sign(viewpoint) : -sign(viewpoint)});
            });
        }
    }

    // The same of a state that is learnt about: a table takes it in.
    template <GameState S>
    void meet(const S& state, Player viewpoint, features::InputList& out) {
        if (StateTable* const places = table()) {
            places->meet(state.key());
        }
        read(state, viewpoint, out);
    }

    double value_of(double sum) const { return unit_ == ValueUnit::stones ? score_scale_ * sum : logistic(sum); }

   private:
    static double sign(Player viewpoint) { return viewpoint == Player::black ? 1 : -1; }
    static void check_size(go::Geometry expected, go::Geometry found);

    Network network_;
    NetworkInputs inputs_;
    ValueUnit unit_;
    double score_scale_;
    GameFacts sides_;
};

}  // namespace katachi
