// Learning to value positions by self-play: one game after another until there have been enough.
//
// Nothing but the games is random, and everything that the next game depends on can be read and set again: weights, steps that adapt, the
// random generator, the number of games. So a run goes on exactly where it was left between two games. Several games at a time are in
// self_play_threads.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/slice.hpp"
#include "training/self_player.hpp"

namespace katachi {

class SelfPlay : public Job {
   public:
    SelfPlay(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng)
        : representation_(std::move(representation)),
          options_(options),
          rng_(rng),
          weights_(representation_->weights()),
          learner_(options.td, representation_->weights()),
          counts_(new_counts()) {}

    ShapeWeights& weights() { return weights_; }
    const ShapeWeights& weights() const { return weights_; }
    TdLearner& learner() { return learner_; }
    const features::Representation& representation() const { return *representation_; }
    Rng& rng() { return rng_; }
    std::uint64_t games() const { return games_; }
    void set_games(std::uint64_t games) { games_ = games; }
    // Since it was last taken.
    SelfPlayTally take_tally() { return std::exchange(counts_.tally, {}); }

    // By weight: how often it stood among the entries of the states met in all games, if that is counted.
    std::vector<std::uint64_t>& occurrences() {
        if (!options_.count_occurrences) {
            throw InvalidArgumentError("occurrences of weights are not counted: count_occurrences asks for it");
        }
        return counts_.occurrences;
    }

    // `advance` then plays until there have been so many games.
    void begin(std::uint64_t until) {
        first_ = games_;
        until_ = until;
    }
    double progress() const override { return until_ <= first_ ? 1 : static_cast<double>(games_ - first_) / static_cast<double>(until_ - first_); }

   protected:
    SelfPlayCounts new_counts() const {
        return {.tally = {}, .occurrences = std::vector<std::uint64_t>(options_.count_occurrences ? representation_->weights() : 0)};
    }

    std::shared_ptr<const features::Representation> representation_;
    SelfPlayOptions options_;
    Rng rng_;
    ShapeWeights weights_;
    TdLearner learner_;
    SelfPlayCounts counts_;
    std::uint64_t games_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t until_ = 0;
};

template <class B>
class SelfPlayInOneThread final : public SelfPlay {
   public:
    SelfPlayInOneThread(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng)
        : SelfPlay(std::move(representation), options, rng), player_(*representation_, options_, weights_, learner_) {}

    bool advance(const Slice& slice) override {
        while (games_ < until_ && !slice.expired()) {
            player_.play_game(games_ + 1, rng_, counts_);
            ++games_;
        }
        return games_ >= until_;
    }

   private:
    SelfPlayer<B, ShapeWeights> player_;
};

// For boards of the representation's side (cpp/door/self_play.cpp), and in more than one thread (cpp/door/self_play_threads.cpp).
std::unique_ptr<SelfPlay> make_self_play(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                         const Rng& rng);
std::unique_ptr<SelfPlay> make_self_play_in_threads(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                                    const Rng& rng);

}  // namespace katachi
