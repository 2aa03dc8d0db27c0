// Weights of local shapes, and what a window is worth by them.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "features/weight_sharing.hpp"

namespace katachi {

// Weights by signed entries (features/weight_sharing.hpp): each stands in the array twice, with both signs, around a zero for
// what has no weight. So no reader asks for a sign.
class ShapeWeights {
   public:
    explicit ShapeWeights(std::uint32_t count) : count_(count), mirrored_(2 * static_cast<std::size_t>(count) + 1) {}

    std::uint32_t count() const { return count_; }
    float operator[](features::Entry entry) const { return middle()[entry]; }

    void set(features::Entry entry, float value) {
        assert(entry != 0);
        middle()[entry] = value;
        middle()[-entry] = -value;
    }
    void add(features::Entry entry, float change) { set(entry, middle()[entry] + change); }

    // As they are written to a file: weight 0 first.
    std::span<const float> values() const { return std::span(mirrored_).subspan(count_ + 1); }

   private:
    const float* middle() const { return mirrored_.data() + count_; }
    float* middle() { return mirrored_.data() + count_; }

    std::uint32_t count_;
    std::vector<float> mirrored_;
};

// The worth of a window's content while weights may change: through the tables of the sharing.
class SharedLookup {
   public:
    SharedLookup(const features::ShareTables& tables, const ShapeWeights& weights) : tables_(&tables), weights_(&weights) {}

    float operator()(int window, features::Code code) const {
        float sum = 0;
        for (const features::ShareTable& table : tables_->tables()) {
            sum += (*weights_)[table.entry(window, code)];
        }
        return sum;
    }

   private:
    const features::ShareTables* tables_;
    const ShapeWeights* weights_;
};

// The same of weights that stay as they are: one table over the features of `shapes`. Fused, these are the shapes of the largest
// size alone, and their worth contains that of the smaller windows inside, each of which goes to one larger window.
class FrozenLookup {
   public:
    FrozenLookup(const features::ShapeSet& shapes, const features::ShapeSet& learnt, const SharedLookup& shared);

    // The shapes to be fused into.
    static features::ShapeSet fused(const features::ShapeSet& learnt);

    float operator()(int window, features::Code code) const { return worths_[firsts_[static_cast<std::size_t>(window)] + code]; }

   private:
    std::vector<features::Feature> firsts_;
    std::vector<float> worths_;
};

}  // namespace katachi
