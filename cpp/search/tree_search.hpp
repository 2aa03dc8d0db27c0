// The one tree search: temporal-difference tree search (Vodopivec 2018, chapter 4), of which UCT, Monte-Carlo control, Sarsa(lambda)
// and Sarsa-UCT(lambda) are settings. An iteration generates an episode, memorises some of its new states and learns from it.
//
// In the memorised part of the space the control policy chooses (tree_control.hpp), beyond it the playout policy. A node of the
// tree stands for a sequence of actions; where a game has chance, for all states that they led to, or for those that were
// observed. A graph finds its nodes by the keys of states, so that an episode may leave the memorised part and come back.
// Where values are of afterstates, its root is apart: it is never entered, and a state that is entered later, the same or
// not, has another value: that of entering it.
// Children are made when a node is selected from for the first time.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "policies/playout.hpp"
#include "search/tree_memory.hpp"
#include "search/tree_prior.hpp"

namespace katachi {

// What a user knows of a game: values of player 0, weights of actions in playouts, and values of actions of player 0.
template <class S>
struct Heuristics {
    std::function<double(const S&)> value;
    std::function<void(const S&, const ActionBuffer&, std::vector<double>&)> weights;
    std::function<void(const S&, const ActionBuffer&, std::vector<double>&)> prior;
};

template <GameState S>
class TreeSearch final : public TreeMemory {
   public:
    TreeSearch(S root, ActionBuffer actions, const TreeSearchOptions& options, Heuristics<S> heuristics, const Rng& rng, bool calls_python)
        : TreeMemory(options, root.facts(), root.to_play(), rng),
          root_state_(std::move(root)),
          root_actions_(std::move(actions)),
          heuristics_(std::move(heuristics)),
          calls_python_(calls_python || heuristics_.value || heuristics_.weights || heuristics_.prior),
          policy_(options.policy, root_state_),
          prior_(options, root_state_) {
        records_playouts_ = !is_tree() || options.plies == 2 || options.convention == Convention::state || uses_mast() ||
                            options.v_playout == PlayoutValue::heuristic || !options.v_init;
        if (is_shared() && calls_python_) {
            throw InvalidArgumentError("a game or a heuristic in Python is searched in one thread, not in " + std::to_string(options.threads));
        }
        plant();
    }

    TreeSearch(const TreeSearch& leader, const Rng& rng)
        : TreeMemory(leader, rng),
          root_state_(leader.root_state_),
          root_actions_(leader.root_actions_),
          calls_python_(false),
          policy_(options_.policy, root_state_),
          prior_(options_, root_state_),
          records_playouts_(leader.records_playouts_) {}

    bool calls_python() const override { return calls_python_; }

    std::vector<std::pair<Action, double>> root_priors() override {
        std::vector<std::pair<Action, double>> told;
        if (options_.prior == Prior::none || options_.prior == Prior::grandfather) {
            return told;
        }
        buffer_ = root_actions_;
        ask_prior(root_, root_state_);
        for (std::size_t i = 0; i < root_actions_.size(); ++i) {
            told.emplace_back(root_actions_[i], priors_[i]);
        }
        return told;
    }

    // Goes on from another state, which `path` leads to, with what is memorised of it. False: nothing is, it begins anew.
    bool move_root(S root, ActionBuffer actions, const std::vector<Action>& path, const Rng& rng) {
        NodeIndex node = is_tree() ? descend(path) : store_.index().find(root.key());
        if (node != no_node && store_[node].visits == 0) {
            node = no_node;
        }
        dismiss();
        policy_ = PolicyFor<S>(options_.policy, root);
        set_searcher(root.to_play());
        root_state_ = std::move(root);
        root_actions_ = std::move(actions);
        rng_ = rng;
        is_full_ = false;
        may_collect_ = true;
        earned_ = 0;
        mast_ = {};
        ownership_ = {};
        reset_counts();
        if (node == no_node) {
            uproot();
            plant();
        } else {
            keep_from(node);
        }
        return node != no_node;
    }

