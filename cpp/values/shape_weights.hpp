// Weights of local shapes, and what a window is worth by them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/access.hpp"
#include "core/huge_pages.hpp"
#include "features/representation.hpp"

namespace katachi {

// Weights by signed entries (features/weight_sharing.hpp): each stands in the array twice, with both signs, around a zero for
// what has no weight. So no reader asks for a sign. Where no entry is negative, once is enough.
class ShapeWeights {
   public:
    using Access = PlainAccess;

    explicit ShapeWeights(std::uint32_t count, bool is_signed = true)
        : count_(count), negatives_(is_signed ? count : 0), weights_(static_cast<std::size_t>(negatives_) + 1 + count) {}

    std::uint32_t count() const { return count_; }
    bool is_signed() const { return negatives_ > 0; }
    float operator[](features::Entry entry) const { return middle()[entry]; }
    // The zero; entries count from here. It stays where it is as long as the weights are.
    const float* middle() const { return weights_.data() + negatives_; }

    void set(features::Entry entry, float value) {
        assert(entry > 0 || (entry < 0 && negatives_ > 0));
        middle()[entry] = value;
        if (negatives_ > 0) {
            middle()[-entry] = -value;
        }
    }
    void add(features::Entry entry, float change) { set(entry, middle()[entry] + change); }

    // All of them become those of a table of the same kind.
    void copy(const ShapeWeights& other) {
        assert(weights_.size() == other.weights_.size());
        std::ranges::copy(other.weights_, weights_.begin());
    }

    // As they are written to a file: weight 0 first.
    std::span<const float> values() const { return std::span(weights_).subspan(negatives_ + 1); }

   private:
    friend class ConcurrentWeights;
    friend class ReplicaWeights;

    float* middle() { return weights_.data() + negatives_; }

    std::uint32_t count_;
    std::uint32_t negatives_;  // how many stand before the zero
    std::vector<float, HugePageAllocator<float>> weights_;
};

// The same weights while several threads read and change them. A change may be lost when another thread makes one in the same moment, and
// the two places of a weight may be one change apart, at most until the next change. To learning by many small steps both are harmless.
class ConcurrentWeights {
   public:
    using Access = AtomicAccess;

    explicit ConcurrentWeights(ShapeWeights& weights) : middle_(weights.middle()), is_signed_(weights.negatives_ > 0) {}

    float operator[](features::Entry entry) const { return Access::load(middle_[entry]); }
    float* middle() const { return middle_; }

    void add(features::Entry entry, float change) {
        assert(entry > 0 || (entry < 0 && is_signed_));
        const float value = (*this)[entry] + change;
        Access::store(middle_[entry], value);
        if (is_signed_) {
            Access::store(middle_[-entry], -value);
        }
    }

   private:
    float* middle_;
    bool is_signed_;
};

// The worth of a window's content while weights may change: through the tables of the sharing, for a player to move and a stage.
template <class Weights>
class BasicSharedLookup {
   public:
    BasicSharedLookup(const features::Representation& representation, const Weights& weights, Player to_play, int stage = 0)
        : tables_(representation.tables_for(to_play)), weights_(&weights), shift_(representation.shift(stage)) {}

    float operator()(int window, features::Code code) const {
        float sum = 0;
        for (const features::ShareTable* table : tables_) {
            const features::Entry entry = table->entry(window, code);
            sum += (*weights_)[shift_ == 0 ? entry : features::Representation::shifted(entry, shift_)];
        }
        return sum;
    }

    void prefetch(int /*window*/, features::Code /*code*/) const {}

    // Calls visit(entry) for the weights of a window's content.
    template <class Visit>
    void for_each(int window, features::Code code, Visit&& visit) const {
        for (const features::ShareTable* table : tables_) {
            const features::Entry entry = features::Representation::shifted(table->entry(window, code), shift_);
            if (entry != 0) {
                visit(entry);
            }
        }
    }

   private:
    std::span<const features::ShareTable* const> tables_;
    const Weights* weights_;
    features::Entry shift_;
};

using SharedLookup = BasicSharedLookup<ShapeWeights>;

// The same where every feature has a weight of its own, whatever the player to move and the stage: an addition instead of a table.
template <class Weights>
class BasicUnsharedLookup {
   public:
    static bool fits(const features::Representation& representation) {
        const auto tables = representation.tables().tables();
        return tables.size() == 1 && tables[0].sharing == features::Sharing::none && !representation.knows_turn() && representation.stages() == 1;
    }

    // The representation is one that fits.
    BasicUnsharedLookup(const features::Representation& representation, const Weights& weights, Player /*to_play*/) : middle_(weights.middle()) {
        const features::ShareTable& table = representation.tables().tables()[0];
        for (std::size_t window = 0; window < representation.shapes().windows().size(); ++window) {
            offsets_.push_back(table.entry(static_cast<int>(window), 1) - 1);
        }
    }

    float operator()(int window, features::Code code) const { return Weights::Access::load(middle_[entry(window, code)]); }
    // It is going to be read, unless the window is empty.
    void prefetch(int window, features::Code code) const { __builtin_prefetch(middle_ + offsets_[static_cast<std::size_t>(window)] + code); }

    template <class Visit>
    void for_each(int window, features::Code code, Visit&& visit) const {
        if (code != 0) {
            visit(entry(window, code));
        }
    }

   private:
    features::Entry entry(int window, features::Code code) const { return code == 0 ? 0 : offsets_[static_cast<std::size_t>(window)] + code; }

    decltype(std::declval<const Weights&>().middle()) middle_;
    std::vector<features::Entry> offsets_;  // by window: an empty one has no weight
};

// The same of weights that stay as they are: one table over the features of `shapes`. Fused, these are the shapes of the largest
// size alone, and their worth contains that of the smaller windows inside, each of which goes to one larger window.
class FrozenLookup {
   public:
    FrozenLookup(const features::ShapeSet& shapes, const features::ShapeSet& learnt, const SharedLookup& shared);

    // The shapes to be fused into.
    static features::ShapeSet fused(const features::ShapeSet& learnt);

    float operator()(int window, features::Code code) const { return worths_[firsts_[static_cast<std::size_t>(window)] + code]; }
    void prefetch(int window, features::Code code) const { __builtin_prefetch(&worths_[firsts_[static_cast<std::size_t>(window)] + code]); }

   private:
    std::vector<features::Feature> firsts_;
    std::vector<float> worths_;
};

}  // namespace katachi
