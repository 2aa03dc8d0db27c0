// Weights that stay as they are, made ready for valuing many positions (Silver 2009, 5.7.9): by players and full-width search.
//
// Weights are rounded to multiples of a power of two, about 2^-18 of the largest one, and worths are integers in that unit. So sums are
// exact: a position has one value, however it was reached, and symmetric moves are worth the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "features/representation.hpp"
#include "values/recomputed.hpp"
#include "values/shape_weights.hpp"

namespace katachi {

// The worth of a window's content in units. Whoever has made it must outlive it.
class FixedLookup {
   public:
    FixedLookup(const features::Feature* firsts, const std::int32_t* worths) : firsts_(firsts), worths_(worths) {}

    std::int32_t operator()(int window, features::Code code) const { return worths_[firsts_[window] + code]; }
    void prefetch(int window, features::Code code) const { __builtin_prefetch(worths_ + firsts_[window] + code); }

   private:
    const features::Feature* firsts_;
    const std::int32_t* worths_;
};

class ShapeEvaluator {
   public:
    // `linear_offset`: of weights that were learnt with a linear head.
    ShapeEvaluator(std::shared_ptr<const features::Representation> representation, const ShapeWeights& weights,
                   std::optional<double> linear_offset = {});

    const features::Representation& representation() const { return *representation_; }
    // What sums are multiples of.
    double unit() const { return unit_; }

    // Of a linear head; none: the head is a logistic function.
    std::optional<double> linear_offset() const { return linear_offset_; }
    // What a sum says about Black's chance to win (the twin of ShapeValue.chance).
    double chance(double sum) const { return linear_offset_ ? std::clamp(sum + *linear_offset_, 0.0, 1.0) : 1 / (1 + std::exp(-sum)); }

    // One vector of weights counts in all states, so that one table has the worths of them all: that of the fused shapes.
    bool is_fused() const { return !worths_.empty(); }
    const features::ShapeSet& fused_shapes() const { return fused_; }
    FixedLookup lookup() const { return {firsts_.data(), worths_.data()}; }

    // Of a state after so many moves, read off the board.
    template <class B>
    double sum(const B& board, Player to_play, int moves) const {
        return recomputed_sum(*representation_, rounded_, board, to_play, representation_->stage(moves));
    }

    // Adds what the features are worth to weights of a representation where each has one of its own, and which has all sizes that count here.
    void add_to(const features::Representation& unshared, ShapeWeights& weights) const;

   private:
    std::shared_ptr<const features::Representation> representation_;
    std::optional<double> linear_offset_;
    double unit_;
    ShapeWeights rounded_;
    features::ShapeSet fused_;
    std::vector<features::Feature> firsts_;
    std::vector<std::int32_t> worths_;
};

}  // namespace katachi