   protected:
    std::uint64_t simulate() override {
        if (!is_shared()) {
            prepare();
            if (is_full_) [[unlikely]] {
                collect();
            }
        }
        Rng rng = rng_;
        S state = root_state_;
        Range global = global_;
        episode_.clear();
        const Underway underway(*this);
        taken_.begin();
        learner_.begin_episode(simulations());
        has_weights_ = false;
        has_begun_ = false;
        has_new_ = !is_tree();
        steps_ = 0;
        gain_ = 0;
        most_steps_ = static_cast<int>(std::min<std::uint64_t>(meter().steps_left(), longest_playout));
        if (options_.horizon) {
            most_steps_ = std::min(most_steps_, *options_.horizon);
        }
        bool is_cut = false;
        if (is_tree()) {
            is_cut = walk_tree(state, global, rng);
        } else {
            try {
                is_cut = walk_graph(state, global, rng);
            } catch (...) {
                if (!is_online()) {
                    uncount();
                }
                throw;
            }
            if (!is_online()) {
                uncount();
            }
        }
        if (!std::isfinite(gain_)) {
            throw GameContractError("the rewards of a game added up to " + std::to_string(gain_));
        }
        rng_ = rng;
        earned_ += gain_;
        if constexpr (GoLike<S>) {
            if (keeps_ownership_) [[unlikely]] {
                ownership_.add(state.board());
            }
        }
        if (is_cut && options_.cut_rule == CutRule::drop) {
            return static_cast<std::uint64_t>(steps_);
        }
        global_ = global;
        episode_.total = gain_ + episode_.beyond;
        if (is_shared()) {
            memorised_ += learner_.learn_together(store_, episode_, taken_);
        } else if (is_online()) {
            learner_.learn_end(store_, episode_, global_);
        } else {
            learner_.learn(store_, episode_, global_);
        }
        if (uses_rave() && !is_shared()) {
            learner_.learn_raves(store_, episode_, taken_);
        }
        if (uses_mast()) {
            learn_mast();
        }
        check_root();
        for (const Entry& entry : has_new_ && !is_shared() ? std::span<const Entry>(episode_.entries) : std::span<const Entry>()) {
            memorised_ += entry.node != no_node && entry.node != root_ && entry.is_first && store_[entry.node].episodes == 1 ? 1 : 0;
        }
        return static_cast<std::uint64_t>(steps_);
    }

    bool is_finished() const override { return root_actions_.empty() || TreeMemory::is_finished(); }

    void prepare() override {
        if (root_ == no_node) {
            plant();
        }
    }

    std::unique_ptr<TreeMemory> companion(const Rng& rng) const override { return std::make_unique<TreeSearch>(*this, rng); }

   private:
    static constexpr int clock_period = 256;

    // While it lasts, other threads are told which nodes the present episode has met.
    class Underway {
       public:
        explicit Underway(TreeSearch& search) : search_(search) {}
        Underway(const Underway&) = delete;
        Underway(Underway&&) = delete;
        Underway& operator=(const Underway&) = delete;
        Underway& operator=(Underway&&) = delete;
        ~Underway() {
            if (search_.is_shared()) {
                search_.leave_nodes();
            }
        }

       private:
        TreeSearch& search_;
    };

    struct MastCell {
        std::uint64_t visits = 0;
        double value = 0;  // mean return of player 0
    };

    bool uses_mast() const { return options_.playout_policy == PlayoutPolicy::mast || options_.v_playout == PlayoutValue::memory; }
    bool uses_rave() const { return options_.rave != RaveUse::none; }
    bool is_online() const { return options_.timing == Timing::online && !is_tree() && options_.learner != Learner::monte_carlo; }

    void plant() {
        try {
            root_ = store_.add(1, initial_value(root_state_));
            memorised_ = 1;
            if (is_tree()) {
                make_children(root_, root_state_);
            } else {
                home_ = options_.convention == Convention::state ? root_ : store_.add(1, initial_value(root_state_));
                store_.index().insert(root_state_.key(), home_);
                make_edges(root_, root_state_);
            }
        } catch (...) {
            uproot();  // the game or a heuristic has failed: the next simulation tries again
            throw;
        }
    }

    // Nothing is memorised, not even the root.
    void uproot() {
        store_.clear();
        global_ = {};
        root_ = home_ = no_node;
        memorised_ = 0;
    }

    // What is memorised from a node on stays; it becomes the root.
    void keep_from(NodeIndex node) {
        try {
            if (is_tree()) {
                store_.keep_subtree(node);
                root_ = 0;
                renew_root();
                return;
            }
            root_ = home_ = store_.keep_reachable(node);
            memorised_ = 0;
            for (NodeIndex i = 0; i < store_.size(); ++i) {
                memorised_ += store_[i].visits > 0 ? 1 : 0;
            }
            if (options_.convention == Convention::afterstate) {
                root_ = store_.add(1, 0);
                store_.copy(home_, root_);
            }
            renew_root_edges();
        } catch (...) {
            uproot();
            throw;
        }
    }

    double initial_value(const S& state) const { return options_.v_init ? initial() : heuristics_.value(state); }

    // The candidates of a state, into buffer_.
    void list(NodeIndex node, const S& state) {
        if (node == root_) {
            buffer_ = root_actions_;
        } else {
            candidates(state, buffer_);
        }
    }

    // ---- the tree ------------------------------------------------------------------------------------------------------

