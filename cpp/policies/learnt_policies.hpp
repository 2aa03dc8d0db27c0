// Policies over learnt values of local shapes (Silver 2009, 9.2.1): Q(s, a) = V(s after a) as the player to move sees it, from 0 to 1.
//
//     greedy(epsilon)   argmax Q; any candidate with chance epsilon. By the sums, which order moves as values do
//     gaussian(sd)      argmax of Q + N(0, sd^2), drawn anew for each move at each state
//     softmax(tau)      chances proportional to exp(Q / tau)
//
// Ties are broken at random, and candidates are the game's. Sums of all afterstates are kept along the playout (values/afterstates.hpp), unless the
// player to move or the stage has weights of its own: then moves are played on a copy of the board.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/normal.hpp"
#include "policies/any_policy.hpp"
#include "values/afterstates.hpp"
#include "values/shape_evaluator.hpp"

namespace katachi {

// What the candidates of the present state of a playout are worth.
template <class B>
class MoveValues {
   public:
    MoveValues(std::shared_ptr<const ShapeEvaluator> shapes, go::EyeRule eye_rule) : shapes_(std::move(shapes)), eye_rule_(eye_rule) {
        if (shapes_->is_fused()) {
            sums_.emplace(shapes_->fused_shapes(), shapes_->lookup());
        }
    }

    go::EyeRule eye_rule() const { return eye_rule_; }

    void begin(const B& board, int moves) {
        moves_ = moves;
        if (sums_) {
            sums_->reset(board);
        }
    }

    void follow(const B& board, go::Point p) {
        ++moves_;
        if (sums_ && p != go::no_point) {
            sums_->play(board, p);
        }
    }

    // Calls visit(p, sum) with Black's sum after each candidate.
    template <class Visit>
    void for_each_sum(const B& board, Visit&& visit) {
        if (sums_) {
            const double unit = shapes_->unit();
            for_each_candidate(board, eye_rule_, [&](go::Point p) {
                visit(p, static_cast<double>(sums_->sum() + (p == go::no_point ? 0 : sums_->change(board, p))) * unit);
            });
        } else {
            for_each_candidate(board, eye_rule_, [&](go::Point p) {
                B after = board;
                if (p == go::no_point) {
                    after.pass();
                } else {
                    after.play(p);
                }
                visit(p, shapes_->sum(after, after.to_play(), moves_ + 1));
            });
        }
    }

    // Calls visit(p, Q).
    template <class Visit>
    void for_each(const B& board, Visit&& visit) {
        const bool is_black = board.to_play() == Player::black;
        for_each_sum(board, [&](go::Point p, double sum) {
            const double value = shapes_->chance(sum);
            visit(p, is_black ? value : 1 - value);
        });
    }

   private:
    std::shared_ptr<const ShapeEvaluator> shapes_;
    go::EyeRule eye_rule_;
    std::optional<Afterstates<FixedLookup>> sums_;
    int moves_ = 0;  // of the game
};

// What the three have in common.
template <class B>
class LearntPolicy : public AnyPolicy<B> {
   public:
    explicit LearntPolicy(MoveValues<B> values) : values_(std::move(values)) {}

    void begin(const B& board, int moves, Rng& /*rng*/) override { values_.begin(board, moves); }
    void follow(const B& board, go::Point p) override { values_.follow(board, p); }

   protected:
    MoveValues<B> values_;
};

// Of the best so far, and of those that are as good, one at random.
class BestMove {
   public:
    void see(go::Point p, double score, Rng& rng) {
        if (score > best_) {
            best_ = score;
            move_ = p;
            ties_ = 1;
        } else if (score == best_ && rng.below(++ties_) == 0) {
            move_ = p;
        }
    }
    go::Point move() const { return move_; }

   private:
    double best_ = -std::numeric_limits<double>::infinity();
    go::Point move_ = go::no_point;
    std::uint32_t ties_ = 0;
};

template <class B>
class GreedyPolicy final : public LearntPolicy<B> {
   public:
    GreedyPolicy(MoveValues<B> values, double epsilon) : LearntPolicy<B>(std::move(values)), epsilon_(epsilon) {}

    go::Point choose(B& board, const go::Recent& /*recent*/, Rng& rng) override {
        if (epsilon_ > 0 && rng.uniform() < epsilon_) {
            return go::with_eye_rule(values_.eye_rule(), [&]<go::EyeRule rule> { return board.template random_candidate<rule>(rng); });
        }
        const double sign = board.to_play() == Player::black ? 1 : -1;
        BestMove best;
        values_.for_each_sum(board, [&](go::Point p, double sum) { best.see(p, sign * sum, rng); });
        return best.move();
    }

