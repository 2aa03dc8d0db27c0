#include "values/shape_weights.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace katachi {

namespace {

using features::Code;
using features::ShapeSet;
using features::Window;

// By the content of a window: that of another one inside.
std::vector<Code> contents_inside(const Window& outer, const Window& inner) {
    std::array<int, 9> powers{};  // by point of the outer one: what a digit there adds
    int power = 1;
    for (int row = inner.row; row < inner.row + inner.size.height; ++row) {
        for (int col = inner.col; col < inner.col + inner.size.width; ++col) {
            powers[static_cast<std::size_t>((row - outer.row) * outer.size.width + col - outer.col)] = power;
            power *= 3;
        }
    }
    std::vector<Code> contents{0};
    contents.reserve(ShapeSet::contents(outer.size));
    for (int point = 0; point < outer.size.points(); ++point) {
        const std::size_t known = contents.size();
        for (int digit = 1; digit < 3; ++digit) {
            for (std::size_t i = 0; i < known; ++i) {
                contents.push_back(static_cast<Code>(contents[i] + digit * powers[static_cast<std::size_t>(point)]));
            }
        }
    }
    return contents;
}

}  // namespace

FrozenLookup::FrozenLookup(const ShapeSet& shapes, const ShapeSet& learnt, const SharedLookup& shared) : worths_(shapes.features()) {
    for (const Window& window : shapes.windows()) {
        firsts_.push_back(window.first);
    }
    std::map<std::array<int, 6>, std::vector<Code>> known;  // by sizes, and by the place of one inside the other
    for (int index = 0; index < static_cast<int>(learnt.windows().size()); ++index) {
        const Window& inner = learnt.windows()[static_cast<std::size_t>(index)];
        const auto outer = std::ranges::find_if(shapes.windows(), [&](const Window& window) {
            return window.row <= inner.row && window.col <= inner.col && window.row + window.size.height >= inner.row + inner.size.height &&
                   window.col + window.size.width >= inner.col + inner.size.width && (shapes.sizes().size() == 1 || window.size == inner.size);
        });
        const std::array where{outer->size.width,      outer->size.height, inner.row - outer->row,
                               inner.col - outer->col, inner.size.width,   inner.size.height};
        std::vector<Code>& contents = known[where];
        if (contents.empty()) {
            contents = contents_inside(*outer, inner);
        }
        for (std::size_t code = 0; code < contents.size(); ++code) {
            worths_[outer->first + code] += shared(index, contents[code]);
        }
    }
}

ShapeSet FrozenLookup::fused(const ShapeSet& learnt) {
    const auto largest = std::ranges::max(learnt.sizes(), {}, [](features::ShapeSize size) { return size.width * 10 + size.height; });
    return {learnt.side(), {{largest.width, largest.width}}};
}

}  // namespace katachi
