// Normally distributed numbers by the ziggurat method (Marsaglia and Tsang 2000).
//
// Method. The area under exp(-x^2 / 2), x >= 0, is covered by 256 layers of equal area: rectangles, and at the bottom one with the tail
// behind `tail_start`. A layer is drawn, then a place in it; nearly always that lies under the curve for certain, with one comparison.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/rng.hpp"

namespace katachi {

class Ziggurat {
   public:
    Ziggurat() {
        const double area = tail_start * height(tail_start) + std::sqrt(std::numbers::pi / 2) * std::erfc(tail_start / std::numbers::sqrt2);
        widths_[0] = area / height(tail_start);  // the bottom layer, as if its tail were a part of the rectangle
        widths_[1] = tail_start;
        for (std::size_t i = 2; i < layers; ++i) {
            widths_[i] = std::sqrt(-2 * std::log(area / widths_[i - 1] + height(widths_[i - 1])));
        }
        widths_[layers] = 0;
        for (std::size_t i = 0; i <= layers; ++i) {
            heights_[i] = height(widths_[i]);
        }
    }

    // Mean 0, variance 1.
    double draw(Rng& rng) const {
        while (true) {
            const std::uint64_t bits = rng.next();
            const std::size_t layer = bits % layers;
            const double sign = (bits & layers) != 0 ? -1 : 1;
            const double x = static_cast<double>(bits >> 11) * 0x1.0p-53 * widths_[layer];
            if (x < widths_[layer + 1]) [[likely]] {
                return sign * x;
            }
            if (layer == 0) {
                return sign * tail(rng);
            }
            if (heights_[layer] + rng.uniform() * (heights_[layer + 1] - heights_[layer]) < height(x)) {
                return sign * x;
            }
        }
    }

   private:
    static constexpr std::size_t layers = 256;
    static constexpr double tail_start = 3.6541528853610088;  // where 256 layers have the same area

    static double height(double x) { return std::exp(-x * x / 2); }

    static double tail(Rng& rng) {
        while (true) {
            const double x = -std::log(1 - rng.uniform()) / tail_start;
            const double y = -std::log(1 - rng.uniform());
            if (2 * y > x * x) {
                return tail_start + x;
            }
        }
    }

    std::array<double, layers + 1> widths_{};  // descending
    std::array<double, layers + 1> heights_{};
};

// Made at its first use.
inline const Ziggurat& ziggurat() {
    static const Ziggurat made;
    return made;
}

}  // namespace katachi
