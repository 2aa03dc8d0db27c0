// Simulations by a softmax policy while it is learnt, and what is summed over them (policy_learning.hpp).
//
// Gradients are sums over placements first, and over weights last: psi is a sum of phi with coefficients, and phi of a move is that of a few
// placements, of which many states have the same.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/placements.hpp"
#include "games/go/go_state.hpp"
#include "policies/shape_preferences.hpp"
#include "values/placement_factors.hpp"

namespace katachi {

// A sum of coefficients times phi.
class PlacementSum {
   public:
    // One that is not used takes no memory.
    explicit PlacementSum(const features::Placements& placements, bool is_used = true)
        : placements_(&placements), coefficients_(is_used ? placements.count() : 0), is_touched_(coefficients_.size()) {}

    void add(features::Placement placement, double coefficient) {
        if (!is_touched_[placement]) {
            is_touched_[placement] = true;
            touched_.push_back(placement);
        }
        coefficients_[placement] += coefficient;
    }
    // coefficient * psi of a move: of all moves there are.
    void add_score(const WeighedMoves& all, const WeighedMove& chosen, double coefficient) {
        for (const WeighedMove& move : all.moves) {
            const double is_chosen = move.point == chosen.point ? 1 : 0;
            add_move(all, move, coefficient * (is_chosen - move.weight / all.total));
        }
    }
    // coefficient * phi of a move.
    void add_move(const WeighedMoves& all, const WeighedMove& move, double coefficient) {
        for (const features::Placement placement : all.placements_of(move)) {
            add(placement, coefficient);
        }
    }

    // Adds rate times the sum to a vector of weights, and begins anew.
    void flush(std::span<double> weights, double rate = 1) {
        for (const features::Placement placement : touched_) {
            const double coefficient = rate * coefficients_[placement];
            placements_->for_each_entry(placement, [&](features::Entry entry) {
                weights[static_cast<std::size_t>(std::abs(entry)) - 1] += entry > 0 ? coefficient : -coefficient;
            });
        }
        clear();
    }
    void clear() {
        for (const features::Placement placement : touched_) {
            coefficients_[placement] = 0;
            is_touched_[placement] = false;
        }
        touched_.clear();
    }

   private:
    const features::Placements* placements_;
    std::vector<double> coefficients_;
    std::vector<bool> is_touched_;
    std::vector<features::Placement> touched_;
};

// What is remembered of a simulation until its outcome is known.
struct SimulationRecord {
    struct Term {
        features::Placement placement;
        double coefficient;
    };
    struct Ply {
        std::size_t terms;    // where those of its score end
        std::size_t changes;  // where those of Black's sum by the move end
        Player mover;
        double baseline;  // Black's value of the state, by the critic
    };

    std::vector<Ply> plies;
    std::vector<Term> terms;
    std::vector<Term> changes;

    void clear() {
        plies.clear();
        terms.clear();
        changes.clear();
    }
};

// Factors that all workers read.
class SharedFactors {
   public:
    explicit SharedFactors(const PlacementFactors& factors) : factors_(&factors) {}

    double operator()(features::Placement placement) const { return (*factors_)(placement); }

   private:
    const PlacementFactors* factors_;
};

// One worker: plays simulations, plain ones or with a record.
template <class B>
class PolicySimulator {
   public:
    using State = go::GoState<B>;
    using Preferences = ShapePreferences<B, SharedFactors>;

    PolicySimulator(const features::Placements& placements, const PlacementFactors& factors, go::EyeRule eye_rule)
        : placements_(&placements), preferences_(placements, SharedFactors(factors), eye_rule) {}

    Preferences& preferences() { return preferences_; }
    const SimulationRecord& record() const { return record_; }

    Playout simulate(State state, Rng& rng) {
        preferences_.reset(state.board());
        return go::with_eye_rule(preferences_.eye_rule(), [&]<go::EyeRule rule> {
            Drawing<rule> drawing{preferences_};
            return state.playout(drawing, rng, longest_playout, [](go::Point) {});
        });
    }

    // With a critic also the states' values: `sum` is Black's of the first one, by the critic's weights.
    Playout simulate_with_record(State state, Rng& rng, std::span<const double> critic, double sum) {
        preferences_.reset(state.board());
        record_.clear();
        critic_ = critic;
        sum_ = sum;
        Recording recording{*this};
        return state.playout(recording, rng, longest_playout, [](go::Point) {});
    }

   private:
    template <go::EyeRule rule>
    struct Drawing {
        Preferences& preferences;

        go::Point choose(const B& board, const go::Recent& /*recent*/, Rng& rng) { return preferences.template choose<rule>(board, rng); }
        void follow(const B& board, go::Point p) { preferences.follow(board, p); }
    };

    struct Recording {
        PolicySimulator& simulator;

        go::Point choose(const B& board, const go::Recent& /*recent*/, Rng& rng) { return simulator.choose_and_record(board, rng); }
        void follow(const B& board, go::Point p) { simulator.preferences_.follow(board, p); }
    };

    go::Point choose_and_record(const B& board, Rng& rng) {
        preferences_.weigh(board, moves_);
        double mark = rng.uniform() * moves_.total;
        std::size_t chosen = 0;
        while (chosen + 1 < moves_.moves.size() && mark >= moves_.moves[chosen].weight) {
            mark -= moves_.moves[chosen++].weight;
        }
        if (moves_.moves.size() > 1) {  // the score of an only move is 0
            for (std::size_t i = 0; i < moves_.moves.size(); ++i) {
                const WeighedMove& move = moves_.moves[i];
                const double coefficient = (i == chosen ? 1 : 0) - move.weight / moves_.total;
                for (const features::Placement placement : moves_.placements_of(move)) {
                    record_.terms.push_back({placement, coefficient});
                }
            }
        }
        const go::Point p = moves_.moves[chosen].point;
        double baseline = 0;
        if (!critic_.empty()) {
            baseline = 1 / (1 + std::exp(-sum_));
            preferences_.for_each_change(board, p, [&](features::Placement placement, int sign) {
                record_.changes.push_back({placement, static_cast<double>(sign)});
                sum_ += sign * critic_change(placement);
            });
        }
        record_.plies.push_back({record_.terms.size(), record_.changes.size(), board.to_play(), baseline});
        return p;
    }

    double critic_change(features::Placement placement) const {
        double change = 0;
        placements_->for_each_entry(placement, [&](features::Entry entry) {
            const double weight = critic_[static_cast<std::size_t>(std::abs(entry)) - 1];
            change += entry > 0 ? weight : -weight;
        });
        return change;
    }

    const features::Placements* placements_;
    Preferences preferences_;
    WeighedMoves moves_;
    SimulationRecord record_;
    std::span<const double> critic_;  // empty: there is none
    double sum_ = 0;
};

}  // namespace katachi
