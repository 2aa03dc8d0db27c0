#include "training/network_learning.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace katachi {

double random_share(const NetworkLearningOptions& options, std::uint64_t game) {
    const double done = static_cast<double>(game) / static_cast<double>(options.schedule_games);
    if (done < options.random_hold) {
        return options.random_start;
    }
    if (done >= options.random_end) {
        return 0;
    }
    return options.random_start * (options.random_end - done) / (options.random_end - options.random_hold);
}

NetworkLearning::NetworkLearning(std::shared_ptr<NetworkValue> value, const NetworkLearningOptions& options, const Rng& rng)
    : options_(options), base_(rng), value_(std::move(value)), trainer_(options.trainer, value_->network().weights().size()) {
    if (options.opponents.empty()) {
        throw InvalidArgumentError("a learner needs an opponent");
    }
    if (options.depth < 1 || options.longest_game < 1 || options.schedule_games < 1 || options.population_size < 1 || options.population_games < 1) {
        throw InvalidArgumentError("depth, longest_game, schedule_games, population_size and population_games are at least 1");
    }
}

std::vector<std::vector<double>> NetworkLearning::population() const {
    std::vector<std::vector<double>> found;
    for (const auto& member : population_) {
        const auto weights = std::as_const(*member).network().weights();
        found.emplace_back(weights.begin(), weights.end());
    }
    return found;
}

void NetworkLearning::set_population(const std::vector<std::vector<double>>& weights) {
    if (weights.size() > static_cast<std::size_t>(options_.population_size)) {
        throw InvalidArgumentError("a population has at most " + std::to_string(options_.population_size) + " members, not " +
                                   std::to_string(weights.size()));
    }
    std::vector<std::shared_ptr<NetworkValue>> members;
    for (const std::vector<double>& row : weights) {
        auto& member = members.emplace_back(std::make_shared<NetworkValue>(*value_));
        if (row.size() != member->network().weights().size()) {
            throw InvalidArgumentError("a member of the population has " + std::to_string(row.size()) + " weights, not " +
                                       std::to_string(member->network().weights().size()));
        }
        std::ranges::copy(row, member->network().weights().begin());
    }
    population_ = std::move(members);
}

void NetworkLearning::answer_move(Action action) {
    if (waiting_ != Waiting::move) {
        throw InvalidArgumentError("nobody waits for a move: action " + std::to_string(action.value));
    }
    answered_move_ = action;
    waiting_ = Waiting::nothing;
}

void NetworkLearning::answer_score(double score) {
    if (waiting_ != Waiting::score) {
        throw InvalidArgumentError("nobody waits for a score: " + std::to_string(score));
    }
    answered_score_ = score;
    waiting_ = Waiting::nothing;
}

void NetworkLearning::abandon() {
    in_game_ = false;
    waiting_ = Waiting::nothing;
    answered_move_.reset();
    answered_score_.reset();
}

void NetworkLearning::count_result(double score, bool is_won, bool is_cut) {
    ++tally_.games;
    tally_.wins += is_won ? 1 : 0;
    tally_.scores += score;
    tally_.positive_scores += std::max(score, 0.0);
    tally_.moves += moves_.size();
    tally_.cut += is_cut ? 1 : 0;
}

void NetworkLearning::learn(const ValuedGame& game, const std::vector<features::InputList>& inputs,
                            const std::vector<features::InputList>& leaf_inputs) {
    const Lesson lesson = lesson_of(game, options_.rule);
    const auto& source = learns_leaves(options_.rule.rule) ? leaf_inputs : inputs;
    const bool learns_all = !learns_leaves(options_.rule.rule);
    lesson_inputs_.resize(lesson.states.size());
    for (std::size_t i = 0; i < lesson.states.size(); ++i) {
        const std::size_t place = lesson.states[i];
        lesson_inputs_[i] = learns_all || game.states[place].leaf_learns ? &source[place] : nullptr;
        tally_.squared_errors += lesson.errors[i] * lesson.errors[i];
    }
    tally_.states += lesson.states.size();
    trainer_.add_game(value_->network(), lesson_inputs_, lesson.errors);
}

// One game more; now and then the weights join the population.
void NetworkLearning::end_game() {
    in_game_ = false;
    ++games_;
    const bool has_population = std::ranges::find(options_.opponents, OpponentKind::population) != options_.opponents.end();
    if (has_population && options_.learns && games_ % options_.population_games == 0) {
        const std::uint64_t place = (games_ / options_.population_games - 1) % static_cast<std::uint64_t>(options_.population_size);
        if (place >= population_.size()) {
            population_.push_back(std::make_shared<NetworkValue>(*value_));
        } else {
            population_[place] = std::make_shared<NetworkValue>(*value_);
        }
    }
}

}  // namespace katachi
