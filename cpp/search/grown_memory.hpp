// Features that a search grows as it meets them (Silver 2009, 10.1): what there is of them, and their numbers.
//
// A feature is a configuration of a region: the whole position, a block with what lies around it, a square of the board, or the last moves. It is
// known by a key of 64 bits. In every simulation the first configuration of a region that is not there yet is added, until there are too many.
// Their weights stand behind those of the shapes, so that they learn by the same rule. grown_features.hpp says which of them are active.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"

namespace katachi {

enum class GrownKind : std::uint8_t { table, block, sequence, square };

enum class TableValue : std::uint8_t {
    regression,     // an entry of the table is a feature like the others
    interpolation,  // it is the mean outcome of its visits, and the value a mean of that and of what the other features say
};

struct GrownOptions {
    bool table = false;
    bool blocks = false;
    bool sequences = false;
    std::vector<int> squares;  // their sides
    int block_distance = 1;
    int sequence_length = 4;  // the longest
    int limit = 1'000'000;    // features
    TableValue table_value = TableValue::regression;
    double table_prior = 50;  // visits that the other features' value is worth

    static constexpr int largest_distance = 3;
    static constexpr int longest_sequence = 8;
    static constexpr int largest_square = 5;
    static constexpr int largest_limit = 100'000'000;

    void check(int side) const {
        const auto is_in = [](int value, int low, int high, const char* what) {
            if (value < low || value > high) {
                throw InvalidArgumentError(std::string(what) + " is from " + std::to_string(low) + " to " + std::to_string(high) + ", not " +
                                           std::to_string(value));
            }
        };
        is_in(block_distance, 0, largest_distance, "the distance around a block");
        is_in(sequence_length, 1, longest_sequence, "the length of sequences");
        is_in(limit, 1, largest_limit, "the number of grown features");
        for (const int square : squares) {
            is_in(square, 1, largest_square, "the side of a square");
            if (square > side) {
                throw InvalidArgumentError("squares of side " + std::to_string(square) + " do not fit on a board of side " + std::to_string(side));
            }
        }
        if (!(table_prior >= 0)) {
            throw InvalidArgumentError("a value is worth 0 visits or more, not " + std::to_string(table_prior));
        }
    }
};

class GrownMemory {
   public:
    // Of the simulations that came through a position.
    struct Mean {
        double total = 0;
        std::uint64_t visits = 0;
    };

    explicit GrownMemory(GrownOptions options) : options_(std::move(options)) { clear(); }

    const GrownOptions& options() const { return options_; }
    int count() const { return static_cast<int>(kinds_.size()); }
    bool is_full() const { return count() >= options_.limit; }
    // By number.
    const std::vector<GrownKind>& kinds() const { return kinds_; }
    const std::vector<Mean>& means() const { return means_; }

    std::optional<int> find(std::uint64_t key) const {
        const Place& place = places_[place_of(key)];
        return place.is_taken ? std::optional(place.number) : std::nullopt;
    }

    // One that is not there yet, while it is not full; returns its number.
    int add(std::uint64_t key, GrownKind kind) {
        const int number = count();
        kinds_.push_back(kind);
        if (options_.table_value == TableValue::interpolation) {
            means_.emplace_back();
        }
        if (2 * kinds_.size() > places_.size()) {
            widen();
        }
        places_[place_of(key)] = {.key = key, .number = number, .is_taken = true};
        return number;
    }

    const Mean& mean(int number) const { return means_[static_cast<std::size_t>(number)]; }
    void visit(int number, double outcome) {
        Mean& mean = means_[static_cast<std::size_t>(number)];
        mean.total += outcome;
        ++mean.visits;
    }

    void clear() {
        kinds_.clear();
        means_.clear();
        places_.assign(smallest, {});
    }

   private:
    struct Place {
        std::uint64_t key = 0;
        std::int32_t number = 0;
        bool is_taken = false;
    };

    static constexpr std::size_t smallest = 1024;

    // Where a key is, or would be: its own place, or the next one that is free. Half of them always are.
    std::size_t place_of(std::uint64_t key) const {
        std::size_t i = key & (places_.size() - 1);
        while (places_[i].is_taken && places_[i].key != key) {
            i = (i + 1) & (places_.size() - 1);
        }
        return i;
    }

    void widen() {
        std::vector<Place> narrow(2 * places_.size());
        narrow.swap(places_);
        for (const Place& place : narrow) {
            if (place.is_taken) {
                places_[place_of(place.key)] = place;
            }
        }
    }

    GrownOptions options_;
    std::vector<GrownKind> kinds_;
    std::vector<Mean> means_;    // where tables are interpolated
    std::vector<Place> places_;  // a hash table; a power of two
};

}  // namespace katachi
