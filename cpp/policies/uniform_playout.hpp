// The uniform default policy: every candidate is equally likely, until the game ends or the steps are used up.
#pragma once

#include <algorithm>

#include "games/game_state.hpp"

namespace katachi {

// Step by step. A game with max_length in its facts is cut there at the latest, should it not have ended.
template <GameState S>
Playout playout_by_steps(S& state, Rng& rng, ActionBuffer& buffer, int most_steps = longest_playout) {
    const int cap = std::min(most_steps, state.facts().max_length.value_or(longest_playout));
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

// Plays `state` to its end, or for `most_steps` steps. A game with a faster way of its own offers it as a hook.
template <GameState S>
Playout uniform_playout(S& state, Rng& rng, ActionBuffer& buffer, int most_steps = longest_playout) {
    if constexpr (HasUniformPlayout<S>) {
        return state.uniform_playout(rng, most_steps);
    } else {
        return playout_by_steps(state, rng, buffer, most_steps);
    }
}

}  // namespace katachi
