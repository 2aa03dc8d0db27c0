// One game of self-play and what is learnt from it (Silver 2009, 5.6, Algorithm 3): both players choose the best afterstate but for a
// random move now and then.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/rng.hpp"
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
    int threads = 1;
    TdOptions td{};
};

// Sums over games.
struct SelfPlayTally {
    std::uint64_t games = 0;
    std::uint64_t moves = 0;
    std::uint64_t values = 0;  // afterstates that were valued
    std::uint64_t cut = 0;     // games
    double black_wins = 0;
    GameErrors errors;  // sums

    SelfPlayTally& operator+=(const SelfPlayTally& other) {
        games += other.games;
        moves += other.moves;
        values += other.values;
        cut += other.cut;
        black_wins += other.black_wins;
        errors += other.errors;
        return *this;
    }
};

// What is counted while games are played.
struct SelfPlayCounts {
    SelfPlayTally tally;
    std::vector<std::uint64_t> occurrences;  // by weight: entries of the states met; empty if they are not counted
};

// What a thread needs to play and to learn, on boards of one capacity class. Weights are not its own.
template <class B, class Weights>
class SelfPlayer {
   public:
    // All of them must outlive it.
    SelfPlayer(const features::Representation& representation, const SelfPlayOptions& options, Weights& weights, TdLearner& learner)
        : representation_(&representation),
          options_(&options),
          weights_(&weights),
          learner_(&learner),
          geometry_{representation.shapes().side(), representation.shapes().side()} {
        for (const Player to_play : {Player::black, Player::white}) {
            if (to_play == Player::black || representation.knows_turn()) {
                sums_.emplace_back(representation.shapes(), Lookup(representation, weights, to_play));
            }
        }
    }

    // Game number `number`, with everything that it is counted in.
    void play_game(std::uint64_t number, Rng& rng, SelfPlayCounts& counts) {
        go::with_eye_rule(options_->eye_rule, [&]<go::EyeRule rule> { play_game_by<rule>(number, rng, counts); });
    }

   private:
    using Lookup = BasicSharedLookup<Weights>;
    using Sums = Afterstates<Lookup>;

    // What is known of states with a player to move.
    Sums& sums_for(Player to_play) { return sums_[representation_->knows_turn() ? static_cast<std::size_t>(index_of(to_play)) : 0]; }

    template <go::EyeRule rule>
    void play_game_by(std::uint64_t number, Rng& rng, SelfPlayCounts& counts) {
        B board(geometry_);
        game_.clear();
        learner_->begin_game();
        moves_ = 0;
        stage_ = representation_->stage(moves_);
        renew(board);
        while (!board.is_over() && moves_ < options_->longest_game) {
            meet(board);
            look_ahead(board);
            const go::Point p = choose<rule>(board, rng, counts.tally);
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
        finish(board, number, counts);
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
        const bool collects = !learner_->is_frozen() || options_->count_occurrences;
        const int windows = collects ? static_cast<int>(sums.tracker().codes().size()) : 0;
        for (int window = 0; window < windows; ++window) {
            sums.lookup().for_each(window, sums.tracker().code(window), [&](features::Entry entry) { game_.add(entry); });
        }
        game_.end_state(learner_->value_of(sums.sum()));
        if (options_->td.update_mode == UpdateMode::online) {
            learner_->learn_step(*weights_, game_);
            renew(board);
        }
    }

    void renew(const B& board) {
        for (const Player to_play : {Player::black, Player::white}) {
            if (to_play == Player::black || representation_->knows_turn()) {
                sums_for(to_play).set_lookup(Lookup(*representation_, *weights_, to_play, stage_));
                sums_for(to_play).reset(board);
            }
        }
    }

    template <go::EyeRule rule>
    go::Point choose(const B& board, Rng& rng, SelfPlayTally& tally) {
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
        if (options_->epsilon > 0 && rng.uniform() < options_->epsilon) {
            return candidates_[rng.below(static_cast<std::uint32_t>(candidates_.size()))];
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
            } else if (change == best && (options_->ties == Ties::last || rng.below(++ties) == 0)) {
                chosen = p;
            }
        }
        tally.values += candidates_.size();
        return chosen;
    }

    void finish(const B& board, std::uint64_t number, SelfPlayCounts& counts) {
        const bool is_cut = !board.is_over();
        const double score = board.final_score() - options_->komi;
        const double outcome = is_cut || score == 0 ? 0.5 : score > 0 ? 1.0 : 0.0;
        const GameErrors errors = learner_->learn_game(*weights_, game_, outcome);
        if (!std::isfinite(errors.rms)) {
            throw DivergenceError("the weights have grown beyond all bounds in game " + std::to_string(number) +
                                  ": a smaller alpha, or variance, may help");
        }
        if (options_->count_occurrences) {
            game_.for_each([&](features::Entry entry) { ++counts.occurrences[static_cast<std::size_t>(std::abs(entry)) - 1]; });
        }
        SelfPlayTally& tally = counts.tally;
        ++tally.games;
        tally.moves += static_cast<std::uint64_t>(moves_);
        tally.cut += is_cut ? 1 : 0;
        tally.black_wins += outcome;
        tally.errors += errors;
    }

    const features::Representation* representation_;
    const SelfPlayOptions* options_;
    Weights* weights_;
    TdLearner* learner_;
    go::Geometry geometry_;
    std::vector<Sums> sums_;
    GameTrace game_;
    std::vector<go::Point> candidates_;
    int moves_ = 0;
    int stage_ = 0;
};

}  // namespace katachi