    // True if the episode was cut by the budget.
    bool walk_tree(S& state, Range& global, Rng& rng) {
        NodeIndex node = root_;
        std::uint32_t created = 0;
        const std::uint32_t most_new = options_.new_nodes.value_or(never);
        enter(node, no_node, Action{}, 0, store_.visits(node) > 0 ? store_.value(node) : initial_value(state), state);
        while (true) {
            if (state.is_terminal()) {
                return end();
            }
            if (is_spent()) {
                return cut(state);
            }
            const bool is_known = node != no_node && (node == root_ || store_.visits(node) > 0);
            const bool may_grow = node != no_node && (is_known || created < most_new);
            const bool has_children = may_grow && facts_.deterministic && store_.first(node) != no_node;
            if (!has_children && (!may_grow || !make_children(node, state))) {
                return play_out(state, global, rng);
            }
            if (options_.expansion == Expansion::all_children && is_known && has_untried(node)) [[unlikely]] {
                return leave(node, state, global, rng);
            }
            const std::uint32_t slot = is_known ? choose(node, state, rng) : choose_playout_slot(node, state, rng);
            node = take(node, slot, state, global, rng, created);
        }
    }

    // The action in a slot of a node; returns the node that it leads to, if there is room for it, and counts it if it is new.
    [[gnu::always_inline]] NodeIndex take(NodeIndex node, std::uint32_t slot, S& state, Range& global, Rng& rng, std::uint32_t& created) {
        const NodeIndex child = store_[node].first + slot;
        const Action action = store_[child].action;
        const Reward reward = step(state, action, global, rng);
        const NodeIndex next = is_observed() ? outcome(child, state) : child;
        const bool is_memorised = next != no_node && store_.visits(next) > 0;
        if (next != no_node && !is_memorised) {
            ++created;
            has_new_ = true;
        }
        const double value = is_memorised ? store_.value(next) : next != no_node ? new_value(next, state) : playout_value(state, action);
        enter(next, is_observed() ? child : no_node, action, reward, value, state);
        if (is_shared() && !learner_.backlog().waits(store_.visits(next))) [[unlikely]] {
            episode_.entries.back().is_marked = true;
            std::atomic_ref(store_[next].walkers).fetch_add(1, std::memory_order_relaxed);
        }
        return next;
    }

    // The present episode is over.
    void leave_nodes() {
        for (const Entry& entry : episode_.entries) {
            if (entry.is_marked) {
                std::atomic_ref(store_[entry.node].walkers).fetch_sub(1, std::memory_order_relaxed);
            }
        }
    }

    // The playout policy chooses in a node, and then goes on to the end. True if the episode was cut by the budget.
    [[gnu::noinline]] bool leave(NodeIndex node, S& state, Range& global, Rng& rng) {
        std::uint32_t created = 0;
        take(node, choose_playout_slot(node, state, rng), state, global, rng, created);
        if (state.is_terminal()) {
            return end();
        }
        return is_spent() ? cut(state) : play_out(state, global, rng);
    }

    // Is one of the present actions not in the tree yet?
    bool has_untried(NodeIndex node) {
        Node* const children = &store_[store_.first(node)];
        if (!facts_.deterministic) {
            return std::ranges::any_of(allowed_, [&](std::uint32_t slot) { return children[slot].visits == 0; });
        }
        return std::any_of(children, children + store_[node].count, [](Node& child) { return AtomicAccess::load(child.visits) == 0; });
    }

    // What a new node begins with; the end is worth nothing more in the convention of states.
    double new_value(NodeIndex node, const S& state) const {
        if (options_.convention == Convention::state && state.is_terminal()) {
            return 0;
        }
        return options_.v_init ? store_.value(node) : heuristics_.value(state);
    }

    // Sees to it that the node has its children. False: there is no room for them.
    bool make_children(NodeIndex node, const S& state) {
        if (store_.first(node) != no_node && facts_.deterministic) {
            return true;
        }
        list(node, state);
        if (store_.first(node) == no_node) {
            const auto count = static_cast<std::uint32_t>(buffer_.size());
            const std::uint32_t most = count * (facts_.deterministic ? 1 : 2);
            if (node != root_ && (is_shared() ? is_full_ : !store_.has_room(most))) {
                is_full_ = true;
                return false;
            }
            // First what a user's game or heuristic may refuse: no node is left with half of its children.
            initials_.assign(count, initial());
            for (std::uint32_t i = 0; i < count && !options_.v_init && facts_.deterministic; ++i) {
                S next = state;
                play(next, buffer_[i], rng_);
                initials_[i] = heuristics_.value(next);
            }
            if (options_.prior != Prior::none) {
                ask_prior(node, state);
            }
            const auto growing = store_.growing();
            if (store_.first(node) != no_node) {
                return true;  // another thread was faster
            }
            if (is_shared() && node != root_ && !store_.has_room(most)) {
                is_full_ = true;
                return false;
            }
            const NodeIndex first = store_.add_children(count, initial());
            for (std::uint32_t i = 0; i < count; ++i) {
                store_[first + i].action = buffer_[i];
                store_[first + i].value = initials_[i];
            }
            if (options_.prior != Prior::none) {
                begin_with_prior(first, count);
            }
            store_.adopt(node, first, count);
        }
        return facts_.deterministic || allow(node);
    }

