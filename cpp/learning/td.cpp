#include "learning/td.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "values/weight_exchange.hpp"

namespace katachi {

namespace {

// The sum of cross-entropies of sigmoids, log(1 + exp(x)) - target * x each, with one logarithm for many of them.
class CrossEntropies {
   public:
    void add(double x, double sigmoid, double target) {
        total_ += std::max(x, 0.0) - target * x;
        product_ *= std::max(sigmoid, 1 - sigmoid);  // 1 / (1 + exp(-|x|)), at least a half
        if (product_ < 1e-200) {
            total_ -= std::log(std::exchange(product_, 1));
        }
    }
    double total() const { return total_ - std::log(product_); }

   private:
    double total_ = 0;
    double product_ = 1;
};

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
    const int end = learning_states(states);
    GameErrors errors;
    for (int t = 0; t < states; ++t) {
        const bool is_fresh = options_.update_mode == UpdateMode::end_refresh && !is_frozen();
        const double before = is_fresh ? value(weights, game.active(t)) : game.value(t);
        const bool is_last = !is_td || t + options_.plies >= states;
        const double target = is_fresh && !is_last ? value(weights, game.active(t + options_.plies)) : cached_target(game, t, outcome);
        errors.add(before, target, outcome);
        if (t >= first && t < end) {
            learn(weights, game, t, before, target);
        }
    }
    errors.finish(states);
    return errors;
}

bool TdLearner::learns_spans() const {
    const bool adds_up =
        options_.lambda == 0 || (options_.traces == Traces::accumulating && options_.trace_norm == TraceNorm::at_add && options_.trace_cutoff == 0);
    return options_.update_mode == UpdateMode::end_cached && options_.step.rule == StepRule::constant && options_.normaliser == Normaliser::state &&
           adds_up;
}

// The credit of a state is the sum of its error and of later ones, decayed; a weight learns the credits of its states, each divided by k.
// Running sums of these are differences away from what a span has learnt.
template <class Weights>
GameErrors TdLearner::learn_spans(Weights& weights, const SpanTrace& game, double outcome) {
    const int states = game.states();
    const int end = learning_states(states);
    const int stride = options_.trace_parity == TraceParity::per_colour ? 2 : 1;
    credits_.assign(static_cast<std::size_t>(states) + 2, 0);
    GameErrors errors;
    CrossEntropies entropies;
    for (int t = states - 1; t >= 0; --t) {
        const double target = cached_target(game, t, outcome);
        if (options_.head == Head::linear) {
            errors.add(game.value(t), target, outcome);
        } else {
            errors.add_distances(game.value(t), target, outcome);
            entropies.add(game.sum(t), game.value(t), target);
        }
        const double later = t + stride < states ? options_.lambda * credits_[static_cast<std::size_t>(t) + static_cast<std::size_t>(stride)] : 0;
        credits_[static_cast<std::size_t>(t)] = t < end ? target - game.value(t) + later : 0;
    }
    errors.cross_entropy += entropies.total();
    errors.finish(states);
    if (end == 0) {
        return errors;
    }
    double sum = 0;
    for (int t = 0; t <= states; ++t) {
        const double credit = credits_[static_cast<std::size_t>(t)];
        credits_[static_cast<std::size_t>(t)] = sum;
        if (t < states && game.active(t) > 0) {
            sum += options_.step.alpha * slope(game.value(t)) * credit / game.active(t);
        }
    }
    for (const SpanTrace::Span& span : game.spans()) {
        weights.add(span.entry, static_cast<float>(credits_[static_cast<std::size_t>(span.end)] - credits_[static_cast<std::size_t>(span.begin)]));
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
    const bool at_update = options_.trace_norm == TraceNorm::at_update;
    if (k == 0 && (at_update || !active.empty())) {  // nothing to divide by; a state without features still teaches those before it
        return;
    }
    if (options_.traces == Traces::replacing) {
        for (const features::Entry entry : active) {
            trace.values[static_cast<std::size_t>(std::abs(entry)) - 1] = 0;
        }
    }
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
template void TdLearner::learn_step(ReplicaWeights&, const GameTrace&);
template GameErrors TdLearner::learn_game(ShapeWeights&, const GameTrace&, double);
template GameErrors TdLearner::learn_game(ConcurrentWeights&, const GameTrace&, double);
template GameErrors TdLearner::learn_game(ReplicaWeights&, const GameTrace&, double);
template GameErrors TdLearner::learn_spans(ShapeWeights&, const SpanTrace&, double);
template GameErrors TdLearner::learn_spans(ReplicaWeights&, const SpanTrace&, double);

}  // namespace katachi
