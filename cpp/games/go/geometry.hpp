// Coordinates of a Go board: padded points for the core, dense points for everybody else.
//
// A board of width x height is stored row by row with one wall column between rows and one wall row above and below, so
// that every on-board point has four neighbours at fixed offsets:
//
//     padded(row, col) = (row + 1) * stride + col + 1,   stride = width + 1,   row 0 is the top row.
//
// Outside the core a point is dense: row * width + col; a pass is width * height. Only this file converts.
#pragma once

#include <cstdint>

#include "core/types.hpp"

namespace katachi::go {

inline constexpr int max_side = 19;

// A padded point. Point 0 is always a wall, and stands for "no point".
using Point = int;
inline constexpr Point no_point = 0;

constexpr int padded_size(int width, int height) { return (height + 2) * (width + 1) + 1; }

struct Geometry {
    int width;
    int height;

    constexpr int stride() const { return width + 1; }
    constexpr int area() const { return width * height; }
    constexpr int padded() const { return padded_size(width, height); }
    constexpr Point point(int row, int col) const { return (row + 1) * stride() + col + 1; }
    constexpr int row(Point p) const { return p / stride() - 1; }
    constexpr int col(Point p) const { return p % stride() - 1; }
    constexpr int dense(Point p) const { return row(p) * width + col(p); }
    constexpr Point padded_point(int dense) const { return point(dense / width, dense % width); }

    constexpr Action pass() const { return Action{area()}; }
    constexpr bool is_pass(Action a) const { return a.value == area(); }
    constexpr bool is_action(Action a) const { return a.value >= 0 && a.value <= area(); }
    constexpr Action action(Point p) const { return p == no_point ? pass() : Action{dense(p)}; }

    bool operator==(const Geometry&) const = default;
};

}  // namespace katachi::go