    // The actions in buffer_ of a new node begin with what they are taken to be worth (Silver 2009, 8.5 and 8.6).
    void ask_prior(NodeIndex node, const S& state) {
        switch (options_.prior) {
            case Prior::none:
                break;
            case Prior::even:
                priors_.assign(buffer_.size(), even_value());
                break;
            case Prior::grandfather:
                ask_grandfather(node, state.to_play());
                break;
            case Prior::heuristic:
                heuristics_.prior(state, buffer_, priors_);
                break;
            default:
                prior_.values(state, buffer_, priors_);
                break;
        }
    }

    // Q(s two plies before, a), where that is known; the node is the last one of the present episode.
    void ask_grandfather(NodeIndex node, Player to_play) {
        priors_.assign(buffer_.size(), even_value());
        const auto& entries = episode_.entries;
        if (node == root_ || entries.size() < 3 || entries[entries.size() - 3].to_play != to_play) {
            return;
        }
        const Node& before = store_[entries[entries.size() - 3].node];
        for (NodeIndex i = before.first; i < before.first + before.count; ++i) {
            const auto same = std::ranges::find(buffer_, store_[i].action);
            if (same != buffer_.end() && store_.visits(i) > 0) {
                const double value = store_.value(i);
                priors_[static_cast<std::size_t>(same - buffer_.begin())] =
                    options_.convention == Convention::state ? store_.reward(i) + options_.gamma * value : value;
            }
        }
    }

    void begin_with_prior(NodeIndex first, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (uses_rave()) {
                store_.rave(first + i) = {options_.prior_count * priors_[i], options_.prior_count};
            }
            if (has_first_values()) {
                store_[first + i].value = priors_[i];
            }
        }
    }

    // What an action is worth in an even game.
    double even_value() const {
        return facts_.players == 2 && facts_.return_bounds ? (facts_.return_bounds->low + facts_.return_bounds->high) / 2 : 0;
    }

    // Of a game with chance: which slots the candidates of the present state have; new ones are added.
    bool allow(NodeIndex node) {
        allowed_.clear();
        std::uint32_t hint = 0;
        for (const Action action : buffer_) {
            const std::uint32_t count = store_[node].count;
            std::uint32_t slot = hint;
            if (slot >= count || store_[store_[node].first + slot].action != action) {
                for (slot = 0; slot < count && store_[store_[node].first + slot].action != action; ++slot) {
                }
            }
            if (slot == count) {
                if (!store_.has_room(count * 2 + 2)) {
                    is_full_ = true;
                    return false;
                }
                store_[store_.append_child(node, initial())].action = action;
            }
            allowed_.push_back(slot);
            hint = slot + 1;
        }
        return true;
    }

    std::uint32_t choose(NodeIndex node, const S& state, Rng& rng) {
        if (control_.is_plain() && facts_.deterministic) {
            return control_.choose_child(store_, node, state.to_play(), global_, rng);
        }
        return choose_otherwise(node, state, rng);
    }

    [[gnu::noinline]] std::uint32_t choose_otherwise(NodeIndex node, const S& state, Rng& rng) {
        const bool may_stay = is_shared() && control_.is_steady() && learner_.backlog().waits(store_.visits(node));
        if (may_stay) {
            if (const auto kept = learner_.backlog().choice(node)) {
                return *kept;
            }
        }
        const double epsilon_now = options_.control == ControlPolicy::epsilon_greedy ? epsilon(steps_) : 0;
        const Choice choice = control_.choose(store_, node, state.to_play(), global_, epsilon_now, rng, facts_.deterministic ? nullptr : &allowed_);
        if (choice.has_best) {
            Entry& entry = episode_.entries.back();
            entry.has_best = true;
            entry.is_greedy = choice.is_greedy;
            entry.best = choice.best;
        }
        if (may_stay) {
            learner_.backlog().stay(node, choice.slot, store_.visits(store_.first(node) + choice.slot));
        }
        return choice.slot;
    }

    std::uint32_t choose_playout_slot(NodeIndex node, S& state, Rng& rng) {
        begin_playout(rng);
        if (facts_.deterministic) {
            buffer_.clear();
            for (std::uint32_t i = 0; i < store_[node].count; ++i) {
                buffer_.push_back(store_[store_[node].first + i].action);
            }
        }
        const auto count = static_cast<std::uint32_t>(buffer_.size());
        std::uint32_t index = choose_playout_action(state, rng);
        if (index == count) {
            index = rng.below(count);  // no child has what the policy would play
        }
        return facts_.deterministic ? index : allowed_[index];
    }

