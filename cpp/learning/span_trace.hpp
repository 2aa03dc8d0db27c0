// A game told by what changes: the values of its states, and of every weight from which state to which it was active.
//
// Neighbouring states have almost all their weights in common. What a weight learns from the states of a span is a difference of two running
// sums, so a game of 100 moves costs as much as the few windows that its moves have changed (learning/td.hpp, learn_spans).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/weight_sharing.hpp"

namespace katachi {

class SpanTrace {
   public:
    struct Span {
        features::Entry entry;
        std::int32_t begin;  // the first state in which it was active
        std::int32_t end;    // the first one after it in which it was not
    };

    void clear() {
        sums_.clear();
        values_.clear();
        active_.clear();
        count_ = 0;
    }
    // The next state: its sum and value by the weights of now, and k, how many weights are active in it.
    void add_state(double sum, double value, int k) {
        sums_.push_back(sum);
        values_.push_back(value);
        active_.push_back(k);
    }
    [[gnu::always_inline]] void add_span(features::Entry entry, int begin, int end) {
        if (count_ == spans_.size()) [[unlikely]] {
            grow();
        }
        Span& span = spans_[count_++];
        span.entry = entry;
        span.begin = begin;
        span.end = end;
    }

    int states() const { return static_cast<int>(values_.size()); }
    double sum(int t) const { return sums_[static_cast<std::size_t>(t)]; }
    double value(int t) const { return values_[static_cast<std::size_t>(t)]; }
    int active(int t) const { return active_[static_cast<std::size_t>(t)]; }
    std::span<const Span> spans() const { return std::span(spans_).first(count_); }

   private:
    [[gnu::noinline]] void grow() { spans_.resize(2 * count_ + 1024); }

    std::vector<double> sums_;
    std::vector<double> values_;
    std::vector<int> active_;
    std::vector<Span> spans_;
    std::size_t count_ = 0;  // of them
};

}  // namespace katachi
