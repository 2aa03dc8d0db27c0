#include "learning/td.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace katachi {

namespace {

bool has_traces(const TdOptions& options) { return options.lambda > 0 || options.normaliser == Normaliser::successor; }

}  // namespace

TdLearner::TdLearner(const TdOptions& options, std::uint32_t weights)
    : TdLearner(options, StepSizes(options.step, weights), has_traces(options) ? weights : 0) {}

TdLearner::TdLearner(const TdOptions& options, StepSizes steps, std::size_t traced) : options_(options), steps_(std::move(steps)) {
    if (has_traces(options) && options.step.rule != StepRule::constant) {
        throw InvalidArgumentError("steps that adapt are for lambda = 0 and the state's own normaliser");
    }
    for (Trace& trace : traces_) {
        trace.values.resize(traced);
    }
}

TdLearner TdLearner::beside() const { return {options_, steps_.beside(), traces_[0].values.size()}; }

void TdLearner::begin_game() {
    for (Trace& trace : traces_) {
        for (const std::uint32_t weight : trace.weights) {
            trace.values[weight] = 0;
        }
        trace.weights.clear();
    }
}

template <class Weights>
void TdLearner::learn_step(Weights& weights, const GameTrace& game) {
    const int last = game.states() - 1;
    const int t = last - options_.plies;
    if (t >= 0 && options_.target == Target::td && !is_frozen()) {
        learn(weights, game, t, game.value(t), value(weights, game.active(last)));
    }
}

template <class Weights>
GameErrors TdLearner::learn_game(Weights& weights, const GameTrace& game, double outcome) {
    const int states = game.states();
    const bool is_td = options_.target == Target::td;
    // Online, all but the last states have learnt already.
    const int first = options_.update_mode == UpdateMode::online && is_td ? std::max(0, states - options_.plies) : 0;
    const int end = is_frozen() ? 0 : options_.learns_last ? states : std::max(0, states - options_.plies + 1);
    GameErrors errors;
    for (int t = 0; t < states; ++t) {
        const bool is_fresh = options_.update_mode == UpdateMode::end_refresh && !is_frozen();
        const double before = is_fresh ? value(weights, game.active(t)) : game.value(t);
        double target = outcome;
        if (is_td && t + options_.plies < states) {
            target = is_fresh ? value(weights, game.active(t + options_.plies)) : game.value(t + options_.plies);
        }
        const double delta = target - before;
        const double bounded = std::clamp(before, 1e-12, 1 - 1e-12);
        errors.cross_entropy -= target * std::log(bounded) + (1 - target) * std::log(1 - bounded);
        errors.mean += delta;
        errors.rms += delta * delta;
        errors.rms_to_outcome += (outcome - before) * (outcome - before);
        if (t >= first && t < end) {
            learn(weights, game, t, before, target);
        }
    }
    if (states > 0) {
        errors.cross_entropy /= states;
        errors.mean /= states;
        errors.rms = std::sqrt(errors.rms / states);
        errors.rms_to_outcome = std::sqrt(errors.rms_to_outcome / states);
    }
    return errors;
}

template <class Weights>
void TdLearner::learn(Weights& weights, const GameTrace& game, int t, double value, double target) {
    const double delta = target - value;
    if (options_.lambda == 0 && options_.normaliser == Normaliser::state) {
        steps_.learn(weights, game.active(t), value, delta, slope(value));
        return;
    }
    const int normalising = options_.normaliser == Normaliser::state ? t : std::min(t + options_.plies, game.states() - 1);
    const auto k = static_cast<double>(game.active(normalising).size());
    learn_with_traces(weights, game, t, delta, slope(value), k);
}

// The trace holds gradients, so the slope goes into it with the state that it is of.
template <class Weights>
void TdLearner::learn_with_traces(Weights& weights, const GameTrace& game, int t, double delta, double slope, double k) {
    Trace& trace = traces_[options_.trace_parity == TraceParity::per_colour ? static_cast<std::size_t>(t % 2) : 0];
    const auto active = game.active(t);
    const auto decay = static_cast<float>(options_.lambda);
    std::size_t kept = 0;
    for (const std::uint32_t weight : trace.weights) {
        float& value = trace.values[weight];
        value *= decay;
        if (std::abs(value) > static_cast<float>(options_.trace_cutoff)) {
            trace.weights[kept++] = weight;
        } else {
            value = 0;
        }
    }
    trace.weights.resize(kept);
    if (k == 0) {
        return;
    }
    if (options_.traces == Traces::replacing) {
        for (const features::Entry entry : active) {
            trace.values[static_cast<std::size_t>(std::abs(entry)) - 1] = 0;
        }
    }
    const bool at_update = options_.trace_norm == TraceNorm::at_update;
    const auto one = static_cast<float>(at_update ? slope : slope / k);
    for (const features::Entry entry : active) {
        const auto weight = static_cast<std::uint32_t>(std::abs(entry)) - 1;
        trace.values[weight] += entry > 0 ? one : -one;
        trace.weights.push_back(weight);
    }
    std::ranges::sort(trace.weights);
    trace.weights.erase(std::ranges::unique(trace.weights).begin(), trace.weights.end());
    const double step = options_.step.alpha * delta / (at_update ? k : 1.0);
    for (const std::uint32_t weight : trace.weights) {
        weights.add(static_cast<features::Entry>(weight) + 1, static_cast<float>(step * trace.values[weight]));
    }
}

template void TdLearner::learn_step(ShapeWeights&, const GameTrace&);
template void TdLearner::learn_step(ConcurrentWeights&, const GameTrace&);
template GameErrors TdLearner::learn_game(ShapeWeights&, const GameTrace&, double);
template GameErrors TdLearner::learn_game(ConcurrentWeights&, const GameTrace&, double);

}  // namespace katachi
