// Sums of local shapes read off a board, window by window: nothing is kept between two of them. The oracle of everything faster.
#pragma once

#include "features/representation.hpp"
#include "games/go/board.hpp"
#include "values/shape_weights.hpp"

namespace katachi {

// The content of a window on a board.
template <class B>
features::Code content(const features::Window& window, const B& board) {
    int code = 0;
    int power = 1;
    for (int row = window.row; row < window.row + window.size.height; ++row) {
        for (int col = window.col; col < window.col + window.size.width; ++col) {
            const go::Colour colour = board.colour(board.geometry().point(row, col));
            code += power * (colour == go::Colour::empty ? 0 : colour == go::Colour::black ? 1 : 2);
            power *= 3;
        }
    }
    return static_cast<features::Code>(code);
}

// Calls visit(entry) for every weight that counts in a state, window by window.
template <class B, class Visit>
void for_each_active(const features::Representation& representation, const B& board, Player to_play, int stage, Visit&& visit) {
    const features::ShapeSet& shapes = representation.shapes();
    for (int window = 0; window < static_cast<int>(shapes.windows().size()); ++window) {
        const features::Code code = content(shapes.windows()[static_cast<std::size_t>(window)], board);
        for (const features::ShareTable* table : representation.tables_for(to_play)) {
            const features::Entry entry = table->entry(window, code);
            if (entry != 0) {
                visit(features::Representation::shifted(entry, representation.shift(stage)));
            }
        }
    }
}

template <class B>
double recomputed_sum(const features::Representation& representation, const ShapeWeights& weights, const B& board, Player to_play, int stage) {
    double sum = 0;
    for_each_active(representation, board, to_play, stage, [&](features::Entry entry) { sum += static_cast<double>(weights[entry]); });
    return sum;
}

}  // namespace katachi
