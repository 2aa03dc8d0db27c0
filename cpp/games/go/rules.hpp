// The parts of a rule set that the core acts on. Names of rule sets and refusals live in src/katachi/games/go/rules.py.
#pragma once

#include <cstdint>

namespace katachi::go {

enum class Ko : std::uint8_t {
    simple,       // a single stone just taken by a single stone may not be retaken at once
    positional,   // no colouring of the board may occur twice
    situational,  // no colouring with the same player to move may occur twice
};

// What White is given for Black's N handicap stones.
enum class HandicapBonus : std::uint8_t { none, stones, stones_less_one };

struct Rules {
    Ko ko = Ko::positional;
    bool suicide = false;
    double komi = 7.5;
    HandicapBonus handicap_bonus = HandicapBonus::none;

    double white_points(int handicap) const {
        switch (handicap_bonus) {
            case HandicapBonus::stones:
                return komi + handicap;
            case HandicapBonus::stones_less_one:
                return komi + (handicap > 0 ? handicap - 1 : 0);
            case HandicapBonus::none:
                break;
        }
        return komi;
    }

    bool operator==(const Rules&) const = default;
};

}  // namespace katachi::go
