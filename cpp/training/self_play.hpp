// Learning to value positions by self-play: games one after another, or in several threads at a time, until there have been enough.
//
// With one thread nothing but the games is random, and everything that the next game depends on can be read and set again: weights, steps
// that adapt, the random generator, the number of games. So a run goes on exactly where it was left between two games.
//
// Several threads play games of their own and learn the same weights, without locks (values/shape_weights.hpp, ConcurrentWeights). What a
// game learns then depends on what the others have learnt by the moment, so no two runs are alike. Threads live no longer than a slice:
// between two slices all games are over, and everything can be read and set as before.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
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

// A game draws from a stream of its own, split by its number, so that the generator of the run stays as it is.
template <class B>
class SelfPlayInThreads final : public SelfPlay {
   public:
    SelfPlayInThreads(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng)
        : SelfPlay(std::move(representation), options, rng), shared_(weights_) {
        for (int i = 0; i < options.threads; ++i) {
            workers_.push_back(std::make_unique<Worker>(*this));
        }
    }

    bool advance(const Slice& slice) override {
        begun_ = games_;
        is_stopped_ = false;
        work_together(slice);
        std::exception_ptr error;
        for (const auto& worker : workers_) {
            take_counts(worker->counts);
            if (const std::exception_ptr own = std::exchange(worker->error, nullptr); own && !error) {
                error = own;
            }
        }
        if (error) {
            std::rethrow_exception(error);
        }
        return games_ >= until_;
    }

   private:
    struct Worker {
        explicit Worker(SelfPlayInThreads& run)
            : learner(run.learner_.beside()), player(*run.representation_, run.options_, run.shared_, learner), counts(run.new_counts()) {}

        TdLearner learner;
        SelfPlayer<B, ConcurrentWeights> player;
        SelfPlayCounts counts;
        std::exception_ptr error;
    };

    // The first worker is in the thread of the caller. All threads have ended when it returns.
    void work_together(const Slice& slice) {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t i = 1; i < workers_.size(); ++i) {
                threads.emplace_back([this, &slice, &worker = *workers_[i]] { work(worker, slice); });
            }
        } catch (...) {
            stop(*workers_[0]);
        }
        work(*workers_[0], slice);
    }

    void work(Worker& worker, const Slice& slice) {
        try {
            while (!is_stopped_ && !slice.expired()) {
                const std::uint64_t number = begun_++;
                if (number >= until_) {
                    return;
                }
                Rng rng = rng_.split("game", number);
                worker.player.play_game(number + 1, rng, worker.counts);
            }
        } catch (...) {
            stop(worker);
        }
    }

    // The others finish their game.
    void stop(Worker& worker) {
        worker.error = std::current_exception();
        is_stopped_ = true;
    }

    void take_counts(SelfPlayCounts& counts) {
        const SelfPlayTally tally = std::exchange(counts.tally, {});
        games_ += tally.games;
        counts_.tally += tally;
        for (std::size_t i = 0; i < counts.occurrences.size(); ++i) {
            counts_.occurrences[i] += std::exchange(counts.occurrences[i], 0);
        }
    }

    ConcurrentWeights shared_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<std::uint64_t> begun_ = 0;  // games
    std::atomic<bool> is_stopped_ = false;
};

// For boards of the representation's side (cpp/door/self_play.cpp).
std::unique_ptr<SelfPlay> make_self_play(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                         const Rng& rng);

}  // namespace katachi