    // The node of the state that an action has led to; none if there is no room for it.
    NodeIndex outcome(NodeIndex slot, const S& state) {
        const std::uint64_t key = state.key();
        for (NodeIndex i = store_[slot].first; i < store_[slot].first + store_[slot].count; ++i) {
            if (store_.key(i) == key) {
                return i;
            }
        }
        if (!store_.has_room(store_[slot].count * 2 + 2)) {
            is_full_ = true;
            return no_node;
        }
        const NodeIndex created = store_.append_child(slot, initial());
        store_.key(created) = key;
        store_[created].action = store_[slot].action;
        return created;
    }

    NodeIndex descend(const std::vector<Action>& path) const {
        if (is_observed() && !path.empty()) {
            return no_node;  // which outcome it was is not known
        }
        NodeIndex node = root_;
        for (const Action action : path) {
            NodeIndex next = no_node;
            for (NodeIndex i = store_[node].first; store_[node].first != no_node && i < store_[node].first + store_[node].count; ++i) {
                if (store_[i].action == action) {
                    next = i;
                }
            }
            if (next == no_node) {
                return no_node;
            }
            node = next;
        }
        return node;
    }

    // At the root less may be allowed than inside the search (superko), so that its children are chosen again.
    void renew_root() {
        memorised_ = count_memorised();
        const Node old = store_[0];
        if (old.first == no_node || !facts_.deterministic) {
            make_children(0, root_state_);
            return;
        }
        const auto is_same = [&] {
            for (std::uint32_t i = 0; i < old.count; ++i) {
                if (old.count != root_actions_.size() || store_[old.first + i].action != root_actions_[i]) {
                    return false;
                }
            }
            return true;
        };
        if (is_same()) {
            return;
        }
        store_[0].first = no_node;
        make_children(0, root_state_);
        for (std::uint32_t i = 0; i < store_[0].count; ++i) {
            for (std::uint32_t j = 0; j < old.count; ++j) {
                if (store_[old.first + j].action == store_[store_[0].first + i].action) {
                    store_.copy(old.first + j, store_[0].first + i);
                }
            }
        }
        store_.count_children(0);
    }

    // ---- the graph -----------------------------------------------------------------------------------------------------

    bool walk_graph(S& state, Range& global, Rng& rng) {
        NodeIndex node = root_;
        std::uint32_t created = 0;
        const bool is_fixed = options_.structure == Structure::fixed;
        const std::uint32_t most_new = is_fixed ? never : options_.new_nodes.value_or(never);
        enter_graph(node, no_node, Action{}, 0, state);
        while (true) {
            if (state.is_terminal()) {
                return end();
            }
            if (is_spent()) {
                return cut(state);
            }
            Action action;
            NodeIndex edge = no_node;
            NodeIndex next = no_node;
            // A new state is left by the playout policy the first time, and by the control policy when it is met again.
            const bool is_known =
                node != no_node && (is_fixed || node == root_ || node == home_ || is_old(node) || !episode_.entries.back().is_first);
            if (is_known && make_edges(node, state)) {
                edge = store_[node].first + choose(node, state, rng);
                action = store_.edge(edge).action;
                next = store_.edge(edge).node;
            } else {
                list(node, state);
                begin_playout(rng);
                action = buffer_[choose_playout_action(state, rng)];
            }
            const Reward reward = step(state, action, global, rng);
            if (next == no_node) {
                next = store_.index().find(state.key());
            }
            // A node without visits was left behind by an episode that was dropped or failed.
            if (next == no_node || (store_[next].visits == 0 && next != home_ && !is_in_episode(next))) {
                next = created < most_new ? create(next, state) : no_node;
                created += next == no_node ? 0 : 1;
            }
            node = next;
            enter_graph(node, edge, action, reward, state);
        }
    }

    // The node for a state that is not memorised: one that is there already, or a new one; none if there is no room.
    NodeIndex create(NodeIndex left_behind, const S& state) {
        if (left_behind != no_node) {
            return left_behind;
        }
        if (!store_.has_room(1)) {
            is_full_ = true;
            return no_node;
        }
        const NodeIndex created = store_.add(1, initial_value(state));
        store_.index().insert(state.key(), created);
        return created;
    }

    // The edges of the root are made anew, since less may be allowed there; what is known of them stays.
    void renew_root_edges() {
        const Node old = store_[root_];
        store_[root_].first = no_node;
        store_[root_].count = 0;
        make_edges(root_, root_state_);
        for (std::uint32_t i = 0; i < store_[root_].count; ++i) {
            Edge& edge = store_.edge(store_[root_].first + i);
            for (std::uint32_t j = 0; j < old.count; ++j) {
                if (store_.edge(old.first + j).action == edge.action) {
                    edge.visits = store_.edge(old.first + j).visits;
                }
            }
        }
    }

