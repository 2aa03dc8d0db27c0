// Which weights of local shapes count in a state (Silver 2009, 5.4 and 5.7.7 to 5.7.8): the shapes, how they share weights, and whether
// the player to move and the stage of the game have weights of their own.
//
// Where a vector is for the player to move, an exchange of colours leads from Black's to White's: they share weights, with the sign
// turned, and no shape is neutral. A later stage has the same weights again: + stages * weights of one.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "features/weight_sharing.hpp"

namespace katachi::features {

// Vectors of weights: one for all states, one for each player to move, or these and one for all.
enum class Turns : std::uint8_t { both, each, each_and_both };

struct RepresentationOptions {
    int side = 9;
    std::vector<ShapeSize> sizes{{1, 1}, {2, 2}, {3, 3}};
    std::vector<Sharing> sharing{Sharing::independent, Sharing::dependent};
    Turns turns = Turns::both;
    int stage_length = 0;  // moves; 0: the game has one stage
};

class Representation {
   public:
    explicit Representation(const RepresentationOptions& options);
    // It points into itself.
    Representation(const Representation&) = delete;
    Representation& operator=(const Representation&) = delete;
    ~Representation() = default;

    const RepresentationOptions& options() const { return options_; }
    const ShapeSet& shapes() const { return shapes_; }
    const ShareTables& tables() const { return tables_; }
    // Those that count when a player is to move.
    std::span<const ShareTable* const> tables_for(Player to_play) const { return counting_[static_cast<std::size_t>(index_of(to_play))]; }
    bool knows_turn() const { return options_.turns != Turns::both; }

    int stages() const { return stages_; }
    // Of a state after so many moves; the last stage has no end.
    int stage(int moves) const { return options_.stage_length == 0 ? 0 : std::min(moves / options_.stage_length, stages_ - 1); }
    // What a stage adds to the numbers of weights.
    Entry shift(int stage) const { return static_cast<Entry>(tables_.weights()) * stage; }
    std::uint32_t weights() const { return tables_.weights() * static_cast<std::uint32_t>(stages_); }

    // The entry of a weight in a stage.
    static Entry shifted(Entry entry, Entry shift) { return entry > 0 ? entry + shift : entry < 0 ? entry - shift : 0; }

   private:
    RepresentationOptions options_;
    ShapeSet shapes_;
    ShareTables tables_;
    std::vector<ShareTable> inverted_;  // White's tables, where a vector is for the player to move
    std::array<std::vector<const ShareTable*>, 2> counting_;
    int stages_ = 1;
};

}  // namespace katachi::features
