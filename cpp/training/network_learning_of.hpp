// The loop of learning (Ekker, 4.3), for each kind of table: the learner's side of a game, its opponents, and what is noted on the way.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/alpha_beta.hpp"
#include "training/learning_tables.hpp"
#include "training/network_learning.hpp"

namespace katachi {

template <class Table>
class NetworkLearningOf final : public NetworkLearning {
   public:
    using State = typename Table::State;

    // `make_table(options, value)`: of the options and the value that stay as long as the loop does.
    template <class MakeTable>
    NetworkLearningOf(MakeTable&& make_table, std::shared_ptr<NetworkValue> value, const NetworkLearningOptions& options, const Rng& rng,
                      bool calls_python)
        : NetworkLearning(std::move(value), options, rng),
          table_(std::forward<MakeTable>(make_table)(std::as_const(options_), std::as_const(*value_))),
          calls_python_(calls_python) {}

    bool calls_python() const override { return calls_python_; }

    // A slice ends between two games.
    bool advance(const Slice& slice) override {
        while (games_ < until_) {
            if (!in_game_) {
                begin_game();
            }
            if (!play_on() || !finish()) {
                return true;
            }
            if (slice.expired()) {
                break;
            }
        }
        return games_ >= until_;
    }

   private:
    using Search = AlphaBeta<State, NetworkLeaves<State>>;
    using Value = std::shared_ptr<const NetworkValue>;

    void begin_game() {
        in_game_ = true;
        rng_ = base_.split("game", games_ + 1);
        start_ = table_.begin(rng_);
        moves_.clear();
        game_.states.clear();
        rewards_ = 0;
        nodes_ = 0;
        const bool is_black = options_.colour == LearnerColour::black || (options_.colour == LearnerColour::alternate && games_ % 2 == 0);
        learner_ = is_black ? Player::black : Player::white;
        opponent_ = options_.opponents.size() == 1 ? 0 : rng_.below(static_cast<std::uint32_t>(options_.opponents.size()));
        member_ = population_.empty() ? 0 : rng_.below(static_cast<std::uint32_t>(population_.size()));
        random_ = random_share(options_, games_);
        const auto most = static_cast<std::uint32_t>(options_.opening_plies);
        const std::uint32_t opening = options_.opening_varies ? rng_.below(most + 1) : most;
        for (std::uint32_t i = 0; i < opening && !table_.is_over(); ++i) {
            table_.opening_actions(actions_);
            const Action action = any_of(actions_);
            rewards_ += for_learner(table_.play(action));
            moves_.push_back(action);
        }
        meet(0, false);
    }

    Action any_of(const ActionBuffer& actions) { return actions[rng_.below(static_cast<std::uint32_t>(actions.size()))]; }
    double for_learner(double reward) const { return learner_ == Player::black ? reward : -reward; }

    // The next position of the game, and what the ply to it has earned.
    void meet(double reward, bool is_by_learner) {
        const std::size_t place = game_.states.size();
        ValuedState& state = game_.states.emplace_back();
        state.reward = reward;
        state.is_by_learner = is_by_learner;
        state.learner_to_move = table_.to_play() == learner_;
        if (!options_.learns) {
            return;
        }
        if (inputs_.size() <= place) {
            inputs_.resize(place + 1);
            leaf_inputs_.resize(place + 1);
        }
        value_->meet(table_.state(), learner_, inputs_[place]);
        state.value = state.leaf_value = state.best_value = value_->value_of(value_->network().sum(inputs_[place], pass_));
        leaf_inputs_[place] = inputs_[place];
    }

    // Until the game is over; false: somebody outside is asked for a move.
    bool play_on() {
        while (!table_.is_over()) {
            const bool is_learner = table_.to_play() == learner_;
            const std::optional<Action> action = is_learner ? learner_move() : opponent_move();
            if (!action) {
                return false;
            }
            const double reward = for_learner(table_.play(*action));
            moves_.push_back(*action);
            rewards_ += reward;
            meet(reward, is_learner);
        }
        return true;
    }

    Action learner_move() {
        const bool explores = options_.epsilon > 0 && rng_.uniform() < options_.epsilon;
        const State state = table_.state();
        table_.candidates(state, actions_);
        const bool needs_leaf = options_.learns && learns_leaves(options_.rule.rule);
        if (explores && !needs_leaf) {
            return any_of(actions_);
        }
        const ActionBuffer actions = actions_;
        const Action best = search(state, actions, learner_, value_, needs_leaf);
        if (!explores) {
            return best;
        }
        const Action played = any_of(actions);
        if (options_.explored_leaf == ExploredLeaf::played && played != best) {
            const double best_value = game_.states.back().best_value;
            search(state, {played}, learner_, value_, true);
            game_.states.back().best_value = best_value;
        }
        return played;
    }

