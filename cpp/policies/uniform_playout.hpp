// The uniform default policy: every candidate is equally likely, until the game ends.
#pragma once

#include "games/game_state.hpp"

namespace katachi {

// Where a playout is cut in a game that names no max_length: nothing may run for ever between two looks at the clock.
inline constexpr int longest_playout = 100'000;

// Step by step. A game with max_length in its facts is cut there, should it not have ended.
template <GameState S>
Playout playout_by_steps(S& state, Rng& rng, ActionBuffer& buffer) {
    const int cap = state.facts().max_length.value_or(longest_playout);
    Playout playout;
    while (!state.is_terminal()) {
        if (playout.length >= cap) {
            playout.cut = true;
            break;
        }
        candidates(state, buffer);
        const Action action = buffer[rng.below(static_cast<std::uint32_t>(buffer.size()))];
        playout.total += play(state, action, rng);
        ++playout.length;
    }
    return playout;
}

// Plays `state` to its end. A game with a faster way of its own (Go) offers it as a hook.
template <GameState S>
Playout uniform_playout(S& state, Rng& rng, ActionBuffer& buffer) {
    if constexpr (HasUniformPlayout<S>) {
        return state.uniform_playout(rng);
    } else {
        return playout_by_steps(state, rng, buffer);
    }
}

}  // namespace katachi
