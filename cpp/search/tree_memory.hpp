// The part of a tree search that does not know its game: what it has memorised, and how that is looked at.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "games/go/ownership_tally.hpp"
#include "search/search.hpp"
#include "search/tree_control.hpp"
#include "search/tree_learner.hpp"

namespace katachi {

// A node for people and programs.
struct NodeView {
    NodeIndex index;
    Action action;
    std::uint64_t visits;
    std::uint64_t episodes;
    double value;
    std::optional<Bounds> range;  // of its successors' values, where they are kept
    double combined;              // the value with RAVE's share in it; of an action
    std::optional<Rave> rave;     // of an action, where there is one
};

// How a search stood after a number of steps, for studies of how it learns.
struct Snapshot {
    std::uint64_t steps;
    double gain;                      // the rewards of all steps until then
    std::vector<RootAction> actions;  // as of the last episode that had ended
};

class TreeMemory : public Search {
   public:
    TreeMemory(const TreeSearchOptions& options, const GameFacts& facts, Player searcher, const Rng& rng)
        : TreeMemory(options, facts, searcher, rng,
                     std::make_shared<NodeStore>(extras(options, facts), static_cast<std::size_t>(options.memory * 1024 * 1024))) {
        check_threads();
        if (is_shared()) {
            store_.share();
        }
    }
    // Another one that works in the tree of the first, in a thread of its own.
    TreeMemory(const TreeMemory& leader, const Rng& rng) : TreeMemory(leader.options_, leader.facts_, leader.searcher_, rng, leader.shared_store_) {
        root_ = leader.root_;
    }

   private:
    TreeMemory(const TreeSearchOptions& options, const GameFacts& facts, Player searcher, const Rng& rng, std::shared_ptr<NodeStore> store)
        : options_(options),
          facts_(facts),
          rng_(rng),
          shared_store_(std::move(store)),
          store_(*shared_store_),
          learner_(options, initial(options, facts, searcher)),
          control_(options, facts, searcher),
          taken_(options.rave == RaveUse::none ? 0 : facts.action_space, options.rave_moves),
          searcher_(searcher) {}

   public:
    bool advance(const Slice& slice) override;

    std::vector<RootAction> root_actions() const override {
        std::vector<RootAction> actions;
        if (root_ == no_node) {
            return actions;
        }
        for (const NodeView& child : children(root_)) {
            actions.push_back({child.action, child.visits, child.combined});
        }
        return actions;
    }

    NodeIndex root() const { return root_; }
    NodeView node(NodeIndex index) const { return view(index, store_[checked(index)].action); }

    // In the order of the game's candidates; those that were never visited are among them, with what they begin with.
    std::vector<NodeView> children(NodeIndex index) const {
        std::vector<NodeView> views;
        const Node& node = store_[checked(index)];
        for (std::uint32_t i = 0; i < node.count; ++i) {
            if (is_tree()) {
                views.push_back(view(node.first + i, store_[node.first + i].action));
                continue;
            }
            const Edge& edge = store_.edge(node.first + i);
            const NodeIndex child = edge.node == no_node ? store_.index().find(edge.key) : edge.node;
            if (child == no_node || store_[child].visits == 0) {
                views.push_back({no_node, edge.action, 0, 0, edge.initial, std::nullopt, edge.initial, std::nullopt});
            } else {
                views.push_back(view(child, edge.action));
                views.back().value = seen_through(edge.reward, views.back().value);
            }
        }
        if (is_tree() && options_.convention == Convention::state) {
            for (NodeView& child : views) {
                child.value = child.visits > 0 ? seen_through(store_.reward(child.index), child.value) : child.value;
            }
        }
        combine(node, views);
        return views;
    }

    std::size_t bytes() const { return store_.bytes(); }
    std::uint32_t nodes() const { return memorised_; }
    bool is_full() const { return is_full_; }

    // Snapshots will be taken after these numbers of steps, in ascending order. Playouts are played step by step for it.
    void watch(std::vector<std::uint64_t> steps) {
        if (is_shared()) {
            throw InvalidArgumentError("a search is watched in one thread, not in " + std::to_string(options_.threads));
        }
        watched_ = std::move(steps);
        snapshots_.clear();
    }
    const std::vector<Snapshot>& snapshots() const { return snapshots_; }

    // What the prior says of the actions at the root, player 0's. Empty without one, and where it depends on the way here (grandfather). Between two
    // slices only.
    virtual std::vector<std::pair<Action, double>> root_priors() = 0;

    // In Go: from now on it is counted who holds which point when episodes end.
    void keep_ownership(bool keeps) {
        keeps_ownership_ = keeps;
        ownership_ = {};
    }
    std::vector<double> ownership() const { return ownership_.shares(); }

    // Counts become a share of what they were.
    void forget(double share) { store_.forget(share, is_tree()); }

   protected:
    bool is_tree() const { return options_.structure == Structure::tree; }
    // Do several threads work in the tree?
    bool is_shared() const { return options_.threads > 1; }
    // Before several threads begin: there is a root.
    virtual void prepare() = 0;
    // One more for a thread of its own, on the same tree and from the same root.
    virtual std::unique_ptr<TreeMemory> companion(const Rng& rng) const = 0;
    // The root has moved: the others are of no use any more.
    void dismiss() { crew_.clear(); }

    // Makes room in a tree that is full, if that is wanted and of any use.
    void collect();

    // An error if what the root has learnt is no number.
    void check_root() const {
        if (const double value = store_.value(root_); !std::isfinite(value)) {
            throw DivergenceError("the value of the root has become " + std::to_string(value) +
                                  ": smaller steps or values nearer to the game's returns may help");
        }
    }

    // Of the tree. The slot of an action whose outcomes are observed is no state.
    std::uint32_t count_memorised() const;

