// A Go board as a few dozen numbers for a network (Ekker, 5.2): what stands where with how many liberties, and sums over the board.
//
// Everything is told as one player sees it, whose stones are *own*; the other's are *enemy*. Who is to move is not told.
//
// The numbers come in groups, in the order in which they are asked for. To add a group: its name in InputGroup, how many numbers it has and
// what they are called (board_inputs.cpp), and what they are (`write`). The slow twin is src/katachi/reference/board_inputs.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "features/inputs.hpp"
#include "games/go/board.hpp"

namespace katachi::features {

enum class InputGroup : std::uint8_t {
    points,      // by point: liberties of the chain there, at most 5; positive where it is own, negative where it is an enemy's
    liberties,   // own, enemy: the liberties of all chains added up; a point counts once for each chain
    difference,  // own stones less enemy stones
    edge,        // own, enemy: stones on the edge of the board
    atari,       // own, enemy: is some chain in atari?
    ko,          // may somebody not retake a ko now?
};

class BoardInputs {
   public:
    // `scaled`: numbers are divided by what they can be at most, or nearly so.
    BoardInputs(go::Geometry geometry, std::vector<InputGroup> groups, bool scaled);

    static constexpr int most_liberties = 5;

    go::Geometry geometry() const { return geometry_; }
    int size() const { return size_; }
    std::vector<std::string> names() const;

    // As `viewpoint` sees the board.
    template <class B>
    void read(const B& board, Player viewpoint, InputList& out) const {
        const BoardFacts facts = look(board);
        const auto own = static_cast<std::size_t>(index_of(viewpoint));
        out.clear();
        std::uint32_t place = 0;
        for (const InputGroup group : groups_) {
            write(group, board, facts, own, place, out);
            place += static_cast<std::uint32_t>(count(group));
        }
    }

   private:
    struct SideFacts {
        int liberties = 0;
        int stones = 0;
        int edge_stones = 0;
        bool is_in_atari = false;
    };
    struct BoardFacts {
        std::array<std::uint16_t, go::padded_size(go::max_side, go::max_side)> liberties;  // by head of a chain; of others undefined
        std::array<SideFacts, 2> sides;
        bool has_ko = false;
    };

    int count(InputGroup group) const;
    double divisor(InputGroup group) const;

    // What all groups are made of.
    template <class B>
    BoardFacts look(const B& board) const {
        BoardFacts facts;
        std::fill_n(facts.liberties.begin(), geometry_.padded(), std::uint16_t{0});
        facts.has_ko = board.ko() != go::no_point;
        for (const go::Point p : points_) {
            if (board.colour(p) == go::Colour::empty) {
                add_liberty(board, p, facts);
            }
        }
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const go::Point p = points_[i];
            const go::Colour colour = board.colour(p);
            if (colour == go::Colour::empty) {
                continue;
            }
            SideFacts& side = facts.sides[static_cast<std::size_t>(colour)];
            ++side.stones;
            side.edge_stones += is_edge_[i];
            if (board.head(p) == p) {
                const int liberties = facts.liberties[static_cast<std::size_t>(p)];
                side.liberties += liberties;
                side.is_in_atari |= liberties == 1;
            }
        }
        return facts;
    }

    // An empty point is a liberty of each chain around it, once.
    template <class B>
    static void add_liberty(const B& board, go::Point p, BoardFacts& facts) {
        std::array<go::Point, 4> heads{};
        std::size_t found = 0;
        for (const go::Point q : board.around(p)) {
            const go::Colour colour = board.colour(q);
            if (colour != go::Colour::black && colour != go::Colour::white) {
                continue;
            }
            const go::Point head = board.head(q);
            if (std::find(heads.begin(), heads.begin() + found, head) == heads.begin() + found) {
                heads[found++] = head;
                ++facts.liberties[static_cast<std::size_t>(head)];
            }
        }
    }

    // The numbers of one group, which begins at `place`.
    template <class B>
    void write(InputGroup group, const B& board, const BoardFacts& facts, std::size_t own, std::uint32_t place, InputList& out) const {
        const SideFacts& ours = facts.sides[own];
        const SideFacts& theirs = facts.sides[1 - own];
        const double unit = scaled_ ? 1 / divisor(group) : 1;
        const auto add = [&](std::uint32_t offset, int number) {
            if (number != 0) {
                out.push_back({place + offset, number * unit});
            }
        };
        switch (group) {
            case InputGroup::points:
                for (std::uint32_t i = 0; i < points_.size(); ++i) {
                    const go::Colour colour = board.colour(points_[i]);
                    if (colour != go::Colour::empty) {
                        const int liberties = std::min<int>(most_liberties, facts.liberties[static_cast<std::size_t>(board.head(points_[i]))]);
                        add(i, static_cast<std::size_t>(colour) == own ? liberties : -liberties);
                    }
                }
                break;
            case InputGroup::liberties:
                add(0, ours.liberties);
                add(1, theirs.liberties);
                break;
            case InputGroup::difference:
                add(0, ours.stones - theirs.stones);
                break;
            case InputGroup::edge:
                add(0, ours.edge_stones);
                add(1, theirs.edge_stones);
                break;
            case InputGroup::atari:
                add(0, static_cast<int>(ours.is_in_atari));
                add(1, static_cast<int>(theirs.is_in_atari));
                break;
            case InputGroup::ko:
                add(0, static_cast<int>(facts.has_ko));
                break;
        }
    }

    go::Geometry geometry_;
    std::vector<InputGroup> groups_;
    bool scaled_;
    int size_ = 0;
    std::vector<go::Point> points_;  // of the board, row by row
    std::vector<std::uint8_t> is_edge_;
};

}  // namespace katachi::features
