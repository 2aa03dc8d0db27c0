// Learning to value positions by self-play (Silver 2009, 5.6, Algorithm 3): both players choose the best afterstate but for a random
// move now and then, and after each game, or at each move, the weights learn.
//
// Nothing but the games is random, and everything that the next game depends on can be read and set again: weights, steps that adapt, the
// random generator, the number of games. So a run goes on exactly where it was left between two games.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/rng.hpp"
#include "core/slice.hpp"
#include "games/go/board.hpp"
#include "learning/td.hpp"
#include "values/afterstates.hpp"

namespace katachi {

enum class Ties : std::uint8_t { random, last };  // among equally good moves: any, or (as printed) the last one

struct SelfPlayOptions {
    double komi = 7.5;
    go::EyeRule eye_rule = go::EyeRule::simple;
    double epsilon = 0.1;
    Ties ties = Ties::random;
    int longest_game = 1000;  // moves; a game that is cut is a draw
    bool count_occurrences = false;
    TdOptions td{};
};

// Sums over games, since they were last taken.
struct SelfPlayTally {
    std::uint64_t games = 0;
    std::uint64_t moves = 0;
    std::uint64_t values = 0;  // afterstates that were valued
    std::uint64_t cut = 0;     // games
    double black_wins = 0;
    GameErrors errors;  // sums
};

class SelfPlay : public Job {
   public:
    SelfPlay(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng)
        : representation_(std::move(representation)),
          options_(options),
          rng_(rng),
          weights_(representation_->weights()),
          learner_(options.td, representation_->weights()),
          occurrences_(options.count_occurrences ? representation_->weights() : 0) {}

    ShapeWeights& weights() { return weights_; }
    const ShapeWeights& weights() const { return weights_; }
    TdLearner& learner() { return learner_; }
    const features::Representation& representation() const { return *representation_; }
    Rng& rng() { return rng_; }
    std::uint64_t games() const { return games_; }
    void set_games(std::uint64_t games) { games_ = games; }
    SelfPlayTally take_tally() { return std::exchange(tally_, {}); }

    // By weight: how often it stood among the entries of the states met in all games, if that is counted.
    std::vector<std::uint64_t>& occurrences() {
        if (!options_.count_occurrences) {
            throw InvalidArgumentError("occurrences of weights are not counted: count_occurrences asks for it");
        }
        return occurrences_;
    }

    // `advance` then plays until there have been so many games.
    void begin(std::uint64_t until) {
        first_ = games_;
        until_ = until;
    }
    double progress() const override { return until_ <= first_ ? 1 : static_cast<double>(games_ - first_) / static_cast<double>(until_ - first_); }

   protected:
    std::shared_ptr<const features::Representation> representation_;
    SelfPlayOptions options_;
    Rng rng_;
    ShapeWeights weights_;
    TdLearner learner_;
    std::uint64_t games_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t until_ = 0;
    SelfPlayTally tally_;
    std::vector<std::uint64_t> occurrences_;  // empty if they are not counted
};

// On boards of one capacity class.
template <class B>
class SelfPlayOn final : public SelfPlay {
   public:
    SelfPlayOn(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng)
        : SelfPlay(std::move(representation), options, rng), geometry_{representation_->shapes().side(), representation_->shapes().side()} {
        for (const Player to_play : {Player::black, Player::white}) {
            if (to_play == Player::black || representation_->knows_turn()) {
                sums_.emplace_back(representation_->shapes(), SharedLookup(*representation_, weights_, to_play));
            }
        }
    }

    bool advance(const Slice& slice) override {
        while (games_ < until_ && !slice.expired()) {
            go::with_eye_rule(options_.eye_rule, [&]<go::EyeRule rule> { play_game<rule>(); });
        }
        return games_ >= until_;
    }

   private:
    using Sums = Afterstates<SharedLookup>;

    // What is known of states with a player to move.
    Sums& sums_for(Player to_play) { return sums_[representation_->knows_turn() ? static_cast<std::size_t>(index_of(to_play)) : 0]; }

    template <go::EyeRule rule>
    void play_game() {
        B board(geometry_);
        game_.clear();
        learner_.begin_game();
        moves_ = 0;
        stage_ = representation_->stage(moves_);
        renew(board);
        while (!board.is_over() && moves_ < options_.longest_game) {
            meet(board);
            look_ahead(board);
            const go::Point p = choose<rule>(board);
            if (p == go::no_point) {
                board.pass();
            } else {
                for (Sums& sums : sums_) {
                    sums.play(board, p);
                }
                board.play(p);
            }
            ++moves_;
        }
        finish(board);
    }

