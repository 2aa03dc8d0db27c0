#include "training/policy_learning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"

namespace katachi {

namespace {

void check_options(const PolicyLearningOptions& options) {
    constexpr int most_threads = 256;
    const auto refuse = [](const std::string& what) { throw InvalidArgumentError("learning a playout policy: " + what); };
    if (options.threads < 1 || options.threads > most_threads) {
        refuse("there are from 1 to " + std::to_string(most_threads) + " threads, not " + std::to_string(options.threads));
    }
    if (options.bias_simulations < 1 || options.gradient_simulations < 1) {
        refuse("M and N are 1 or more, not " + std::to_string(options.bias_simulations) + " and " + std::to_string(options.gradient_simulations));
    }
    if (options.longest_simulation < 1) {
        refuse("simulations have at least 1 move, not " + std::to_string(options.longest_simulation));
    }
    const bool is_bound = options.largest_weight > 0 && options.largest_weight <= 10;  // also false if it is no number
    if (!is_bound) {
        refuse("weights are held below a number from 0 to 10, not " + std::to_string(options.largest_weight));
    }
    const bool is_decay = options.weight_decay >= 0 && options.weight_decay * options.alpha <= 1;
    if (!is_decay) {
        refuse("weights decay by a share of them in each step, alpha times the decay is from 0 to 1, not " + std::to_string(options.alpha) +
               " times " + std::to_string(options.weight_decay));
    }
    const bool is_bias = options.largest_bias > 0 && options.largest_bias <= 1;
    if (!is_bias) {
        refuse("biases are held below a number from 0 to 1, not " + std::to_string(options.largest_bias));
    }
    if (options.rule == PolicyRule::reinforcement && options.baseline == Baseline::mean) {
        refuse("the mean as a baseline is that of other simulations, which reinforcement learning has not");
    }
}

}  // namespace

PolicyLearning::PolicyLearning(std::shared_ptr<const features::Placements> placements, std::vector<LabelledPosition> positions,
                               const PolicyLearningOptions& options, const Rng& rng)
    : placements_(std::move(placements)),
      positions_(std::move(positions)),
      options_(options),
      rng_(rng),
      weights_(placements_->weights()),
      critic_(placements_->weights()) {
    check_options(options);
    if (positions_.empty() && options.rule != PolicyRule::reinforcement) {
        throw InvalidArgumentError("learning a playout policy: there are no positions to learn from");
    }
}

void PolicyLearning::set_weights(std::span<const double> weights) {
    if (weights.size() != weights_.size()) {
        throw InvalidArgumentError("weights: " + std::to_string(weights_.size()) + " numbers are needed, not " + std::to_string(weights.size()));
    }
    for (const double weight : weights) {
        if (!(std::abs(weight) <= options_.largest_weight)) {
            throw InvalidArgumentError("a weight is at most " + std::to_string(options_.largest_weight) + ", not " + std::to_string(weight));
        }
    }
    std::ranges::copy(weights, weights_.begin());
    forget_step();
}

void PolicyLearning::set_critic(std::span<const double> weights) {
    if (weights.size() != critic_.size() || !std::ranges::all_of(weights, [](double weight) { return std::isfinite(weight); })) {
        throw InvalidArgumentError("a critic has " + std::to_string(critic_.size()) + " weights, all of them numbers");
    }
    std::ranges::copy(weights, critic_.begin());
    forget_step();
}

const LabelledPosition& PolicyLearning::position_of(std::uint64_t step) {
    const std::uint64_t count = positions_.size();
    const std::uint64_t round = step / count;
    if (order_.empty() || round != round_) {
        order_.resize(count);
        std::iota(order_.begin(), order_.end(), 0U);
        Rng rng = rng_.split("order", round);
        for (auto left = static_cast<std::uint32_t>(count); left > 1; --left) {
            std::swap(order_[left - 1], order_[rng.below(left)]);
        }
        round_ = round;
    }
    return positions_[order_[step % count]];
}

void PolicyLearning::climb(std::span<const double> gradient, double rate) {
    const double kept = 1 - options_.alpha * options_.weight_decay;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const double weight = kept * weights_[i] + rate * gradient[i];
        if (!std::isfinite(weight)) {
            throw DivergenceError("weight " + std::to_string(i) + " of the playout policy is no number any more at step " +
                                  std::to_string(steps_ + 1));
        }
        weights_[i] = std::clamp(weight, -options_.largest_weight, options_.largest_weight);
    }
}

}  // namespace katachi
