// Sums of local shapes of a Go board and of all that one move may make of it (Silver 2009, 5.6).
//
// A move without captures changes the windows around its point only. So what it adds to the sum is remembered for each point and
// colour until a stone is put or taken within two points of it. A move that captures is tried out and taken back.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "features/shape_tracker.hpp"
#include "games/go/board.hpp"

namespace katachi {

template <class Lookup>
class Afterstates {
   public:
    // The shapes must outlive it; weights behind the lookup may change only before `reset`.
    Afterstates(const features::ShapeSet& shapes, Lookup lookup)
        : tracker_(shapes), lookup_(std::move(lookup)), worths_(shapes.windows().size()), geometry_{shapes.side(), shapes.side()} {
        int reach = 0;
        for (const features::ShapeSize size : shapes.sizes()) {
            reach = std::max(reach, size.width - 1);
        }
        const int side = shapes.side();
        for (int point = 0; point < side * side; ++point) {
            for (int row = std::max(0, point / side - reach); row <= std::min(side - 1, point / side + reach); ++row) {
                for (int col = std::max(0, point % side - reach); col <= std::min(side - 1, point % side + reach); ++col) {
                    near_.push_back(static_cast<std::uint16_t>(row * side + col));
                }
            }
            near_ends_.push_back(near_.size());
        }
        changes_.resize(near_ends_.size());
    }

    const features::ShapeTracker& tracker() const { return tracker_; }
    const Lookup& lookup() const { return lookup_; }
    // Another lookup, from the next `reset` on.
    void set_lookup(Lookup lookup) { lookup_ = std::move(lookup); }
    // The sum of the present board.
    double sum() const { return sum_; }

    // Begins with a board, and with weights as they are now.
    template <class B>
    void reset(const B& board) {
        tracker_.clear();
        for (int point = 0; point < geometry_.area(); ++point) {
            const go::Colour colour = board.colour(geometry_.padded_point(point));
            if (colour != go::Colour::empty) {
                tracker_.put(point, digit(colour));
            }
        }
        tracker_.forget_marks();
        sum_ = 0;
        for (int window = 0; window < static_cast<int>(worths_.size()); ++window) {
            sum_ += worths_[static_cast<std::size_t>(window)] = lookup_(window, tracker_.code(window));
        }
        for (Changes& change : changes_) {
            change.is_known = {};
        }
    }

    // Follows a move of the player to move on `board`, which has not been played there yet.
    template <class B>
    void play(const B& board, go::Point p) {
        board.for_each_removed_by(p, [&](go::Point stone) { put(geometry_.dense(stone), features::Digit::empty); });
        put(geometry_.dense(p), digit(go::colour_of(board.to_play())));
        tracker_.forget_marks();
    }

    // What a move of the player to move at an empty point, no suicide, adds to the sum.
    template <class B>
    float change(const B& board, go::Point p) {
        const int point = geometry_.dense(p);
        const features::Digit own = digit(go::colour_of(board.to_play()));
        if (board.captures(p)) [[unlikely]] {
            return tried_out(board, p, point, own);
        }
        Changes& known = changes_[static_cast<std::size_t>(point)];
        const auto colour = static_cast<std::size_t>(own) - 1;
        if (!known.is_known[colour]) {
            known.is_known[colour] = true;
            known.change[colour] = placed(point, own);
        }
        return known.change[colour];
    }

   private:
    struct Changes {
        std::array<float, 2> change{};
        std::array<bool, 2> is_known{};
    };

    static features::Digit digit(go::Colour colour) { return colour == go::Colour::black ? features::Digit::black : features::Digit::white; }

    float placed(int point, features::Digit own) const {
        float change = 0;
        for (const features::Place& place : tracker_.shapes().places(point)) {
            const auto code = static_cast<features::Code>(tracker_.code(place.window) + static_cast<int>(own) * place.power);
            change += lookup_(place.window, code) - worths_[place.window];
        }
        return change;
    }

    template <class B>
    float tried_out(const B& board, go::Point p, int point, features::Digit own) {
        const auto mark = tracker_.mark();
        touched_.clear();
        const auto put_and_touch = [&](int where, features::Digit what) {
            tracker_.put(where, what);
            for (const features::Place& place : tracker_.shapes().places(where)) {
                touched_.push_back(place.window);
            }
        };
        board.for_each_removed_by(p, [&](go::Point stone) { put_and_touch(geometry_.dense(stone), features::Digit::empty); });
        put_and_touch(point, own);
        std::ranges::sort(touched_);
        touched_.erase(std::ranges::unique(touched_).begin(), touched_.end());
        double change = 0;  // of many windows, where many stones are taken
        for (const std::uint16_t window : touched_) {
            change += static_cast<double>(lookup_(window, tracker_.code(window)) - worths_[window]);
        }
        tracker_.rewind(mark);
        return static_cast<float>(change);
    }

    void put(int point, features::Digit what) {
        tracker_.put(point, what);
        for (const features::Place& place : tracker_.shapes().places(point)) {
            const float worth = lookup_(place.window, tracker_.code(place.window));
            sum_ += worth - worths_[place.window];
            worths_[place.window] = worth;
        }
        const std::size_t begin = point == 0 ? 0 : near_ends_[static_cast<std::size_t>(point) - 1];
        for (std::size_t i = begin; i < near_ends_[static_cast<std::size_t>(point)]; ++i) {
            changes_[near_[i]].is_known = {};
        }
    }

    features::ShapeTracker tracker_;
    Lookup lookup_;
    std::vector<float> worths_;  // of the windows' present contents
    go::Geometry geometry_;
    std::vector<std::uint16_t> near_;  // points that a stone at a point has to do with
    std::vector<std::size_t> near_ends_;
    std::vector<Changes> changes_;  // by point: what a move of either colour adds
    std::vector<std::uint16_t> touched_;
    double sum_ = 0;
};

}  // namespace katachi