    std::string_view add_chances(const B& board, const go::Recent& /*recent*/, int moves, double share, Chances& chances) override {
        values_.begin(board, moves);
        const double sign = board.to_play() == Player::black ? 1 : -1;
        std::vector<std::pair<go::Point, double>> found;
        double highest = -std::numeric_limits<double>::infinity();
        values_.for_each_sum(board, [&](go::Point p, double sum) {
            found.emplace_back(p, sign * sum);
            highest = std::max(highest, sign * sum);
        });
        const auto ties = static_cast<double>(std::ranges::count_if(found, [&](const auto& move) { return move.second == highest; }));
        for (const auto& [p, sum] : found) {
            const double greedy = sum == highest ? (1 - epsilon_) / ties : 0;
            chance_of(board, p, chances) += share * (greedy + epsilon_ / static_cast<double>(found.size()));
        }
        return "greedy";
    }

   private:
    using LearntPolicy<B>::values_;
    double epsilon_;
};

template <class B>
class GaussianPolicy final : public LearntPolicy<B> {
   public:
    GaussianPolicy(MoveValues<B> values, double deviation) : LearntPolicy<B>(std::move(values)), deviation_(deviation) {}

    go::Point choose(B& board, const go::Recent& /*recent*/, Rng& rng) override {
        BestMove best;
        values_.for_each(board, [&](go::Point p, double value) { best.see(p, value + deviation_ * noise_->draw(rng), rng); });
        return best.move();
    }

    // P(a) = integral of phi(x - z_a) times the product of Phi(x - z_b) over all other b, with z = (Q - max Q) / sd: by the trapezoidal rule, which
    // is exact to many digits for functions like these.
    std::string_view add_chances(const B& board, const go::Recent& /*recent*/, int moves, double share, Chances& chances) override {
        constexpr int half = 320;  // of the steps
        constexpr double step = 1.0 / 32;
        values_.begin(board, moves);
        std::vector<std::pair<go::Point, double>> found;
        double highest = 0;
        values_.for_each(board, [&](go::Point p, double value) {
            found.emplace_back(p, value);
            highest = std::max(highest, value);
        });
        std::vector<double> below(found.size());
        for (int i = -half; i <= half; ++i) {
            const double x = i * step;
            double all = 1;
            for (std::size_t a = 0; a < found.size(); ++a) {
                const double z = x + (highest - found[a].second) / deviation_;
                below[a] = std::erfc(-z / std::numbers::sqrt2) / 2;
                all *= below[a];
            }
            for (std::size_t a = 0; a < found.size(); ++a) {
                const double z = x + (highest - found[a].second) / deviation_;
                const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
                chance_of(board, found[a].first, chances) += share * step * density * all / below[a];
            }
        }
        return "gaussian";
    }

   private:
    using LearntPolicy<B>::values_;
    double deviation_;
    const Ziggurat* noise_ = &ziggurat();
};

template <class B>
class SoftmaxPolicy final : public LearntPolicy<B> {
   public:
    SoftmaxPolicy(MoveValues<B> values, double temperature) : LearntPolicy<B>(std::move(values)), temperature_(temperature) {}

    go::Point choose(B& board, const go::Recent& /*recent*/, Rng& rng) override {
        double mark = rng.uniform() * weigh(board);
        std::size_t i = 0;
        while (i + 1 < moves_.size() && mark >= weights_[i]) {
            mark -= weights_[i++];
        }
        return moves_[i];
    }

    std::string_view add_chances(const B& board, const go::Recent& /*recent*/, int moves, double share, Chances& chances) override {
        values_.begin(board, moves);
        const double sum = weigh(board);
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            chance_of(board, moves_[i], chances) += share * weights_[i] / sum;
        }
        return "softmax";
    }

   private:
    using LearntPolicy<B>::values_;

    // exp(Q / tau) of all candidates, as far as they are needed: relative to the highest. Returns the sum.
    double weigh(const B& board) {
        moves_.clear();
        weights_.clear();
        double highest = 0;
        values_.for_each(board, [&](go::Point p, double value) {
            moves_.push_back(p);
            weights_.push_back(value);
            highest = std::max(highest, value);
        });
        double sum = 0;
        for (double& weight : weights_) {
            weight = std::exp((weight - highest) / temperature_);
            sum += weight;
        }
        return sum;
    }

    double temperature_;
    std::vector<go::Point> moves_;
    std::vector<double> weights_;
};

}  // namespace katachi
