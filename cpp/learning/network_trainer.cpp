#include "learning/network_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/errors.hpp"

namespace katachi {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

double adaptive_mix(std::span<const double> direct, std::span<const double> residual, PhiRule rule, double margin) {
    const double together = dot(direct, residual);
    const double denominator = together - dot(residual, residual);
    if (denominator == 0 || (rule == PhiRule::safe && together > 0)) {
        return 0;
    }
    return std::clamp(together / denominator + margin, 0.0, 1.0);
}

NetworkTrainer::NetworkTrainer(const NetworkTrainerOptions& options, std::size_t weights) : options_(options), direct_(weights) {
    if (options.batch_games < 1) {
        throw InvalidArgumentError("a batch has at least 1 game, not " + std::to_string(options.batch_games));
    }
    // Phi of a step leaves one sum only.
    if (has_residual() && options.phi_per == PhiPer::batch) {
        residual_.resize(weights);
    }
    if (options.step == StepKind::rprop) {
        steps_.assign(weights, options.rprop_first);
        gradients_.resize(weights);
        changes_.resize(weights);
    }
}

std::vector<std::vector<double>*> NetworkTrainer::memories() { return {&direct_, &residual_, &steps_, &gradients_, &changes_}; }

bool NetworkTrainer::add_game(Network& network, std::span<const features::InputList* const> states, std::span<const double> errors) {
    if (has_residual() && options_.phi_per == PhiPer::step) {
        add_step_by_step(network, states, errors);
    } else {
        add_by_coefficients(network, states, errors);
    }
    if (++games_ < options_.batch_games) {
        return false;
    }
    games_ = 0;
    step(network);
    return true;
}

// The sum of all rg_t has g_t with the factor E_t - E_{t-1}, or, with the state before, E_t - E_{t+1}: one backward pass for each state.
void NetworkTrainer::add_by_coefficients(const Network& network, std::span<const features::InputList* const> states, std::span<const double> errors) {
    for (std::size_t t = 0; t < states.size(); ++t) {
        const bool is_next = options_.pair == ResidualPair::next;
        const bool has_other = is_next ? t > 0 : t + 1 < states.size();
        const double other = has_other ? errors[is_next ? t - 1 : t + 1] : 0;
        const double residual = has_residual() ? errors[t] - other : 0;
        if (states[t] == nullptr || (errors[t] == 0 && residual == 0)) {
            continue;
        }
        network.forward(*states[t], pass_);
        const double factor = slope(pass_);
        if (errors[t] != 0) {
            network.add_gradient(*states[t], pass_, factor * errors[t], direct_);
        }
        if (residual != 0) {
            network.add_gradient(*states[t], pass_, factor * residual, residual_);
        }
    }
}

void NetworkTrainer::gradient(const Network& network, const features::InputList* inputs, std::vector<double>& out) {
    out.assign(direct_.size(), 0.0);
    if (inputs != nullptr) {
        network.forward(*inputs, pass_);
        network.add_gradient(*inputs, pass_, slope(pass_), out);
    }
}

void NetworkTrainer::add_step_by_step(const Network& network, std::span<const features::InputList* const> states, std::span<const double> errors) {
    one_direct_.resize(direct_.size());
    one_residual_.resize(direct_.size());
    for (std::size_t t = 0; t < states.size(); ++t) {
        gradient(network, states[t], here_);
        const bool is_next = options_.pair == ResidualPair::next;
        const bool has_partner = is_next ? t + 1 < states.size() : t > 0;
        if (has_partner) {
            gradient(network, states[is_next ? t + 1 : t - 1], there_);
        } else {
            there_.assign(direct_.size(), 0.0);
        }
        for (std::size_t i = 0; i < direct_.size(); ++i) {
            one_direct_[i] = errors[t] * here_[i];
            one_residual_[i] = -errors[t] * (there_[i] - here_[i]);
        }
        last_mix_ = options_.mix ? *options_.mix : adaptive_mix(one_direct_, one_residual_, options_.phi_rule, options_.phi_margin);
        for (std::size_t i = 0; i < direct_.size(); ++i) {
            direct_[i] += (1 - *last_mix_) * one_direct_[i] + *last_mix_ * one_residual_[i];
        }
    }
}

// The batch is complete.
void NetworkTrainer::step(Network& network) {
    if (!residual_.empty()) {
        last_mix_ = options_.mix ? *options_.mix : adaptive_mix(direct_, residual_, options_.phi_rule, options_.phi_margin);
        for (std::size_t i = 0; i < direct_.size(); ++i) {
            direct_[i] = (1 - *last_mix_) * direct_[i] + *last_mix_ * residual_[i];
        }
        std::ranges::fill(residual_, 0.0);
    }
    const std::span<double> weights = network.weights();
    if (options_.step == StepKind::rprop) {
        step_by_signs(weights, direct_);
    } else {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i] += options_.eta * direct_[i];
        }
    }
    std::ranges::fill(direct_, 0.0);
    for (const double weight : weights) {
        if (!std::isfinite(weight)) {
            throw DivergenceError("the weights of the network have grown beyond all bounds: a smaller eta may help");
        }
    }
}

// RPROP (eq. 18 to 20 as Riedmiller and Braun have it): on dE/dw, which is minus what is wanted.
void NetworkTrainer::step_by_signs(std::span<double> weights, const std::vector<double>& wanted) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double gradient = -wanted[i];
        const double agreement = gradient * gradients_[i];
        if (agreement < 0) {
            steps_[i] = std::max(steps_[i] * options_.rprop_shrinkage, options_.rprop_smallest);
            weights[i] -= changes_[i];
            changes_[i] = 0;
            gradients_[i] = 0;
            continue;
        }
        if (agreement > 0) {
            steps_[i] = std::min(steps_[i] * options_.rprop_growth, options_.rprop_largest);
        }
        changes_[i] = -sign(gradient) * steps_[i];
        weights[i] += changes_[i];
        gradients_[i] = gradient;
    }
}

}  // namespace katachi
