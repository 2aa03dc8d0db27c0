// The one random generator: xoshiro256++ (Blackman and Vigna 2019), seeded through SplitMix64.
//
// Randomness is an argument: a function that needs chance takes an Rng&, and a caller that needs several independent
// streams splits one by name. `split` reads the state and does not advance it, so the order of splits is irrelevant.
// No std::*_distribution is used anywhere: their results differ between standard libraries.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "core/hash.hpp"

namespace katachi {

class Rng {
   public:
    using State = std::array<std::uint64_t, 4>;

    explicit Rng(std::uint64_t seed) {
        for (auto& word : state_) {
            word = splitmix64(seed);
        }
    }

    explicit Rng(const State& state) : state_(state) {}

    const State& state() const { return state_; }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // Uniform on [0, bound), exactly: multiply-shift with rejection (Lemire 2019). bound > 0.
    std::uint32_t below(std::uint32_t bound) {
        std::uint64_t product = (next() >> 32) * bound;
        if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
            const std::uint32_t threshold = -bound % bound;
            while (static_cast<std::uint32_t>(product) < threshold) {
                product = (next() >> 32) * bound;
            }
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

    // Uniform on [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // An independent stream for (name, index); this generator stays as it is.
    Rng split(std::string_view name, std::uint64_t index = 0) const {
        std::uint64_t seed = mix64(hash_name(name)) ^ mix64(index + golden_gamma);
        for (const std::uint64_t word : state_) {
            seed = mix64(seed + golden_gamma) ^ word;
        }
        return Rng(seed);
    }

    bool operator==(const Rng&) const = default;

   private:
    State state_{};
};

}  // namespace katachi
