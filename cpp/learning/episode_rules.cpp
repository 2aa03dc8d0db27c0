#include "learning/episode_rules.hpp"

#include <algorithm>
#include <cmath>

namespace katachi {

namespace {

// The states of a rule as a game of their own.
struct Line {
    std::vector<double> values;  // V(s_0) to V(s_T), which others learn from; the last is that of the state after the end
    std::vector<double> learnt;  // what is to be corrected; the same, but for leaves of explored moves
    std::vector<double> gains;   // r_t - e_t for each step
};

// What a bad move has cost its player; the learner's loss is negative (eq. 9 and 10).
double cost(double delta, bool is_by_learner) { return is_by_learner ? std::min(delta, 0.0) : std::max(delta, 0.0); }

Line line_of(const ValuedGame& game, const std::vector<std::size_t>& states, const EpisodeRuleOptions& options) {
    Line line;
    double earned = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < game.states.size() && next < states.size(); ++i) {
        const ValuedState& state = game.states[i];
        earned += state.reward;
        if (i != states[next]) {
            continue;
        }
        ++next;
        const double value = learns_leaves(options.rule) ? state.best_value : state.value;
        double gain = earned;
        if (!line.values.empty() && forgives(options.rule)) {
            const double delta = value - line.values.back() + (options.delta_includes_reward ? earned : 0);
            gain -= cost(delta, state.is_by_learner);
        }
        // What was earned on the way to the first of them is nobody's target.
        if (!line.values.empty()) {
            line.gains.push_back(gain);
        }
        line.values.push_back(value);
        line.learnt.push_back(learns_leaves(options.rule) ? state.leaf_value : state.value);
        earned = 0;
    }
    line.values.push_back(0);
    line.gains.push_back(earned + game.final_reward);
    return line;
}

}  // namespace

Lesson lesson_of(const ValuedGame& game, const EpisodeRuleOptions& options) {
    Lesson lesson;
    const std::size_t positions = game.states.size();
    for (std::size_t i = 0; i < positions; ++i) {
        if (!skips_opponent(options.rule) || game.states[i].learner_to_move || i + 1 == positions) {
            lesson.states.push_back(i);
        }
    }
    if (lesson.states.empty()) {
        return lesson;
    }
    const Line line = line_of(game, lesson.states, options);
    const auto squash = [&](double stones) { return options.squash == Squash::none ? stones : 1 / (1 + std::exp(-stones / options.score_scale)); };
    const double lambda = options.rule == EpisodeRule::td_0 ? 0 : options.lambda;
    const std::size_t end = lesson.states.size();
    for (std::size_t t = 0; t < end; ++t) {
        const ValuedState& state = game.states[lesson.states[t]];
        const bool is_left_out = options.updates == Updates::learner && !state.learner_to_move && lesson.states[t] + 1 != positions;
        if (is_left_out || (learns_leaves(options.rule) && !state.leaf_learns)) {
            lesson.errors.push_back(0);
            continue;
        }
        double gained = 0;
        double weight = 1;  // lambda^(k-t-1)
        double target = 0;
        for (std::size_t k = t + 1; k < end; ++k) {
            gained += line.gains[k - 1];
            target += (1 - lambda) * weight * squash(line.values[k] + gained);
            weight *= lambda;
        }
        target += weight * squash(gained + line.gains[end - 1]);
        lesson.errors.push_back(target - squash(line.learnt[t]));
    }
    return lesson;
}

}  // namespace katachi
