// Gomoku, freestyle: `line` or more stones in a row win, across, down or diagonally; a full board is a draw.
// Action = row * size + col, row 0 at the top. Black (X) wins 1, draws 0.5, loses 0.
//
// The board has a wall of empty cells around it, one column wide between two rows, where every run of stones ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/errors.hpp"
#include "games/game_state.hpp"
#include "games/placing.hpp"

namespace katachi {

class Gomoku {
   public:
    static constexpr int smallest = 3;
    static constexpr int largest = 19;
    static constexpr int shortest_line = 2;

    Gomoku(int size, int line) : size_(size), line_(line) {
        if (size < smallest || size > largest) {
            throw InvalidArgumentError("gomoku: the size must be from " + std::to_string(smallest) + " to " + std::to_string(largest) + ", not " +
                                       std::to_string(size));
        }
        if (line < shortest_line || line > largest) {
            throw InvalidArgumentError("gomoku: the line must be from " + std::to_string(shortest_line) + " to " + std::to_string(largest) +
                                       " stones, not " + std::to_string(line));
        }
    }

    GameFacts facts() const {
        return {.players = 2,
                .action_space = area(),
                .return_bounds = Bounds{0, 1},
                .max_length = area(),
                .deterministic = true,
                .key = KeyKind::exact,
                .final_reward = true};
    }

    Player to_play() const { return static_cast<Player>(count_ % 2); }
    bool is_terminal() const { return won_ || count_ == area(); }
    std::uint64_t key() const { return key_; }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        if (!is_terminal()) {
            for_each_free([&](int point, int /*place*/) { out.push_back(Action{point}); });
        }
    }

    Reward play(Action action) {
        if (is_terminal() || action.value < 0 || action.value >= area() || !is_free(action.value)) {
            throw IllegalMoveError("gomoku: " + std::to_string(action.value) + " is not a free point of\n" + text());
        }
        put(cell(action.value));
        return outcome();
    }

    Playout uniform_playout(Rng& rng, int most_steps) {
        return uniform_playout(rng, most_steps, [](Action) {});
    }
    template <class OnAction>
    Playout uniform_playout(Rng& rng, int most_steps, OnAction&& on_action) {
        FreePlaces<largest * largest> free;
        for_each_free([&](int /*point*/, int place) { free.add(place); });
        const int start = count_;
        const int end = start + std::min(most_steps, area() - start);
        while (!won_ && count_ < end) {
            const int place = free.draw(rng);
            put(place);
            on_action(Action{point_of(place)});
        }
        return {.total = count_ == start ? 0 : outcome(), .length = count_ - start, .cut = !is_terminal()};
    }

    std::string text() const {
        std::string text;
        for (int i = 0; i < area(); ++i) {
            text += ".XO"[at(cell(i))];
            text += i % size_ == size_ - 1 ? "\n" : "";
        }
        return text;
    }

   private:
    static constexpr std::uint8_t empty = 0;

    int area() const { return size_ * size_; }
    int stride() const { return size_ + 1; }
    int cell(int point) const { return point + point / size_ + stride() + 1; }
    int point_of(int cell) const { return cell - (cell / stride() - 1) - stride() - 1; }
    std::uint8_t at(int cell) const { return cells_[static_cast<std::size_t>(cell)]; }
    bool is_free(int point) const { return at(cell(point)) == empty; }

    template <class Visit>
    void for_each_free(const Visit& visit) const {
        for (int row = 0; row < size_; ++row) {
            const int first = cell(row * size_);
            for (int col = 0; col < size_; ++col) {
                if (at(first + col) == empty) {
                    visit(row * size_ + col, first + col);
                }
            }
        }
    }

    void put(int cell) {
        const Player mover = to_play();
        cells_[static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(1 + index_of(mover));
        key_ ^= stone_word(mover, cell);
        ++count_;
        won_ = is_in_line(cell);
    }

    bool is_in_line(int cell) const {
        for (const int step : {1, stride() - 1, stride(), stride() + 1}) {
            if (1 + run(cell, step) + run(cell, -step) >= line_) {
                return true;
            }
        }
        return false;
    }

    // How many stones of the same player follow in this direction.
    int run(int cell, int step) const {
        const std::uint8_t own = at(cell);
        int length = 0;
        while (at(cell += step) == own) {
            ++length;
        }
        return length;
    }

    // Black's reward for the step that led here.
    Reward outcome() const {
        if (won_) {
            return to_play() == Player::white ? 1 : 0;
        }
        return count_ == area() ? 0.5 : 0;
    }

    int size_;
    int line_;
    int count_ = 0;
    bool won_ = false;
    std::uint64_t key_ = 0;
    std::array<std::uint8_t, (largest + 2) * (largest + 1) + 1> cells_{};
};

static_assert(GameState<Gomoku> && HasUniformPlayout<Gomoku> && HasWatchedPlayout<Gomoku> && std::is_trivially_copyable_v<Gomoku>);

}  // namespace katachi
