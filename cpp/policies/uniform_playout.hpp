// The uniform default policy: every candidate is equally likely, until the game ends or the steps are used up.
#pragma once

#include <algorithm>
#include <type_traits>

#include "games/game_state.hpp"

namespace katachi {

// Who does not want to be told what is played.
struct NoWitness {};

// Step by step. The witness, if there is one, is told every step: witness(player, action). A game with max_length in its facts is cut there at the
// latest, should it not have ended.
template <GameState S, class Witness = NoWitness>
Playout playout_by_steps(S& state, Rng& rng, ActionBuffer& buffer, int most_steps = longest_playout, Witness&& witness = {}) {
    const int cap = std::min(most_steps, state.facts().max_length.value_or(longest_playout));
    Playout playout;
    while (!state.is_terminal()) {
        if (playout.length >= cap) {
            playout.cut = true;
            break;
        }
        candidates(state, buffer);
        const Action action = buffer[rng.below(static_cast<std::uint32_t>(buffer.size()))];
        if constexpr (!std::is_same_v<std::remove_cvref_t<Witness>, NoWitness>) {
            witness(state.to_play(), action);
        }
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

// The same with a witness. In a game with a hook for that the draws are the same as without one.
template <GameState S, class Witness>
Playout watched_playout(S& state, Rng& rng, ActionBuffer& buffer, int most_steps, Witness&& witness) {
    if constexpr (HasWatchedPlayout<S>) {
        Player player = state.to_play();
        return state.uniform_playout(rng, most_steps, [&](Action action) {
            witness(player, action);
            player = opponent(player);
        });
    } else {
        return playout_by_steps(state, rng, buffer, most_steps, witness);
    }
}

}  // namespace katachi
