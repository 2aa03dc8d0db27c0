// A Go position as Python holds it.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/errors.hpp"
#include "games/go/position.hpp"

namespace katachi::bindings {

using SmallPosition = go::Position<go::SmallBoard>;
using LargePosition = go::Position<go::LargeBoard>;

inline go::Geometry checked_geometry(int width, int height) {
    if (width < 1 || width > go::max_side || height < 1 || height > go::max_side) {
        throw InvalidArgumentError("a Go board is 1x1 to 19x19, not " + std::to_string(width) + "x" + std::to_string(height));
    }
    return {width, height};
}

// A position on a board of whichever capacity class its size needs.
class AnyPosition {
   public:
    template <class... Args>
    static AnyPosition make(go::Geometry geometry, const Args&... args) {
        if (go::SmallBoard::fits(geometry)) {
            return AnyPosition(SmallPosition(geometry, args...));
        }
        return AnyPosition(LargePosition(geometry, args...));
    }

    template <class F>
    decltype(auto) visit(F&& f) const {
        return std::visit(std::forward<F>(f), held_);
    }
    template <class F>
    decltype(auto) visit(F&& f) {
        return std::visit(std::forward<F>(f), held_);
    }

    go::Geometry geometry() const {
        return visit([](const auto& p) { return p.geometry(); });
    }

    go::Point point(Action action) const {
        if (!geometry().is_action(action) || geometry().is_pass(action)) {
            throw InvalidArgumentError("no point " + std::to_string(action.value) + " on a board of " + std::to_string(geometry().area()) +
                                       " points");
        }
        return geometry().padded_point(action.value);
    }

    explicit AnyPosition(SmallPosition position) : held_(std::move(position)) {}
    explicit AnyPosition(LargePosition position) : held_(std::move(position)) {}

   private:
    std::variant<SmallPosition, LargePosition> held_;
};

}  // namespace katachi::bindings
