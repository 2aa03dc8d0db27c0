// Sums of local shapes of a Go board and of all that one move may make of it (Silver 2009, 5.6).
//
// A move without captures changes the windows around its point only. So what it adds to the sum is remembered for each point and
// colour until a stone is put or taken near it. A move that captures is tried out and taken back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "features/shape_tracker.hpp"
#include "games/go/board.hpp"

namespace katachi {

// Worths are floats, whose sums are doubles; or integers, whose sums are exact.
template <class Lookup>
class Afterstates {
   public:
    using Worth = std::invoke_result_t<const Lookup&, int, features::Code>;
    using Sum = std::conditional_t<std::is_floating_point_v<Worth>, double, std::int64_t>;

    // The shapes must outlive it; weights behind the lookup may change only before `reset`.
    Afterstates(const features::ShapeSet& shapes, Lookup lookup)
        : tracker_(shapes), lookup_(std::move(lookup)), worths_(shapes.windows().size()), geometry_{shapes.side(), shapes.side()} {
        changes_.resize(static_cast<std::size_t>(geometry_.area()));
    }

    static features::Digit digit(go::Colour colour) { return colour == go::Colour::black ? features::Digit::black : features::Digit::white; }

    const features::ShapeTracker& tracker() const { return tracker_; }
    const Lookup& lookup() const { return lookup_; }
    // Another lookup, from the next `reset` on.
    void set_lookup(Lookup lookup) { lookup_ = std::move(lookup); }
    // The sum of the present board.
    Sum sum() const { return sum_; }

    // Begins with a board, and with weights as they are now.
    template <class B>
    void reset(const B& board) {
        tracker_.clear();
        for (int point = 0; point < geometry_.area(); ++point) {
            const go::Colour colour = board.colour(geometry_.padded_point(point));
            if (colour != go::Colour::empty) {
                tracker_.set(point, digit(colour), [](int, features::Code, features::Code) {});
            }
        }
        renew();
    }

    // The same with the board of another one, which has the same shapes.
    void reset_to(const Afterstates& other) {
        tracker_ = other.tracker_;
        renew();
    }

    // The same board, with weights as they are now.
    void renew() {
        sum_ = 0;
        for (int window = 0; window < static_cast<int>(worths_.size()); ++window) {
            sum_ += worths_[static_cast<std::size_t>(window)] = lookup_(window, tracker_.code(window));
        }
        for (Changes& change : changes_) {
            change.is_known = {};
        }
        changed_.clear();
        keeps_changes_ = true;
    }

    // Until the next `reset` or `renew` nobody asks for a change, so that none has to be kept.
    void stop_changes() { keeps_changes_ = false; }

    // Follows a move of the player to move on `board`, which has not been played there yet.
    template <class B>
    void play(const B& board, go::Point p) {
        play(board, p, [](int, features::Code, features::Code) {});
    }

    // The same with a witness: on_change(window, code before, code after).
    template <class B, class OnChange>
    void play(const B& board, go::Point p, OnChange&& on_change) {
        play_ahead(board, p, on_change);
        settle();
    }

    // The same, but the worths of its windows are only asked for. `settle` has to read them before anything else is done, and better later than at
    // once: they come from far.
    template <class B, class OnChange>
    void play_ahead(const B& board, go::Point p, OnChange&& on_change) {
        const bool is_suicide = board.is_suicide(p);
        if (is_suicide || board.captures(p)) [[unlikely]] {
            board.for_each_removed_by(p, [&](go::Point stone) { put(geometry_.dense(stone), features::Digit::empty, on_change); });
        }
        if (!is_suicide) {
            put(geometry_.dense(p), digit(go::colour_of(board.to_play())), on_change);
        }
    }

    void settle() {
        for (const std::uint16_t point : changed_) {
            for (const features::Place& place : tracker_.shapes().places(point)) {
                const Worth worth = lookup_(place.window, tracker_.code(place.window));
                sum_ += worth - worths_[place.window];
                worths_[place.window] = worth;
            }
        }
        changed_.clear();
    }

    // What a move of the player to move at an empty point, no suicide, adds to the sum.
    template <class B>
    Worth change(const B& board, go::Point p) {
        const int point = geometry_.dense(p);
        const features::Digit own = digit(go::colour_of(board.to_play()));
        return board.captures(p) ? tried_out(board, p, point, own) : quiet_change(point, own);
    }

    // The same at a dense point where nothing is taken.
    [[gnu::always_inline]] Worth quiet_change(int point, features::Digit own) {
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
        std::array<Worth, 2> change{};
        std::array<bool, 2> is_known{};
    };

    Worth placed(int point, features::Digit own) const {
        Worth change = 0;
        for (const features::Place& place : tracker_.shapes().places(point)) {
            const auto code = static_cast<features::Code>(tracker_.code(place.window) + static_cast<int>(own) * place.power);
            change += lookup_(place.window, code) - worths_[place.window];
        }
        return change;
    }

    template <class B>
    Worth tried_out(const B& board, go::Point p, int point, features::Digit own) {
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
        Sum change = 0;  // of many windows, where many stones are taken
        for (const std::uint16_t window : touched_) {
            change += static_cast<Sum>(lookup_(window, tracker_.code(window)) - worths_[window]);
        }
        tracker_.rewind(mark);
        return static_cast<Worth>(change);
    }

    // One stone more or less.
    template <class OnChange>
    [[gnu::always_inline]] void put(int point, features::Digit what, OnChange&& on_change) {
        tracker_.set(point, what, [&](int window, features::Code before, features::Code after) {
            lookup_.prefetch(window, after);
            on_change(window, before, after);
        });
        changed_.push_back(static_cast<std::uint16_t>(point));
        if (keeps_changes_) {
            for (const std::uint16_t near : tracker_.shapes().near(point)) {
                changes_[near].is_known = {};
            }
        }
    }

    features::ShapeTracker tracker_;
    Lookup lookup_;
    std::vector<Worth> worths_;  // of the windows' present contents
    go::Geometry geometry_;
    std::vector<Changes> changes_;  // by point: what a move of either colour adds
    std::vector<std::uint16_t> touched_;
    std::vector<std::uint16_t> changed_;  // points whose windows are not settled
    Sum sum_ = 0;
    bool keeps_changes_ = true;
};

}  // namespace katachi
