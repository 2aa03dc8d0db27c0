// The nouns that every layer shares: who moves, what is done, what it earns.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace katachi {

// Player 0 is Black (or the first, or the only player); every value and reward in the core is player 0's.
enum class Player : std::uint8_t { black = 0, white = 1 };

constexpr Player opponent(Player player) { return static_cast<Player>(1 - static_cast<int>(player)); }
constexpr int index_of(Player player) { return static_cast<int>(player); }

// A move of some game: a number in [0, action_space). What it means is the game's business.
struct Action {
    std::int32_t value = -1;
    constexpr auto operator<=>(const Action&) const = default;
};

// What one step earns player 0.
using Reward = double;

// Filled by `legal_actions` and `candidates`; reused, so that a search allocates nothing per node.
using ActionBuffer = std::vector<Action>;

}  // namespace katachi
