// The axes of the tree search (Vodopivec 2018, chapter 4; Silver 2009, 3.4 and chapter 8): every one can be combined with every other, and
// the known algorithms are points among them. The Python face, with the sources, is src/katachi/search/tree_settings.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "games/game_state.hpp"
#include "policies/policy.hpp"

namespace katachi {

// Learning: what an episode changes.
enum class Learner : std::uint8_t { monte_carlo, td, q_naive, q_watkins, max_backup, mixed_backup };
enum class Timing : std::uint8_t { offline, in_place, online };
enum class VisitMode : std::uint8_t { every, first, replacing };
enum class Convention : std::uint8_t { afterstate, state };
enum class RewardTiming : std::uint8_t { timed, final_sum };
enum class StepSize : std::uint8_t { visits, episodes, constant, linear, exponential };
enum class CutRule : std::uint8_t { back_up, drop };

// Control: how actions are chosen where values are memorised.
enum class ControlPolicy : std::uint8_t { ucb1, epsilon_greedy, softmax, greedy, random };
enum class UcbForm : std::uint8_t { thesis, no_two, fuego };
enum class ParentCount : std::uint8_t { children, node };
enum class Decay : std::uint8_t { none, linear, exponential };
enum class OpponentModel : std::uint8_t { adversary, cooperative, greedy, random };

// Sharing between actions: what all moves as first (RAVE) have to say when actions are chosen.
enum class RaveUse : std::uint8_t { none, rave, mc_rave, uct_rave, uct_rave_2007 };
enum class RaveSchedule : std::uint8_t { hand_selected, min_mse };
enum class RaveMoves : std::uint8_t { all, first };

// Normalisation of values for the control policy.
enum class Normalisation : std::uint8_t { none, known, observed, local, local_branch, local_return };
enum class GlobalSource : std::uint8_t { running_return, episode_return, delta_sum, target };
enum class Unscaled : std::uint8_t { raw, random };

// Representation: what is memorised.
enum class Structure : std::uint8_t { tree, graph, fixed };
enum class Transitions : std::uint8_t { open_loop, observed };
enum class GraphCounts : std::uint8_t { node, edge };
enum class WhenFull : std::uint8_t { stop_expanding, stop, collect };
enum class Expansion : std::uint8_t { node, all_children };

// What the actions of a new node are taken to be worth.
enum class Prior : std::uint8_t { none, even, grandfather, handcrafted, shapes, shapes_or_handcrafted, heuristic };

// The part that is not memorised.
enum class PlayoutPolicy : std::uint8_t { policy, weighted, mast, heuristic };
enum class PlayoutValue : std::uint8_t { initial, constant, last_memorised, leaf_over_gamma, converged_next, memory, heuristic, leaf_terminal };

// No value is farther from 0: sums of many stay finite.
inline constexpr double largest_value = 1e100;

struct TreeSearchOptions {
    Learner learner = Learner::monte_carlo;
    double lambda = 1;
    double lambda_rise = 0;
    double gamma = 1;
    StepSize step_size = StepSize::visits;
    double step = 1;
    double step_decay = 0;
    double step_prior = 0;
    Timing timing = Timing::offline;
    VisitMode visit_mode = VisitMode::every;
    Convention convention = Convention::afterstate;
    int plies = 1;
    RewardTiming reward_timing = RewardTiming::timed;
    CutRule cut_rule = CutRule::back_up;
    std::optional<int> horizon;
    double mix = 0.5;

    ControlPolicy control = ControlPolicy::ucb1;
    double c_p = 1;
    UcbForm ucb_form = UcbForm::thesis;
    ParentCount parent_count = ParentCount::children;
    std::optional<double> first_play_urgency;
    double epsilon = 0.1;
    Decay epsilon_decay = Decay::none;
    double epsilon_factor = 1;
    double temperature = 1;
    double tie_tolerance = 1e-9;
    OpponentModel opponent = OpponentModel::adversary;

    RaveUse rave = RaveUse::none;
    RaveMoves rave_moves = RaveMoves::all;  // which later ones count: all, or those that the opponent did not take before
    RaveSchedule rave_schedule = RaveSchedule::hand_selected;
    double rave_k = 1000;
    double rave_bias = 0.03;
    Prior prior = Prior::none;
    double prior_count = 50;  // M: how many RAVE returns a prior value is worth
    double prior_visits = 0;  // C: how many visits
    double prior_rules = 0;   // of a prior by shapes: the share of the handcrafted one
    std::shared_ptr<const ShapeEvaluator> prior_shapes;

    Normalisation normalisation = Normalisation::known;
    GlobalSource global_source = GlobalSource::running_return;
    bool bounds_include_init = true;
    Unscaled unscaled = Unscaled::raw;

    Structure structure = Structure::tree;
    Transitions transitions = Transitions::open_loop;
    GraphCounts graph_counts = GraphCounts::node;
    std::optional<std::uint32_t> new_nodes = 1;  // none: all
    double memory = 1024;                        // megabytes
    WhenFull when_full = WhenFull::stop_expanding;
    Expansion expansion = Expansion::node;

    std::optional<double> v_init = 0.5;  // of the searching player; none: the heuristic's
    PlayoutPolicy playout_policy = PlayoutPolicy::policy;
    Policy policy;  // where nothing else plays: uniform, or one of Go
    PlayoutValue v_playout = PlayoutValue::initial;
    double playout_constant = 0;  // of the searching player
    double mast_temperature = 1;

    int threads = 1;

    static constexpr int most_threads = 64;
};

}  // namespace katachi
