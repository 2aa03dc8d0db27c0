// Leaves of alpha-beta valued by weights of local shapes (Silver 2009, 5.7.9): by the sum before the logistic function, which orders
// states as values do. A game that is over counts more than any sum.
//
// The sums of all moves of a state come from what is kept of it, without a board being played. Where the player to move or the stage
// has weights of its own, sums are read off the boards.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "games/go/go_state.hpp"
#include "values/afterstates.hpp"
#include "values/shape_evaluator.hpp"

namespace katachi {

template <class B>
class ShapeLeaves {
   public:
    using State = go::GoState<B>;
    using Cursor = std::optional<Afterstates<FixedLookup>>;  // of a state on the way to leaves

    explicit ShapeLeaves(std::shared_ptr<const ShapeEvaluator> evaluator) : evaluator_(std::move(evaluator)) {}

    // A game that is won counts as so many points, which no sum reaches; lost, as minus so many.
    static constexpr double won = 1e9;

    void reset(Cursor& cursor, const State& state) const {
        if (evaluator_->is_fused()) {
            cursor.emplace(evaluator_->fused_shapes(), evaluator_->lookup());
            cursor->reset(state.board());
        }
    }

    // From the state before a move to the one after it.
    void follow(Cursor& cursor, const State& before, Action action) const {
        const go::Geometry geometry = before.board().geometry();
        if (cursor && !geometry.is_pass(action)) {
            cursor->play(before.board(), geometry.padded_point(action.value));
        }
    }

    double settled(const State& /*state*/, double earned) const { return (2 * earned - 1) * won; }

    double leaf(const State& state, double /*earned*/) const { return evaluator_->sum(state.board(), state.to_play(), state.moves()); }

    // The value of the leaf after a move which is not played; nothing if that may end the game.
    std::optional<double> leaf_after(Cursor& cursor, const State& state, Action action) const {
        if (!cursor || state.is_last() || !is_plain(state, action)) {
            return std::nullopt;
        }
        return after(*cursor, state, action);
    }

    // How good a move looks for Black; nothing where that is not known without playing it.
    std::optional<double> outlook(Cursor& cursor, const State& state, Action action) const {
        if (!cursor) {
            return std::nullopt;
        }
        return is_plain(state, action) ? after(*cursor, state, action) : static_cast<double>(cursor->sum()) * evaluator_->unit();
    }

   private:
    // A stone, and no suicide: what sums of afterstates are for.
    static bool is_plain(const State& state, Action action) {
        const go::Geometry geometry = state.board().geometry();
        return !geometry.is_pass(action) && !state.board().is_suicide(geometry.padded_point(action.value));
    }

    double after(Afterstates<FixedLookup>& sums, const State& state, Action action) const {
        const go::Point p = state.board().geometry().padded_point(action.value);
        return static_cast<double>(sums.sum() + sums.change(state.board(), p)) * evaluator_->unit();
    }

    std::shared_ptr<const ShapeEvaluator> evaluator_;
};

}  // namespace katachi
