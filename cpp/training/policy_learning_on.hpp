// The steps of policy_learning.hpp on boards of one capacity class. Include only where it is instantiated.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/team.hpp"
#include "training/policy_learning.hpp"
#include "training/policy_simulations.hpp"
#include "values/recomputed.hpp"

namespace katachi {

template <class B>
class PolicyLearningOn final : public PolicyLearning {
   public:
    using State = go::GoState<B>;

    PolicyLearningOn(std::shared_ptr<const features::Representation> representation, std::shared_ptr<const features::Placements> placements,
                     std::vector<LabelledPosition> positions, const PolicyLearningOptions& options, const Rng& rng)
        : PolicyLearning(std::move(placements), std::move(positions), options, rng),
          representation_(std::move(representation)),
          geometry_{placements_->side(), placements_->side()},
          factors_(placements_, options.eye_rule),
          gradient_(weights_.size()) {
        const std::size_t blocks = options.rule == PolicyRule::balancing ? most_blocks : 1;
        for (std::size_t i = 0; i < blocks; ++i) {
            blocks_.push_back(std::make_unique<Block>(*placements_, factors_, options));
        }
        for (std::size_t i = 0; i < positions_.size(); ++i) {
            check(i);
        }
    }

    bool advance(const Slice& slice) override {
        while (steps_ < until_) {
            if (!root_) {
                begin_step();
            }
            if (!step(slice)) {
                return false;
            }
            root_.reset();
            ++steps_;
            ++tally_.steps;
            if (slice.expired()) {
                break;
            }
        }
        return steps_ >= until_;
    }

    PolicyScores scores(const std::vector<Action>& moves) override {
        factors_.set_weights(weights_);
        const State state = replayed(moves, "the position");
        auto& preferences = blocks_[0]->simulator.preferences();
        preferences.reset(state.board());
        WeighedMoves found;
        preferences.weigh(state.board(), found);
        PlacementSum sum(*placements_);
        PolicyScores result;
        for (const WeighedMove& move : found.moves) {
            sum.add_score(found, move, 1);
            std::vector<double> row(weights_.size());
            sum.flush(row);
            result.actions.push_back(geometry_.action(move.point));
            result.probabilities.push_back(move.weight / found.total);
            result.scores.insert(result.scores.end(), row.begin(), row.end());
        }
        return result;
    }

   protected:
    void forget_step() override { root_.reset(); }

   private:
    // A fixed number, whatever the threads are.
    static constexpr std::size_t most_blocks = 8;

    // A worker with its share of the simulations of a step, and what they add up to.
    struct Block {
        Block(const features::Placements& placements, const PlacementFactors& factors, const PolicyLearningOptions& options)
            : simulator(placements, factors, options.eye_rule),
              gradient(placements),
              plain(placements, options.baseline == Baseline::mean),
              critic(placements, options.baseline == Baseline::critic) {}

        PolicySimulator<B> simulator;
        PlacementSum gradient;  // of outcomes times scores
        PlacementSum plain;     // of scores alone, where the mean is a baseline
        PlacementSum critic;
        double critic_root = 0;  // what the critic learns of the first state
        std::size_t next = 0;    // simulation
        double outcomes = 0;     // of the M simulations
        PolicyLearningTally tally;
    };

    go::Point point_of(Action action) const { return geometry_.is_pass(action) ? go::no_point : geometry_.padded_point(action.value); }

    // Could the player to move play there? Superko is left out, as in simulations.
    bool is_playable(const B& board, Action action) const {
        if (!geometry_.is_action(action)) {
            return false;
        }
        const go::Point p = point_of(action);
        return p == go::no_point || (board.colour(p) == go::Colour::empty && p != board.ko());
    }

    State replayed(const std::vector<Action>& moves, const std::string& what) const {
        B board(geometry_);
        go::Recent recent;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            if (board.is_over() || !is_playable(board, moves[i])) {
                throw InvalidArgumentError(what + " cannot be played to: action " + std::to_string(moves[i].value) + " is not legal as move " +
                                           std::to_string(i + 1));
            }
            const go::Point p = point_of(moves[i]);
            if (p == go::no_point) {
                board.pass();
            } else {
                board.play(p);
            }
            recent.add(p);
        }
        if (board.is_over()) {
            throw InvalidArgumentError(what + " has nothing to learn from: the game is over");
        }
        const go::SearchRules rules{
            .white_points = options_.komi, .suicide = false, .eye_rule = options_.eye_rule, .max_plies = options_.longest_simulation};
        return State(board, rules, static_cast<int>(moves.size()), recent);
    }