    // Was it memorised before this episode? Online, the episode has been counted already.
    bool is_old(NodeIndex node) const { return store_[node].episodes > (is_online() && is_in_episode(node) ? 1U : 0U); }
    bool is_in_episode(NodeIndex node) const {
        const std::uint32_t mark = store_[node].mark;
        return mark < episode_.entries.size() && episode_.entries[mark].node == node;
    }

    void enter_graph(NodeIndex node, NodeIndex edge, Action action, Reward reward, const S& state) {
        const bool is_met = node != no_node && is_in_episode(node);
        double value = 0;
        if (node == no_node) {
            value = playout_value(state, action);
        } else if (is_met && !is_online()) {
            value = episode_.entries[store_[node].mark].value;
        } else {
            value = store_[node].episodes > 0 ? store_[node].value : new_value(node, state);
        }
        bool is_first = true;
        if (node != no_node) {
            if (is_in_episode(node)) {
                episode_.entries[store_[node].mark].later = static_cast<std::uint32_t>(episode_.entries.size());
                is_first = false;
            }
            store_[node].mark = static_cast<std::uint32_t>(episode_.entries.size());
        }
        enter(node, edge, action, reward, value, state);
        episode_.entries.back().is_first = is_first;
        if (is_online()) {
            learner_.learn_step(store_, episode_);
        } else if (node != no_node) {
            ++store_[node].visits;  // at once, or a greedy policy would run in circles
        }
        if (!is_online() && edge != no_node) {
            ++store_.edge(edge).visits;
        }
    }

    // Takes back the visits of the present episode, which the learner will count in its own order.
    void uncount() {
        for (const Entry& entry : episode_.entries) {
            if (entry.node != no_node) {
                --store_[entry.node].visits;
            }
            if (entry.slot != no_node) {
                --store_.edge(entry.slot).visits;
            }
        }
    }

    bool make_edges(NodeIndex node, const S& state) {
        if (store_[node].first != no_node) {
            return true;
        }
        list(node, state);
        const auto count = static_cast<std::uint32_t>(buffer_.size());
        if (node != root_ && !store_.has_room(1, count)) {
            is_full_ = true;
            return false;
        }
        const NodeIndex first = store_.add_edges(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            S next = state;
            const Reward reward = play(next, buffer_[i], rng_);
            Edge& edge = store_.edge(first + i);
            edge.action = buffer_[i];
            edge.reward = reward;
            edge.key = next.key();
            edge.initial = initial_value(next);
        }
        store_.adopt(node, first, count);
        return true;
    }

    // ---- episodes ------------------------------------------------------------------------------------------------------

    // Is the present episode to end here? The clock is looked at now and then: an episode may be long.
    bool is_spent() const { return steps_ >= most_steps_ || ((steps_ + 1) % clock_period == 0 && meter().is_spent(true)); }

    Reward step(S& state, Action action, Range& global, Rng& rng) {
        if (has_begun_) {
            policy_.follow(state, action);
        }
        if (uses_rave()) [[unlikely]] {
            taken_.add(state.to_play(), action);
        }
        const Reward reward = play(state, action, rng);
        ++steps_;
        gain_ += reward;
        if (is_watched()) {
            look(steps_, gain_);
        }
        if (options_.global_source == GlobalSource::running_return) {
            global.add(gain_);
        }
        return reward;
    }

    void enter(NodeIndex node, NodeIndex slot, Action action, Reward reward, double value, const S& state) {
        Entry& entry = episode_.entries.emplace_back();
        entry.node = node;
        entry.slot = slot;
        entry.action = action;
        entry.to_play = state.to_play();
        entry.maximises = control_.maximises(entry.to_play);
        entry.reward = options_.reward_timing == RewardTiming::timed ? reward : 0;
        entry.value = value;
        if (options_.convention == Convention::state) {
            entry.is_end = (options_.horizon && steps_ >= *options_.horizon) || state.is_terminal();
        }
        if (node == no_node && !options_.v_init) {
            entry.initial = heuristics_.value(state);
        }
    }

    // The last transition gets the sum of all rewards, where their time does not count.
    void settle_rewards() {
        if (options_.reward_timing == RewardTiming::final_sum) {
            episode_.entries.back().reward = gain_;
        }
    }

    bool end() {
        episode_.is_over = true;
        settle_rewards();
        converge();
        return false;
    }

    // The steps are used up: by the horizon, which counts as the end, or by the budget.
    bool cut(const S& state) {
        const bool is_horizon = options_.horizon && steps_ >= *options_.horizon;
        episode_.is_over = is_horizon;
        episode_.tail.next = episode_.beyond = is_horizon ? 0 : value_beyond(state);
        settle_rewards();
        converge();
        return !is_horizon;
    }

