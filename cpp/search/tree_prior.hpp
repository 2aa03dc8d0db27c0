// What the moves of a new node of Go are taken to be worth (Silver 2009, 8.6): by the rules of a handcrafted policy, by learnt local shapes, or by a
// mean of both (ours). What any game has (even, grandfather, a user's function) is in tree_search.hpp.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "policies/playout.hpp"
#include "search/tree_options.hpp"
#include "values/afterstates.hpp"

namespace katachi {

inline bool is_of_go(Prior prior) { return prior == Prior::handcrafted || prior == Prior::shapes || prior == Prior::shapes_or_handcrafted; }

template <GameState S>
class PriorFor {
   public:
    PriorFor(const TreeSearchOptions& options, const S& state) {
        if (is_of_go(options.prior)) {
            throw InvalidArgumentError("priors by patterns and local shapes are for Go, not for\n" + state.text());
        }
    }

    void values(const S& /*state*/, const ActionBuffer& /*actions*/, std::vector<double>& /*out*/) {}
};

template <GoLike S>
class PriorFor<S> {
   public:
    using Board = typename PolicyFor<S>::Board;

    PriorFor(const TreeSearchOptions& options, const S& state)
        : is_fuego_(options.policy.kind == PolicyKind::fuego), rules_share_(options.prior_rules) {
        if (options.prior == Prior::shapes || options.prior == Prior::shapes_or_handcrafted) {
            shapes_ = options.prior_shapes;
        }
        if (!shapes_) {
            if (options.prior == Prior::shapes) {
                throw InvalidArgumentError("a prior by local shapes needs their weights");
            }
            return;
        }
        const int side = shapes_->representation().shapes().side();
        if (!(state.board().geometry() == go::Geometry{side, side})) {
            throw InvalidArgumentError("the weights of the prior are for boards of " + std::to_string(side) + "x" + std::to_string(side) +
                                       ", not for\n" + state.text());
        }
        if (shapes_->is_fused()) {
            sums_.emplace(shapes_->fused_shapes(), shapes_->lookup());
        }
    }

    // Of actions, player 0's.
    void values(const S& state, const ActionBuffer& actions, std::vector<double>& out) {
        if (!shapes_) {
            by_rules(state, actions, out);
            return;
        }
        by_shapes(state, actions, out);
        if (rules_share_ > 0) {
            by_rules(state, actions, by_rules_);
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = (1 - rules_share_) * out[i] + rules_share_ * by_rules_[i];
            }
        }
    }

   private:
    // V of the afterstate.
    void by_shapes(const S& state, const ActionBuffer& actions, std::vector<double>& out) {
        const Board& board = state.board();
        const go::Geometry geometry = board.geometry();
        out.clear();
        if (sums_) {
            sums_->reset(board);
        }
        for (const Action action : actions) {
            const go::Point p = geometry.is_pass(action) ? go::no_point : geometry.padded_point(action.value);
            double sum = 0;
            if (sums_) {
                sum = static_cast<double>(sums_->sum() + (p == go::no_point ? 0 : sums_->change(board, p))) * shapes_->unit();
            } else {
                Board after = board;
                if (p == go::no_point) {
                    after.pass();
                } else {
                    after.play(p);
                }
                sum = shapes_->sum(after, after.to_play(), state.moves() + 1);
            }
            out.push_back(shapes_->chance(sum));
        }
    }

    void by_rules(const S& state, const ActionBuffer& actions, std::vector<double>& out) const {
        if (is_fuego_) {
            by_rules_of(FuegoPolicy(), state, actions, out);
        } else {
            by_rules_of(MogoPolicy(), state, actions, out);
        }
    }

    // For the player to move: 1 for what the policy would play by a rule, 0 for what it would never play, 1/2 for everything else. So the
    // best moves are those that the policy chooses from.
    template <class P>
    void by_rules_of(const P& policy, const S& state, const ActionBuffer& actions, std::vector<double>& out) const {
        out.clear();
        const Board& board = state.board();
        const go::Geometry geometry = board.geometry();
        const GameFacts facts = state.facts();
        StageMoves moves;
        std::array<bool, go::padded_size(go::max_side, go::max_side)> is_good{};
        policy.find(board, state.recent(), moves);
        for (const go::Point p : moves) {
            is_good[static_cast<std::size_t>(policy.corrected(board, p))] = true;
        }
        for (const Action action : actions) {
            double value = 0.5;
            if (geometry.is_pass(action)) {
                value = actions.size() == 1 ? 0.5 : 0;
            } else {
                const go::Point p = geometry.padded_point(action.value);
                const bool is_bad = !board.template is_candidate<P::eye_rule>(p) || policy.corrected(board, p) != p;
                value = is_good[static_cast<std::size_t>(p)] ? 1 : is_bad ? 0 : 0.5;
            }
            out.push_back(value_for(state.to_play(), value, facts));
        }
    }

    bool is_fuego_;
    double rules_share_;
    std::vector<double> by_rules_;
    std::shared_ptr<const ShapeEvaluator> shapes_;
    std::optional<Afterstates<FixedLookup>> sums_;
};

}  // namespace katachi
