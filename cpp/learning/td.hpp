// Temporal-difference learning of local shapes from whole games (Silver 2009, 5.5 and appendix A).
//
// A game is a list of states, each with its active weights. The target of a state is the value of the state `plies` later, or the
// outcome of the game where there is none. At the end of a game all states are swept through once, with values by the weights as
// they are then (end_refresh), or as they were when the state was met (end_cached). Online, a state is learnt about as soon as its target
// is known, with its value as it was met.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "learning/span_trace.hpp"
#include "learning/step_sizes.hpp"

namespace katachi {

enum class Head : std::uint8_t {
    logistic,    // V = sigmoid(sum), cross entropy
    non_linear,  // V = sigmoid(sum), squared error: steps times V (1 - V)
    linear,      // V = sum + offset
};
enum class Target : std::uint8_t { td, monte_carlo };
enum class Traces : std::uint8_t { accumulating, replacing };
enum class TraceNorm : std::uint8_t { at_add, at_update };
enum class TraceParity : std::uint8_t { per_colour, single };
enum class UpdateMode : std::uint8_t { end_refresh, end_cached, online };
enum class Normaliser : std::uint8_t { state, successor };  // whose k: that of the state learnt about, or (as printed) of its target

struct TdOptions {
    Head head = Head::logistic;
    Target target = Target::td;
    int plies = 2;
    double lambda = 0;
    Traces traces = Traces::accumulating;
    TraceNorm trace_norm = TraceNorm::at_add;
    TraceParity trace_parity = TraceParity::per_colour;
    double trace_cutoff = 0;
    UpdateMode update_mode = UpdateMode::end_refresh;
    Normaliser normaliser = Normaliser::state;
    bool learns_last = true;  // the last states learn the outcome; as printed, only the last but one does
    double linear_offset = 0.5;
    StepSizeOptions step{};
};

// The states of a game that have been met, in order: all but the terminal one, which has an outcome and no value.
class GameTrace {
   public:
    void clear() {
        entries_.clear();
        ends_.clear();
        values_.clear();
    }
    void add(features::Entry entry) {
        if (entry != 0) {
            entries_.push_back(entry);
        }
    }
    // The state is complete; its value by the weights of now.
    void end_state(double value) {
        ends_.push_back(entries_.size());
        values_.push_back(value);
    }

    int states() const { return static_cast<int>(ends_.size()); }
    double value(int t) const { return values_[static_cast<std::size_t>(t)]; }
    std::span<const features::Entry> active(int t) const {
        const std::size_t begin = t == 0 ? 0 : ends_[static_cast<std::size_t>(t) - 1];
        return std::span(entries_).subspan(begin, ends_[static_cast<std::size_t>(t)] - begin);
    }
    // Calls visit(entry) for the active weights of all states.
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::ranges::for_each(entries_, std::forward<Visit>(visit));
    }

   private:
    std::vector<features::Entry> entries_;
    std::vector<std::size_t> ends_;
    std::vector<double> values_;
};

// Of one game: what was wrong with the values before it was learnt from.
struct GameErrors {
    // One more state; `finish` makes means of the sums.
    void add(double value, double target, double outcome) {
        const double bounded = std::clamp(value, 1e-12, 1 - 1e-12);
        cross_entropy -= target * std::log(bounded) + (1 - target) * std::log(1 - bounded);
        add_distances(value, target, outcome);
    }
    // All but the cross-entropy.
    void add_distances(double value, double target, double outcome) {
        mean += target - value;
        rms += (target - value) * (target - value);
        rms_to_outcome += (outcome - value) * (outcome - value);
    }
    void finish(int states) {
        if (states > 0) {
            cross_entropy /= states;
            mean /= states;
            rms = std::sqrt(rms / states);
            rms_to_outcome = std::sqrt(rms_to_outcome / states);
        }
    }

    double cross_entropy = 0;  // mean of that between targets and values
    double mean = 0;           // of target - value
    double rms = 0;
    double rms_to_outcome = 0;

    GameErrors& operator+=(const GameErrors& other) {
        cross_entropy += other.cross_entropy;
        mean += other.mean;
        rms += other.rms;
        rms_to_outcome += other.rms_to_outcome;
        return *this;
    }
};

class TdLearner {
   public:
    TdLearner(const TdOptions& options, std::uint32_t weights);
    // For another thread: with traces of its own, and with the same memories of the steps. From then on all of them are given
    // ConcurrentWeights.
    TdLearner beside() const;

    const TdOptions& options() const { return options_; }
    StepSizes& step_sizes() { return steps_; }
    // Nothing will be learnt: then the errors of a game come from the values that its states had, and their weights are not asked for.
    bool is_frozen() const { return options_.step.rule == StepRule::constant && options_.step.alpha == 0; }

    double value_of(double sum) const { return options_.head == Head::linear ? sum + options_.linear_offset : 1 / (1 + std::exp(-sum)); }
    template <class Weights>
    double value(const Weights& weights, std::span<const features::Entry> active) const {
        double sum = 0;
        for (const features::Entry entry : active) {
            sum += weights[entry];
        }
        return value_of(sum);
    }

    void begin_game();
    // Online: the last state of the game has been met.
    template <class Weights>
    void learn_step(Weights& weights, const GameTrace& game);
    // The game is over with an outcome (1: Black has won).
    template <class Weights>
    GameErrors learn_game(Weights& weights, const GameTrace& game, double outcome);

    // The same from spans, up to rounding: where values are those of when states were met, steps are constant and traces add up.
    bool learns_spans() const;
    template <class Weights>
    GameErrors learn_spans(Weights& weights, const SpanTrace& game, double outcome);

   private:
    struct Trace {
        std::vector<float> values;           // by weight
        std::vector<std::uint32_t> weights;  // those that are not 0
    };

    TdLearner(const TdOptions& options, StepSizes steps, std::size_t traced);

    template <class Weights>
    void learn(Weights& weights, const GameTrace& game, int t, double value, double target);
    template <class Weights>
    void learn_with_traces(Weights& weights, const GameTrace& game, int t, double delta, double slope, double k);
    // The target of a state whose target's value is known; of the last ones, the outcome.
    template <class Game>
    double cached_target(const Game& game, int t, double outcome) const {
        return options_.target == Target::td && t + options_.plies < game.states() ? game.value(t + options_.plies) : outcome;
    }
    // How many states of a game learn anything.
    int learning_states(int states) const { return is_frozen() ? 0 : options_.learns_last ? states : std::max(0, states - options_.plies + 1); }
    double slope(double value) const { return options_.head == Head::non_linear ? value * (1 - value) : 1; }

    TdOptions options_;
    StepSizes steps_;
    std::array<Trace, 2> traces_;
    std::vector<double> credits_;  // of spans
};

}  // namespace katachi
