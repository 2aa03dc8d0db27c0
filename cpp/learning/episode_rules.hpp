// Temporal-difference rules as functions of one finished game (Ekker, chapter 3): what was wrong with the values of its states.
//
// All values are the learner's, whichever colour it played, and all returns are forward views: the game is over when they are computed. After
// the last position there is one step more, in which nobody moves: it earns what the game is worth in the end, and leads to a state of value 0.
//
//   a_k^t = V(s_k) + r_{t+1} + ... + r_k - e_{t+1} - ... - e_k          (eq. 5 and 12)
//   error_t = (1 - lambda) sum_k lambda^(k-t-1) f(a_k^t) + lambda^(T-t-1) f(a_T^t) - f(V(s_t))          (eq. 7, 8 and 14)
//
// f squashes stones into the network's range, f(a) = sigma(a / c), or does nothing. e is 0 but for rules that forgive: there it is what a bad
// move has cost its player (eq. 9 and 10), so that blunders of either side are not learnt from. The slow twin is
// src/katachi/reference/episode_rules.py, the settings are src/katachi/learning/episode_rules.py.
#pragma once

#include <cstdint>
#include <vector>

namespace katachi {

enum class EpisodeRule : std::uint8_t {
    td_0,         // every position; lambda is 0
    td_lambda,    // every position
    td_directed,  // positions in which the learner is to move, and the last one
    td_leaf,      // leaves of the searches from those; the last position itself
    td_mu,        // every position; forgives
    td_leaf_mu,   // leaves of the searches from every position; forgives
};

constexpr bool learns_leaves(EpisodeRule rule) { return rule == EpisodeRule::td_leaf || rule == EpisodeRule::td_leaf_mu; }
constexpr bool forgives(EpisodeRule rule) { return rule == EpisodeRule::td_mu || rule == EpisodeRule::td_leaf_mu; }
// Positions in which the opponent is to move are left out.
constexpr bool skips_opponent(EpisodeRule rule) { return rule == EpisodeRule::td_directed || rule == EpisodeRule::td_leaf; }

enum class Squash : std::uint8_t { logistic, none };
enum class Updates : std::uint8_t { all, learner };  // which of the states of a rule learn: those in which the learner is to move, or all

struct EpisodeRuleOptions {
    EpisodeRule rule = EpisodeRule::td_lambda;
    double lambda = 0.5;
    Squash squash = Squash::logistic;
    double score_scale = 1;              // c
    bool delta_includes_reward = false;  // is a move that earns what its position loses a good one? (mu_delta_includes_reward)
    Updates updates = Updates::all;
};

// A position of a game, in the order of play.
struct ValuedState {
    double value = 0;              // V(s)
    double leaf_value = 0;         // of the leaf that a search from here led to, with what its line earns; for rules that learn leaves
    double best_value = 0;         // of the best such leaf, which states before learn from; another one if a move that was no best one was followed
    bool leaf_learns = true;       // false: that value is no value of the network, so there are no weights to correct
    double reward = 0;             // of the ply that led here
    bool is_by_learner = false;    // that ply
    bool learner_to_move = false;  // now
};

struct ValuedGame {
    std::vector<ValuedState> states;  // the last one is the position in which the game ended
    double final_reward = 0;
};

// Which states of a game a rule is about, and the error of each; 0 for those that do not learn.
struct Lesson {
    std::vector<std::size_t> states;
    std::vector<double> errors;
};

Lesson lesson_of(const ValuedGame& game, const EpisodeRuleOptions& options);

}  // namespace katachi