    // Nothing: it is asked for.
    std::optional<Action> opponent_move() {
        if (answered_move_) {
            return std::exchange(answered_move_, std::nullopt);
        }
        if (options_.learns && options_.rule.rule == EpisodeRule::td_leaf_mu) {
            const State state = table_.state();
            table_.candidates(state, actions_);
            search(state, ActionBuffer(actions_), learner_, value_, true);
        }
        if (random_ > 0 && rng_.uniform() < random_) {
            return random_move();
        }
        const OpponentKind kind = options_.opponents[opponent_];
        if (kind == OpponentKind::random) {
            return random_move();
        }
        if (kind == OpponentKind::external) {
            waiting_ = Waiting::move;
            return std::nullopt;
        }
        if constexpr (requires { table_.wally(); }) {
            if (kind == OpponentKind::wally) {
                return table_.wally();
            }
        }
        const State state = table_.state();
        table_.candidates(state, actions_);
        const bool is_member = kind == OpponentKind::population && !population_.empty();
        const Value value = is_member ? Value(population_[member_]) : Value(value_);
        return search(state, ActionBuffer(actions_), katachi::opponent(learner_), value, false);
    }

    Action random_move() {
        table_.legal_actions(actions_);
        return any_of(actions_);
    }

    // The best action of a player; with its leaf noted, if that is wanted, for the last position met.
    Action search(const State& state, const ActionBuffer& actions, Player viewpoint, const Value& value, bool notes_leaf) {
        // What a line earns are stones: nothing to be added to shares of wins.
        const bool adds_path_rewards = options_.adds_path_rewards && value->unit() == ValueUnit::stones;
        NetworkLeaves<State> leaves(value, viewpoint, adds_path_rewards, table_.ends(),
                                    [this](const State& end) { return table_.end(table_.margin(end)).final_reward; });
        Search search(state, actions, {.depth = options_.depth, .is_iterative = false}, std::move(leaves), calls_python_);
        search.begin({});
        while (!search.advance(Slice(std::chrono::hours(1)))) {
        }
        nodes_ += viewpoint == learner_ ? search.steps() : 0;
        if (notes_leaf) {
            State leaf = state;
            Rng no_chance(0);
            for (const Action action : search.line()) {
                katachi::play(leaf, action, no_chance);
            }
            value_->meet(leaf, learner_, leaf_inputs_[game_.states.size() - 1]);
            ValuedState& noted = game_.states.back();
            noted.leaf_value = noted.best_value = value_for(learner_, search.value(), value_->sides());
            noted.leaf_learns = table_.ends() == EndValue::network || !leaf.is_terminal();
        }
        return search.line().front();
    }

    // False: somebody outside is asked for the score.
    bool finish() {
        if (options_.referee == RefereeKind::external && !answered_score_) {
            waiting_ = Waiting::score;
            return false;
        }
        const double margin = answered_score_ ? *answered_score_ : table_.margin(table_.state());
        answered_score_.reset();
        const GameEnd end = table_.end(margin);
        GameFacts sides;
        if (end.is_share) {
            sides.return_bounds = Bounds{0, 1};
        }
        const double score = value_for(learner_, end.score, sides);
        game_.final_reward = value_for(learner_, end.final_reward, value_->sides());
        tally_.rewards += rewards_ + game_.final_reward;
        tally_.nodes += nodes_;
        count_result(score, score > (end.is_share ? 0.5 : 0.0), table_.is_cut());
        if (options_.learns) {
            learn(game_, inputs_, leaf_inputs_);
        }
        end_game();
        return true;
    }

    Table table_;
    bool calls_python_;
    Rng rng_{0};
    Player learner_ = Player::black;
    std::size_t member_ = 0;
    double random_ = 0;
    double rewards_ = 0;  // of the learner
    std::uint64_t nodes_ = 0;
    ValuedGame game_;
    std::vector<features::InputList> inputs_;  // by position of the game
    std::vector<features::InputList> leaf_inputs_;
    ActionBuffer actions_;
    Network::Pass pass_;
};

template <GameState S>
std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<S>& starts, std::shared_ptr<NetworkValue> value,
                                                       const NetworkLearningOptions& options, const Rng& rng, bool calls_python) {
    for (const S& start : starts) {
        value->check(start);
    }
    if constexpr (HasBoard<S>) {
        using Table = GoTable<std::remove_cvref_t<decltype(starts.front().board())>>;
        const go::Geometry geometry = starts.front().board().geometry();
        const auto make_table = [geometry](const NetworkLearningOptions& kept, const NetworkValue& used) { return Table(geometry, kept, used); };
        return std::make_unique<NetworkLearningOf<Table>>(make_table, std::move(value), options, rng, calls_python);
    } else {
        if (std::ranges::find(options.opponents, OpponentKind::wally) != options.opponents.end() || options.referee != RefereeKind::ownership ||
            value->unit() != ValueUnit::output) {
            throw InvalidArgumentError("the Wally-like player, external referees and values in stones are for Go, not for\n" + starts.front().text());
        }
        using Table = PlainTable<S>;
        const auto make_table = [&starts](const NetworkLearningOptions& /*kept*/, const NetworkValue& /*used*/) { return Table(starts); };
        return std::make_unique<NetworkLearningOf<Table>>(make_table, std::move(value), options, rng, calls_python);
    }
}

}  // namespace katachi
