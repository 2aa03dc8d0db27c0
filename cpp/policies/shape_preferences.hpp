// What a softmax policy over local shapes thinks of all moves, kept up to date along a playout (Silver and Tesauro 2009, 3 and 6):
//
//     pi(s, a) = exp(phi(s, a) . theta) / sum over b of exp(phi(s, b) . theta)
//
// phi(s, a) are the local shapes after the move, counted for who moves; what all moves have in common does not matter, so only what a move changes is
// counted. Of a move that takes nothing that is a placement (features/placements.hpp), known by the eight points around; a stone put or taken
// changes the codes of its eight neighbours, for both players. A move that takes stones is the product of the factors of these, taken off one
// by one, and of its own: such moves are valued when somebody is to choose.
//
// Drawing: the weights of a row have a sum, which is made anew when one of them has changed, so that nothing of a large weight that is gone stays in
// it. What turns out to be no candidate has no weight for this draw, and the next one is drawn. Own eyes and points among enemies have none anyway.
//
// The slow twin is src/katachi/reference/softmax_shapes.py.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/placements.hpp"
#include "games/go/go_state.hpp"

namespace katachi {

// A move that a policy may choose: its weight, and the placements that it is made of, which are those of the stones that it takes and its own.
struct WeighedMove {
    go::Point point = go::no_point;
    double weight = 0;
    std::uint32_t first = 0;  // of its placements among those of all moves
    std::uint32_t last = 0;
};

struct WeighedMoves {
    std::vector<WeighedMove> moves;
    std::vector<features::Placement> placements;
    double total = 0;

    std::span<const features::Placement> placements_of(const WeighedMove& move) const {
        return std::span(placements).subspan(move.first, move.last - move.first);
    }
};

// Factors are asked as factors(placement), and have a minus sign where a point is closed (values/placement_factors.hpp).
template <class B, class Factors>
class ShapePreferences {
   public:
    using Placement = features::Placement;

    // The placements must outlive it. Boards have their side.
    ShapePreferences(const features::Placements& placements, Factors factors, go::EyeRule eye_rule);

    go::EyeRule eye_rule() const { return eye_rule_; }

    // Begins with a board, and with factors as they are now.
    void reset(const B& board);
    // p is about to be played.
    void follow(const B& board, go::Point p);
    // A move of the player to move; no_point is the pass.
    template <go::EyeRule rule>
    go::Point choose(const B& board, Rng& rng);

    // All moves that may be chosen. A pass has the weight 1: it changes no shape.
    void weigh(const B& board, WeighedMoves& found);
    // One move, a pass or no suicide at an empty point, whether it may be chosen or not.
    void weigh_move(const B& board, go::Point p, WeighedMoves& found);

    // Calls visit(placement, sign) for what a move, no suicide, is about to change of Black's sum.
    template <class Visit>
    void for_each_change(const B& board, go::Point p, Visit&& visit);

   private:
    // What a stone on a point adds to the placements of its neighbours, a digit of 1.
    using Pulls = std::array<std::uint16_t, features::directions>;

    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static std::size_t view_of(go::Colour colour) { return static_cast<std::size_t>(colour); }
    static double open_weight(double factor) { return std::max(factor, 0.0); }

    double factor(Placement placement) const { return std::abs(static_cast<double>(factors_(placement))); }

    // The placements of its neighbours, where a stone of a colour is put (1) or taken (-1).
    void shift(go::Point p, go::Colour colour, int sign) {
        const Pulls& pulls = pulls_[at(p)];
        for (std::size_t view = 0; view < 2; ++view) {
            const int digit = sign * (view == view_of(colour) ? 1 : 2);
            for (std::size_t i = 0; i < pulls.size(); ++i) {
                placements_[view][at(p + offsets_[i])] += static_cast<Placement>(digit * pulls[i]);
            }
        }
    }
    // The same, and their weights.
    template <int sign>
    void put(go::Point p, go::Colour colour);
    void soil(std::size_t view, go::Point p) { dirty_[view] |= std::uint32_t{1} << rows_[at(p)]; }