    void check(std::size_t number) const {
        const LabelledPosition& position = positions_[number];
        const std::string what = "position " + std::to_string(number) + " of the data";
        const State state = replayed(position.moves, what);
        const bool is_chance = position.value >= 0 && position.value <= 1;  // also false if it is no number
        if (!is_chance) {
            throw InvalidArgumentError(what + " has the value " + std::to_string(position.value) + ", not one from 0 to 1");
        }
        if (options_.rule != PolicyRule::two_step) {
            return;
        }
        if (position.first.empty()) {
            throw InvalidArgumentError(what + " has no tree, which two-step balancing needs");
        }
        if (position.second.size() != position.first.size() || position.values.size() != position.first.size()) {
            throw InvalidArgumentError(what + " has a tree with answers to " + std::to_string(position.second.size()) + " of " +
                                       std::to_string(position.first.size()) + " moves");
        }
        for (std::size_t i = 0; i < position.first.size(); ++i) {
            check_move(state.board(), position.first[i], what);
            const auto& answers = position.second[i];
            const auto& values = position.values[i];
            if (values.size() != std::max<std::size_t>(answers.size(), 1) ||
                !std::ranges::all_of(values, [](double value) { return value >= 0 && value <= 1; })) {
                throw InvalidArgumentError(what + " has a tree with " + std::to_string(values.size()) + " values of " +
                                           std::to_string(answers.size()) + " answers, or values that are not from 0 to 1");
            }
            State after = state;
            after.play(position.first[i]);
            for (const Action answer : answers) {
                check_move(after.board(), answer, what);
            }
        }
    }

    void check_move(const B& board, Action action, const std::string& what) const {
        const bool is_right = !board.is_over() && is_playable(board, action);
        if (!is_right || (point_of(action) != go::no_point && board.is_suicide(point_of(action)))) {
            throw InvalidArgumentError(what + " has a tree with action " + std::to_string(action.value) + ", which cannot be played there");
        }
    }

