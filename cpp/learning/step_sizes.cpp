#include "learning/step_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace katachi {

namespace {

std::size_t weight_of(features::Entry entry) { return static_cast<std::size_t>(std::abs(entry)) - 1; }
features::Entry entry_of(std::uint32_t weight) { return static_cast<features::Entry>(weight) + 1; }

}  // namespace

StepSizes::StepSizes(const StepSizeOptions& options, std::uint32_t weights) : options_(options) {
    switch (options.rule) {
        case StepRule::constant:
            return;
        case StepRule::counts:
            memories_ = {std::vector<float>(weights)};
            break;
        case StepRule::kalman:
            memories_ = {std::vector<float>(weights, static_cast<float>(options.variance))};
            break;
        case StepRule::idbd:
            memories_ = {std::vector<float>(weights, static_cast<float>(std::log(options.alpha))), std::vector<float>(weights)};
            break;
    }
    multiplicity_.resize(weights);
}

void StepSizes::learn(ShapeWeights& weights, std::span<const features::Entry> active, double v, double delta, double slope) {
    if (active.empty()) {
        return;
    }
    switch (options_.rule) {
        case StepRule::constant: {
            const auto change = static_cast<float>(options_.alpha * delta * slope / static_cast<double>(active.size()));
            for (const features::Entry entry : active) {
                weights.add(entry, change);
            }
            break;
        }
        case StepRule::counts:
            learn_by_counts(weights, active, delta * slope);
            break;
        case StepRule::kalman:
            learn_by_kalman(weights, active, v, delta);
            break;
        case StepRule::idbd:
            learn_by_idbd(weights, active, delta * slope);
            break;
    }
}

void StepSizes::learn_by_counts(ShapeWeights& weights, std::span<const features::Entry> active, double error) {
    const double step = options_.alpha * error / static_cast<double>(active.size());
    for (const features::Entry entry : active) {
        float& count = memories_[0][weight_of(entry)];
        weights.add(entry, static_cast<float>(step * options_.count_scale / (options_.count_scale + count)));
        count += 1;
    }
}

void StepSizes::gather(std::span<const features::Entry> active) {
    met_.clear();
    for (const features::Entry entry : active) {
        std::int32_t& multiplicity = multiplicity_[weight_of(entry)];
        if (multiplicity == 0) {
            met_.push_back(static_cast<std::uint32_t>(weight_of(entry)));
        }
        multiplicity += entry > 0 ? 1 : -1;
    }
    // One whose occurrences cancelled on the way may stand here twice.
    std::ranges::sort(met_);
    met_.erase(std::ranges::unique(met_).begin(), met_.end());
}

// h_i = c_i V (1 - V), R = V (1 - V); K_i = P_i h_i / (sum_j P_j h_j^2 + R).
void StepSizes::learn_by_kalman(ShapeWeights& weights, std::span<const features::Entry> active, double v, double delta) {
    gather(active);
    const double slope = std::max(v * (1 - v), 1e-6);
    double total = slope;
    for (const std::uint32_t weight : met_) {
        const double h = multiplicity_[weight] * slope;
        total += memories_[0][weight] * h * h;
    }
    for (const std::uint32_t weight : met_) {
        const double h = multiplicity_[weight] * slope;
        multiplicity_[weight] = 0;
        float& variance = memories_[0][weight];
        const double gain = variance * h / total;
        weights.add(entry_of(weight), static_cast<float>(gain * delta));
        variance = static_cast<float>(variance - gain * h * variance);
    }
}

void StepSizes::learn_by_idbd(ShapeWeights& weights, std::span<const features::Entry> active, double error) {
    gather(active);
    const auto k = static_cast<double>(active.size());
    for (const std::uint32_t weight : met_) {
        const double x = multiplicity_[weight];
        multiplicity_[weight] = 0;
        float& log_step = memories_[0][weight];
        float& trace = memories_[1][weight];
        log_step = static_cast<float>(log_step + std::clamp(options_.meta_step * error * x * trace, -2.0, 2.0));
        const double step = std::exp(static_cast<double>(log_step)) / k;
        const double change = step * error * x;
        weights.add(entry_of(weight), static_cast<float>(change));
        trace = static_cast<float>(trace * std::max(0.0, 1 - step * x * x) + change);
    }
}

}  // namespace katachi