    // V_playout = converged_next: what makes all errors beyond the memorised part vanish.
    void converge() {
        if (options_.v_playout != PlayoutValue::converged_next || !records_playouts_) {
            return;
        }
        const bool is_state = options_.convention == Convention::state;
        double next = episode_.tail.next;
        double reward = 0;
        for (auto entry = episode_.entries.rbegin(); entry != episode_.entries.rend(); ++entry) {
            const bool is_last_state = is_state && entry == episode_.entries.rbegin();
            if (entry->node == no_node && !is_last_state) {
                entry->value = (is_state ? reward : entry->reward) + options_.gamma * next;
            }
            next = entry->is_end ? 0 : entry->value;
            reward = entry->reward;
        }
    }

    // What is assumed behind a cut in this state, the last one of the episode.
    double value_beyond(const S& state) const {
        const Entry& last = episode_.entries.back();
        if (options_.convention == Convention::state || (options_.v_playout == PlayoutValue::memory && last.node == no_node)) {
            return last.value;
        }
        return options_.v_playout == PlayoutValue::memory ? initial_value(state) : playout_value(state, Action{});
    }

    // From here on nothing is memorised.
    bool play_out(S& state, Range& global, Rng& rng) {
        begin_playout(rng);
        if (records_playouts_) {
            while (true) {
                if (state.is_terminal()) {
                    return end();
                }
                if (is_spent()) {
                    return cut(state);
                }
                list(no_node, state);
                const Action action = buffer_[choose_playout_action(state, rng)];
                const Reward reward = step(state, action, global, rng);
                enter(no_node, no_node, action, reward, playout_value(state, action), state);
            }
        }
        const double leaf = episode_.entries.back().value;
        double decayed = 0;
        double discounted = 0;
        int length = 0;
        bool is_cut = false;
        // Only the sum counts, or only the last step earns: a game's own playout will do.
        const bool counts_time = options_.gamma != 1 || options_.learner != Learner::monte_carlo;
        if (options_.playout_policy == PlayoutPolicy::policy && !is_watched() && (facts_.final_reward || (!counts_time && !observes_steps()))) {
            begin_policy(state, rng);
            const int most = most_steps_ - steps_;
            const Playout rest = uses_rave() ? play_on_watched(state, rng, most) : policy_.play_on(state, rng, buffer_, most);
            length = rest.length;
            is_cut = rest.cut && !state.is_terminal();
            gain_ += rest.total;
            steps_ += length;
            if (options_.global_source == GlobalSource::running_return) {
                global.add(gain_);
            }
            decayed = rest.total;
            discounted = rest.total;
            if (counts_time && length > 0) {
                decayed *= learner_.trace(length - 1);
                discounted *= learner_.discount(length - 1);
            }
        } else {
            for (; !state.is_terminal(); ++length) {
                if (is_spent()) {
                    is_cut = true;
                    break;
                }
                list(no_node, state);
                const Reward reward = step(state, buffer_[choose_playout_action(state, rng)], global, rng);
                decayed += learner_.trace(length) * reward;
                discounted += learner_.discount(length) * reward;
            }
        }
        if (length == 0) {
            return cut(state);
        }
        if (options_.reward_timing == RewardTiming::final_sum) {
            decayed = learner_.trace(length - 1) * gain_;
            discounted = learner_.discount(length - 1) * gain_;
        }
        is_cut = is_cut && !(options_.horizon && steps_ >= *options_.horizon);
        episode_.is_over = !is_cut;
        const double beyond = playout_value(state, Action{}, length);
        episode_.beyond = is_cut ? beyond : 0;
        episode_.tail = learner_.tail(decayed, discounted, length, is_cut, beyond, leaf);
        return is_cut;
    }

    // Apart from the plain playout, which the compiler would spread out less well beside it.
    [[gnu::noinline]] Playout play_on_watched(S& state, Rng& rng, int most_steps) {
        return policy_.play_on(state, rng, buffer_, most_steps, [this](Player player, Action action) { taken_.add(player, action); });
    }

    // Do the bounds look at every reward?
    bool observes_steps() const {
        const auto normalisation = options_.normalisation;
        return options_.global_source == GlobalSource::running_return && normalisation != Normalisation::none &&
               !(normalisation == Normalisation::known && facts_.return_bounds);
    }

    // V_playout of a state that `action` has led to, player 0's: so many steps behind the next one of the episode.
    double playout_value(const S& state, Action action, int further = 0) const {
        switch (options_.v_playout) {
            case PlayoutValue::initial:
                return initial_value(state);
            case PlayoutValue::constant:
                return value_for(searcher_, options_.playout_constant, facts_);
            case PlayoutValue::last_memorised:
                return last_memorised()->value;
            case PlayoutValue::leaf_over_gamma: {
                const auto leaf = last_memorised();
                return leaf->value / std::pow(options_.gamma, static_cast<double>(leaf - episode_.entries.rbegin() + 1 + further));
            }
            case PlayoutValue::memory:
                return mast_value(episode_.entries.back().to_play, action);
            case PlayoutValue::heuristic:
                return heuristics_.value(state);
            case PlayoutValue::converged_next:
            case PlayoutValue::leaf_terminal:
                return initial_value(state);
        }
        return 0;
    }

