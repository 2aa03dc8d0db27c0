#include "search/td_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>

#include "core/errors.hpp"
#include "core/team.hpp"
#include "search/td_simulation.hpp"
#include "values/weight_exchange.hpp"

namespace katachi {

namespace {

void check(const TdSearchOptions& options, const go::Geometry& geometry, const ShortTermMemory& memory, const ShapeEvaluator* long_term) {
    const int side = memory.representation().shapes().side();
    if (!(geometry == go::Geometry{side, side})) {
        throw InvalidArgumentError("this memory is for boards of " + std::to_string(side) + "x" + std::to_string(side) + ", not of " +
                                   std::to_string(geometry.width) + "x" + std::to_string(geometry.height));
    }
    if (long_term != nullptr && long_term->representation().shapes().side() != side) {
        throw InvalidArgumentError("the two memories are for boards of different sizes");
    }
    if (long_term != nullptr && !long_term->is_fused()) {
        throw InvalidArgumentError("a long-term memory has one vector of weights for all states, whoever is to move and whatever the stage");
    }
    if (options.threads < 1 || options.threads > TdSearchOptions::most_threads) {
        throw InvalidArgumentError("a search has from 1 to " + std::to_string(TdSearchOptions::most_threads) + " threads, not " +
                                   std::to_string(options.threads));
    }
    if (options.threads > 1 && memory.grown() != nullptr) {
        throw InvalidArgumentError("grown features are for one thread, not for " + std::to_string(options.threads));
    }
}

template <class B, class Weights, class Lookup, class Grown = NoGrownFeatures>
class TdSearchOf final : public TdSearch {
   public:
    TdSearchOf(const go::GoState<B>& root, const ActionBuffer& actions, std::shared_ptr<ShortTermMemory> memory,
               std::shared_ptr<const ShapeEvaluator> long_term, const TdSearchOptions& options, const Rng& rng)
        : memory_(std::move(memory)),
          options_(options),
          root_{root, actions, std::move(long_term), {}},
          visits_(actions.size()),
          exchange_(static_cast<std::size_t>(options.threads)) {
        if (root_.long_term) {
            root_.long_sums.emplace(root_.long_term->fused_shapes(), root_.long_term->lookup());
            root_.long_sums->reset(root.board());
        }
        ShapeWeights* table = &memory_->weights();
        for (int i = 0; i < options.threads; ++i) {
            if (i > 0) {
                table = &tables_.emplace_back(*table);
            }
            workers_.push_back(
                std::make_unique<Worker>(*this, *table, options.threads == 1 ? rng : rng.split("thread", static_cast<std::uint64_t>(i))));
        }
    }

    std::vector<RootAction> root_actions() const override {
        std::vector<RootAction> actions = simulation().valued_actions();
        for (std::size_t i = 0; i < actions.size(); ++i) {
            actions[i].visits = visits_[i];
        }
        return actions;
    }

    double value() const override { return simulation().root_value(); }

    Use& use() const override { return memory_->use(); }

    std::vector<Action> line(Action first, int length) const override {
        if (std::ranges::find(root_.actions, first) == root_.actions.end()) {
            throw InvalidArgumentError("action " + std::to_string(first.value) + " is not one of the root's");
        }
        std::vector<Action> moves;
        go::GoState<B> state = root_.state;
        Action next = first;
        while (static_cast<int>(moves.size()) < length) {
            moves.push_back(next);
            state.play(next);
            if (state.is_terminal()) {
                break;
            }
            const double sign = state.to_play() == Player::black ? 1 : -1;
            const std::vector<RootAction> valued = simulation().valued_actions(moves);
            next = std::ranges::max_element(valued, {}, [&](const RootAction& action) { return sign * action.value; })->action;
        }
        return moves;
    }

    bool advance(const Slice& slice) override {
        const bool is_kept = memory_->is_kept_for(this);
        if (workers_.size() == 1 || !has_begun()) {
            return Search::advance(slice);
        }
        if (!is_kept) {
            for (ShapeWeights& table : tables_) {
                table.copy(std::as_const(*memory_).weights());
            }
        }
        begun_ = stepped_ = 0;
        try {
            work_together(workers_.size(), [&](std::size_t i, const std::atomic<bool>& is_stopped) { work(i, slice, is_stopped); });
        } catch (...) {
            take_all();
            throw;
        }
        take_all();
        return is_finished() || (has_answer() && meter().is_spent(true));
    }

   protected:
    bool is_finished() const override { return root_.actions.empty(); }

    std::uint64_t simulate() override {
        Worker& worker = *workers_[0];
        simulate(worker, simulations());
        take(worker);
        return last_game_.moves.size();
    }

   private:
    using Simulation = TdSimulation<B, Weights, Lookup, Grown>;
    static constexpr bool is_alone = std::is_same_v<Weights, ShapeWeights>;

    struct Worker {
        Worker(TdSearchOf& search, ShapeWeights& table, const Rng& rng)
            : rng(rng),
              learner(search.memory_->learner().beside()),
              weights(table),
              simulation(search.root_, search.options_, search.memory_->representation(), weights, learner, search.grown()),
              visits(search.visits_.size()) {}

        Rng rng;
        TdLearner learner;
        std::conditional_t<is_alone, ShapeWeights&, Weights> weights;
        Simulation simulation;
        std::vector<std::uint64_t> visits;  // not yet taken
        SimulatedGame game;
        GameErrors errors;
    };