    // The weight of a move that takes stones. Calls visit(placement) for each of them, while those before are gone, and for the move itself.
    template <class Visit>
    double capture_weight(const B& board, go::Point p, Visit&& visit);
    // The same, faster for a few stones.
    double quick_capture_weight(const B& board, std::size_t view, go::Point p);
    // What a stone on a point adds to the placement of another point; nothing if they are not neighbours.
    Placement pull_between(go::Point from, go::Point to) const {
        const int way = to - from + geometry_.stride() + 1;
        const bool is_near = way >= 0 && way < static_cast<int>(ways_.size()) && ways_[at(way)] < features::directions;
        return is_near ? pulls_[at(from)][ways_[at(way)]] : 0;
    }
    // For the present draw only.
    void set_aside(std::size_t view, go::Point p, double weight) {
        aside_.emplace_back(p, weights_[view][at(p)]);
        weights_[view][at(p)] = weight;
        soil(view, p);
    }
    double sum_rows(std::size_t view);
    go::Point drawn(std::size_t view, double mark) const;

    Factors factors_;
    go::Geometry geometry_;
    go::EyeRule eye_rule_;
    std::array<int, features::directions> offsets_{};
    std::vector<std::uint8_t> ways_;  // by the difference of two points, from the first of the eight on: the direction
    // By padded point; walls have no part in anything.
    std::vector<Placement> alone_;
    std::vector<std::uint8_t> rows_;
    std::vector<Pulls> pulls_;
    std::vector<double> masks_;                         // 1 where it is empty
    std::array<std::vector<Placement>, 2> placements_;  // of a stone there, as a player sees it
    std::array<std::vector<double>, 2> weights_;
    std::array<std::array<double, go::max_side>, 2> row_sums_{};
    std::array<double, go::max_side> ends_{};  // sums of rows up to each, of the player who chooses
    std::array<std::uint32_t, 2> dirty_{};     // rows, as bits
    std::vector<std::pair<go::Point, double>> aside_;
    std::vector<go::Point> taken_;
};

// Products of many factors stay numbers.
inline double held(double weight) { return std::clamp(weight, 1e-300, 1e300); }

template <class B, class Factors>
ShapePreferences<B, Factors>::ShapePreferences(const features::Placements& placements, Factors factors, go::EyeRule eye_rule)
    : factors_(std::move(factors)), geometry_{placements.side(), placements.side()}, eye_rule_(eye_rule) {
    const int stride = geometry_.stride();
    offsets_ = {-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1};
    ways_.assign(at(2 * stride + 3), features::directions);
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
        ways_[at(offsets_[i] + stride + 1)] = static_cast<std::uint8_t>(i);
    }
    const auto size = at(geometry_.padded());
    alone_.resize(size);
    rows_.resize(size);
    pulls_.resize(size);
    masks_.resize(size);
    for (std::size_t view = 0; view < 2; ++view) {
        placements_[view].resize(size);
        weights_[view].resize(size);
    }
    for (int point = 0; point < geometry_.area(); ++point) {
        const go::Point p = geometry_.padded_point(point);
        alone_[at(p)] = placements.alone(point);
        rows_[at(p)] = static_cast<std::uint8_t>(geometry_.row(p));
        for (int direction = 0; direction < features::directions; ++direction) {
            // The neighbour sees it in the opposite direction.
            const go::Point next = p - offsets_[at(direction)];
            pulls_[at(next)][at(direction)] = placements.power(point, features::opposite(direction));
        }
    }
}

template <class B, class Factors>
void ShapePreferences<B, Factors>::reset(const B& board) {
    for (std::size_t view = 0; view < 2; ++view) {
        placements_[view] = alone_;
        dirty_[view] = (std::uint32_t{1} << geometry_.height) - 1;
    }
    for (int row = 0; row < geometry_.height; ++row) {
        const go::Point first = geometry_.point(row, 0);
        for (go::Point p = first; p < first + geometry_.width; ++p) {
            const go::Colour colour = board.colour(p);
            masks_[at(p)] = colour == go::Colour::empty ? 1 : 0;
            if (colour != go::Colour::empty) {
                shift(p, colour, 1);
            }
        }
    }
    for (std::size_t view = 0; view < 2; ++view) {
        for (std::size_t p = 0; p < masks_.size(); ++p) {
            weights_[view][p] = masks_[p] * open_weight(factors_(placements_[view][p]));
        }
    }
}

