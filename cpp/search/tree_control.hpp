// How an action is chosen where values are memorised (Vodopivec 2018, 3.4 and 4.4; Silver 2009, 3.4): UCB1, epsilon-greedy,
// softmax, greedy, random, over values that are scaled as the normalisation says.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "search/node_store.hpp"
#include "search/tree_options.hpp"

namespace katachi {

struct Choice {
    std::uint32_t slot = 0;  // which child or edge
    bool has_best = false;
    bool is_greedy = true;
    double best = 0;  // V of the best action
};

class TreeControl {
   public:
    // `searcher`: whose opponent the opponent model is about.
    TreeControl(const TreeSearchOptions& options, const GameFacts& facts, Player searcher);

    // Among the actions of a node, or those of them that `allowed` names (by slot).
    Choice choose(NodeStore& store, NodeIndex node, Player to_play, const Range& global, double epsilon, Rng& rng,
                  const std::vector<std::uint32_t>* allowed = nullptr);

    // Does this player want values to be high?
    bool maximises(Player player) const {
        return (player == Player::black) != (player != searcher_ && options_.opponent == OpponentModel::cooperative);
    }

   private:
    // value -> factor * value + offset: on the scale of the control policy, for the player to move.
    struct Scale {
        double factor = 1;
        double offset = 0;
    };

    std::uint32_t best_child_by_ucb1(const NodeStore& store, NodeIndex node, const Scale& scale, Rng& rng);
    static std::uint32_t untried_child(const Node* children, std::uint32_t first, std::uint32_t count, Rng& rng);
    double log_of(std::uint64_t n) const;
    void look(NodeStore& store, NodeIndex node, const std::vector<std::uint32_t>* allowed);
    static Scale scale_of(const Range& range, bool maximises);
    Scale unscaled(bool maximises) const;
    bool scale(const NodeStore& store, NodeIndex node, bool maximises, const Range& global, Scale& found) const;
    std::uint32_t best_by_ucb1(const NodeStore& store, NodeIndex node, const Scale& scale, Rng& rng);
    double bonus(std::uint64_t total) const;
    std::uint32_t best_by_value(bool maximises, Rng& rng);
    std::uint32_t softmax(const Scale& scale, Rng& rng);
    std::uint32_t highest_score(std::uint32_t count, double highest, Rng& rng) const;
    void compare(bool maximises, Choice& choice) const;
    double inverse_root(std::uint32_t n) const;

    TreeSearchOptions options_;
    GameFacts facts_;
    Player searcher_;
    std::vector<double> values_;         // of the actions, player 0's
    std::vector<std::uint32_t> visits_;  // of the actions
    std::vector<double> scores_;
    std::vector<std::uint32_t> slots_;   // of `allowed`
    std::vector<double> inverse_roots_;  // 1 / sqrt(n) and ln(n) of small n
    std::vector<double> logs_;
    std::array<Scale, 2> fixed_scales_;  // of the player who minimises, and who maximises
    bool has_fixed_scale_ = false;
    bool is_plain_;  // UCB1 over the children of a tree, nothing else to look at
};

}  // namespace katachi
