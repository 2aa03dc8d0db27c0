// Weights that several threads learn at a time, each in a table of its own: what one of them changes, the others follow a moment later.
//
// In one table for all, every weight that a thread changes has to come from the other one's cache before it can be read again, and simulations from
// one root change the same weights: two threads were no faster than one. Notes of changes are read in a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "values/shape_weights.hpp"

namespace katachi {

struct WeightChange {
    features::Entry entry;
    float change;
};

// The table of one thread, and a note of what it changes there.
class ReplicaWeights {
   public:
    using Access = AtomicAccess;  // the memories of the steps are shared by all threads

    // The table must outlive it.
    explicit ReplicaWeights(ShapeWeights& table) : table_(&table) {}

    float operator[](features::Entry entry) const { return (*table_)[entry]; }
    float* middle() const { return table_->middle(); }

    void add(features::Entry entry, float change) {
        table_->add(entry, change);
        changes_.push_back({entry, change});
    }
    std::vector<WeightChange> take_changes() { return std::exchange(changes_, {}); }
    // What another thread has changed.
    void follow(std::span<const WeightChange> changes) {
        for (const WeightChange& change : changes) {
            table_->add(change.entry, change.change);
        }
    }

   private:
    ShapeWeights* table_;
    std::vector<WeightChange> changes_;  // not yet taken
};

class WeightExchange {
   public:
    explicit WeightExchange(std::size_t members) : read_(members) {}

    // Tells the others what a member has changed, and lets it follow what they have.
    void meet(std::size_t member, ReplicaWeights& weights) {
        auto own = std::make_shared<const Note>(member, weights.take_changes());
        std::vector<std::shared_ptr<const Note>> unread;
        {
            const std::scoped_lock lock(mutex_);
            for (std::uint64_t number = read_[member]; number < first_ + notes_.size(); ++number) {
                if (const auto& note = notes_[number - first_]; note->from != member) {
                    unread.push_back(note);
                }
            }
            notes_.push_back(std::move(own));
            read_[member] = first_ + notes_.size();
            for (const std::uint64_t all_have_read = std::ranges::min(read_); first_ < all_have_read; ++first_) {
                notes_.pop_front();
            }
        }
        for (const auto& note : unread) {
            weights.follow(note->changes);
        }
    }

   private:
    struct Note {
        Note(std::size_t from, std::vector<WeightChange> changes) : from(from), changes(std::move(changes)) {}

        std::size_t from;
        std::vector<WeightChange> changes;
    };

    std::mutex mutex_;
    std::deque<std::shared_ptr<const Note>> notes_;  // that somebody has not read
    std::uint64_t first_ = 0;                        // the number of the oldest
    std::vector<std::uint64_t> read_;                // by member: how many
};

}  // namespace katachi
