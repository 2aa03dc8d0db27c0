#include "values/placement_factors.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/errors.hpp"

namespace katachi {

using features::Entry;
using features::Placements;

namespace {

void check(std::span<const double> weights, const Placements& placements) {
    if (weights.size() != placements.weights()) {
        throw InvalidArgumentError("softmax over local shapes of " + std::to_string(placements.side()) + "x" + std::to_string(placements.side()) +
                                   " has " + std::to_string(placements.weights()) + " weights, not " + std::to_string(weights.size()));
    }
    // Factors of a move are products of few exponentials of these: so they are finite.
    constexpr double largest = 10;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(std::abs(weights[i]) <= largest)) {
            throw InvalidArgumentError("a weight of softmax over local shapes is a number from -10 to 10, but weight " + std::to_string(i) + " is " +
                                       std::to_string(weights[i]));
        }
    }
}

double signed_weight(std::span<const double> weights, Entry entry) {
    return entry > 0 ? weights[static_cast<std::size_t>(entry) - 1] : entry < 0 ? -weights[static_cast<std::size_t>(-entry) - 1] : 0;
}

}  // namespace

PlacementFactors::PlacementFactors(std::shared_ptr<const Placements> placements, go::EyeRule eye_rule)
    : placements_(std::move(placements)),
      closed_(closed_marks(eye_rule)),
      stones_(static_cast<std::size_t>(placements_->classes()), 1.0),
      factors_(Placements::corner_index(placements_->classes(), 0, 0), 1.0) {}

void PlacementFactors::set_weights(std::span<const double> weights) {
    check(weights, *placements_);
    for (int point_class = 0; point_class < placements_->classes(); ++point_class) {
        double sum = 0;
        for (const Entry entry : placements_->stone_entries(point_class)) {
            sum += signed_weight(weights, entry);
        }
        stones_[static_cast<std::size_t>(point_class)] = std::exp(sum);
        for (int quarter = 0; quarter < Placements::quarters; ++quarter) {
            for (int code = 0; code < Placements::corner_codes; ++code) {
                double change = 0;
                placements_->for_each_corner_entry(point_class, quarter, code, [&](Entry entry) { change += signed_weight(weights, entry); });
                factors_[Placements::corner_index(point_class, quarter, code)] = std::exp(change);
            }
        }
    }
}

FrozenPlacements::FrozenPlacements(std::shared_ptr<const Placements> placements, std::span<const double> weights)
    : placements_(std::move(placements)) {
    for (const go::EyeRule rule : {go::EyeRule::simple, go::EyeRule::strict, go::EyeRule::none}) {
        PlacementFactors factors(placements_, rule);
        factors.set_weights(weights);
        std::vector<float>& table = tables_[kind_of(rule)];
        table.reserve(placements_->count());
        for (features::Placement placement = 0; placement < placements_->count(); ++placement) {
            const double factor = factors(placement);
            // Beyond these a float is no number, or none.
            table.push_back(static_cast<float>(std::copysign(std::clamp(std::abs(factor), 1e-37, 1e38), factor)));
        }
    }
}

}  // namespace katachi
