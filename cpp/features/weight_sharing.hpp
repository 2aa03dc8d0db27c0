// Weight sharing (Silver 2009, 5.4): features that are the same but for a symmetry have one weight, with a sign.
//
// A scheme says which features are the same. The representative of a class is its member with the smallest number; a feature
// that is reached from it by an exchange of colours has minus its weight. A class with a shape and its own inversion is neutral: it
// has no weight. Location dependent (LD): the eight symmetries of the board and the exchange of colours. Location independent
// (LI): also all places on the board. Both may be used at once: then the weights of a feature are added.
//
// Entries are signed: +(id + 1), -(id + 1), or 0 for what has no weight. Weights are numbered family by family, LI before LD.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "features/shape_set.hpp"

namespace katachi::features {

enum class Sharing : std::uint8_t {
    none,         // a weight for each feature
    inversion,    // CI: colours only
    turned,       // NLD: symmetries of the board, no exchange of colours
    anywhere,     // NLI: and places
    dependent,    // LD
    independent,  // LI
};

using Entry = std::int32_t;

// One scheme, over all windows: entries()[first(window) + code].
struct ShareTable {
    Sharing sharing = Sharing::none;
    std::vector<std::uint32_t> firsts;  // by window
    std::vector<Entry> entries;
    std::vector<std::uint32_t> unique;  // weights by family

    Entry entry(int window, Code code) const { return entries[firsts[static_cast<std::size_t>(window)] + code]; }
};

// All schemes of a representation, with their weights numbered.
class ShareTables {
   public:
    ShareTables(const ShapeSet& shapes, std::span<const Sharing> schemes);

    std::span<const ShareTable> tables() const { return tables_; }
    std::uint32_t weights() const { return weights_; }
    // Where the weights of a family begin in a table of these.
    std::uint32_t first_weight(int family, int table) const;

   private:
    std::vector<ShareTable> tables_;
    std::vector<std::uint32_t> begins_;  // by family and table
    std::uint32_t weights_ = 0;
};

}  // namespace katachi::features
