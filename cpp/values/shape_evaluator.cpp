#include "values/shape_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace katachi {

namespace {

// Sums of the weights inside one fused window, up to 28 of them, are exact in the 24 bits of a float, and those of a whole board in
// integers.
constexpr int bits = 18;

double unit_for(const ShapeWeights& weights) {
    float largest = 0;
    for (const float weight : weights.values()) {
        if (!std::isfinite(weight)) {
            throw InvalidArgumentError("a weight is not a finite number");
        }
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

void ShapeEvaluator::add_to(const features::Representation& unshared, ShapeWeights& weights) const {
    const features::ShapeSet& own = representation_->shapes();
    const features::ShapeSet& other = unshared.shapes();
    if (!is_fused() || !BasicUnsharedLookup<ShapeWeights>::fits(unshared) || own.side() != other.side()) {
        throw InvalidArgumentError("weights can be added to a vector with one for each shape of the same board, for all players and stages");
    }
    const SharedLookup worth(*representation_, rounded_, Player::black);
    const BasicUnsharedLookup<ShapeWeights> target(unshared, weights, Player::black);
    for (int family = 0; family < static_cast<int>(own.sizes().size()); ++family) {
        const features::ShapeSize size = own.sizes()[static_cast<std::size_t>(family)];
        const auto found = std::ranges::find(other.sizes(), size);
        if (found == other.sizes().end()) {
            throw InvalidArgumentError("there are no shapes of " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                                       " to add weights to");
        }
        const auto windows = own.windows_of(family);
        const auto targets = other.windows_of(static_cast<int>(found - other.sizes().begin()));
        const int first = static_cast<int>(windows.data() - own.windows().data());
        const int first_target = static_cast<int>(targets.data() - other.windows().data());
        for (int i = 0; i < static_cast<int>(windows.size()); ++i) {
            for (int code = 1; code < features::ShapeSet::contents(windows[static_cast<std::size_t>(i)].size); ++code) {
                const auto content = static_cast<features::Code>(code);
                target.for_each(first_target + i, content, [&](features::Entry entry) { weights.add(entry, worth(first + i, content)); });
            }
        }
    }
}

}  // namespace katachi