// Whether a neighbour is empty cannot be foretold: its weight is looked up in any case.
template <class B, class Factors>
template <int sign>
void ShapePreferences<B, Factors>::put(go::Point p, go::Colour colour) {
    const std::size_t own = view_of(colour);
    Placement* const own_placements = placements_[own].data() + p;
    Placement* const other_placements = placements_[1 - own].data() + p;
    double* const own_weights = weights_[own].data() + p;
    double* const other_weights = weights_[1 - own].data() + p;
    double* const masks = masks_.data() + p;
    const Pulls& pulls = pulls_[at(p)];
    const auto offsets = offsets_;
    for (std::size_t i = 0; i < pulls.size(); ++i) {
        const int next = offsets[i];
        const auto pull = static_cast<Placement>(sign * pulls[i]);
        const Placement own_placement = own_placements[next] + pull;
        const Placement other_placement = other_placements[next] + 2 * pull;
        const double mask = masks[next];
        own_placements[next] = own_placement;
        other_placements[next] = other_placement;
        own_weights[next] = mask * open_weight(factors_(own_placement));
        other_weights[next] = mask * open_weight(factors_(other_placement));
    }
    masks[0] = sign < 0 ? 1 : 0;
    own_weights[0] = sign < 0 ? open_weight(factors_(own_placements[0])) : 0;
    other_weights[0] = sign < 0 ? open_weight(factors_(other_placements[0])) : 0;
    const std::uint32_t rows = (std::uint32_t{7} << rows_[at(p)] >> 1) & ((std::uint32_t{1} << geometry_.height) - 1);
    dirty_[0] |= rows;
    dirty_[1] |= rows;
}

template <class B, class Factors>
void ShapePreferences<B, Factors>::follow(const B& board, go::Point p) {
    if (p == go::no_point) {
        return;
    }
    const go::Colour own = go::colour_of(board.to_play());
    const bool is_suicide = board.is_suicide(p);
    if (is_suicide || board.captures(p)) [[unlikely]] {
        board.for_each_removed_by(p, [&](go::Point stone) { put<-1>(stone, board.colour(stone)); });
    }
    if (!is_suicide) {
        put<1>(p, own);
    }
}

template <class B, class Factors>
template <class Visit>
double ShapePreferences<B, Factors>::capture_weight(const B& board, go::Point p, Visit&& visit) {
    const go::Colour own = go::colour_of(board.to_play());
    const go::Colour enemy = go::other(own);
    taken_.clear();
    board.for_each_removed_by(p, [&](go::Point stone) { taken_.push_back(stone); });
    double weight = 1;
    for (const go::Point stone : taken_) {
        const Placement there = placements_[view_of(enemy)][at(stone)];
        visit(there);
        weight = held(weight * factor(there));
        shift(stone, enemy, -1);
    }
    const Placement here = placements_[view_of(own)][at(p)];
    visit(here);
    weight = held(weight * factor(here));
    for (const go::Point stone : taken_) {
        shift(stone, enemy, 1);
    }
    return weight;
}

template <class B, class Factors>
double ShapePreferences<B, Factors>::quick_capture_weight(const B& board, std::size_t view, go::Point p) {
    const go::Colour enemy = go::other(go::colour_of(board.to_play()));
    std::array<go::Point, 4> taken{};
    std::size_t count = 0;
    for (const go::Point next : board.around(p)) {
        if (board.colour(next) != enemy || !board.in_atari(next)) {
            continue;
        }
        go::Point stone = next;
        do {
            if (std::find(taken.begin(), taken.begin() + count, stone) != taken.begin() + count) {
                break;  // a chain that is next to it twice
            }
            if (count == taken.size()) {
                return capture_weight(board, p, [](Placement) {});
            }
            taken[count++] = stone;
            stone = board.next_in_chain(stone);
        } while (stone != next);
    }
    double weight = 1;
    Placement here = placements_[view][at(p)];
    for (std::size_t i = 0; i < count; ++i) {
        // Those before are gone.
        Placement there = placements_[1 - view][at(taken[i])];
        for (std::size_t j = 0; j < i; ++j) {
            there -= pull_between(taken[j], taken[i]);
        }
        here -= 2 * pull_between(taken[i], p);
        weight *= factor(there);
    }
    return held(weight * factor(here));
}

// Returns the sum of all.
template <class B, class Factors>
double ShapePreferences<B, Factors>::sum_rows(std::size_t view) {
    for (std::uint32_t rows = dirty_[view]; rows != 0; rows &= rows - 1) {
        const int row = std::countr_zero(rows);
        const double* const first = &weights_[view][at(geometry_.point(row, 0))];
        // Three sums at a time wait less for each other.
        std::array<double, 3> sums{};
        int col = 0;
        for (; col + 3 <= geometry_.width; col += 3) {
            sums[0] += first[col];
            sums[1] += first[col + 1];
            sums[2] += first[col + 2];
        }
        for (; col < geometry_.width; ++col) {
            sums[0] += first[col];
        }
        row_sums_[view][at(row)] = sums[0] + sums[1] + sums[2];
    }
    dirty_[view] = 0;
    double total = 0;
    for (int row = 0; row < geometry_.height; ++row) {
        ends_[at(row)] = total += row_sums_[view][at(row)];
    }
    return total;
}

