// A bare diagram of a board: one row a line, '.' empty, 'X' Black, 'O' White, top row first.
// Coordinates, captures and colour are drawn by the Python face (src/katachi/games/go/diagram.py).
#pragma once

#include <string>

#include "games/go/geometry.hpp"

namespace katachi::go {

template <class B>
std::string diagram(const B& board, const char* row_end = "\n") {
    const Geometry geometry = board.geometry();
    std::string text;
    for (int row = 0; row < geometry.height; ++row) {
        for (int col = 0; col < geometry.width; ++col) {
            text += "XO."[static_cast<int>(board.colour(geometry.point(row, col)))];
        }
        text += row_end;
    }
    return text;
}

}  // namespace katachi::go
