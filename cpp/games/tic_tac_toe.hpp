// Tic-tac-toe: the smallest two-player game. Action = row * 3 + col; Black (X) wins 1, draws 0.5, loses 0.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

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
        if (is_terminal() || action.value < 0 || action.value >= 9 || !is_free(action.value)) [[unlikely]] {
            refuse(action);
        }
        put(1U << action.value);
        return outcome();
    }

    // Draws as a playout step by step does, from the free squares in their order.
    Playout uniform_playout(Rng& rng, int most_steps) {
        return uniform_playout(rng, most_steps, [](Action) {});
    }
    template <class OnAction>
    Playout uniform_playout(Rng& rng, int most_steps, OnAction&& on_action) {
        Playout playout;
        while (playout.length < most_steps && !is_terminal()) {
            unsigned free = ~static_cast<unsigned>(stones_[0] | stones_[1]) & 0777U;
            for (std::uint32_t skip = rng.below(9U - count_); skip > 0; --skip) {
                free &= free - 1;
            }
            put(free & -free);
            on_action(Action{std::countr_zero(free)});
            playout.total = outcome();
            ++playout.length;
        }
        playout.cut = !is_terminal();
        return playout;
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
    [[noreturn, gnu::cold, gnu::noinline]] void refuse(Action action) const {
        throw IllegalMoveError("tic-tac-toe: " + std::to_string(action.value) + " is not a free square of\n" + text());
    }

    bool is_free(int i) const { return (((stones_[0] | stones_[1]) >> i) & 1) == 0; }

    // By the stones of one player.
    static constexpr std::array<bool, 512> lined = [] {
        std::array<bool, 512> table{};
        for (unsigned stones = 0; stones < 512; ++stones) {
            for (const unsigned line : {0007U, 0070U, 0700U, 0111U, 0222U, 0444U, 0421U, 0124U}) {
                table[stones] = table[stones] || (stones & line) == line;
            }
        }
        return table;
    }();

    bool has_line(std::size_t player) const { return lined[stones_[player]]; }

    void put(unsigned square) {
        std::uint16_t& own = stones_[count_ % 2U];
        own = static_cast<std::uint16_t>(own | square);
        ++count_;
    }

    // Black's reward for the step that led here.
    Reward outcome() const {
        if (has_line(0)) {
            return 1;
        }
        return count_ == 9 && !has_line(1) ? 0.5 : 0;
    }

    std::array<std::uint16_t, 2> stones_{};
    std::uint8_t count_ = 0;
};

static_assert(GameState<TicTacToe> && HasUniformPlayout<TicTacToe> && HasWatchedPlayout<TicTacToe> && std::is_trivially_copyable_v<TicTacToe>);

}  // namespace katachi
