#include "values/shape_weights.hpp"

#include <algorithm>

namespace katachi {

namespace {

using features::Code;
using features::ShapeSet;
using features::Window;

// The content of a window inside another one.
Code content_inside(const Window& outer, Code code, const Window& inner) {
    std::array<int, 9> digits{};
    for (int i = 0, rest = code; i < outer.size.points(); ++i, rest /= 3) {
        digits[static_cast<std::size_t>(i)] = rest % 3;
    }
    int result = 0;
    int power = 1;
    for (int row = inner.row; row < inner.row + inner.size.height; ++row) {
        for (int col = inner.col; col < inner.col + inner.size.width; ++col) {
            result += power * digits[static_cast<std::size_t>((row - outer.row) * outer.size.width + col - outer.col)];
            power *= 3;
        }
    }
    return static_cast<Code>(result);
}

}  // namespace

FrozenLookup::FrozenLookup(const ShapeSet& shapes, const ShapeSet& learnt, const SharedLookup& shared) : worths_(shapes.features()) {
    for (const Window& window : shapes.windows()) {
        firsts_.push_back(window.first);
    }
    for (int index = 0; index < static_cast<int>(learnt.windows().size()); ++index) {
        const Window& inner = learnt.windows()[static_cast<std::size_t>(index)];
        const auto outer = std::ranges::find_if(shapes.windows(), [&](const Window& window) {
            return window.row <= inner.row && window.col <= inner.col && window.row + window.size.height >= inner.row + inner.size.height &&
                   window.col + window.size.width >= inner.col + inner.size.width && (shapes.sizes().size() == 1 || window.size == inner.size);
        });
        for (Code code = 0; code < ShapeSet::contents(outer->size); ++code) {
            worths_[outer->first + code] += shared(index, content_inside(*outer, code, inner));
        }
    }
}

ShapeSet FrozenLookup::fused(const ShapeSet& learnt) {
    const auto largest = std::ranges::max(learnt.sizes(), {}, [](features::ShapeSize size) { return size.width * 10 + size.height; });
    return {learnt.side(), {{largest.width, largest.width}}};
}

}  // namespace katachi
