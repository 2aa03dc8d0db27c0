// Connect four: stones fall to the bottom of one of seven columns of six places; four in a line win, also diagonally.
// Action = column, 0 at the left. Black (X) wins 1, draws 0.5, loses 0.
//
// A column is seven bits of a word, the lowest place first; its last bit is always empty, so that no line runs from one
// column into the next.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "games/game_state.hpp"

namespace katachi {

class ConnectFour {
   public:
    static constexpr int width = 7;
    static constexpr int height = 6;

    GameFacts facts() const {
        return {.players = 2,
                .action_space = width,
                .return_bounds = Bounds{0, 1},
                .max_length = width * height,
                .deterministic = true,
                .key = KeyKind::exact,
                .final_reward = true};
    }

    Player to_play() const { return static_cast<Player>(count_ % 2); }
    bool is_terminal() const { return won_ || count_ == width * height; }

    // In every column a 1 above the stones, and below it the black ones: no two positions have the same word.
    std::uint64_t key() const { return mix64(stones_[0] + stones() + bottom + golden_gamma); }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        for (int column = 0; column < width && !is_terminal(); ++column) {
            if (is_open(column)) {
                out.push_back(Action{column});
            }
        }
    }

    Reward play(Action action) {
        if (is_terminal() || action.value < 0 || action.value >= width || !is_open(action.value)) {
            throw IllegalMoveError("connect four: " + std::to_string(action.value) + " is not an open column of\n" + text());
        }
        drop(action.value);
        return outcome();
    }

    // Draws as a playout step by step does, from the open columns in their order.
    Playout uniform_playout(Rng& rng, int most_steps) {
        return uniform_playout(rng, most_steps, [](Action) {});
    }
    template <class OnAction>
    Playout uniform_playout(Rng& rng, int most_steps, OnAction&& on_action) {
        std::array<int, width> open{};
        std::size_t size = 0;
        for (int column = 0; column < width; ++column) {
            if (is_open(column)) {
                open[size++] = column;
            }
        }
        const int start = count_;
        const int end = start + std::min(most_steps, width * height - start);
        while (!won_ && count_ < end) {
            const std::size_t i = rng.below(static_cast<std::uint32_t>(size));
            drop(open[i]);
            on_action(Action{open[i]});
            if (!is_open(open[i])) {
                std::copy(open.begin() + static_cast<std::ptrdiff_t>(i) + 1, open.begin() + static_cast<std::ptrdiff_t>(size),
                          open.begin() + static_cast<std::ptrdiff_t>(i));
                --size;
            }
        }
        return {.total = count_ == start ? 0 : outcome(), .length = count_ - start, .cut = !is_terminal()};
    }

    std::string text() const {
        std::string text;
        for (int row = height - 1; row >= 0; --row) {
            for (int column = 0; column < width; ++column) {
                const std::uint64_t place = 1ULL << (column * column_bits + row);
                text += (stones_[0] & place) != 0 ? 'X' : (stones_[1] & place) != 0 ? 'O' : '.';
            }
            text += '\n';
        }
        return text;
    }

   private:
    static constexpr int column_bits = height + 1;
    static constexpr std::uint64_t column_mask = (1ULL << height) - 1;
    static constexpr std::uint64_t bottom = ((1ULL << (width * column_bits)) - 1) / ((1ULL << column_bits) - 1);

    std::uint64_t stones() const { return stones_[0] | stones_[1]; }
    bool is_open(int c) const { return ((stones() >> (c * column_bits + height - 1)) & 1) == 0; }

    void drop(int c) {
        const std::uint64_t place = (stones() + (1ULL << (c * column_bits))) & (column_mask << (c * column_bits));
        std::uint64_t& own = stones_[static_cast<std::size_t>(count_ % 2)];
        own |= place;
        ++count_;
        won_ = has_four(own);
    }

    static bool has_four(std::uint64_t own) {
        const auto runs = [own](int step) {
            const std::uint64_t pairs = own & (own >> step);
            return pairs & (pairs >> (2 * step));
        };
        return (runs(1) | runs(column_bits - 1) | runs(column_bits) | runs(column_bits + 1)) != 0;
    }

    // Black's reward for the step that led here.
    Reward outcome() const {
        if (won_) {
            return to_play() == Player::white ? 1 : 0;
        }
        return count_ == width * height ? 0.5 : 0;
    }

    std::array<std::uint64_t, 2> stones_{};
    int count_ = 0;
    bool won_ = false;
};

static_assert(GameState<ConnectFour> && HasUniformPlayout<ConnectFour> && HasWatchedPlayout<ConnectFour> &&
              std::is_trivially_copyable_v<ConnectFour>);

}  // namespace katachi
