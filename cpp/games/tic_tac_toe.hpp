// Tic-tac-toe: the smallest two-player game. Action = row * 3 + col; Black (X) wins 1, draws 0.5, loses 0.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "games/game_state.hpp"

namespace katachi {

class TicTacToe {
   public:
    GameFacts facts() const {
        return {.players = 2,
                .action_space = 9,
                .return_bounds = Bounds{0, 1},
                .max_length = 9,
                .deterministic = true,
                .key = KeyKind::exact,
                .final_reward = true};
    }

    Player to_play() const { return static_cast<Player>(count_ % 2); }
    bool is_terminal() const { return count_ == 9 || has_line(0) || has_line(1); }
    std::uint64_t key() const { return mix64((static_cast<std::uint64_t>(stones_[0]) << 16 | stones_[1]) + golden_gamma); }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        if (is_terminal()) {
            return;
        }
        for (int i = 0; i < 9; ++i) {
            if (is_free(i)) {
                out.push_back(Action{i});
            }
        }
    }

    Reward play(Action action) {
        if (is_terminal() || action.value < 0 || action.value >= 9 || !is_free(action.value)) {
            throw IllegalMoveError("tic-tac-toe: " + std::to_string(action.value) + " is not a free square of\n" + text());
        }
        const std::size_t mover = count_ % 2;
        stones_[mover] = static_cast<std::uint16_t>(stones_[mover] | (1U << action.value));
        ++count_;
        if (has_line(mover)) {
            return mover == 0 ? 1 : 0;
        }
        return count_ == 9 ? 0.5 : 0;
    }

    std::string text() const {
        std::string text;
        for (int i = 0; i < 9; ++i) {
            text += is_free(i) ? '.' : ((stones_[0] >> i) & 1) != 0 ? 'X' : 'O';
            text += i % 3 == 2 ? "\n" : "";
        }
        return text;
    }

   private:
    bool is_free(int i) const { return (((stones_[0] | stones_[1]) >> i) & 1) == 0; }

    bool has_line(std::size_t player) const {
        static constexpr std::array<std::uint16_t, 8> lines{0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
        for (const std::uint16_t line : lines) {
            if ((stones_[player] & line) == line) {
                return true;
            }
        }
        return false;
    }

    std::array<std::uint16_t, 2> stones_{};
    std::uint8_t count_ = 0;
};

static_assert(GameState<TicTacToe> && DeterministicPlay<TicTacToe>);

}  // namespace katachi
