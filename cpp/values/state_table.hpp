// A feature for every state that has been met (Silver 2009, 2.3: table lookup), by the keys of states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/errors.hpp"

namespace katachi {

class StateTable {
   public:
    explicit StateTable(std::uint32_t capacity) : capacity_(capacity) {}

    std::uint32_t capacity() const { return capacity_; }
    // In the order in which they were met: the place of a key is its number here.
    const std::vector<std::uint64_t>& keys() const { return keys_; }

    std::optional<std::uint32_t> find(std::uint64_t key) const {
        const auto found = places_.find(key);
        return found == places_.end() ? std::nullopt : std::optional(found->second);
    }

    // Its place, a new one if it has none.
    std::uint32_t meet(std::uint64_t key) {
        const auto [entry, is_new] = places_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
        if (is_new) {
            if (keys_.size() >= capacity_) {
                places_.erase(entry);
                throw InvalidArgumentError("the table is full: it has room for " + std::to_string(capacity_) + " states");
            }
            keys_.push_back(key);
        }
        return entry->second;
    }

    void assign(const std::vector<std::uint64_t>& keys) {
        StateTable table(capacity_);
        for (const std::uint64_t key : keys) {
            table.meet(key);
        }
        if (table.keys_.size() != keys.size()) {
            throw InvalidArgumentError("a state is twice among the keys of a table");
        }
        *this = std::move(table);
    }

   private:
    std::uint32_t capacity_;
    std::vector<std::uint64_t> keys_;
    std::unordered_map<std::uint64_t, std::uint32_t> places_;
};

}  // namespace katachi
