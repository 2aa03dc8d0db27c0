// Random words for position keys: one per (colour, point), one per ko point, and a few for the rest.
#pragma once

#include <array>
#include <cstdint>

#include "core/hash.hpp"
#include "games/go/geometry.hpp"

namespace katachi::go {

inline constexpr int zobrist_points = padded_size(max_side, max_side);

struct Zobrist {
    std::array<std::array<std::uint64_t, zobrist_points>, 2> stone{};
    std::array<std::uint64_t, zobrist_points> ko{};
    std::array<std::uint64_t, 3> passes{};
    std::uint64_t white_to_play{};

    constexpr Zobrist() {
        std::uint64_t state = hash_name("katachi go zobrist");
        for (auto& colour : stone) {
            for (auto& word : colour) {
                word = splitmix64(state);
            }
        }
        for (auto& word : ko) {
            word = splitmix64(state);
        }
        ko[no_point] = 0;
        for (auto& word : passes) {
            word = splitmix64(state);
        }
        passes[0] = 0;
        white_to_play = splitmix64(state);
    }

    // Boards of different shape have different keys.
    static constexpr std::uint64_t shape(int width, int height) { return mix64(static_cast<std::uint64_t>(width * 32 + height) * golden_gamma); }
};

inline constexpr Zobrist zobrist{};

}  // namespace katachi::go
