// A weak player in the manner of Wally (J. K. Millen, BYTE, April 1981), written from a description of it: a substitute, not that program.
//
// It looks at chains one by one, first its own, then the enemy's, and remembers the move that concerns the chain with the fewest liberties: it
// defends own chains with one or two, takes what is in atari at once, and chases the rest. Then it looks for a shape around an enemy stone. It
// plays no self-atari but to take something. It draws nothing: the same board, the same move. The shapes are ours, since the
// description has none. The slow twin is src/katachi/reference/wally.py.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "games/go/board.hpp"

namespace katachi::go {

// Around an enemy stone O: X is own, . is empty, ! is empty and where to play, ? is anything on or off the board. Turned and mirrored, too.
inline constexpr std::array<std::string_view, 4> wally_shapes{
    ".!?"
    "XO?"
    "???",  // hane
    "X!?"
    "XO?"
    "???",  // stretch along it
    "X!?"
    ".O?"
    "???",  // block from the diagonal
    "?!?"
    ".O."
    "?X?",  // cap
};

template <class B>
class Wally {
   public:
    explicit Wally(const B& board) : board_(board), geometry_(board.geometry()), own_(colour_of(board.to_play())) {}

    // no_point: a pass.
    Point choose() {
        for_each_chain(own_, [this](const std::vector<Point>& liberties) {
            if (liberties.size() <= 2) {
                consider(inner(liberties), static_cast<int>(liberties.size()));
            }
            return true;
        });
        Point prey = no_point;
        for_each_chain(other(own_), [&](const std::vector<Point>& liberties) {
            if (liberties.size() == 1 && liberties.front() != board_.ko()) {
                prey = liberties.front();
                return false;
            }
            consider(inner(liberties), static_cast<int>(liberties.size()));
            return true;
        });
        if (prey != no_point) {
            return prey;
        }
        look_for_shapes();
        return best_;
    }

   private:
    static constexpr int urgency_of_shapes = 2;

    void consider(Point p, int liberties) {
        if (liberties <= fewest_ && p != board_.ko() && !board_.is_suicide(p) && !board_.is_self_atari(p)) {
            best_ = p;
            fewest_ = liberties;
        }
    }

    // The first liberty that is not on the edge, or the first.
    Point inner(const std::vector<Point>& liberties) const {
        const auto found = std::ranges::find_if(liberties, [this](Point p) {
            const int row = geometry_.row(p);
            const int col = geometry_.col(p);
            return row > 0 && col > 0 && row < geometry_.height - 1 && col < geometry_.width - 1;
        });
        return found == liberties.end() ? liberties.front() : *found;
    }

    // Calls visit(liberties) chain by chain, in the order of their first stones, row by row; until it returns false. Liberties come in that order,
    // too.
    template <class Visit>
    void for_each_chain(Colour colour, Visit&& visit) {
        std::vector<Point> seen;
        std::vector<Point> liberties;
        for (int i = 0; i < geometry_.area(); ++i) {
            const Point p = geometry_.padded_point(i);
            if (board_.colour(p) != colour || std::ranges::find(seen, board_.head(p)) != seen.end()) {
                continue;
            }
            seen.push_back(board_.head(p));
            liberties.clear();
            Point stone = p;
            do {
                for (const Point q : board_.around(stone)) {
                    if (board_.colour(q) == Colour::empty) {
                        liberties.push_back(q);
                    }
                }
                stone = board_.next_in_chain(stone);
            } while (stone != p);
            std::ranges::sort(liberties);
            liberties.erase(std::ranges::unique(liberties).begin(), liberties.end());
            if (!visit(liberties)) {
                return;
            }
        }
    }

    // Of the first enemy stone with a shape.
    void look_for_shapes() {
        for (int i = 0; i < geometry_.area(); ++i) {
            const Point p = geometry_.padded_point(i);
            if (board_.colour(p) != other(own_)) {
                continue;
            }
            for (const std::string_view shape : wally_shapes) {
                for (int turn = 0; turn < 8; ++turn) {
                    const Point found = match(shape, p, turn);
                    if (found != no_point) {
                        consider(found, urgency_of_shapes);
                        return;
                    }
                }
            }
        }
    }

    // Where a shape around p says to play, if it is there.
    Point match(std::string_view shape, Point p, int turn) const {
        Point wanted = no_point;
        for (int row = -1; row <= 1; ++row) {
            for (int col = -1; col <= 1; ++col) {
                const char sign = shape[static_cast<std::size_t>(row + 1) * 3 + static_cast<std::size_t>(col + 1)];
                int r = (turn & 1) != 0 ? -row : row;
                int c = (turn & 2) != 0 ? -col : col;
                if ((turn & 4) != 0) {
                    std::swap(r, c);
                }
                const Point q = p + r * geometry_.stride() + c;
                const Colour colour = board_.colour(q);
                if (((sign == '.' || sign == '!') && colour != Colour::empty) || (sign == 'X' && colour != own_)) {
                    return no_point;
                }
                wanted = sign == '!' ? q : wanted;
            }
        }
        return wanted;
    }

    const B& board_;
    Geometry geometry_;
    Colour own_;
    Point best_ = no_point;
    int fewest_ = std::numeric_limits<int>::max();
};

}  // namespace katachi::go
