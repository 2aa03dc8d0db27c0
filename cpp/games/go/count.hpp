// Exhaustive counts that a correct board reproduces: move sequences (perft), whole games, legal positions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/slice.hpp"
#include "core/types.hpp"
#include "games/go/geometry.hpp"

namespace katachi::go {

// counts()[d - 1] = number of move sequences of exactly d plies, passes included, none after two passes in a row.
// With depth 0 there is no limit, and games() counts the sequences that end with two passes.
template <class P>
class SequenceCount final : public Job {
   public:
    SequenceCount(P root, int depth) : position_(std::move(root)), depth_(static_cast<std::size_t>(depth)) { open(); }

    const std::vector<std::uint64_t>& counts() const { return counts_; }
    std::uint64_t games() const { return games_; }

    bool advance(const Slice& slice) override {
        SliceTicker ticker(slice, 256);
        while (level_ > 0) {
            Frame& frame = frames_[level_ - 1];
            if (frame.next == frame.actions.size()) {
                if (--level_ > 0) {
                    position_.undo_to(frames_[level_ - 1].board);
                }
                continue;
            }
            const Action action = frame.actions[frame.next++];
            if (level_ == 1) {
                ++root_done_;
            }
            if (depth_ == 0 && closes_game(action)) {
                ++games_;
                continue;
            }
            position_.play_legal(action);
            open();
            if (ticker.expired()) {
                return level_ == 0;
            }
        }
        return true;
    }

    double progress() const override {
        const std::size_t all = frames_.empty() ? 0 : frames_[0].actions.size();
        return all == 0 ? 1.0 : static_cast<double>(root_done_) / static_cast<double>(all + 1);
    }

   private:
    struct Frame {
        typename P::BoardType board;
        ActionBuffer actions;
        std::size_t next = 0;
    };

    bool closes_game(Action action) const { return position_.geometry().is_pass(action) && position_.board().passes() == 1; }

    // Counts what can be played here; opens a frame unless this was the last ply that matters.
    void open() {
        if (level_ == frames_.size()) {
            frames_.push_back({position_.board(), {}, 0});
        }
        Frame& frame = frames_[level_];
        frame.board = position_.board();
        position_.legal_actions(frame.actions);
        frame.next = 0;
        if (depth_ > 0) {
            counts_.resize(depth_);
            counts_[level_] += frame.actions.size();
            if (level_ + 1 == depth_) {
                frame.next = frame.actions.size();
            }
        }
        ++level_;
    }

    P position_;
    std::size_t depth_;
    std::vector<Frame> frames_;
    std::size_t level_ = 0;
    std::size_t root_done_ = 0;
    std::vector<std::uint64_t> counts_;
    std::uint64_t games_ = 0;
};

// Legal positions of a small board: colourings in which every chain has a liberty. Pure bit sets, no Board involved.
class PositionCount final : public Job {
   public:
    static constexpr int max_area = 20;

    explicit PositionCount(Geometry geometry) : geometry_(geometry) {
        if (geometry.area() > max_area) {
            throw InvalidArgumentError("counting positions by enumeration is limited to boards of " + std::to_string(max_area) + " points, not " +
                                       std::to_string(geometry.area()));
        }
        all_ = (1U << geometry.area()) - 1;
        for (int i = 0; i < geometry.area(); ++i) {
            not_left_ |= static_cast<std::uint32_t>(i % geometry.width != 0) << i;
            not_right_ |= static_cast<std::uint32_t>(i % geometry.width != geometry.width - 1) << i;
        }
    }

    std::uint64_t positions() const { return positions_; }

    bool advance(const Slice& slice) override {
        for (; black_ <= all_; ++black_) {
            if (slice.expired()) {
                return false;
            }
            const std::uint32_t open = all_ & ~black_;
            std::uint32_t white = open;
            while (true) {
                positions_ += static_cast<std::uint64_t>(is_legal(black_, white));
                if (white == 0) {
                    break;
                }
                white = (white - 1) & open;
            }
        }
        return true;
    }

    double progress() const override { return static_cast<double>(black_) / (static_cast<double>(all_) + 1); }

   private:
    std::uint32_t spread(std::uint32_t set) const {
        return all_ & ((set << geometry_.width) | (set >> geometry_.width) | ((set & not_right_) << 1) | ((set & not_left_) >> 1));
    }

    bool all_breathe(std::uint32_t stones, std::uint32_t liberties) const {
        std::uint32_t alive = stones & liberties;
        for (std::uint32_t before = 0; before != alive;) {
            before = alive;
            alive |= stones & spread(alive);
        }
        return alive == stones;
    }

    bool is_legal(std::uint32_t black, std::uint32_t white) const {
        const std::uint32_t liberties = spread(all_ & ~(black | white));
        return all_breathe(black, liberties) && all_breathe(white, liberties);
    }

    Geometry geometry_;
    std::uint32_t all_ = 0;
    std::uint32_t not_left_ = 0;
    std::uint32_t not_right_ = 0;
    std::uint32_t black_ = 0;
    std::uint64_t positions_ = 0;
};

}  // namespace katachi::go
