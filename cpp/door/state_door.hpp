// The door between Python and the templates: one virtual call, and everything behind it is compiled for its game.
//
// A StateDoor holds one state of some game. A StateDoorOf<S> is written once and instantiated once per game: the native ones in
// this folder, the one for games written in Python in bindings/, which alone knows Python.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/slice.hpp"
#include "games/explicit_tree.hpp"
#include "games/game_state.hpp"
#include "games/go/position.hpp"
#include "policies/playout.hpp"
#include "search/alpha_beta.hpp"
#include "search/search.hpp"
#include "search/td_search.hpp"
#include "search/tree_memory.hpp"
#include "values/shape_evaluator.hpp"

namespace katachi {

// Many playouts from one state, for benchmarks and for tests of the playout itself.
class PlayoutBatch : public Job {
   public:
    explicit PlayoutBatch(std::uint64_t count) : count_(count) {}

    double progress() const override { return count_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(count_); }
    std::uint64_t done() const { return done_; }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t cut() const { return cut_; }
    double total() const { return total_; }

   protected:
    bool is_done() const { return done_ >= count_; }
    void add(const Playout& playout) {
        ++done_;
        steps_ += static_cast<std::uint64_t>(playout.length);
        cut_ += static_cast<std::uint64_t>(playout.cut);
        total_ += playout.total;
    }

   private:
    std::uint64_t count_;
    std::uint64_t done_ = 0;
    std::uint64_t steps_ = 0;
    std::uint64_t cut_ = 0;
    double total_ = 0;
};

class NetworkLearning;
class NetworkValue;
class StateDoor;
struct NetworkLearningOptions;

// What a user knows of a game: values of player 0, weights of actions in playouts, and values of actions of player 0. Any may be missing.
struct DoorHeuristics {
    std::function<double(const StateDoor&)> value;
    std::function<std::vector<double>(const StateDoor&, const ActionBuffer&)> weights;
    std::function<std::vector<double>(const StateDoor&, const ActionBuffer&)> prior;
};

// What a leaf of alpha-beta is worth to player 0: a number, unless there is a function, weights of local shapes, or a network.
struct DoorEvaluator {
    double constant = 0;
    std::function<double(const StateDoor&)> function;
    std::shared_ptr<const ShapeEvaluator> shapes;
    std::shared_ptr<const NetworkValue> network;
};

class StateDoor {
   public:
    StateDoor() = default;
    StateDoor(const StateDoor&) = default;
    StateDoor(StateDoor&&) = default;
    StateDoor& operator=(const StateDoor&) = default;
    StateDoor& operator=(StateDoor&&) = default;
    virtual ~StateDoor() = default;

    virtual std::unique_ptr<StateDoor> copy() const = 0;
    virtual GameFacts facts() const = 0;
    virtual Player to_play() const = 0;
    virtual bool is_terminal() const = 0;
    virtual std::uint64_t key() const = 0;
    virtual std::string text() const = 0;
    virtual ActionBuffer legal_actions() const = 0;
    virtual ActionBuffer candidates() const = 0;
    // The same state, in which searches and playouts may begin with these actions only: legal ones, each once.
    virtual std::unique_ptr<StateDoor> only(const ActionBuffer& actions) const = 0;
    // Is the other one a state of the same game (whatever its size)?
    virtual bool is_same_kind(const StateDoor& other) const = 0;
    // The state after `action`, checked, and the reward of the step.
    virtual std::pair<std::unique_ptr<StateDoor>, Reward> play(Action action, Rng& rng) const = 0;

    // One uniform playout of at most `most_steps` steps; `rng` moves on, unless the playout throws.
    virtual Playout uniform_playout(Rng& rng, int most_steps) const = 0;
    // The same, as a search has it that wants to know what is played: `steps` gets every step.
    virtual Playout watched_playout(Rng& rng, int most_steps, std::vector<std::pair<Player, Action>>& steps) const = 0;
    virtual std::unique_ptr<PlayoutBatch> playouts(std::uint64_t count, const Rng& rng, const Policy& policy) const = 0;
    virtual bool has_policy(const Policy& policy) const = 0;
    // What a policy plays here, and what it may play. Of a state that is not terminal.
    virtual Action policy_action(const Policy& policy, Rng& rng) const = 0;
    virtual PolicyMoves policy_moves(const Policy& policy) const = 0;
    virtual std::unique_ptr<Search> flat_monte_carlo(const Rng& rng, const Policy& policy) const = 0;
    virtual std::unique_ptr<TreeMemory> tree_search(const TreeSearchOptions& options, const DoorHeuristics& heuristics, const Rng& rng) const = 0;
    // `actions`: what may be tried at the root.
    virtual std::unique_ptr<AlphaBetaSearch> alpha_beta(const ActionBuffer& actions, const AlphaBetaOptions& options,
                                                        const DoorEvaluator& evaluator) const = 0;
    // Of Go; other games refuse. `long_term` may be missing.
    virtual std::unique_ptr<TdSearch> td_search(std::shared_ptr<ShortTermMemory> memory, std::shared_ptr<const ShapeEvaluator> long_term,
                                                const TdSearchOptions& options, const Rng& rng) const = 0;
    // A network that learns this game, which begins in any of the states.
    virtual std::unique_ptr<NetworkLearning> network_learning(const std::vector<const StateDoor*>& starts, std::shared_ptr<NetworkValue> value,
                                                              const NetworkLearningOptions& options, const Rng& rng) const = 0;
    // Goes on with a tree search from this state, which `path` leads to from its present root; false: it begins anew.
    virtual bool move_root(TreeMemory& search, const std::vector<Action>& path, const Rng& rng) const = 0;
};

std::unique_ptr<StateDoor> tic_tac_toe();
std::unique_ptr<StateDoor> pig(int target);
std::unique_ptr<StateDoor> connect_four();
std::unique_ptr<StateDoor> gomoku(int size, int line);
std::unique_ptr<StateDoor> hex(int size);
std::unique_ptr<StateDoor> random_walk(int size, int cap);
std::unique_ptr<StateDoor> shortest_walk(int size, int cap);
std::unique_ptr<StateDoor> explicit_tree(std::shared_ptr<const TreeDescription> tree);
// `root_actions`: what may be tried at the root, where superko leaves less than the state's own candidates, or somebody wants to know about some
// actions only.
std::unique_ptr<StateDoor> go_state(const go::GoState<go::SmallBoard>& state, std::optional<ActionBuffer> root_actions);
std::unique_ptr<StateDoor> go_state(const go::GoState<go::LargeBoard>& state, std::optional<ActionBuffer> root_actions);

}  // namespace katachi
