// What one stone more changes of the local shapes of 1x1 and 2x2 (Silver 2009, 9.4; Silver and Tesauro 2009, 6).
//
// A stone on an empty point changes the window of the point itself and the windows of 2x2 that it is in: four, at the edge two, in a corner one.
// So the eight points around it say which weights go and which come. Points that a symmetry of the board leads to each other are of one class,
// because they share weights, and so do the colours. Therefore the surroundings are told as the class's first point has them, and as the stone's
// owner sees them: the code is a number of eight digits to base 3, empty 0, own 1, other 2; beyond the edge there is nothing, 0. Class and code
// together are a placement; its change is that of the sum of weights with the owner's sign.
//
// A stone that is taken off changes its owner's sum by as much as its placement would, turned around.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/representation.hpp"

namespace katachi::features {

// Class and code: class * 3^8 + code.
using Placement = std::uint32_t;

// The eight directions around a point, row by row.
inline constexpr int directions = 8;
constexpr int opposite(int direction) { return directions - 1 - direction; }

class Placements {
   public:
    static constexpr Placement codes = 6561;  // 3^8
    static constexpr int quarters = 4;
    static constexpr int corner_codes = 27;  // of the three other points of a window

    // Of shapes of 1x1 and 2x2, location dependent and independent, the same for all players and stages; with a named error for others.
    explicit Placements(const Representation& representation);

    int side() const { return side_; }
    std::uint32_t weights() const { return weights_; }
    int classes() const { return static_cast<int>(first_points_.size()); }
    Placement count() const { return static_cast<Placement>(first_points_.size()) * codes; }
    static int class_of(Placement placement) { return static_cast<int>(placement / codes); }
    static Code code_of(Placement placement) { return static_cast<Code>(placement % codes); }
    // Of a stone on a point with nothing around it.
    Placement alone(int point) const { return static_cast<Placement>(classes_[static_cast<std::size_t>(point)]) * codes; }
    // What a digit in a direction from a point adds to its code; 0 beyond the edge.
    Code power(int point, int direction) const { return powers_[static_cast<std::size_t>(point)][static_cast<std::size_t>(direction)]; }

    // The contents of the four windows around, without the point itself.
    static const std::array<std::uint8_t, quarters>& corners(Code code);

    // Calls visit(entry) for the weights that a placement adds, each with its sign.
    template <class Visit>
    void for_each_entry(Placement placement, Visit&& visit) const {
        const int point_class = class_of(placement);
        const Code code = code_of(placement);
        for (const Entry entry : stones_[static_cast<std::size_t>(point_class)]) {
            visit(entry);
        }
        for (int quarter = 0; quarter < quarters; ++quarter) {
            for_each_corner_entry(point_class, quarter, corners(code)[static_cast<std::size_t>(quarter)], visit);
        }
    }
    // The same of one window alone; the point's own window belongs to none of the four.
    template <class Visit>
    void for_each_corner_entry(int point_class, int quarter, int corner_code, Visit&& visit) const {
        for (const Entry entry : corners_[corner_index(point_class, quarter, corner_code)]) {
            if (entry != 0) {
                visit(entry);
            }
        }
    }
    const std::array<Entry, 2>& stone_entries(int point_class) const { return stones_[static_cast<std::size_t>(point_class)]; }

    // What can be told of a point by its code alone: marks that may be combined.
    static constexpr std::uint8_t enclosed = 1;    // all neighbours are the other's: a stone dies there, unless it takes some
    static constexpr std::uint8_t strict_eye = 2;  // all neighbours are own
    static constexpr std::uint8_t simple_eye = 4;  // and fewer than two of the others' stones are aslant, none at the edge
    std::uint8_t marks(Placement placement) const { return marks_[placement]; }

    static std::size_t corner_index(int point_class, int quarter, int corner_code) {
        return (static_cast<std::size_t>(point_class) * quarters + static_cast<std::size_t>(quarter)) * corner_codes +
               static_cast<std::size_t>(corner_code);
    }

   private:
    using Powers = std::array<Code, directions>;

    void find_classes(const ShapeSet& shapes);
    void find_entries(const Representation& representation);
    void find_marks();

    int side_;
    std::uint32_t weights_;
    std::vector<int> classes_;       // by point
    std::vector<Powers> powers_;     // by point
    std::vector<int> first_points_;  // by class
    std::vector<std::array<Entry, 2>> stones_;
    std::vector<std::array<Entry, 4>> corners_;
    std::vector<std::uint8_t> marks_;
};

}  // namespace katachi::features
