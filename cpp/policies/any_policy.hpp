// Policies of Go that are known at run time only, behind one virtual call for each move: mixtures, stages and learnt values, and the
// plain ones inside of these.
#pragma once

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/go_policies.hpp"

namespace katachi {

// Chances of actions, by their numbers.
using Chances = std::vector<double>;

template <class B>
class AnyPolicy {
   public:
    AnyPolicy() = default;
    AnyPolicy(const AnyPolicy&) = delete;
    AnyPolicy& operator=(const AnyPolicy&) = delete;
    virtual ~AnyPolicy() = default;

    virtual void begin(const B& /*board*/, int /*moves*/, Rng& /*rng*/) {}
    virtual go::Point choose(B& board, const go::Recent& recent, Rng& rng) = 0;
    virtual void follow(const B& /*board*/, go::Point /*p*/) {}

    // Adds `share` times the chances of its moves, where a playout begins after so many moves of the game. Returns what decides.
    virtual std::string_view add_chances(const B& board, const go::Recent& recent, int moves, double share, Chances& chances) = 0;
};

// All candidates of the player to move; a pass if there is none, and at any time without an eye rule.
template <class B, class Visit>
void for_each_candidate(const B& board, go::EyeRule eye_rule, Visit&& visit) {
    const go::Geometry geometry = board.geometry();
    go::with_eye_rule(eye_rule, [&]<go::EyeRule rule> {
        bool is_any = false;
        for (int i = 0; i < geometry.area(); ++i) {
            const go::Point p = geometry.padded_point(i);
            if (board.colour(p) == go::Colour::empty && board.template is_candidate<rule>(p)) {
                is_any = true;
                visit(p);
            }
        }
        if (!is_any || rule == go::EyeRule::none) {
            visit(go::no_point);
        }
    });
}

template <class B>
double& chance_of(const B& board, go::Point p, Chances& chances) {
    return chances[static_cast<std::size_t>(board.geometry().action(p).value)];
}

template <class B, go::EyeRule rule>
class AnyUniform final : public AnyPolicy<B> {
   public:
    go::Point choose(B& board, const go::Recent& recent, Rng& rng) override { return policy_.choose(board, recent, rng); }

    std::string_view add_chances(const B& board, const go::Recent& /*recent*/, int /*moves*/, double share, Chances& chances) override {
        double count = 0;
        for_each_candidate(board, rule, [&](go::Point) { ++count; });
        for_each_candidate(board, rule, [&](go::Point p) { chance_of(board, p, chances) += share / count; });
        return "uniform";
    }

   private:
    go::UniformPolicy<rule> policy_;
};

// MoGo's or Fuego's.
template <class B, class P>
class AnyStaged final : public AnyPolicy<B> {
   public:
    go::Point choose(B& board, const go::Recent& recent, Rng& rng) override { return policy_.choose(board, recent, rng); }

    std::string_view add_chances(const B& board, const go::Recent& recent, int /*moves*/, double share, Chances& chances) override {
        constexpr std::array names{"capture-last", "escape", "low-liberty", "pattern", "capture", "uniform"};
        StageMoves moves;
        const Stage stage = policy_.find(board, recent, moves);
        if (stage == Stage::uniform) {
            for_each_candidate(board, P::eye_rule, [&](go::Point p) { moves.add(p); });
        }
        for (const go::Point p : moves) {
            chance_of(board, policy_.corrected(board, p), chances) += share / static_cast<double>(moves.size());
        }
        return names[static_cast<std::size_t>(stage)];
    }

   private:
    P policy_;
};

// One of its parts, drawn at each move.
template <class B>
class Mixture final : public AnyPolicy<B> {
   public:
    Mixture(std::vector<double> shares, std::vector<std::unique_ptr<AnyPolicy<B>>> parts) : shares_(std::move(shares)), parts_(std::move(parts)) {
        for (const double share : shares_) {
            sum_ += share;
        }
    }

    void begin(const B& board, int moves, Rng& rng) override {
        for (const auto& part : parts_) {
            part->begin(board, moves, rng);
        }
    }

    go::Point choose(B& board, const go::Recent& recent, Rng& rng) override {
        double mark = rng.uniform() * sum_;
        std::size_t i = 0;
        while (i + 1 < parts_.size() && mark >= shares_[i]) {
            mark -= shares_[i++];
        }
        return parts_[i]->choose(board, recent, rng);
    }

    void follow(const B& board, go::Point p) override {
        for (const auto& part : parts_) {
            part->follow(board, p);
        }
    }

    std::string_view add_chances(const B& board, const go::Recent& recent, int moves, double share, Chances& chances) override {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            parts_[i]->add_chances(board, recent, moves, share * shares_[i] / sum_, chances);
        }
        return "mix";
    }

   private:
    std::vector<double> shares_;
    std::vector<std::unique_ptr<AnyPolicy<B>>> parts_;
    double sum_ = 0;
};

// The first part while t < T, where t counts moves since the playout began, whoever has played them; then the second (Silver 2009, 6.9.1). Of a T
// that is no whole number the fraction is the chance of one move more.
template <class B>
class TwoStages final : public AnyPolicy<B> {
   public:
    TwoStages(double moves, std::unique_ptr<AnyPolicy<B>> first, std::unique_ptr<AnyPolicy<B>> second)
        : whole_(std::floor(moves)), fraction_(moves - whole_), first_(std::move(first)), second_(std::move(second)) {}

    void begin(const B& board, int moves, Rng& rng) override {
        played_ = 0;
        moves_ = moves;
        last_ = whole_ + (fraction_ > 0 && rng.uniform() < fraction_ ? 1 : 0);
        has_switched_ = false;
        if (is_first()) {
            first_->begin(board, moves, rng);
        }
    }

    go::Point choose(B& board, const go::Recent& recent, Rng& rng) override {
        if (is_first()) {
            return first_->choose(board, recent, rng);
        }
        if (!has_switched_) {
            has_switched_ = true;
            second_->begin(board, moves_, rng);
        }
        return second_->choose(board, recent, rng);
    }

    void follow(const B& board, go::Point p) override {
        if (is_first()) {
            first_->follow(board, p);
        } else if (has_switched_) {
            second_->follow(board, p);
        }
        ++played_;
        ++moves_;
    }

    std::string_view add_chances(const B& board, const go::Recent& recent, int moves, double share, Chances& chances) override {
        if (whole_ > 0) {
            return first_->add_chances(board, recent, moves, share, chances);
        }
        if (fraction_ > 0) {
            first_->add_chances(board, recent, moves, share * fraction_, chances);
        }
        const std::string_view stage = second_->add_chances(board, recent, moves, share * (1 - fraction_), chances);
        return fraction_ > 0 ? "mix" : stage;
    }

   private:
    bool is_first() const { return played_ < last_; }

    double whole_;
    double fraction_;
    std::unique_ptr<AnyPolicy<B>> first_;
    std::unique_ptr<AnyPolicy<B>> second_;
    double last_ = 0;  // of the present playout: how many moves are the first part's
    int played_ = 0;
    int moves_ = 0;
    bool has_switched_ = false;
};

}  // namespace katachi
