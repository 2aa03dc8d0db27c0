// Games played to compare sums of local shapes that are kept up to date with recomputed ones: in every position the running sum, and
// what the moves are said to add with what they do add. For tests; learning and playing never come here.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "core/slice.hpp"
#include "values/afterstates.hpp"
#include "values/recomputed.hpp"

namespace katachi {

// Through which tables sums are kept.
enum class LookupKind : std::uint8_t { shared, frozen, fused };

// A lookup for a player to move and a stage, and the shapes that it is over.
class Lookups {
   public:
    Lookups(const features::Representation& representation, const ShapeWeights& weights, LookupKind kind)
        : representation_(&representation),
          weights_(&weights),
          kind_(kind),
          fused_(kind == LookupKind::fused ? FrozenLookup::fused(representation.shapes()) : representation.shapes()) {}

    class Lookup {
       public:
        Lookup(SharedLookup shared, std::shared_ptr<const FrozenLookup> frozen) : shared_(shared), frozen_(std::move(frozen)) {}
        float operator()(int window, features::Code code) const { return frozen_ ? (*frozen_)(window, code) : shared_(window, code); }
        void prefetch(int /*window*/, features::Code /*code*/) const {}

       private:
        SharedLookup shared_;
        std::shared_ptr<const FrozenLookup> frozen_;
    };

    const features::ShapeSet& shapes() const { return fused_; }

    Lookup lookup(Player to_play, int stage) {
        const SharedLookup shared(*representation_, *weights_, to_play, stage);
        if (kind_ == LookupKind::shared) {
            return {shared, nullptr};
        }
        auto& frozen = frozen_[{to_play, stage}];
        if (!frozen) {
            frozen = std::make_shared<const FrozenLookup>(fused_, representation_->shapes(), shared);
        }
        return {shared, frozen};
    }

   private:
    const features::Representation* representation_;
    const ShapeWeights* weights_;
    LookupKind kind_;
    features::ShapeSet fused_;
    std::map<std::pair<Player, int>, std::shared_ptr<const FrozenLookup>> frozen_;
};

struct AuditTally {
    std::uint64_t games = 0;
    std::uint64_t positions = 0;
    std::uint64_t captures = 0;     // positions that were reached by taking stones
    std::uint64_t afterstates = 0;  // that were compared
    std::uint64_t taking = 0;       // afterstates among them with stones taken
    double sum_error = 0;           // the largest differences
    double afterstate_error = 0;
};

// Half of the moves are random and half the best; in each position the move that is chosen, all that take stones and, with `all`, the
// others are compared.
template <class B>
class ShapeAudit final : public Job {
   public:
    ShapeAudit(std::shared_ptr<const features::Representation> representation, std::shared_ptr<const ShapeWeights> weights, LookupKind kind,
               const Rng& rng, std::uint64_t positions, bool all)
        : representation_(std::move(representation)),
          weights_(std::move(weights)),
          lookups_(*representation_, *weights_, kind),
          rng_(rng),
          positions_(positions),
          all_(all),
          geometry_{representation_->shapes().side(), representation_->shapes().side()} {
        for (const Player to_play : {Player::black, Player::white}) {
            sums_.emplace_back(lookups_.shapes(), lookups_.lookup(to_play, 0));
        }
    }

    const AuditTally& tally() const { return tally_; }
    double progress() const override { return positions_ == 0 ? 1 : static_cast<double>(tally_.positions) / static_cast<double>(positions_); }

    bool advance(const Slice& slice) override {
        while (tally_.positions < positions_ && !slice.expired()) {
            play_game();
        }
        return tally_.positions >= positions_;
    }

   private:
    using Sums = Afterstates<Lookups::Lookup>;

    Sums& sums_for(Player to_play) { return sums_[static_cast<std::size_t>(index_of(to_play))]; }

    void enter_stage(const B& board, int moves) {
        const int stage = representation_->stage(moves);
        if (stage != stage_) {
            stage_ = stage;
            for (const Player to_play : {Player::black, Player::white}) {
                sums_for(to_play).set_lookup(lookups_.lookup(to_play, stage));
                sums_for(to_play).reset(board);
            }
        }
    }

    void play_game() {
        B board(geometry_);
        stage_ = -1;
        const int longest = 3 * geometry_.area();
        for (int moves = 0; !board.is_over() && moves < longest; ++moves) {
            enter_stage(board, moves);
            ++tally_.positions;
            for (const Player to_play : {Player::black, Player::white}) {
                const double expected = recomputed_sum(*representation_, *weights_, board, to_play, stage_);
                tally_.sum_error = std::max(tally_.sum_error, std::abs(sums_for(to_play).sum() - expected));
            }
            enter_stage(board, moves + 1);  // that of the afterstates
            const go::Point chosen = choose(board);
            if (chosen == go::no_point) {
                board.pass();
                continue;
            }
            tally_.captures += board.captures(chosen) ? 1 : 0;
            for (Sums& sums : sums_) {
                sums.play(board, chosen);
            }
            board.play(chosen);
        }
        ++tally_.games;
    }

    go::Point choose(const B& board) {
        Sums& sums = sums_for(opponent(board.to_play()));
        const float sign = board.to_play() == Player::black ? 1.0F : -1.0F;
        const bool is_random = rng_.below(2) == 0;
        go::Point chosen = go::no_point;
        float best = 0;
        std::uint32_t seen = 0;
        for (int i = 0; i < geometry_.area(); ++i) {
            const go::Point p = geometry_.padded_point(i);
            if (board.colour(p) != go::Colour::empty || !board.template is_candidate<go::EyeRule::simple>(p)) {
                continue;
            }
            const float change = sums.change(board, p);
            ++seen;
            if (is_random ? rng_.below(seen) == 0 : seen == 1 || sign * change > best) {
                best = sign * change;
                chosen = p;
            }
            if (all_ || board.captures(p)) {
                compare(board, p, sums);
            }
        }
        if (chosen != go::no_point) {
            compare(board, chosen, sums);
        }
        return chosen;
    }

    void compare(const B& board, go::Point p, Sums& sums) {
        B after = board;
        after.play(p);
        const double expected = recomputed_sum(*representation_, *weights_, after, after.to_play(), stage_);
        const double found = sums.sum() + static_cast<double>(sums.change(board, p));
        tally_.afterstate_error = std::max(tally_.afterstate_error, std::abs(found - expected));
        ++tally_.afterstates;
        tally_.taking += board.captures(p) ? 1 : 0;
    }

    std::shared_ptr<const features::Representation> representation_;
    std::shared_ptr<const ShapeWeights> weights_;
    Lookups lookups_;
    Rng rng_;
    std::uint64_t positions_;
    bool all_;
    go::Geometry geometry_;
    std::vector<Sums> sums_;
    int stage_ = -1;
    AuditTally tally_;
};

}  // namespace katachi
