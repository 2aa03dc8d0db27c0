// A game given as a hand-written tree: every node is a leaf with a return, or a choice. For tests of searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "games/game_state.hpp"

namespace katachi {

// The nodes in any order, the root first. With two players they alternate by depth, player 0 first.
struct TreeDescription {
    struct Node {
        std::vector<int> children;  // empty: a leaf
        double value = 0;           // of a leaf: the return of player 0
    };
    std::vector<Node> nodes;
    int players = 2;
};

class ExplicitTree {
   public:
    explicit ExplicitTree(std::shared_ptr<const TreeDescription> tree) : tree_(std::move(tree)) {
        for (const auto& node : tree_->nodes) {
            if (node.children.empty()) {
                bounds_ = {std::min(bounds_.low, node.value), std::max(bounds_.high, node.value)};
            }
            action_space_ = std::max(action_space_, static_cast<int>(node.children.size()));
        }
    }

    GameFacts facts() const {
        return {.players = tree_->players,
                .action_space = action_space_,
                .return_bounds = bounds_,
                .max_length = static_cast<int>(tree_->nodes.size()),
                .deterministic = true,
                .key = KeyKind::exact,
                .final_reward = true};
    }

    Player to_play() const { return tree_->players == 2 ? static_cast<Player>(depth_ % 2) : Player::black; }
    bool is_terminal() const { return here().children.empty(); }
    std::uint64_t key() const { return mix64(static_cast<std::uint64_t>(node_) + golden_gamma); }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        for (int i = 0; i < static_cast<int>(here().children.size()); ++i) {
            out.push_back(Action{i});
        }
    }

    Reward play(Action action) {
        if (action.value < 0 || action.value >= static_cast<int>(here().children.size())) {
            throw IllegalMoveError("explicit tree: node " + std::to_string(node_) + " has no child " + std::to_string(action.value));
        }
        node_ = here().children[static_cast<std::size_t>(action.value)];
        ++depth_;
        return is_terminal() ? here().value : 0;
    }

    std::string text() const { return "node " + std::to_string(node_) + " at depth " + std::to_string(depth_) + "\n"; }

   private:
    const TreeDescription::Node& here() const { return tree_->nodes[static_cast<std::size_t>(node_)]; }

    std::shared_ptr<const TreeDescription> tree_;
    Bounds bounds_{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    int action_space_ = 0;
    int node_ = 0;
    int depth_ = 0;
};

static_assert(GameState<ExplicitTree>);

}  // namespace katachi
