// StateDoor, written once for every game. Include only in the files that instantiate it.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include "door/state_door.hpp"
#include "games/go/capture_state.hpp"
#include "search/flat_monte_carlo.hpp"
#include "search/network_leaves.hpp"
#include "search/shape_leaves.hpp"
#include "search/tree_search.hpp"
#include "training/network_learning.hpp"

namespace katachi {

// `first`: what the first move is drawn from, where that is less than the candidates. A playout that throws leaves no trace.
template <GameState S>
Playout playout_from(S state, const std::optional<ActionBuffer>& first, PolicyFor<S>& policy, Rng& rng, ActionBuffer& buffer, int most_steps) {
    Rng draws = rng;
    Playout start;
    if (first && !state.is_terminal() && most_steps > 0) {
        start.total = katachi::play(state, (*first)[draws.below(static_cast<std::uint32_t>(first->size()))], draws);
        start.length = 1;
    }
    const Playout rest = playout(state, policy, draws, buffer, most_steps - start.length);
    rng = draws;
    return {.total = start.total + rest.total, .length = start.length + rest.length, .cut = rest.cut};
}

template <GameState S>
class PlayoutBatchOf final : public PlayoutBatch {
   public:
    PlayoutBatchOf(S root, std::optional<ActionBuffer> first, std::uint64_t count, const Policy& policy, const Rng& rng, bool calls_python)
        : PlayoutBatch(count), root_(std::move(root)), first_(std::move(first)), policy_(policy, root_), rng_(rng), calls_python_(calls_python) {}

    bool calls_python() const override { return calls_python_; }

    bool advance(const Slice& slice) override {
        SliceTicker ticker(slice, calls_python_ ? 1 : 16);
        while (!is_done()) {
            add(playout_from(root_, first_, policy_, rng_, buffer_, longest_playout));
            if (ticker.expired()) {
                break;
            }
        }
        return is_done();
    }

   private:
    S root_;
    std::optional<ActionBuffer> first_;
    PolicyFor<S> policy_;
    Rng rng_;
    bool calls_python_;
    ActionBuffer buffer_;
};

template <GameState S>
class StateDoorOf final : public StateDoor {
   public:
    explicit StateDoorOf(S state, std::optional<ActionBuffer> root_actions = {}, bool calls_python = false)
        : state_(std::move(state)), root_actions_(std::move(root_actions)), calls_python_(calls_python) {}

    const S& state() const { return state_; }

    std::unique_ptr<StateDoor> copy() const override { return std::make_unique<StateDoorOf<S>>(*this); }
    GameFacts facts() const override { return state_.facts(); }
    Player to_play() const override { return state_.to_play(); }
    bool is_terminal() const override { return state_.is_terminal(); }
    std::uint64_t key() const override { return state_.key(); }
    std::string text() const override { return state_.text(); }

    ActionBuffer legal_actions() const override {
        ActionBuffer actions;
        state_.legal_actions(actions);
        return actions;
    }

    ActionBuffer candidates() const override {
        ActionBuffer actions;
        if (root_actions_) {
            actions = *root_actions_;
        } else if (!state_.is_terminal()) {
            katachi::candidates(state_, actions);
        }
        return actions;
    }

    std::unique_ptr<StateDoor> only(const ActionBuffer& actions) const override {
        const ActionBuffer legal = legal_actions();
        if (actions.empty()) {
            throw InvalidArgumentError("at least one action is needed in\n" + text());
        }
        for (std::size_t i = 0; i < actions.size(); ++i) {
            const auto end = actions.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::ranges::find(legal, actions[i]) == legal.end()) {
                throw IllegalMoveError("action " + std::to_string(actions[i].value) + " is not legal in\n" + text());
            }
            if (std::find(actions.begin(), end, actions[i]) != end) {
                throw InvalidArgumentError("action " + std::to_string(actions[i].value) + " is there twice");
            }
        }
        return std::make_unique<StateDoorOf<S>>(state_, actions, calls_python_);
    }

