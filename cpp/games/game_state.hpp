// THE contract: what a game is to every playout, learner and search.
//
// A game is a small copyable value, its state. There is no undo: searches copy. Rewards are player 0's, step by step;
// one player, or two with constant sum. `legal_actions` are the rules (pass included); `candidates` are what a search or
// a playout considers, by default the same. The Python face of the same contract is src/katachi/games/contract.py, and a
// game written in Python satisfies this concept through bindings/python_game.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/rng.hpp"
#include "core/types.hpp"

namespace katachi {

// How far `key()` can be trusted. exact: equal keys mean equal futures (up to collisions of 64 bits).
// approximate: equal keys mean that treating the states as one is reasonable. none: there is no key.
enum class KeyKind : std::uint8_t { none, approximate, exact };

struct Bounds {
    double low;
    double high;
    bool operator==(const Bounds&) const = default;
};

// What does not change during a game.
struct GameFacts {
    int players = 2;
    int action_space = 0;
    std::optional<Bounds> return_bounds;
    std::optional<int> max_length;
    bool deterministic = true;
    KeyKind key = KeyKind::none;
    bool final_reward = false;  // only the last step of a game earns anything

    bool operator==(const GameFacts&) const = default;
};

// Where a playout is cut in a game that names no max_length: nothing may run for ever between two looks at the clock.
inline constexpr int longest_playout = 100'000;

// The outcome of one simulated game: what it earned player 0, how many steps it took, and whether it was cut off before its end.
struct Playout {
    Reward total = 0;
    int length = 0;
    bool cut = false;
};

template <class S>
concept DeterministicPlay = requires(S state, Action action) {
    { state.play(action) } -> std::same_as<Reward>;
};

template <class S>
concept StochasticPlay = requires(S state, Action action, Rng& rng) {
    { state.play(action, rng) } -> std::same_as<Reward>;
};

template <class S>
concept GameState = std::copyable<S> && (DeterministicPlay<S> || StochasticPlay<S>) && requires(const S state, ActionBuffer& out) {
    { state.legal_actions(out) } -> std::same_as<void>;  // cleared first; empty when the game is over
    { state.is_terminal() } -> std::same_as<bool>;
    { state.to_play() } -> std::same_as<Player>;
    { state.key() } -> std::same_as<std::uint64_t>;
    { state.facts() } -> std::same_as<GameFacts>;
    { state.text() } -> std::same_as<std::string>;
};

template <class S>
concept HasCandidates = requires(const S state, ActionBuffer& out) {
    { state.candidates(out) } -> std::same_as<void>;
};

// The game's own playout of at most `most_steps` (0 or more) steps: every candidate equally likely at each.
template <class S>
concept HasUniformPlayout = requires(S state, Rng& rng, int most_steps) {
    { state.uniform_playout(rng, most_steps) } -> std::same_as<Playout>;
};

// The same with a witness, which is told every action. Of games whose players take turns.
template <class S>
concept HasWatchedPlayout = requires(S state, Rng& rng, int most_steps, void (*on_action)(Action)) {
    { state.uniform_playout(rng, most_steps, on_action) } -> std::same_as<Playout>;
};

// One step, whether or not the game has chance in it.
template <GameState S>
Reward play(S& state, Action action, Rng& rng) {
    if constexpr (StochasticPlay<S>) {
        return state.play(action, rng);
    } else {
        return state.play(action);
    }
}

// Fills `out` with at least one action. To be called where the state has just said that it is not terminal.
template <GameState S>
void candidates(const S& state, ActionBuffer& out) {
    if constexpr (HasCandidates<S>) {
        state.candidates(out);
    } else {
        state.legal_actions(out);
    }
    if (out.empty()) [[unlikely]] {
        throw GameContractError("no action in a state that is not terminal:\n" + state.text());
    }
}

// The only place where a value changes sides: `value` is one player's, the result is the other's.
inline double other_side(double value, const GameFacts& facts) {
    return facts.return_bounds ? facts.return_bounds->low + facts.return_bounds->high - value : -value;
}

// A value of player 0, seen by `player`; and back, since the change of sides is its own inverse.
inline double value_for(Player player, double value, const GameFacts& facts) { return player == Player::black ? value : other_side(value, facts); }

}  // namespace katachi