    std::vector<Entry>::const_reverse_iterator last_memorised() const {
        auto entry = episode_.entries.rbegin();
        while (entry->node == no_node) {
            ++entry;
        }
        return entry;
    }

    // ---- playout policies ----------------------------------------------------------------------------------------------

    void begin_playout(Rng& rng) {
        if (options_.playout_policy == PlayoutPolicy::weighted && !has_weights_) {
            has_weights_ = true;
            action_weights_.resize(static_cast<std::size_t>(facts_.action_space));
            for (double& weight : action_weights_) {
                weight = rng.uniform();
            }
        }
    }

    // An index of buffer_, the candidates. What a policy plays besides is added there.
    std::uint32_t choose_playout_action(S& state, Rng& rng) {
        const auto count = static_cast<std::uint32_t>(buffer_.size());
        switch (options_.playout_policy) {
            case PlayoutPolicy::policy:
                return policy_.is_uniform() ? rng.below(count) : choose_by_policy(state, rng);
            case PlayoutPolicy::weighted:
                weights_.clear();
                for (const Action action : buffer_) {
                    weights_.push_back(action_weights_[static_cast<std::size_t>(action.value)]);
                }
                break;
            case PlayoutPolicy::mast:
                weigh_by_mast(state.to_play());
                break;
            case PlayoutPolicy::heuristic:
                heuristics_.weights(state, buffer_, weights_);
                break;
        }
        double sum = 0;
        for (const double weight : weights_) {
            sum += weight;
        }
        if (!(sum > 0)) {
            return rng.below(count);
        }
        double mark = rng.uniform() * sum;
        for (std::uint32_t i = 0; i + 1 < count; ++i) {
            mark -= weights_[i];
            if (mark < 0) {
                return i;
            }
        }
        return count - 1;
    }

    // The policy follows the rest of an episode from the first state that it is asked for.
    void begin_policy(const S& state, Rng& rng) {
        if (!has_begun_) {
            has_begun_ = true;
            policy_.begin(state, rng);
        }
    }

    std::uint32_t choose_by_policy(S& state, Rng& rng) {
        begin_policy(state, rng);
        const Action action = policy_.choose(state, rng, spare_);
        const auto found = std::ranges::find(buffer_, action);
        const auto index = static_cast<std::uint32_t>(found - buffer_.begin());
        if (found == buffer_.end()) {
            buffer_.push_back(action);
        }
        return index;
    }

    // Move-average sampling: exp(mean return of the action / temperature), for the player to move.
    void weigh_by_mast(Player player) {
        weights_.clear();
        double highest = -std::numeric_limits<double>::infinity();
        for (const Action action : buffer_) {
            weights_.push_back(value_for(player, mast_value(player, action), facts_));
            highest = std::max(highest, weights_.back());
        }
        for (double& weight : weights_) {
            weight = std::exp((weight - highest) / options_.mast_temperature);
        }
    }

    double mast_value(Player player, Action action) const {
        const auto& cells = mast_[static_cast<std::size_t>(index_of(player))];
        const auto index = static_cast<std::size_t>(action.value);
        return index < cells.size() && cells[index].visits > 0 ? cells[index].value : initial();
    }

    void learn_mast() {
        const auto& entries = episode_.entries;
        for (std::size_t i = 1; i < entries.size(); ++i) {
            auto& cells = mast_[static_cast<std::size_t>(index_of(entries[i - 1].to_play))];
            cells.resize(static_cast<std::size_t>(facts_.action_space));
            MastCell& cell = cells[static_cast<std::size_t>(entries[i].action.value)];
            ++cell.visits;
            cell.value += (learner_.action_target(i, episode_) - cell.value) / static_cast<double>(cell.visits);
        }
    }

    S root_state_;
    ActionBuffer root_actions_;
    Heuristics<S> heuristics_;
    bool calls_python_;
    PolicyFor<S> policy_;
    PriorFor<S> prior_;
    bool records_playouts_ = false;
    NodeIndex home_ = no_node;  // graph: the root's state when it is entered, memorised from the start like the root
    bool has_new_ = false;      // has the present episode met states that are not memorised yet?
    bool has_weights_ = false;  // of the present episode, for the weighted playout policy
    bool has_begun_ = false;    // is the policy in the middle of a playout?
    ActionBuffer buffer_;
    ActionBuffer spare_;
    std::vector<std::uint32_t> allowed_;
    std::vector<double> initials_;
    std::vector<double> priors_;  // of the actions in buffer_
    std::vector<double> action_weights_;
    std::vector<double> weights_;
    std::array<std::vector<MastCell>, 2> mast_;
    int steps_ = 0;       // of the present episode
    int most_steps_ = 0;  // how many it may have
    double gain_ = 0;     // its rewards so far
};

}  // namespace katachi
