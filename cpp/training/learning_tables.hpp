// Where a network plays the games that it learns from: Go with captures and a referee, or any other game for two as it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "games/game_state.hpp"
#include "games/go/capture_state.hpp"
#include "games/go/position.hpp"
#include "games/go/territory.hpp"
#include "policies/wally.hpp"
#include "training/network_learning.hpp"

namespace katachi {

// How a game has ended: player 0's score, what the step after the last position earns player 0, and whether `score` is a share from 0 to 1.
struct GameEnd {
    double score = 0;
    double final_reward = 0;
    bool is_share = false;
};

// Real play has the rule of ko that was asked for; searches have simple ko.
template <class B>
class GoTable {
   public:
    using State = go::CaptureState<B>;

    GoTable(go::Geometry geometry, const NetworkLearningOptions& options, const NetworkValue& value)
        : geometry_(geometry),
          options_(&options),
          unit_(value.unit()),
          score_scale_(value.score_scale()),
          referee_(options.territory),
          position_(fresh()) {}

    EndValue ends() const { return options_->ends; }
    std::size_t begin(Rng& /*rng*/) {
        position_ = fresh();
        return 0;
    }
    bool is_over() const { return position_.is_over() || plies() >= options_->longest_game; }
    bool is_cut() const { return !position_.is_over(); }
    Player to_play() const { return position_.to_play(); }
    State state() const { return State(position_.search_state(options_->eye_rule, std::max(0, options_->longest_game - plies()))); }

    void candidates(const State& state, ActionBuffer& out) const {
        state.candidates(out);
        std::erase_if(out, [this](Action action) { return !position_.is_legal(action); });
    }
    void legal_actions(ActionBuffer& out) const { position_.legal_actions(out); }
    // Nobody opens with a pass unless there is nothing else.
    void opening_actions(ActionBuffer& out) const {
        position_.legal_actions(out);
        if (out.size() > 1) {
            std::erase(out, geometry_.pass());
        }
    }

    // What player 0 is rewarded with.
    double play(Action action) {
        const int before = prisoners();
        position_.play(action);
        return options_->capture_rewards ? prisoners() - before : 0;
    }

    Action wally() const {
        const go::Point p = go::Wally<B>(position_.board()).choose();
        const Action action = geometry_.action(p);
        return position_.is_legal(action) ? action : geometry_.pass();
    }

    double margin(const State& state) { return referee_.margin(state.board()); }
    // `margin`: by what is on the board.
    GameEnd end(double margin) const {
        const double score = margin + prisoners() - options_->komi;
        if (unit_ == ValueUnit::stones) {
            return {.score = score, .final_reward = score - (options_->capture_rewards ? prisoners() : 0)};
        }
        const double share = options_->reward == GameReward::margin ? logistic(score / score_scale_) : score > 0 ? 1 : score < 0 ? 0 : 0.5;
        return {.score = score, .final_reward = share};
    }

   private:
    go::Position<B> fresh() const { return go::Position<B>(geometry_, go::Rules{.ko = options_->ko, .suicide = false, .komi = options_->komi}); }
    int plies() const { return static_cast<int>(position_.moves().size()); }
    // Black's less White's.
    int prisoners() const { return position_.captured(Player::white) - position_.captured(Player::black); }

    go::Geometry geometry_;
    const NetworkLearningOptions* options_;
    ValueUnit unit_;
    double score_scale_;
    go::TerritoryReferee<B> referee_;
    go::Position<B> position_;
};

// A game whose last step earns a share from 0 to 1. It begins in any of the states that are given.
template <GameState S>
class PlainTable {
   public:
    using State = S;

    explicit PlainTable(std::vector<S> starts) : starts_(std::move(starts)), state_(starts_.front()) {
        for (const S& start : starts_) {
            const GameFacts facts = start.facts();
            if (facts.players != 2 || !facts.deterministic || !facts.final_reward || facts.return_bounds != Bounds{0, 1}) {
                throw InvalidArgumentError("networks learn games for two without chance whose end earns 0 to 1, not\n" + start.text());
            }
            if (start.is_terminal()) {
                throw InvalidArgumentError("a game cannot begin where it is over:\n" + start.text());
            }
        }
    }

    EndValue ends() const { return EndValue::earned; }
    std::size_t begin(Rng& rng) {
        const std::size_t start = starts_.size() == 1 ? 0 : rng.below(static_cast<std::uint32_t>(starts_.size()));
        state_ = starts_[start];
        total_ = 0;
        return start;
    }
    bool is_over() const { return state_.is_terminal(); }
    bool is_cut() const { return false; }
    Player to_play() const { return state_.to_play(); }
    State state() const { return state_; }
    void candidates(const State& state, ActionBuffer& out) const { katachi::candidates(state, out); }
    void legal_actions(ActionBuffer& out) const { state_.legal_actions(out); }
    void opening_actions(ActionBuffer& out) const { state_.legal_actions(out); }

    double play(Action action) {
        Rng no_chance(0);
        total_ += katachi::play(state_, action, no_chance);
        return 0;
    }

    double margin(const State& /*state*/) { return total_; }
    GameEnd end(double margin) const { return {.score = margin, .final_reward = margin, .is_share = true}; }

   private:
    std::vector<S> starts_;
    S state_;
    double total_ = 0;
};

}  // namespace katachi
