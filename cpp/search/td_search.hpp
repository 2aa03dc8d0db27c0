// Temporal-difference search on local shapes (Silver 2009, chapter 6, Algorithm 5), and with a long-term memory below it, Dyna-2 (chapter 7,
// Algorithm 7).
//
// A simulation is a game of self-play from the root. Its first moves are the best by the values of now but for some exploration; after the
// switch a default policy plays. Then the short-term memory learns from all its states. Its weights are the search: there is no tree.
//
//     V(s) = sigmoid(phi(s) · theta + phi'(s) · theta')
//
// theta is the long-term memory, which stays as it is, and theta' the short-term one, which learns. Where both have the same shapes, theta may be
// written into theta' at the beginning instead, and there is one table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "core/slice.hpp"
#include "games/go/go_state.hpp"
#include "learning/td.hpp"
#include "policies/playout.hpp"
#include "search/grown_memory.hpp"
#include "search/search.hpp"
#include "values/shape_evaluator.hpp"

namespace katachi {

enum class Exploration : std::uint8_t { epsilon_greedy, softmax };

struct TdSearchOptions {
    Exploration exploration = Exploration::epsilon_greedy;
    double epsilon = 0.1;       // how often a move before the switch is a random candidate
    double epsilon_policy = 0;  // how often it is the default policy's
    double epsilon_half = 0;    // simulations from one root after which both have halved; 0: they stay
    double temperature = 0.1;   // of softmax, over values
    double switch_after = 6;    // moves; a fraction is the chance of one more
    Policy policy = Policy::named("fuego");
    int record_limit = 0;  // states of a simulation that are learnt from; 0: all
    double mercy = 0;      // a simulation ends when one side has so many stones more, as a share of the area; 0: never
    int threads = 1;

    static constexpr int most_threads = 256;
};

// What a search learns and keeps from move to move: the weights of local shapes and of features that it grows, if any, and what their steps remember.
class ShortTermMemory {
   public:
    ShortTermMemory(std::shared_ptr<const features::Representation> representation, const TdOptions& options,
                    const std::optional<GrownOptions>& grown = {});

    const features::Representation& representation() const { return *representation_; }
    const std::shared_ptr<const features::Representation>& shared_representation() const { return representation_; }
    // Those of the shapes first, then those of grown features, by number.
    ShapeWeights& weights() {
        user_ = nullptr;
        return weights_;
    }
    const ShapeWeights& weights() const { return weights_; }
    // Null where no features grow.
    GrownMemory* grown() { return grown_ ? &*grown_ : nullptr; }
    const GrownMemory* grown() const { return grown_ ? &*grown_ : nullptr; }
    TdLearner& learner() { return learner_; }
    const TdLearner& learner() const { return learner_; }
    // As if nothing had been learnt. No search is under way.
    void clear();
    // Is it still as the same user left it who now goes on? It calls this before it does.
    bool is_kept_for(const void* user) { return std::exchange(user_, user) == user; }
    // Of all searches on it: whoever reads or changes it looks here first.
    Use& use() const { return use_; }

   private:
    ShapeWeights no_weights() const;
    // The weights that there may be.
    std::uint32_t most_weights() const;

    std::shared_ptr<const features::Representation> representation_;
    std::optional<GrownMemory> grown_;
    ShapeWeights weights_;
    TdLearner learner_;
    const void* user_ = nullptr;  // the search that has changed it last, if nobody else has since
    mutable Use use_;
};

// One simulation that has been played, for whoever wants to look at it.
struct SimulatedGame {
    std::vector<Action> moves;
    int recorded = 0;  // states that were learnt from
    double outcome = 0;
    GameErrors errors;
};

class TdSearch : public Search {
   public:
    // Black's chance to win in the root, by the memories.
    virtual double value() const = 0;
    // A root action and what follows by values, at most `length` actions.
    virtual std::vector<Action> line(Action first, int length) const = 0;
    const SimulatedGame& last_game() const { return last_game_; }
    // Means over all simulations so far.
    GameErrors errors() const;

   protected:
    // One takes ten milliseconds on a large board.
    int simulations_per_look() const override { return 1; }

    SimulatedGame last_game_;
    GameErrors errors_;  // sums
};

// `actions`: what may be tried at the root. `long_term` may be missing. Searches on one memory are driven one at a time.
template <class B>
std::unique_ptr<TdSearch> make_td_search(const go::GoState<B>& root, const ActionBuffer& actions, std::shared_ptr<ShortTermMemory> memory,
                                         std::shared_ptr<const ShapeEvaluator> long_term, const TdSearchOptions& options, const Rng& rng);

extern template std::unique_ptr<TdSearch> make_td_search(const go::GoState<go::SmallBoard>&, const ActionBuffer&, std::shared_ptr<ShortTermMemory>,
                                                         std::shared_ptr<const ShapeEvaluator>, const TdSearchOptions&, const Rng&);
extern template std::unique_ptr<TdSearch> make_td_search(const go::GoState<go::LargeBoard>&, const ActionBuffer&, std::shared_ptr<ShortTermMemory>,
                                                         std::shared_ptr<const ShapeEvaluator>, const TdSearchOptions&, const Rng&);

}  // namespace katachi
