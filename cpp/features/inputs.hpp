// What a value function is told of a state: numbers by their places, of which only those that are not 0 are listed.
#pragma once

#include <cstdint>
#include <vector>

namespace katachi::features {

struct Input {
    std::uint32_t place = 0;
    double value = 0;

    bool operator==(const Input&) const = default;
};

// A place that is listed twice counts twice.
using InputList = std::vector<Input>;

}  // namespace katachi::features
