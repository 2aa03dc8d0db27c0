// The content of every window of a board, kept up to date stone by stone; a mark and a rewind instead of an undo.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/shape_set.hpp"

namespace katachi::features {

// What is on a point.
enum class Digit : std::uint8_t { empty = 0, black = 1, white = 2 };

class ShapeTracker {
   public:
    using Mark = std::size_t;

    // Of the empty board. The shapes must outlive it.
    explicit ShapeTracker(const ShapeSet& shapes)
        : shapes_(&shapes),
          codes_(shapes.windows().size()),
          digits_(static_cast<std::size_t>(shapes.side()) * static_cast<std::size_t>(shapes.side())) {}

    const ShapeSet& shapes() const { return *shapes_; }
    std::span<const Code> codes() const { return codes_; }
    Code code(int window) const { return codes_[static_cast<std::size_t>(window)]; }
    Digit digit(int point) const { return digits_[static_cast<std::size_t>(point)]; }

    // For good: no mark of before is rewound to. Calls on_change(window, code before, code after).
    template <class OnChange>
    [[gnu::always_inline]] void set(int point, Digit digit, OnChange&& on_change) {
        Digit& here = digits_[static_cast<std::size_t>(point)];
        const int step = static_cast<int>(digit) - static_cast<int>(here);
        here = digit;
        for (const Place& place : shapes_->places(point)) {
            Code& code = codes_[place.window];
            const Code before = code;
            code = static_cast<Code>(before + step * place.power);
            on_change(place.window, before, code);
        }
    }

    void put(int point, Digit digit) {
        log_.push_back({static_cast<std::uint16_t>(point), this->digit(point)});
        change(point, digit);
    }

    // Everything that is put after a mark can be taken back.
    Mark mark() const { return log_.size(); }
    void rewind(Mark mark) {
        while (log_.size() > mark) {
            change(log_.back().point, log_.back().digit);
            log_.pop_back();
        }
    }
    void clear() {
        codes_.assign(codes_.size(), 0);
        digits_.assign(digits_.size(), Digit::empty);
        log_.clear();
    }

   private:
    struct Put {
        std::uint16_t point;
        Digit digit;  // what was there before
    };

    void change(int point, Digit digit) {
        set(point, digit, [](int, Code, Code) {});
    }

    const ShapeSet* shapes_;
    std::vector<Code> codes_;
    std::vector<Digit> digits_;
    std::vector<Put> log_;
};

}  // namespace katachi::features