// Where the mark falls, among all rows and then in one: which it is cannot be foretold, so there are no branches on it. Sums are rounded: beyond the
// end it is the last point with a weight.
template <class B, class Factors>
go::Point ShapePreferences<B, Factors>::drawn(std::size_t view, double mark) const {
    int row = 0;
    for (int i = 0; i < geometry_.height; ++i) {
        row += static_cast<int>(ends_[at(i)] <= mark);
    }
    for (row = std::min(row, geometry_.height - 1); row_sums_[view][at(row)] == 0; --row) {
    }
    const go::Point first = geometry_.point(row, 0);
    const double* const weights = &weights_[view][at(first)];
    double end = row == 0 ? 0 : ends_[at(row - 1)];
    int col = 0;
    for (int i = 0; i < geometry_.width; ++i) {
        end += weights[i];
        col += static_cast<int>(end <= mark);
    }
    for (col = std::min(col, geometry_.width - 1); weights[col] == 0; --col) {
    }
    return first + col;
}

template <class B, class Factors>
template <go::EyeRule rule>
go::Point ShapePreferences<B, Factors>::choose(const B& board, Rng& rng) {
    const std::size_t view = view_of(go::colour_of(board.to_play()));
    aside_.clear();
    go::Point last = go::no_point;
    board.for_each_capture([&](go::Point p) {
        const bool is_known = p == last || std::ranges::any_of(aside_, [&](const auto& each) { return each.first == p; });
        last = p;
        if (!is_known && p != board.ko()) {
            set_aside(view, p, quick_capture_weight(board, view, p));
        }
    });
    go::Point chosen = go::no_point;
    while (true) {
        const double total = sum_rows(view);
        const double pass = rule == go::EyeRule::none ? 1 : 0;
        if (total == 0) {
            break;
        }
        const double mark = rng.uniform() * (total + pass) - pass;
        if (mark < 0) {
            break;
        }
        const go::Point p = drawn(view, mark);
        if (board.template is_candidate<rule>(p)) {
            chosen = p;
            break;
        }
        set_aside(view, p, 0);
    }
    // The last to be set aside is the first to come back: a point may have been twice.
    for (; !aside_.empty(); aside_.pop_back()) {
        weights_[view][at(aside_.back().first)] = aside_.back().second;
        soil(view, aside_.back().first);
    }
    return chosen;
}

template <class B, class Factors>
void ShapePreferences<B, Factors>::weigh_move(const B& board, go::Point p, WeighedMoves& found) {
    const std::size_t view = view_of(go::colour_of(board.to_play()));
    WeighedMove move{.point = p, .weight = 1, .first = static_cast<std::uint32_t>(found.placements.size())};
    if (p != go::no_point) {
        if (board.captures(p)) {
            move.weight = capture_weight(board, p, [&](Placement each) { found.placements.push_back(each); });
        } else {
            found.placements.push_back(placements_[view][at(p)]);
            move.weight = factor(found.placements.back());
        }
    }
    move.last = static_cast<std::uint32_t>(found.placements.size());
    found.moves.push_back(move);
    found.total += move.weight;
}

template <class B, class Factors>
void ShapePreferences<B, Factors>::weigh(const B& board, WeighedMoves& found) {
    found.moves.clear();
    found.placements.clear();
    found.total = 0;
    go::with_eye_rule(eye_rule_, [&]<go::EyeRule rule> {
        for (int row = 0; row < geometry_.height; ++row) {
            const go::Point first = geometry_.point(row, 0);
            for (go::Point p = first; p < first + geometry_.width; ++p) {
                if (masks_[at(p)] != 0 && board.template is_candidate<rule>(p)) {
                    weigh_move(board, p, found);
                }
            }
        }
        if (found.moves.empty() || rule == go::EyeRule::none) {
            weigh_move(board, go::no_point, found);
        }
    });
}

template <class B, class Factors>
template <class Visit>
void ShapePreferences<B, Factors>::for_each_change(const B& board, go::Point p, Visit&& visit) {
    if (p == go::no_point) {
        return;
    }
    const go::Colour own = go::colour_of(board.to_play());
    const int sign = own == go::Colour::black ? 1 : -1;
    if (board.captures(p)) {
        // A stone that is taken is one of the other colour less: both turn the sign.
        capture_weight(board, p, [&](Placement each) { visit(each, sign); });
    } else {
        visit(placements_[view_of(own)][at(p)], sign);
    }
}

}  // namespace katachi
