// What an episode changes (Vodopivec 2018, 3.5 and 4.3; Silver 2009, 3.4): Monte-Carlo, TD(lambda), Q(lambda), max backups.
//
// Errors and returns are measured with the values from before the episode and then given to the nodes. In place, errors are
// measured with what the nodes hold when their turn comes, from the end of the episode to its beginning: that is exact in a
// tree, where no node occurs twice. Online, every error is given to all that led to it as soon as it is known.
#pragma once

#include <cmath>
#include <vector>

#include "search/backlog.hpp"
#include "search/episode.hpp"
#include "search/node_store.hpp"
#include "search/tree_options.hpp"

namespace katachi {

class TreeLearner {
   public:
    // `initial`: V_init of player 0, where it is a constant.
    TreeLearner(const TreeSearchOptions& options, double initial);

    // Before each episode: its number in the present search, which lambda may depend on.
    void begin_episode(std::uint64_t number);

    // The whole episode, when it has ended. `global` are the bounds of what has been observed.
    void learn(NodeStore& store, Episode& episode, Range& global);

    // Online: the last entry has been reached; and nothing comes after it.
    void learn_step(NodeStore& store, Episode& episode);
    void learn_end(NodeStore& store, Episode& episode, Range& global);

    // What remains of a playout of which only sums are known: its rewards decayed by gamma lambda and by gamma. `beyond` is
    // V_playout of the state behind it, `leaf` the value of the entry before it.
    Tail tail(double decayed, double discounted, int length, bool is_cut, double beyond, double leaf);

    // After `learn`: all actions that the player to move has taken from a memorised state on learn what the chosen one does, each once
    // (Silver 2009, 8.3).
    void learn_raves(NodeStore& store, const Episode& episode, Taken& taken) const;

    // The whole episode, RAVE values too, while other threads walk through the tree. Only where learning is plain. Returns how many nodes had their
    // first visit. What nodes with many visits have learnt is given later, all of it by `give_backlog`.
    std::uint32_t learn_together(NodeStore& store, const Episode& episode, Taken& taken);
    void give_backlog(NodeStore& store);
    Backlog& backlog() { return backlog_; }

    // A tree of afterstates, one-ply errors or returns: one pass will do.
    bool is_plain() const { return is_plain_; }

    // What the action that led to an entry of the last episode was to learn, with its reward.
    double action_target(std::size_t i, const Episode& episode) const {
        const Entry& entry = episode.entries[i];
        const bool is_state = options_.convention == Convention::state;
        const bool is_return = options_.learner == Learner::monte_carlo || (is_state && i + 1 == episode.entries.size());
        const double target = is_return ? returns_[i] : entry.value + sums_[i];
        return is_state ? entry.reward + options_.gamma * target : target;
    }

    // gamma^k and (gamma lambda)^k, by repeated multiplication.
    double discount(int k) { return power(discounts_, options_.gamma, k); }
    double trace(int k) { return options_.lambda_rise > 0 ? std::pow(options_.gamma * lambda_, k) : power(traces_, options_.gamma * lambda_, k); }

   private:
    static double power(std::vector<double>& table, double base, int k);
    double step_size(const Node& node) const;
    double other_step_size(const Node& node) const;
    void learn_plainly(NodeStore& store, const Episode& episode);
    template <class Access>
    void give_raves(NodeStore& store, const Episode& episode, Taken& taken, std::size_t i) const;
    template <class Access, class IsTaken, class ActionOf>
    static void add_returns(Rave* raves, std::size_t count, double target, const IsTaken& is_taken, const ActionOf& action_of);
    // The value of a node after a lesson (`action_target`); its visit has been counted.
    double taught(const Node& node, double value, double lesson) const { return value + step_size(node) * (lesson - value); }
    void keep(NodeStore& store, const Episode& episode, Taken& taken, std::size_t i, std::uint32_t patience);
    void give(NodeStore& store, Backlog::Kept& kept) const;
    void measure(const Episode& episode);
    void measure_two_ply(const Episode& episode);
    void give_returns(NodeStore& store, const Episode& episode);
    void give_errors(NodeStore& store, const Episode& episode);
    void learn_in_place(NodeStore& store, const Episode& episode);
    void back_up_best(NodeStore& store, const Episode& episode);
    bool best_of(const NodeStore& store, const Entry& entry, double& best) const;
    bool learns_nothing(const Episode& episode, std::size_t i) const;
    static void renew_action(NodeStore& store, const Entry& entry);
    void give_error(NodeStore& store, const Episode& episode, std::size_t last, double error);
    void count_visit(Node& node, const Entry& entry);
    void finish(NodeStore& store, const Episode& episode, Range& global);
    double successor_value(const NodeStore& store, const Entry& entry) const;
    void widen_ranges(NodeStore& store, const Episode& episode);

    TreeSearchOptions options_;
    double initial_;
    double lambda_;  // of the present episode
    bool is_plain_;
    Backlog backlog_;
    std::vector<double> discounts_;
    std::vector<double> traces_;
    std::vector<double> returns_;      // of each entry, with the reward of entering it (afterstates)
    std::vector<double> sums_;         // of each entry: TD errors from there on, decayed
    std::vector<std::uint32_t> cuts_;  // of each entry: choices from there on that cut the traces
};

}  // namespace katachi
