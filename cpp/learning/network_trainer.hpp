// How a network's weights follow the errors of the states of a game (Ekker, 3.3): gradients added up over a batch of games, then one step.
//
// With E_t the error of state t and g_t the gradient of its value, one state asks for
//
//   direct:             d_t  = E_t g_t                       (eq. 23; the same as back-propagation, eq. 15 to 17 and 21)
//   residual gradient:  rg_t = -E_t (g_{t+1} - g_t)          (eq. 25)
//   residual:           (1 - phi) d + phi rg                 (eq. 26)
//
// phi, the *mix*, is given, or the smallest one for which the step still has an acute angle with rg (eq. 28). Mix 0 is direct, mix 1 residual
// gradient. The step is eta times that sum, or RPROP's by its signs (eq. 18 to 20). After the last state there is one whose gradient is 0.
// The slow twin is src/katachi/reference/network_trainers.py, the settings are src/katachi/learning/network_trainers.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "features/inputs.hpp"
#include "values/network.hpp"

namespace katachi {

enum class StepKind : std::uint8_t { plain, rprop };
enum class GradientOf : std::uint8_t { output, sum };       // of y, or of x
enum class PhiRule : std::uint8_t { safe, literal };        // safe: 0 where the direct step descends by itself
enum class PhiPer : std::uint8_t { batch, step };           // one for sums over the batch, or one for each state
enum class ResidualPair : std::uint8_t { next, previous };  // whose gradient is taken off (3.3.5 has the state before)

struct NetworkTrainerOptions {
    std::optional<double> mix = 0;  // phi; nothing: it adapts
    PhiRule phi_rule = PhiRule::safe;
    PhiPer phi_per = PhiPer::batch;
    double phi_margin = 0.01;  // epsilon: added to the smallest phi
    ResidualPair pair = ResidualPair::next;
    GradientOf gradient_of = GradientOf::output;
    StepKind step = StepKind::plain;
    double eta = 0.2;
    double rprop_growth = 1.2;      // eta+
    double rprop_shrinkage = 0.5;   // eta-
    double rprop_first = 0.1;       // step to begin with
    double rprop_smallest = 0.001;  // Delta_min
    double rprop_largest = 50;      // Delta_max
    int batch_games = 10;
};

// Phi for two sums (eq. 28).
double adaptive_mix(std::span<const double> direct, std::span<const double> residual, PhiRule rule, double margin);

class NetworkTrainer {
   public:
    NetworkTrainer(const NetworkTrainerOptions& options, std::size_t weights);

    const NetworkTrainerOptions& options() const { return options_; }
    // Adds the states of a game with their errors; with the last game of a batch the weights move. True: they did. A state without inputs (null) is
    // not valued by the network: its gradient is 0.
    bool add_game(Network& network, std::span<const features::InputList* const> states, std::span<const double> errors);

    // All that the next step depends on: the sums of the batch that is under way (direct, residual), and of RPROP the steps, the gradients before
    // and the changes before; rows of as many numbers as there are weights, or empty ones.
    std::vector<std::vector<double>*> memories();
    int games_in_batch() const { return games_; }
    void set_games_in_batch(int games) { games_ = games; }
    // Of the last step; nothing before the first.
    std::optional<double> last_mix() const { return last_mix_; }

   private:
    void add_by_coefficients(const Network& network, std::span<const features::InputList* const> states, std::span<const double> errors);
    void add_step_by_step(const Network& network, std::span<const features::InputList* const> states, std::span<const double> errors);
    void gradient(const Network& network, const features::InputList* inputs, std::vector<double>& out);
    double slope(const Network::Pass& pass) const { return options_.gradient_of == GradientOf::output ? pass.output * (1 - pass.output) : 1; }
    void step(Network& network);
    void step_by_signs(std::span<double> weights, const std::vector<double>& wanted);

    bool has_residual() const { return options_.mix != 0.0; }

    NetworkTrainerOptions options_;
    std::vector<double> direct_;
    std::vector<double> residual_;
    std::vector<double> steps_;
    std::vector<double> gradients_;
    std::vector<double> changes_;
    int games_ = 0;
    std::optional<double> last_mix_;
    Network::Pass pass_;
    std::vector<double> here_;  // gradients of a state and of its partner
    std::vector<double> there_;
    std::vector<double> one_direct_;
    std::vector<double> one_residual_;
};

}  // namespace katachi
