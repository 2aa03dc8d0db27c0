// Flat Monte-Carlo (Silver 2009, 3.3.4 and 4.6.2): the value of an action is the mean return of simulations that begin with
// it and go on with a playout policy. Simulations go round the root actions in turn.
#pragma once

#include <utility>
#include <vector>

#include "policies/playout.hpp"
#include "search/search.hpp"

namespace katachi {

template <GameState S>
class FlatMonteCarlo final : public Search {
   public:
    FlatMonteCarlo(S root, const ActionBuffer& actions, const Policy& policy, const Rng& rng, bool calls_python)
        : root_(std::move(root)), policy_(policy, root_), rng_(rng), calls_python_(calls_python) {
        for (const Action action : actions) {
            statistics_.push_back({.action = action});
        }
    }

    std::vector<RootAction> root_actions() const override { return statistics_; }
    bool calls_python() const override { return calls_python_; }

   protected:
    std::uint64_t simulate() override {
        RootAction& statistics = statistics_[next_];
        Rng rng = rng_;
        S state = root_;
        const Reward first = play(state, statistics.action, rng);
        const Playout rest = playout(state, policy_, rng, buffer_);
        rng_ = rng;
        next_ = (next_ + 1) % statistics_.size();
        ++statistics.visits;
        statistics.value += (first + rest.total - statistics.value) / static_cast<double>(statistics.visits);
        return 1 + static_cast<std::uint64_t>(rest.length);
    }

    bool is_finished() const override { return statistics_.empty(); }

   private:
    S root_;
    PolicyFor<S> policy_;
    Rng rng_;
    bool calls_python_;
    ActionBuffer buffer_;
    std::vector<RootAction> statistics_;
    std::size_t next_ = 0;
};

}  // namespace katachi
