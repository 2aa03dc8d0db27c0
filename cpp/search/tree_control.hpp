// How an action is chosen where values are memorised (Vodopivec 2018, 3.4 and 4.4; Silver 2009, 3.4): UCB1, epsilon-greedy,
// softmax, greedy, random, over values that are scaled as the normalisation says and may have RAVE's share in them (Silver 2009, 8.4).
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
    // Numbers below are looked up.
    static constexpr std::uint32_t tabulated = 1U << 16;

    // `searcher`: whose opponent the opponent model is about.
    TreeControl(const TreeSearchOptions& options, const GameFacts& facts, Player searcher);

    // Among the actions of a node, or those of them that `allowed` names (by slot).
    Choice choose(NodeStore& store, NodeIndex node, Player to_play, const Range& global, double epsilon, Rng& rng,
                  const std::vector<std::uint32_t>* allowed = nullptr);

    // UCB1 over the children of a tree, nothing else to look at: then the next function will do.
    bool is_plain() const { return is_plain_; }
    std::uint32_t choose_child(const NodeStore& store, NodeIndex node, Player to_play, const Range& global, Rng& rng) {
        if (has_fixed_scale_) {
            return best_child_by_ucb1(store, node, fixed_scales_[to_play == Player::black ? 1 : 0], rng);
        }
        Scale scaled;
        scale(store, node, to_play == Player::black, global, scaled);
        return best_child_by_ucb1(store, node, scaled, rng);
    }

    // The value of an action that the control policy compares, RAVE's share in it; `parent_visits` by `parent_visits(...)`.
    double combined(double value, std::uint32_t visits, const Rave& rave, double parent_visits) const {
        const double weight = RaveWeight(options_, parent_visits)(visits + prior_visits_, rave.count);
        return weight == 0 ? value : (1 - weight) * value + weight * rave.value();
    }
    // N(s) with what priors are worth, from the visits of the actions and of the node itself.
    double parent_visits(std::uint64_t of_actions, std::uint32_t of_node, std::uint32_t count) const {
        return static_cast<double>(options_.parent_count == ParentCount::children ? of_actions : of_node) + prior_visits_ * count;
    }

    // Does it choose the same again where nothing has changed, ties aside?
    bool is_steady() const {
        return (options_.control == ControlPolicy::ucb1 || options_.control == ControlPolicy::greedy) && options_.opponent != OpponentModel::random;
    }

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

    // A value by so many visits, if threads on their way to it have all lost.
    double with_losses(double value, double visits, std::uint32_t walkers, bool maximises) const {
        if (walkers == 0 || !facts_.return_bounds) {
            return value;
        }
        const double loss = maximises ? facts_.return_bounds->low : facts_.return_bounds->high;
        return (visits * value + walkers * loss) / (visits + walkers);
    }

    std::uint32_t best_child_by_ucb1(const NodeStore& store, NodeIndex node, const Scale& scale, Rng& rng);
    static std::uint32_t untried_child(const Node* children, std::uint32_t first, std::uint32_t count, Rng& rng);
    template <class Access>
    void combine(NodeStore& store, NodeIndex node, bool maximises, const std::vector<std::uint32_t>* allowed);
    std::uint32_t best_combined(const Scale& scale, Rng& rng);
    void look(NodeStore& store, NodeIndex node, const std::vector<std::uint32_t>* allowed);
    void look_together(NodeStore& store, NodeIndex node, bool maximises);
    static Scale scale_of(const Range& range, bool maximises);
    Scale unscaled(bool maximises) const;
    bool scale(const NodeStore& store, NodeIndex node, bool maximises, const Range& global, Scale& found) const;
    std::uint32_t best_by_ucb1(NodeStore& store, NodeIndex node, const Scale& scale, Rng& rng);
    // What UCB1 adds to an action of one visit.
    double bonus(std::uint64_t total) const { return options_.c_p * (total < tabulated ? root_logs_[total] : large_root_log(total)); }
    double fractional_bonus(double total) const;
    std::uint32_t best_by_value(const std::vector<double>& values, bool maximises, Rng& rng);
    std::uint32_t softmax(const std::vector<double>& values, const Scale& scale, Rng& rng);
    std::uint32_t highest_score(std::uint32_t count, double highest, Rng& rng) const;
    void compare(bool maximises, Choice& choice) const;
    double inverse_root(std::uint32_t n) const { return n < tabulated ? inverse_roots_[n] : large_inverse_root(n); }
    [[gnu::cold]] static double large_inverse_root(std::uint32_t n);
    [[gnu::cold]] double large_root_log(std::uint64_t n) const;

    TreeSearchOptions options_;
    GameFacts facts_;
    Player searcher_;
    std::vector<double> values_;         // of the actions, player 0's
    std::vector<std::uint32_t> visits_;  // of the actions
    std::vector<double> scores_;
    // Of the actions, where RAVE or priors count: values, visits and RAVE counts as they are compared, and beta.
    struct Combined {
        double value;
        double visits;
        double rave_count;
        double weight;

        bool is_tried() const { return visits > 0 || weight > 0; }
    };
    std::vector<Combined> combined_;
    std::vector<double> combined_values_;
    double combined_total_ = 0;          // N(s)
    double rave_total_ = 0;              // N~(s)
    std::uint32_t untried_ = 0;          // how many of them are
    const double* inverse_roots_;        // 1 / sqrt(n), in a table that all searches share
    const double* root_logs_;            // sqrt(2 ln n) or sqrt(ln n), the same; 0 of no visit
    std::array<Scale, 2> fixed_scales_;  // of the player who minimises, and who maximises
    bool has_fixed_scale_ = false;
    double prior_visits_;
    bool is_shared_;  // are other threads at work in the same tree?
    bool combines_;   // do RAVE or priors count?
    bool is_plain_;   // UCB1 over the children of a tree, nothing else to look at
};

}  // namespace katachi
