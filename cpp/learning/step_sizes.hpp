// One error given to the weights of one state: with the constant normalised step of the source (Silver 2009, 5.5), or with steps of their
// own that every weight adapts (10.3.1). Learning from games and temporal-difference search share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "values/shape_weights.hpp"

namespace katachi {

enum class StepRule : std::uint8_t {
    constant,  // alpha / k
    counts,    // alpha / k * c / (c + n), n occurrences so far
    kalman,    // a diagonal extended Kalman filter: a variance for each weight
    idbd,      // incremental delta-bar-delta (Sutton 1992): alpha of each weight learns too
};

struct StepSizeOptions {
    StepRule rule = StepRule::constant;
    double alpha = 0.1;
    double count_scale = 1000;  // c of `counts`
    double variance = 0.01;     // of `kalman`, before anything is learnt
    double meta_step = 0.01;    // of `idbd`
};

class StepSizes {
   public:
    using Memories = std::vector<std::vector<float>>;  // by weight: occurrences; variances; log steps and traces

    StepSizes(const StepSizeOptions& options, std::uint32_t weights);
    StepSizes(const StepSizes&) = delete;
    StepSizes(StepSizes&&) = default;
    StepSizes& operator=(const StepSizes&) = delete;
    StepSizes& operator=(StepSizes&&) = default;
    ~StepSizes() = default;
    // For another thread: with the same memories. From then on all of them are given ConcurrentWeights.
    StepSizes beside() const;

    const StepSizeOptions& options() const { return options_; }

    // The state has these active weights, the value v and the error delta; `slope` is dV / dsum where the rule is to follow the
    // gradient, otherwise 1.
    template <class Weights>
    void learn(Weights& weights, std::span<const features::Entry> active, double v, double delta, double slope);

    // What is to be kept for an exact resume: nothing for the constant step.
    Memories& memories() { return *memories_; }
    const Memories& memories() const { return *memories_; }

   private:
    StepSizes(const StepSizeOptions& options, std::uint32_t weights, std::shared_ptr<Memories> memories);

    template <class Weights>
    void learn_by_counts(Weights& weights, std::span<const features::Entry> active, double error);
    template <class Weights>
    void learn_by_kalman(Weights& weights, std::span<const features::Entry> active, double v, double delta);
    template <class Weights>
    void learn_by_idbd(Weights& weights, std::span<const features::Entry> active, double error);
    // The active weights, each once, with signed multiplicities.
    void gather(std::span<const features::Entry> active);

    StepSizeOptions options_;
    std::shared_ptr<Memories> memories_;
    std::vector<std::int32_t> multiplicity_;  // by weight, 0 between two calls
    std::vector<std::uint32_t> met_;          // the weights of the present state
    std::vector<float> variances_;            // theirs
};

}  // namespace katachi