    bool is_same_kind(const StateDoor& other) const override { return dynamic_cast<const StateDoorOf<S>*>(&other) != nullptr; }

    std::pair<std::unique_ptr<StateDoor>, Reward> play(Action action, Rng& rng) const override {
        const ActionBuffer legal = legal_actions();
        if (std::ranges::find(legal, action) == legal.end()) {
            throw IllegalMoveError("action " + std::to_string(action.value) + " is not legal in\n" + text());
        }
        S next = state_;
        const Reward reward = katachi::play(next, action, rng);
        return {std::make_unique<StateDoorOf<S>>(std::move(next), std::nullopt, calls_python_), reward};
    }

    Playout uniform_playout(Rng& rng, int most_steps) const override {
        ActionBuffer buffer;
        PolicyFor<S> policy({}, state_);
        return playout_from(state_, root_actions_, policy, rng, buffer, most_steps);
    }

    Playout watched_playout(Rng& rng, int most_steps, std::vector<std::pair<Player, Action>>& steps) const override {
        ActionBuffer buffer;
        S state = state_;
        Rng draws = rng;
        PolicyFor<S> policy({}, state);
        const Playout playout =
            policy.play_on(state, draws, buffer, most_steps, [&](Player player, Action action) { steps.emplace_back(player, action); });
        rng = draws;
        return playout;
    }

    std::unique_ptr<PlayoutBatch> playouts(std::uint64_t count, const Rng& rng, const Policy& policy) const override {
        return std::make_unique<PlayoutBatchOf<S>>(state_, root_actions_, count, policy, rng, calls_python_);
    }

    bool has_policy(const Policy& policy) const override { return katachi::has_policy<S>(policy); }

    Action policy_action(const Policy& policy, Rng& rng) const override {
        PolicyFor<S> chosen(policy, state_);
        S state = state_;
        ActionBuffer buffer;
        chosen.begin(state, rng);
        return chosen.choose(state, rng, buffer);
    }

    PolicyMoves policy_moves(const Policy& policy) const override { return katachi::policy_moves(state_, policy); }

    std::unique_ptr<Search> flat_monte_carlo(const Rng& rng, const Policy& policy) const override {
        return std::make_unique<FlatMonteCarlo<S>>(state_, candidates(), policy, rng, calls_python_);
    }

    std::unique_ptr<TreeMemory> tree_search(const TreeSearchOptions& options, const DoorHeuristics& heuristics, const Rng& rng) const override {
        Heuristics<S> inside;
        const bool calls_python = calls_python_;
        if (heuristics.value) {
            inside.value = [value = heuristics.value, calls_python](const S& state) { return value(StateDoorOf(state, std::nullopt, calls_python)); };
        }
        if (heuristics.weights) {
            inside.weights = [weights = heuristics.weights, calls_python](const S& state, const ActionBuffer& actions, std::vector<double>& out) {
                out = weights(StateDoorOf(state, std::nullopt, calls_python), actions);
            };
        }
        if (heuristics.prior) {
            inside.prior = [prior = heuristics.prior, calls_python](const S& state, const ActionBuffer& actions, std::vector<double>& out) {
                out = prior(StateDoorOf(state, std::nullopt, calls_python), actions);
            };
        }
        return std::make_unique<TreeSearch<S>>(state_, candidates(), options, std::move(inside), rng, calls_python_);
    }

    std::unique_ptr<AlphaBetaSearch> alpha_beta(const ActionBuffer& actions, const AlphaBetaOptions& options,
                                                const DoorEvaluator& evaluator) const override {
        if (evaluator.shapes) {
            return by_shapes(actions, options, evaluator.shapes);
        }
        if (evaluator.network) {
            return by_network(actions, options, evaluator.network);
        }
        std::function<double(const S&)> inside = [constant = evaluator.constant](const S&) { return constant; };
        if (evaluator.function) {
            inside = [function = evaluator.function, calls_python = calls_python_](const S& state) {
                return function(StateDoorOf(state, std::nullopt, calls_python));
            };
        }
        return std::make_unique<AlphaBeta<S, FunctionLeaves<S>>>(state_, actions, options, FunctionLeaves<S>(std::move(inside)),
                                                                 calls_python_ || evaluator.function);
    }

