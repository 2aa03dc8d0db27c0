#include "values/shape_evaluator.hpp"

#include <algorithm>
#include <cmath>

namespace katachi {

namespace {

// Sums of the weights inside one fused window, up to 28 of them, are exact in the 24 bits of a float, and those of a whole board in
// integers.
constexpr int bits = 18;

double unit_for(const ShapeWeights& weights) {
    float largest = 0;
    for (const float weight : weights.values()) {
        largest = std::max(largest, std::abs(weight));
    }
    return std::ldexp(1.0, (largest == 0 ? 0 : std::ilogb(largest) + 1) - bits);
}

}  // namespace

ShapeEvaluator::ShapeEvaluator(std::shared_ptr<const features::Representation> representation, const ShapeWeights& weights,
                               std::optional<double> linear_offset)
    : representation_(std::move(representation)),
      linear_offset_(linear_offset),
      unit_(unit_for(weights)),
      rounded_(weights.count()),
      fused_(FrozenLookup::fused(representation_->shapes())) {
    for (std::uint32_t i = 0; i < weights.count(); ++i) {
        rounded_.set(static_cast<features::Entry>(i) + 1, static_cast<float>(std::round(static_cast<double>(weights.values()[i]) / unit_) * unit_));
    }
    if (representation_->knows_turn() || representation_->stages() > 1) {
        return;
    }
    const FrozenLookup frozen(fused_, representation_->shapes(), SharedLookup(*representation_, rounded_, Player::black));
    worths_.resize(fused_.features());
    for (int index = 0; index < static_cast<int>(fused_.windows().size()); ++index) {
        const features::Window& window = fused_.windows()[static_cast<std::size_t>(index)];
        firsts_.push_back(window.first);
        for (features::Code code = 0; code < features::ShapeSet::contents(window.size); ++code) {
            worths_[window.first + code] = static_cast<std::int32_t>(static_cast<double>(frozen(index, code)) / unit_);
        }
    }
}

}  // namespace katachi
