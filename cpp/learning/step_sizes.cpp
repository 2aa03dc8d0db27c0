#include "learning/step_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "values/weight_exchange.hpp"

namespace katachi {

namespace {

std::size_t weight_of(features::Entry entry) { return static_cast<std::size_t>(std::abs(entry)) - 1; }
features::Entry entry_of(std::uint32_t weight) { return static_cast<features::Entry>(weight) + 1; }

StepSizes::Memories memories_of(const StepSizeOptions& options, std::uint32_t weights) {
    switch (options.rule) {
        case StepRule::constant:
            break;
        case StepRule::counts:
            return {std::vector<float>(weights)};
        case StepRule::kalman:
            return {std::vector<float>(weights, static_cast<float>(options.variance))};
        case StepRule::idbd:
            return {std::vector<float>(weights, static_cast<float>(std::log(options.alpha))), std::vector<float>(weights)};
    }
    return {};
}

}  // namespace

StepSizes::StepSizes(const StepSizeOptions& options, std::uint32_t weights)
    : StepSizes(options, weights, std::make_shared<Memories>(memories_of(options, weights))) {}

StepSizes::StepSizes(const StepSizeOptions& options, std::uint32_t weights, std::shared_ptr<Memories> memories)
    : options_(options), memories_(std::move(memories)), multiplicity_(memories_->empty() ? 0 : weights) {}

StepSizes StepSizes::beside() const { return {options_, static_cast<std::uint32_t>(multiplicity_.size()), memories_}; }

template <class Weights>
void StepSizes::learn(Weights& weights, std::span<const features::Entry> active, double v, double delta, double slope) {
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

template <class Weights>
void StepSizes::learn_by_counts(Weights& weights, std::span<const features::Entry> active, double error) {
    using Access = Weights::Access;
    std::vector<float>& counts = memories()[0];
    const double step = options_.alpha * error / static_cast<double>(active.size());
    for (const features::Entry entry : active) {
        float& memory = counts[weight_of(entry)];
        const float count = Access::load(memory);
        weights.add(entry, static_cast<float>(step * options_.count_scale / (options_.count_scale + count)));
        Access::store(memory, count + 1);
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

// h_i = c_i V (1 - V), R = V (1 - V); K_i = P_i h_i / (sum_j P_j h_j^2 + R). Each P_i is read once, so that K_i h_i < 1 whatever other
// threads do, and no variance falls below 0.
template <class Weights>
void StepSizes::learn_by_kalman(Weights& weights, std::span<const features::Entry> active, double v, double delta) {
    using Access = Weights::Access;
    std::vector<float>& memory = memories()[0];
    gather(active);
    const double slope = std::max(v * (1 - v), 1e-6);
    double total = slope;
    variances_.clear();
    for (const std::uint32_t weight : met_) {
        const double h = multiplicity_[weight] * slope;
        variances_.push_back(Access::load(memory[weight]));
        total += variances_.back() * h * h;
    }
    for (std::size_t i = 0; i < met_.size(); ++i) {
        const std::uint32_t weight = met_[i];
        const float variance = variances_[i];
        const double h = multiplicity_[weight] * slope;
        multiplicity_[weight] = 0;
        const double gain = variance * h / total;
        weights.add(entry_of(weight), static_cast<float>(gain * delta));
        Access::store(memory[weight], static_cast<float>(variance - gain * h * variance));
    }
}

template <class Weights>
void StepSizes::learn_by_idbd(Weights& weights, std::span<const features::Entry> active, double error) {
    using Access = Weights::Access;
    std::vector<float>& log_steps = memories()[0];
    std::vector<float>& traces = memories()[1];
    gather(active);
    const auto k = static_cast<double>(active.size());
    for (const std::uint32_t weight : met_) {
        const double x = multiplicity_[weight];
        multiplicity_[weight] = 0;
        const float trace = Access::load(traces[weight]);
        const auto log_step = static_cast<float>(Access::load(log_steps[weight]) + std::clamp(options_.meta_step * error * x * trace, -2.0, 2.0));
        Access::store(log_steps[weight], log_step);
        const double step = std::exp(static_cast<double>(log_step)) / k;
        const double change = step * error * x;
        weights.add(entry_of(weight), static_cast<float>(change));
        Access::store(traces[weight], static_cast<float>(trace * std::max(0.0, 1 - step * x * x) + change));
    }
}

template void StepSizes::learn(ShapeWeights&, std::span<const features::Entry>, double, double, double);
template void StepSizes::learn(ConcurrentWeights&, std::span<const features::Entry>, double, double, double);
template void StepSizes::learn(ReplicaWeights&, std::span<const features::Entry>, double, double, double);

}  // namespace katachi
