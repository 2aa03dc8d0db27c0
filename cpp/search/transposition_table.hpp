// What alpha-beta remembers of states by their keys. It begins small and grows up to its cap; an entry replaces whatever was in
// its place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/hash.hpp"
#include "core/types.hpp"

namespace katachi {

// What a value says of the true one: it is at least, at most, exactly that.
enum class Bound : std::uint8_t { lower, upper, exact };

struct TableEntry {
    std::uint64_t key = 0;
    double value = 0;         // player 0's return from this state on
    Action action;            // the best one, or the one that was enough
    std::uint16_t depth = 0;  // plies that were searched below; 0: an empty place
    Bound bound = Bound::exact;
    bool is_proven = false;  // no evaluated leaf had a part in it: it holds at any greater depth, too
};

class TranspositionTable {
   public:
    // Room for no entry at all: the table finds and keeps nothing.
    explicit TranspositionTable(std::size_t most_bytes) : most_entries_(most_bytes / sizeof(TableEntry)) {}

    bool is_off() const { return most_entries_ == 0; }
    std::size_t bytes() const { return entries_.size() * sizeof(TableEntry); }

    const TableEntry* find(std::uint64_t key) const {
        if (entries_.empty()) {
            return nullptr;
        }
        const TableEntry& entry = entries_[place(key)];
        return entry.depth > 0 && entry.key == key ? &entry : nullptr;
    }

    void keep(const TableEntry& entry) {
        if (2 * used_ >= entries_.size() && entries_.size() < most_entries_) {
            grow();
        }
        if (!entries_.empty()) {
            put(entry);
        }
    }

   private:
    static constexpr std::size_t first_entries = 1024;

    // Keys of users' games may be small numbers.
    std::size_t place(std::uint64_t key) const { return mix64(key + golden_gamma) % entries_.size(); }

    void put(const TableEntry& entry) {
        TableEntry& old = entries_[place(entry.key)];
        used_ += static_cast<std::size_t>(old.depth == 0);
        old = entry;
    }

    void grow() {
        std::vector<TableEntry> old(std::min(std::max(first_entries, 2 * entries_.size()), most_entries_));
        old.swap(entries_);
        used_ = 0;
        for (const TableEntry& entry : old) {
            if (entry.depth > 0) {
                put(entry);
            }
        }
    }

    std::size_t most_entries_;
    std::size_t used_ = 0;
    std::vector<TableEntry> entries_;
};

}  // namespace katachi