    std::unique_ptr<TdSearch> td_search(std::shared_ptr<ShortTermMemory> memory, std::shared_ptr<const ShapeEvaluator> long_term,
                                        const TdSearchOptions& options, const Rng& rng) const override {
        if constexpr (GoLike<S>) {
            return make_td_search(state_, candidates(), std::move(memory), std::move(long_term), options, rng);
        } else {
            throw InvalidArgumentError("temporal-difference search on local shapes is for Go, not for\n" + text());
        }
    }

    std::unique_ptr<NetworkLearning> network_learning(const std::vector<const StateDoor*>& starts, std::shared_ptr<NetworkValue> value,
                                                      const NetworkLearningOptions& options, const Rng& rng) const override {
        std::vector<S> states;
        for (const StateDoor* const start : starts) {
            const auto* own = dynamic_cast<const StateDoorOf<S>*>(start);
            if (own == nullptr) {
                throw InvalidArgumentError("this is a state of another game:\n" + start->text());
            }
            states.push_back(own->state_);
        }
        return make_network_learning(states, std::move(value), options, rng, calls_python_);
    }

    bool move_root(TreeMemory& search, const std::vector<Action>& path, const Rng& rng) const override {
        auto* own = dynamic_cast<TreeSearch<S>*>(&search);
        if (own == nullptr) {
            throw InvalidArgumentError("this search is of another game than the state\n" + text());
        }
        return own->move_root(state_, candidates(), path, rng);
    }

   private:
    std::unique_ptr<AlphaBetaSearch> by_shapes(const ActionBuffer& actions, const AlphaBetaOptions& options,
                                               const std::shared_ptr<const ShapeEvaluator>& shapes) const {
        if constexpr (requires { state_.board().geometry(); }) {
            const int side = shapes->representation().shapes().side();
            if (!(state_.board().geometry() == go::Geometry{side, side})) {
                throw InvalidArgumentError("these local shapes are for boards of " + std::to_string(side) + "x" + std::to_string(side) +
                                           ", not for\n" + text());
            }
            AlphaBetaOptions chosen = options;
            if (shapes->representation().stages() > 1) {
                chosen.table_bytes = 0;  // a key does not know the number of moves, and values depend on it
            }
            using Leaves = ShapeLeaves<std::remove_cvref_t<decltype(state_.board())>>;
            return std::make_unique<AlphaBeta<S, Leaves>>(state_, actions, chosen, Leaves(shapes), calls_python_);
        } else {
            throw InvalidArgumentError("local shapes are for Go, not for\n" + text());
        }
    }

    // In Go captures count on the way to a leaf if values are stones, a pass may be tried at any time, and the network values final positions, too.
    std::unique_ptr<AlphaBetaSearch> by_network(const ActionBuffer& actions, const AlphaBetaOptions& options,
                                                const std::shared_ptr<const NetworkValue>& network) const {
        network->check(state_);
        if constexpr (GoLike<S>) {
            using State = go::CaptureState<std::remove_cvref_t<decltype(state_.board())>>;
            ActionBuffer tried = actions;
            const Action pass = state_.board().geometry().pass();
            if (std::ranges::find(tried, pass) == tried.end() && !state_.is_terminal()) {
                tried.push_back(pass);
            }
            NetworkLeaves<State> leaves(network, to_play(), network->unit() == ValueUnit::stones, EndValue::network);
            return std::make_unique<AlphaBeta<State, NetworkLeaves<State>>>(State(state_), tried, options, std::move(leaves), calls_python_);
        } else {
            NetworkLeaves<S> leaves(network, to_play(), true, EndValue::earned);
            return std::make_unique<AlphaBeta<S, NetworkLeaves<S>>>(state_, actions, options, std::move(leaves), calls_python_);
        }
    }

    S state_;
    std::optional<ActionBuffer> root_actions_;
    bool calls_python_;
};

}  // namespace katachi
