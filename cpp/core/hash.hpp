// Mixing functions behind Zobrist tables and the named splits of Rng.
#pragma once

#include <cstdint>
#include <string_view>

namespace katachi {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection on 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

inline constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;

// One step of SplitMix64: advances `state` and returns the next output.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
    state += golden_gamma;
    return mix64(state);
}

// FNV-1a, for names only: short, stable across platforms, always passed through mix64 afterwards.
constexpr std::uint64_t hash_name(std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325ULL;
    for (const char c : name) {
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return h;
}

}  // namespace katachi