    bool is_finished() const override { return is_full_ && options_.when_full == WhenFull::stop; }
    bool is_observed() const { return !facts_.deterministic && options_.transitions == Transitions::observed; }

    static double initial(const TreeSearchOptions& options, const GameFacts& facts, Player searcher) {
        return value_for(searcher, options.v_init.value_or(0), facts);
    }
    double initial() const { return initial(options_, facts_, searcher_); }

    // The new player at the root, whose values V_init and V_playout are.
    void set_searcher(Player searcher) {
        if (searcher != searcher_) {
            searcher_ = searcher;
            learner_ = TreeLearner(options_, initial());
            control_ = TreeControl(options_, facts_, searcher);
            if (options_.v_init && !has_first_values()) {
                store_.renew_initial(initial());
            }
        }
    }

    // Does a node begin with the value of a prior?
    bool has_first_values() const { return options_.prior != Prior::none && options_.prior_visits > 0; }

    double epsilon(int depth) const {
        const Limit& limit = meter().limit();
        switch (options_.epsilon_decay) {
            case Decay::none:
                return options_.epsilon;
            case Decay::linear:
                if (limit.steps) {
                    return options_.epsilon * left(meter().steps() + static_cast<std::uint64_t>(depth), *limit.steps);
                }
                return options_.epsilon * (limit.simulations ? left(meter().simulations(), *limit.simulations) : 1 - meter().share());
            case Decay::exponential:
                return options_.epsilon * std::pow(options_.epsilon_factor, static_cast<double>(meter().simulations()));
        }
        return 0;
    }

    bool is_watched() const { return snapshots_.size() < watched_.size(); }

    // After a step of an episode: `depth` steps, which have earned `gain`.
    void look(int depth, double gain) {
        const std::uint64_t now = steps() + static_cast<std::uint64_t>(depth);
        while (is_watched() && now >= watched_[snapshots_.size()]) {
            snapshots_.push_back({now, earned_ + gain, root_actions()});
        }
    }

    double earned_ = 0;  // by all episodes before the present one
    TreeSearchOptions options_;
    GameFacts facts_;
    Rng rng_;
    std::shared_ptr<NodeStore> shared_store_;
    NodeStore& store_;
    TreeLearner learner_;
    TreeControl control_;
    Episode episode_;
    Taken taken_;   // in the present episode, for RAVE
    Range global_;  // of what has been observed
    Player searcher_;
    NodeIndex root_ = 0;
    std::uint32_t memorised_ = 0;
    bool is_full_ = false;
    bool may_collect_ = true;
    bool keeps_ownership_ = false;
    go::OwnershipTally ownership_;

   private:
    class Delivery;

    void check_threads() const;
    void work(TreeMemory& member, const Slice& slice, const std::atomic<bool>& is_stopped);
    void take_all();

    std::vector<std::unique_ptr<TreeMemory>> crew_;  // of all threads but the first, which is this one's
    std::uint64_t finished_ = 0;                     // by this thread, in this slice: simulations
    std::uint64_t stepped_ = 0;                      // and their steps
    std::vector<std::uint64_t> watched_;
    std::vector<Snapshot> snapshots_;
    // What all threads change, apart from what they read. Simulations that were given out in this slice, and, if steps are limited, those of all.
    alignas(cache_line) std::atomic<std::uint64_t> given_out_ = 0;
    std::atomic<std::uint64_t> all_stepped_ = 0;

    static NodeStore::Extras extras(const TreeSearchOptions& options, const GameFacts& facts) {
        const auto normalisation = options.normalisation;
        return {.ranges = normalisation == Normalisation::local || normalisation == Normalisation::local_branch ||
                          normalisation == Normalisation::local_return,
                .rewards = options.convention == Convention::state && options.structure == Structure::tree,
                .means = options.learner == Learner::max_backup || options.learner == Learner::mixed_backup,
                .keys = !facts.deterministic && options.transitions == Transitions::observed,
                .raves = options.rave != RaveUse::none,
                .growing = !facts.deterministic};
    }

    // max(0, 1 - t / (N - 1))
    static double left(std::uint64_t done, std::uint64_t total) {
        return total <= 1 ? 0 : std::max(0.0, 1 - static_cast<double>(done) / static_cast<double>(total - 1));
    }

    double seen_through(double reward, double value) const {
        return options_.convention == Convention::state ? reward + options_.gamma * value : value;
    }

    NodeIndex checked(NodeIndex index) const {
        if (index >= store_.size()) {
            throw InvalidArgumentError("there is no node " + std::to_string(index) + " in this search of " + std::to_string(store_.size()));
        }
        return index;
    }

    NodeView view(NodeIndex index, Action action) const {
        const Node& node = store_[index];
        std::optional<Bounds> range;
        if (store_.extras().ranges && store_.range(index).low <= store_.range(index).high) {
            range = Bounds{store_.range(index).low, store_.range(index).high};
        }
        std::optional<Rave> rave;
        if (store_.extras().raves && store_.rave(index).count > 0) {
            rave = store_.rave(index);
        }
        return {index, action, node.visits, node.episodes, node.value, range, node.value, rave};
    }

    // What the control policy compares, of the actions of a node.
    void combine(const Node& node, std::vector<NodeView>& actions) const {
        std::uint64_t visits = 0;
        for (const NodeView& action : actions) {
            visits += action.visits;
        }
        const double total = control_.parent_visits(visits, node.visits, static_cast<std::uint32_t>(actions.size()));
        for (NodeView& action : actions) {
            action.combined = control_.combined(action.value, static_cast<std::uint32_t>(action.visits), action.rave.value_or(Rave{}), total);
        }
    }
};

}  // namespace katachi