    Grown grown() {
        if constexpr (Grown::is_used) {
            const auto first = static_cast<features::Entry>(memory_->representation().weights()) + 1;
            return Grown(*memory_->grown(), memory_->weights(), first, root_.state.board().geometry());
        } else {
            return {};
        }
    }

    Simulation& simulation() const { return workers_[0]->simulation; }

    // A simulation that throws leaves no trace of itself in what is drawn next.
    void simulate(Worker& worker, std::uint64_t played) {
        Rng rng = worker.rng;
        const std::size_t first = worker.simulation.run(played, rng, worker.game);
        if (!std::isfinite(worker.game.errors.rms)) {
            throw DivergenceError("the weights of the search have grown beyond all bounds: a smaller alpha, or variance, may help");
        }
        worker.rng = rng;
        ++worker.visits[first];
        worker.errors += worker.game.errors;
    }

    // Returns how many simulations there were.
    std::uint64_t take(Worker& worker) {
        std::uint64_t games = 0;
        for (std::size_t i = 0; i < visits_.size(); ++i) {
            const std::uint64_t visits = std::exchange(worker.visits[i], 0);
            visits_[i] += visits;
            games += visits;
        }
        errors_ += std::exchange(worker.errors, {});
        if (games > 0) {
            last_game_ = worker.game;
        }
        return games;
    }

    // Until the slice or the limit is spent. A search that has no answer yet does at least one simulation.
    void work(std::size_t member, const Slice& slice, const std::atomic<bool>& is_stopped) {
        Worker& worker = *workers_[member];
        const std::uint64_t most = has_answer() ? meter().simulations_left() : std::max<std::uint64_t>(meter().simulations_left(), 1);
        while (!is_stopped && !slice.expired() && !is_finished()) {
            const std::uint64_t number = begun_++;
            const bool is_needed = number == 0 && !has_answer();
            if (number >= most || (!is_needed && (stepped_ >= meter().steps_left() || meter().is_spent(true)))) {
                return;
            }
            simulate(worker, simulations() + number);
            stepped_ += worker.game.moves.size();
            meet(member);
        }
    }

    // What one worker has learnt becomes known to the others.
    void meet(std::size_t member) {
        if constexpr (!is_alone) {
            exchange_.meet(member, workers_[member]->weights);
        }
    }

    void take_all() {
        for (int round = 0; round < 2; ++round) {  // what there is is told by all, and then known to all
            for (std::size_t member = 0; member < workers_.size(); ++member) {
                meet(member);
            }
        }
        std::uint64_t games = 0;
        for (const auto& worker : workers_) {
            games += take(*worker);
        }
        count(games, stepped_);
    }

    std::shared_ptr<ShortTermMemory> memory_;
    TdSearchOptions options_;
    TdRoot<B> root_;
    std::vector<std::uint64_t> visits_;  // by root action
    std::deque<ShapeWeights> tables_;    // of all threads but the first, whose table is the memory
    WeightExchange exchange_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<std::uint64_t> begun_ = 0;    // simulations of this slice
    std::atomic<std::uint64_t> stepped_ = 0;  // steps of those that are over
};

template <class B, class Weights, class Grown = NoGrownFeatures>
std::unique_ptr<TdSearch> make_with(const go::GoState<B>& root, const ActionBuffer& actions, std::shared_ptr<ShortTermMemory> memory,
                                    std::shared_ptr<const ShapeEvaluator> long_term, const TdSearchOptions& options, const Rng& rng) {
    if (BasicUnsharedLookup<Weights>::fits(memory->representation())) {
        return std::make_unique<TdSearchOf<B, Weights, BasicUnsharedLookup<Weights>, Grown>>(root, actions, std::move(memory), std::move(long_term),
                                                                                             options, rng);
    }
    return std::make_unique<TdSearchOf<B, Weights, BasicSharedLookup<Weights>, Grown>>(root, actions, std::move(memory), std::move(long_term),
                                                                                       options, rng);
}

}  // namespace

template <class B>
std::unique_ptr<TdSearch> make_td_search(const go::GoState<B>& root, const ActionBuffer& actions, std::shared_ptr<ShortTermMemory> memory,
                                         std::shared_ptr<const ShapeEvaluator> long_term, const TdSearchOptions& options, const Rng& rng) {
    check(options, root.board().geometry(), *memory, long_term.get());
    if (memory->grown() != nullptr) {
        return make_with<B, ShapeWeights, GrownFeatures<B>>(root, actions, std::move(memory), std::move(long_term), options, rng);
    }
    if (options.threads == 1) {
        return make_with<B, ShapeWeights>(root, actions, std::move(memory), std::move(long_term), options, rng);
    }
    return make_with<B, ReplicaWeights>(root, actions, std::move(memory), std::move(long_term), options, rng);
}

template std::unique_ptr<TdSearch> make_td_search(const go::GoState<go::SmallBoard>&, const ActionBuffer&, std::shared_ptr<ShortTermMemory>,
                                                  std::shared_ptr<const ShapeEvaluator>, const TdSearchOptions&, const Rng&);
template std::unique_ptr<TdSearch> make_td_search(const go::GoState<go::LargeBoard>&, const ActionBuffer&, std::shared_ptr<ShortTermMemory>,
                                                  std::shared_ptr<const ShapeEvaluator>, const TdSearchOptions&, const Rng&);

}  // namespace katachi