    void begin_step() {
        const bool is_game = options_.rule == PolicyRule::reinforcement;
        position_ = is_game ? nullptr : &position_of(steps_);
        root_ = std::make_unique<State>(replayed(is_game ? std::vector<Action>{} : position_->moves, "the position of a step"));
        factors_.set_weights(weights_);
        step_rng_ = rng_.split("step", steps_);
        root_sum_ = 0;
        if (has_critic()) {
            for_each_active(*representation_, root_->board(), root_->to_play(), 0, [&](features::Entry entry) {
                const double weight = critic_[static_cast<std::size_t>(std::abs(entry)) - 1];
                root_sum_ += entry > 0 ? weight : -weight;
            });
        }
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            Block& block = *blocks_[i];
            block.gradient.clear();
            block.plain.clear();
            block.critic.clear();
            block.critic_root = 0;
            block.next = i;
            block.outcomes = 0;
            block.tally = {};
        }
    }

    // False: the slice has expired before the step was done.
    bool step(const Slice& slice) {
        switch (options_.rule) {
            case PolicyRule::regression:
                imitate();
                return true;
            case PolicyRule::reinforcement:
                play_and_learn();
                return true;
            case PolicyRule::two_step:
                balance_two_steps();
                return true;
            case PolicyRule::balancing:
                break;
        }
        return balance(slice);
    }

    void imitate() {
        Block& block = *blocks_[0];
        auto& preferences = block.simulator.preferences();
        preferences.reset(root_->board());
        preferences.weigh(root_->board(), moves_);
        const go::Point best = geometry_.is_action(position_->best) ? point_of(position_->best) : -1;
        const auto found = std::ranges::find(moves_.moves, best, &WeighedMove::point);
        if (found == moves_.moves.end()) {
            ++tally_.skipped;
            return;
        }
        tally_.log_likelihood += std::log(found->weight / moves_.total);
        block.gradient.add_score(moves_, *found, 1);
        take_gradient(block.gradient, 1);
        climb(gradient_, options_.alpha);
    }

    double held(double bias) const { return std::clamp(bias, -options_.largest_bias, options_.largest_bias); }
    bool has_critic() const { return options_.baseline == Baseline::critic; }
    std::span<const double> critic_span() const { return has_critic() ? std::span<const double>(critic_) : std::span<const double>(); }

    // Adds z_t psi_t of a recorded simulation, divided by T if that is asked for. `weigh(ply)` is z_t, with the baseline in it.
    template <class Weigh>
    void add_scores(Block& block, PlacementSum& sum, double scale, Weigh&& weigh) const {
        const SimulationRecord& record = block.simulator.record();
        std::size_t begin = 0;
        for (const SimulationRecord::Ply& ply : record.plies) {
            const double coefficient = scale * weigh(ply);
            if (coefficient != 0) {
                for (std::size_t i = begin; i < ply.terms; ++i) {
                    sum.add(record.terms[i].placement, coefficient * record.terms[i].coefficient);
                }
            }
            begin = ply.terms;
        }
    }

    double scale_of(const Playout& playout) const { return options_.length_normalise ? 1.0 / playout.length : 1.0; }

    // The critic's errors along a simulation: a move changes phi of all states after it.
    void add_errors(Block& block, const Playout& playout, double scale) const {
        const SimulationRecord& record = block.simulator.record();
        double later = 0;
        for (std::size_t t = record.plies.size(); t-- > 0;) {
            const std::size_t begin = t == 0 ? 0 : record.plies[t - 1].changes;
            for (std::size_t i = begin; i < record.plies[t].changes; ++i) {
                block.critic.add(record.changes[i].placement, scale * later * record.changes[i].coefficient);
            }
            later += playout.total - record.plies[t].baseline;
        }
        block.critic_root += scale * later;
    }

    static void count(PolicyLearningTally& tally, const Playout& playout) {
        ++tally.simulations;
        tally.moves += static_cast<std::uint64_t>(playout.length);
        tally.cut += static_cast<std::uint64_t>(playout.cut);
        tally.black_wins += playout.total;
    }

    void play_and_learn() {
        Block& block = *blocks_[0];
        Rng rng = step_rng_.split("game");
        const Playout playout = block.simulator.simulate_with_record(*root_, rng, critic_span(), root_sum_);
        count(tally_, playout);
        const bool is_literal = options_.rl_reward == RlReward::literal;
        const double middle = is_literal || has_critic() ? 0 : 0.5;
        add_scores(block, block.gradient, scale_of(playout), [&](const SimulationRecord::Ply& ply) {
            const double surplus = playout.total - middle - ply.baseline;
            return is_literal ? surplus : (ply.mover == Player::black ? 2 : -2) * surplus;
        });
        take_gradient(block.gradient, 1);
        climb(gradient_, options_.alpha);
        if (has_critic()) {
            add_errors(block, playout, 1.0 / playout.length);
            teach_critic(1);
        }
    }

    bool balance(const Slice& slice) {
        const auto threads = std::min(static_cast<std::size_t>(options_.threads), blocks_.size());
        work_together(threads, [&](std::size_t thread, const std::atomic<bool>& is_stopped) {
            for (std::size_t i = thread; i < blocks_.size(); i += threads) {
                simulate(*blocks_[i], slice, is_stopped);
            }
        });
        const auto all = static_cast<std::size_t>(options_.bias_simulations) + static_cast<std::size_t>(options_.gradient_simulations);
        if (std::ranges::any_of(blocks_, [&](const auto& block) { return block->next < all; })) {
            return false;
        }
        double outcomes = 0;
        for (const auto& block : blocks_) {
            outcomes += block->outcomes;
            tally_.simulations += block->tally.simulations;
            tally_.moves += block->tally.moves;
            tally_.cut += block->tally.cut;
            tally_.black_wins += block->tally.black_wins;
        }
        const double mean = outcomes / options_.bias_simulations;
        const double bias = position_->value - mean;
        std::ranges::fill(gradient_, 0.0);
        const double share = 1.0 / options_.gradient_simulations;
        for (const auto& block : blocks_) {
            block->gradient.flush(gradient_, share);
            if (options_.baseline == Baseline::mean) {
                block->plain.flush(gradient_, -mean * share);
            }
        }
        climb(gradient_, options_.alpha * held(bias));
        if (has_critic()) {
            teach_critic(share);
        }
        tally_.squared_bias += bias * bias;
        return true;
    }

    // The block's simulations of this step, as far as the slice goes: numbers 0 to M - 1 are for the bias, the others for the gradient.
    void simulate(Block& block, const Slice& slice, const std::atomic<bool>& is_stopped) const {
        const auto biases = static_cast<std::size_t>(options_.bias_simulations);
        const std::size_t all = biases + static_cast<std::size_t>(options_.gradient_simulations);
        SliceTicker ticker(slice, 4);
        while (block.next < all && !is_stopped) {
            const std::size_t i = block.next;
            Playout playout;
            if (i < biases) {
                Rng rng = step_rng_.split("bias", i);
                playout = block.simulator.simulate(*root_, rng);
                block.outcomes += playout.total;
            } else {
                Rng rng = step_rng_.split("gradient", i - biases);
                playout = block.simulator.simulate_with_record(*root_, rng, critic_span(), root_sum_);
                const double z = playout.total;
                add_scores(block, block.gradient, scale_of(playout), [&](const SimulationRecord::Ply& ply) { return z - ply.baseline; });
                if (options_.baseline == Baseline::mean) {
                    add_scores(block, block.plain, scale_of(playout), [](const SimulationRecord::Ply&) { return 1.0; });
                } else if (has_critic()) {
                    add_errors(block, playout, 1.0 / playout.length);
                }
            }
            count(block.tally, playout);
            block.next += blocks_.size();
            if (ticker.expired()) {
                break;
            }
        }
    }

    void balance_two_steps() {
        const LabelledPosition& position = *position_;
        Block& block = *blocks_[0];
        auto& preferences = block.simulator.preferences();
        const auto weigh = [&](const B& board, const std::vector<Action>& actions, WeighedMoves& found) {
            found = {};
            preferences.reset(board);
            for (const Action action : actions) {
                preferences.weigh_move(board, point_of(action), found);
            }
        };
        weigh(root_->board(), position.first, moves_);
        std::vector<double> values(position.first.size());
        double mean = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double chance = moves_.moves[i].weight / moves_.total;
            values[i] = position.values[i][0];
            if (!position.second[i].empty()) {
                State after = *root_;
                after.play(position.first[i]);
                weigh(after.board(), position.second[i], answers_);
                values[i] = 0;
                for (std::size_t j = 0; j < answers_.moves.size(); ++j) {
                    values[i] += answers_.moves[j].weight / answers_.total * position.values[i][j];
                }
                // sum_j pi_j v_j psi_j = sum_j pi_j (v_j - v) phi_j
                for (std::size_t j = 0; j < answers_.moves.size(); ++j) {
                    const double share = chance * answers_.moves[j].weight / answers_.total;
                    block.gradient.add_move(answers_, answers_.moves[j], share * (position.values[i][j] - values[i]));
                }
            }
            mean += chance * values[i];
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            block.gradient.add_move(moves_, moves_.moves[i], moves_.moves[i].weight / moves_.total * (values[i] - mean));
        }
        const double bias = position.value - mean;
        take_gradient(block.gradient, 1);
        climb(gradient_, options_.alpha * held(bias));
        tally_.squared_bias += bias * bias;
    }

    void take_gradient(PlacementSum& sum, double rate) {
        std::ranges::fill(gradient_, 0.0);
        sum.flush(gradient_, rate);
    }

    // The step is divided by the number of weights that count in a state, as in learning values (Silver 2009, 5.5).
    void teach_critic(double share) {
        std::vector<double> change(critic_.size());
        double root = 0;
        for (const auto& block : blocks_) {
            block->critic.flush(change, share);
            root += share * block->critic_root;
        }
        for_each_active(*representation_, root_->board(), root_->to_play(), 0,
                        [&](features::Entry entry) { change[static_cast<std::size_t>(std::abs(entry)) - 1] += entry > 0 ? root : -root; });
        const auto active = static_cast<double>(representation_->shapes().windows().size() * representation_->tables().tables().size());
        for (std::size_t i = 0; i < critic_.size(); ++i) {
            critic_[i] += options_.critic_alpha / active * change[i];
            if (!std::isfinite(critic_[i])) {
                throw DivergenceError("weight " + std::to_string(i) + " of the critic is no number any more at step " + std::to_string(steps_ + 1));
            }
        }
    }

    std::shared_ptr<const features::Representation> representation_;
    go::Geometry geometry_;
    PlacementFactors factors_;
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<double> gradient_;
    WeighedMoves moves_;
    WeighedMoves answers_;
    // Of the present step.
    std::unique_ptr<State> root_;
    const LabelledPosition* position_ = nullptr;
    Rng step_rng_{0};
    double root_sum_ = 0;
};

}  // namespace katachi