    // Afterstates are valued by the weights of their own stage.
    void look_ahead(const B& board) {
        const int stage = representation_->stage(moves_ + 1);
        if (stage != stage_) {
            stage_ = stage;
            renew(board);
        }
    }

    // The next state of the game; its value is by the weights of now.
    void meet(const B& board) {
        Sums& sums = sums_for(board.to_play());
        const bool collects = !learner_.is_frozen() || options_.count_occurrences;
        const int windows = collects ? static_cast<int>(sums.tracker().codes().size()) : 0;
        for (int window = 0; window < windows; ++window) {
            sums.lookup().for_each(window, sums.tracker().code(window), [&](features::Entry entry) { game_.add(entry); });
        }
        game_.end_state(learner_.value_of(sums.sum()));
        if (options_.td.update_mode == UpdateMode::online) {
            learner_.learn_step(weights_, game_);
            renew(board);
        }
    }

    void renew(const B& board) {
        for (const Player to_play : {Player::black, Player::white}) {
            if (to_play == Player::black || representation_->knows_turn()) {
                sums_for(to_play).set_lookup(SharedLookup(*representation_, weights_, to_play, stage_));
                sums_for(to_play).reset(board);
            }
        }
    }

    template <go::EyeRule rule>
    go::Point choose(const B& board) {
        candidates_.clear();
        for (int i = 0; i < geometry_.area(); ++i) {
            const go::Point p = geometry_.padded_point(i);
            if (board.colour(p) == go::Colour::empty && board.template is_candidate<rule>(p)) {
                candidates_.push_back(p);
            }
        }
        if (candidates_.empty()) {
            return go::no_point;
        }
        if (options_.epsilon > 0 && rng_.uniform() < options_.epsilon) {
            return candidates_[rng_.below(static_cast<std::uint32_t>(candidates_.size()))];
        }
        // After the move the other player is to move. All moves start from the same sum, so their changes tell.
        Sums& sums = sums_for(opponent(board.to_play()));
        const float sign = board.to_play() == Player::black ? 1.0F : -1.0F;
        float best = -std::numeric_limits<float>::infinity();
        std::uint32_t ties = 0;
        go::Point chosen = candidates_.front();
        for (const go::Point p : candidates_) {
            const float change = sign * sums.change(board, p);
            if (change > best) {
                best = change;
                chosen = p;
                ties = 1;
            } else if (change == best && (options_.ties == Ties::last || rng_.below(++ties) == 0)) {
                chosen = p;
            }
        }
        tally_.values += candidates_.size();
        return chosen;
    }

    void finish(const B& board) {
        const bool is_cut = !board.is_over();
        const double score = board.final_score() - options_.komi;
        const double outcome = is_cut || score == 0 ? 0.5 : score > 0 ? 1.0 : 0.0;
        const GameErrors errors = learner_.learn_game(weights_, game_, outcome);
        if (!std::isfinite(errors.rms)) {
            throw DivergenceError("the weights have grown beyond all bounds in game " + std::to_string(games_ + 1) + ": a smaller alpha may help");
        }
        if (options_.count_occurrences) {
            game_.for_each([&](features::Entry entry) { ++occurrences_[static_cast<std::size_t>(std::abs(entry)) - 1]; });
        }
        ++games_;
        ++tally_.games;
        tally_.moves += static_cast<std::uint64_t>(moves_);
        tally_.cut += is_cut ? 1 : 0;
        tally_.black_wins += outcome;
        tally_.errors.cross_entropy += errors.cross_entropy;
        tally_.errors.mean += errors.mean;
        tally_.errors.rms += errors.rms;
        tally_.errors.rms_to_outcome += errors.rms_to_outcome;
    }

    go::Geometry geometry_;
    std::vector<Sums> sums_;
    GameTrace game_;
    std::vector<go::Point> candidates_;
    int moves_ = 0;
    int stage_ = 0;
};

// For boards of the representation's side (cpp/door/self_play.cpp).
std::unique_ptr<SelfPlay> make_self_play(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                         const Rng& rng);

}  // namespace katachi
