// Self-play in several threads, each with games of its own, that learn the same weights without locks (values/shape_weights.hpp,
// ConcurrentWeights). What a game learns depends on what the others have learnt by the moment, so no two runs are alike.
//
// Threads live no longer than a slice: between two slices all games are over, and everything can be read and set as with one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/team.hpp"
#include "training/self_play.hpp"

namespace katachi {

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
        try {
            work_together(workers_.size(), [&](std::size_t i, const std::atomic<bool>& is_stopped) { work(*workers_[i], slice, is_stopped); });
        } catch (...) {
            take_all_counts();
            throw;
        }
        take_all_counts();
        return games_ >= until_;
    }

   private:
    struct Worker {
        explicit Worker(SelfPlayInThreads& run)
            : learner(run.learner_.beside()), player(*run.representation_, run.options_, run.shared_, learner), counts(run.new_counts()) {}

        TdLearner learner;
        SelfPlayer<B, ConcurrentWeights> player;
        SelfPlayCounts counts;
    };

    void work(Worker& worker, const Slice& slice, const std::atomic<bool>& is_stopped) {
        while (!is_stopped && !slice.expired()) {
            const std::uint64_t number = begun_++;
            if (number >= until_) {
                return;
            }
            Rng rng = rng_.split("game", number);
            worker.player.play_game(number + 1, rng, worker.counts);
        }
    }

    void take_all_counts() {
        for (const auto& worker : workers_) {
            take_counts(worker->counts);
        }
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
};

}  // namespace katachi
