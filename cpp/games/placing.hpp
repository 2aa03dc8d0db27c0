// What games of placing stones share: the words of their keys, and the free places of a playout.
#pragma once

#include <array>
#include <cstdint>

#include "core/hash.hpp"
#include "core/rng.hpp"
#include "core/types.hpp"

namespace katachi {

// The word of a stone: a key is the exclusive or of the words of all stones. Who moves follows from their number.
constexpr std::uint64_t stone_word(Player player, int place) {
    return mix64((2 * static_cast<std::uint64_t>(place) + static_cast<std::uint64_t>(index_of(player)) + 1) * golden_gamma);
}

// The free places of a board in no particular order: each is drawn with the same chance, and then gone.
template <int capacity>
class FreePlaces {
   public:
    void add(int place) { places_[static_cast<std::size_t>(size_++)] = static_cast<std::uint16_t>(place); }

    int draw(Rng& rng) {
        const std::size_t i = rng.below(static_cast<std::uint32_t>(size_));
        const int place = places_[i];
        places_[i] = places_[static_cast<std::size_t>(--size_)];
        return place;
    }

   private:
    std::array<std::uint16_t, capacity> places_{};
    int size_ = 0;
};

}  // namespace katachi
