// Learning a softmax playout policy over local shapes (Silver and Tesauro 2009; Silver 2009, chapter 9): one step after another until there have been
// enough.
//
//     regression      theta += alpha psi(s, a*)                                   a* is the expert's move                           (eq. 8)
//     reinforcement   theta += alpha / T sum_t z_t psi(s_t, a_t)                  after a game of self-play                         (eq. 10)
//     balancing       theta += alpha (V*(s) - mean z) mean[z / T sum_t psi_t]     the means are over M and over N other simulations (eq. 12, 13)
//     two_step        theta += alpha (V*(s) - E V*) grad E V*                     over all moves and answers                        (eq. 14, 15)
//
// psi(s, a) = phi(s, a) - sum_b pi(s, b) phi(s, b). Outcomes z and values V* are Black's, but for reinforcement, which wants strength: there z_t is
// that of who moves, 1 or -1, unless it is to be read literally. Weights are held between two bounds. With a decay each step also takes
// alpha decay theta from them, as if decay |theta|^2 were added to the squares that balancing makes small. Biases beyond a bound count as the bound:
// then balancing makes Huber's loss small instead of squares, so that few positions with large ones do not decide.
//
// A step is a function of the weights and its number: every simulation has a generator of its own, split by name, and simulations are dealt to a
// fixed number of blocks whose sums are added in order. So the result depends neither on the number of threads nor on where a run was left between
// two steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "core/slice.hpp"
#include "core/types.hpp"
#include "features/placements.hpp"
#include "games/go/board.hpp"

namespace katachi {

enum class PolicyRule : std::uint8_t { regression, reinforcement, balancing, two_step };
enum class RlReward : std::uint8_t { mover_pm1, literal };
// What is subtracted from outcomes in gradients: nothing, the mean of the M simulations, or what a critic says of each state.
enum class Baseline : std::uint8_t { none, mean, critic };

struct PolicyLearningOptions {
    PolicyRule rule = PolicyRule::balancing;
    double alpha = 1;
    RlReward rl_reward = RlReward::mover_pm1;
    int bias_simulations = 100;      // M
    int gradient_simulations = 100;  // N
    bool length_normalise = true;    // divide the gradient of a simulation by its T
    Baseline baseline = Baseline::none;
    double critic_alpha = 0.1;
    double largest_weight = 10;
    double weight_decay = 0;
    double largest_bias = 1;  // of V* less its estimate in a step of the balancing rules
    double komi = 7.5;
    go::EyeRule eye_rule = go::EyeRule::simple;
    int longest_simulation = 200;  // moves; then it is a draw
    int threads = 1;
};

// What is learnt from. Actions are from the empty board on.
struct LabelledPosition {
    std::vector<Action> moves;
    double value = 0;  // V*, Black's
    Action best;       // a*
    // All moves, the answers to each, and Black's value of what these lead to; where a move ends the game there is no answer, and one value.
    std::vector<Action> first;
    std::vector<std::vector<Action>> second;
    std::vector<std::vector<double>> values;
};

// Sums over steps.
struct PolicyLearningTally {
    std::uint64_t steps = 0;
    std::uint64_t skipped = 0;  // steps whose expert's move the policy never plays
    std::uint64_t simulations = 0;
    std::uint64_t moves = 0;
    std::uint64_t cut = 0;      // simulations
    double black_wins = 0;      // of the simulations
    double log_likelihood = 0;  // of the expert's moves
    double squared_bias = 0;    // (V* - estimate)^2 of the balancing rules
};

// pi and psi of all candidates of a position.
struct PolicyScores {
    std::vector<Action> actions;
    std::vector<double> probabilities;
    std::vector<double> scores;  // row by row
};

class PolicyLearning : public Job {
   public:
    // With a named error for a position that cannot be played to, or that has not what the rule needs.
    PolicyLearning(std::shared_ptr<const features::Placements> placements, std::vector<LabelledPosition> positions,
                   const PolicyLearningOptions& options, const Rng& rng);

    std::span<const double> weights() const { return weights_; }
    void set_weights(std::span<const double> weights);
    // Of local shapes, for Black's value of a state: logistic(phi(s) . critic).
    std::span<const double> critic() const { return critic_; }
    void set_critic(std::span<const double> weights);
    std::uint64_t steps() const { return steps_; }
    void set_steps(std::uint64_t steps) {
        steps_ = steps;
        forget_step();
    }
    const PolicyLearningOptions& options() const { return options_; }
    PolicyLearningTally take_tally() { return std::exchange(tally_, {}); }
    PolicyLearningTally tally() const { return tally_; }
    void set_tally(const PolicyLearningTally& tally) { tally_ = tally; }

    // `advance` then learns until there have been so many steps.
    void begin(std::uint64_t until) {
        first_ = steps_;
        until_ = until;
    }
    double progress() const override { return until_ <= first_ ? 1 : static_cast<double>(steps_ - first_) / static_cast<double>(until_ - first_); }

    virtual PolicyScores scores(const std::vector<Action>& moves) = 0;

   protected:
    // What has been done of the present step counts no more.
    virtual void forget_step() {}
    // Which position a step is about: all of them in a new random order, again and again.
    const LabelledPosition& position_of(std::uint64_t step);
    // theta += rate * gradient - alpha * decay * theta, within the bounds.
    void climb(std::span<const double> gradient, double rate);

    std::shared_ptr<const features::Placements> placements_;
    std::vector<LabelledPosition> positions_;
    PolicyLearningOptions options_;
    Rng rng_;
    std::vector<double> weights_;
    std::vector<double> critic_;
    PolicyLearningTally tally_;
    std::uint64_t steps_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t until_ = 0;

   private:
    std::vector<std::uint32_t> order_;
    std::uint64_t round_ = 0;  // which the order is of
};

// For boards of the placements' side (cpp/door/policy_learning.cpp).
std::unique_ptr<PolicyLearning> make_policy_learning(const std::shared_ptr<const features::Representation>& representation,
                                                     std::vector<LabelledPosition> positions, const PolicyLearningOptions& options, const Rng& rng);

}  // namespace katachi
