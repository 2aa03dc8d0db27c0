// The 3x3 patterns of playouts (Silver 2009, 4.6.3; the MoGo report of 2006; as predicates in Fuego): cuts, hanes and moves at the edge.
//
// A pattern is a picture, nine signs row by row around the point to be played:
//
//     X O   stones of two colours, either way round       .   empty       #   beyond the edge
//     x o   no such stone: the other colour, or empty     ?   any of these on the board
//
// In the middle stands who is to play: X or O, or * for both. All symmetries and both colours are meant. Pictures print and parse, and
// are spread into one table of all neighbourhoods, which policies read. The slow twin has predicates instead of pictures:
// src/katachi/reference/playout_policies.py.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "games/go/board.hpp"

namespace katachi {

// What Board::neighbourhood tells.
using Neighbourhood = std::uint16_t;
inline constexpr std::size_t neighbourhoods = 1U << 16;

// Nine characters row by row: X (Black), O (White), '.' and '#'; the middle is empty.
Neighbourhood parse_neighbourhood(std::string_view text);

class Pattern {
   public:
    // Three lines of three signs; blanks between them do not count.
    static Pattern parse(std::string name, std::string_view text);

    const std::string& name() const { return name_; }
    std::string text() const;
    // As it stands in the picture or in another orientation, with either colour as X.
    bool matches(Neighbourhood around, Player to_play) const;
    // Every neighbourhood that it matches, with who is to play; some more than once.
    void for_each_match(const std::function<void(Neighbourhood, Player)>& visit) const;

   private:
    bool plays(Player to_play, go::Colour x) const;
    bool matches_as(const std::array<int, 8>& turned, Neighbourhood around, go::Colour x) const;

    std::string name_;
    std::array<char, 9> signs_{};
};

const std::vector<Pattern>& playout_patterns();

// Does any pattern match? One bit for each player and neighbourhood.
class PatternTable {
   public:
    explicit PatternTable(const std::vector<Pattern>& patterns);

    bool matches(Neighbourhood around, Player to_play) const { return bits_[static_cast<std::size_t>(index_of(to_play))][around]; }

   private:
    std::array<std::bitset<neighbourhoods>, 2> bits_;
};

// Of playout_patterns(), made at its first use.
const PatternTable& pattern_table();

}  // namespace katachi
