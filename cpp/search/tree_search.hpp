// A plain UCT (Kocsis and Szepesvari 2006): it shows that the game contract carries a tree search over every kind of game.
//
// Nodes stand for sequences of actions (an open-loop tree), so a game of chance needs no chance nodes: the same node
// gathers the returns of all states that its actions led to, and its children are whatever was a candidate in any of
// them. A node gets its children when it is selected from for the first time, at its second visit. UCB1 in the form
// Q + c * sqrt(ln N / n), with Q scaled to [0, 1] by the game's bounds; untried children come first.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "policies/uniform_playout.hpp"
#include "search/search.hpp"

namespace katachi {

struct TreeSearchOptions {
    double exploration = 1.0;  // c
};

template <GameState S>
class TreeSearch final : public Search {
   public:
    TreeSearch(S root, ActionBuffer actions, const TreeSearchOptions& options, const Rng& rng, bool calls_python)
        : root_(std::move(root)),
          root_candidates_(std::move(actions)),
          facts_(root_.facts()),
          options_(options),
          rng_(rng),
          calls_python_(calls_python),
          nodes_(1) {
        buffer_ = root_candidates_;
        make_children(0);
    }

    bool calls_python() const override { return calls_python_; }

    std::vector<RootAction> root_actions() const override {
        std::vector<RootAction> actions;
        for (NodeIndex i = nodes_[0].first_child; i != none; i = nodes_[i].next_sibling) {
            actions.push_back({nodes_[i].action, nodes_[i].visits, nodes_[i].value});
        }
        return actions;
    }

   protected:
    std::uint64_t simulate() override {
        S state = root_;
        Rng rng = rng_;
        Reward total = 0;
        std::uint64_t steps = 0;
        path_.assign(1, 0);
        while (!state.is_terminal()) {
            const NodeIndex node = path_.back();
            if (node == 0) {
                buffer_ = root_candidates_;
            } else {
                candidates(state, buffer_);
            }
            const NodeIndex next = select(node, state.to_play(), rng);
            total += play(state, nodes_[next].action, rng);
            ++steps;
            path_.push_back(next);
            if (nodes_[next].visits == 0) {
                const Playout playout = uniform_playout(state, rng, buffer_);
                total += playout.total;
                steps += static_cast<std::uint64_t>(playout.length);
                break;
            }
        }
        if (!std::isfinite(total)) {
            throw GameContractError("the rewards of a game added up to " + std::to_string(total));
        }
        rng_ = rng;
        for (const NodeIndex i : path_) {
            Node& node = nodes_[i];
            ++node.visits;
            node.value += (total - node.value) / static_cast<double>(node.visits);
        }
        return steps;
    }

    bool is_finished() const override { return root_candidates_.empty(); }

   private:
    using NodeIndex = std::uint32_t;
    static constexpr NodeIndex none = 0;  // the root is nobody's child

    struct Node {
        Action action;
        NodeIndex first_child = none;
        NodeIndex next_sibling = none;
        std::uint64_t visits = 0;
        double value = 0;  // mean return of player 0
    };

    // The child for an action, made if there is none yet. `hint` is where it probably is: candidates come in the same order
    // each time, so it is the sibling after the last answer.
    NodeIndex child(NodeIndex parent, Action action, NodeIndex hint) {
        if (hint != none && nodes_[hint].action == action) {
            return hint;
        }
        NodeIndex last = none;
        for (NodeIndex i = nodes_[parent].first_child; i != none; i = nodes_[i].next_sibling) {
            if (nodes_[i].action == action) {
                return i;
            }
            last = i;
        }
        return append(parent, last, action);
    }

    NodeIndex append(NodeIndex parent, NodeIndex last, Action action) {
        if (nodes_.size() >= std::numeric_limits<NodeIndex>::max()) {
            throw InvalidArgumentError("the search tree is full: " + std::to_string(nodes_.size()) + " nodes");
        }
        const auto created = static_cast<NodeIndex>(nodes_.size());
        nodes_.push_back({.action = action});
        (last == none ? nodes_[parent].first_child : nodes_[last].next_sibling) = created;
        return created;
    }

    // The first visit makes all children in one go; later ones (of a game with chance) may add to them.
    void make_children(NodeIndex parent) {
        NodeIndex last = none;
        for (const Action action : buffer_) {
            last = append(parent, last, action);
        }
    }

    // The candidate (of buffer_) with the highest upper bound for the player to move; untried ones come first; ties are
    // broken uniformly at random.
    NodeIndex select(NodeIndex parent, Player player, Rng& rng) {
        if (nodes_[parent].first_child == none) {
            make_children(parent);
        }
        const double scale = facts_.return_bounds && facts_.return_bounds->high > facts_.return_bounds->low
                                 ? 1.0 / (facts_.return_bounds->high - facts_.return_bounds->low)
                                 : 1.0;
        const double log_visits = std::log(std::max(1.0, static_cast<double>(nodes_[parent].visits)));
        double best = -std::numeric_limits<double>::infinity();
        NodeIndex chosen = none;
        std::uint32_t ties = 0;
        NodeIndex hint = nodes_[parent].first_child;
        for (const Action action : buffer_) {
            const NodeIndex i = child(parent, action, hint);
            const Node& node = nodes_[i];
            hint = node.next_sibling;
            const double score = node.visits == 0 ? std::numeric_limits<double>::infinity()
                                                  : scale * value_for(player, node.value, facts_) +
                                                        options_.exploration * std::sqrt(log_visits / static_cast<double>(node.visits));
            if (score > best) {
                best = score;
                chosen = i;
                ties = 1;
            } else if (score == best && rng.below(++ties) == 0) {
                chosen = i;
            }
        }
        return chosen;
    }

    S root_;
    ActionBuffer root_candidates_;
    GameFacts facts_;
    TreeSearchOptions options_;
    Rng rng_;
    bool calls_python_;
    std::vector<Node> nodes_;
    std::vector<NodeIndex> path_;
    ActionBuffer buffer_;
};

}  // namespace katachi
