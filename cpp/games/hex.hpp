// Hex on a rhombus, without the swap rule: Black (X) connects top and bottom, White (O) left and right; one of them does.
// Action = row * size + col, row 0 at the top; each row is half a cell to the right of the one above. Black wins 1, loses 0.
//
// Chains are a forest (union-find): `parent_` of a cell leads to the root of its chain. The four sides are roots of their
// own, with the lowest numbers, and every cell of the border belongs to one of them. Of two roots the lower one stays, so a
// side is always the root of its chain, and a game is won when two sides are joined.
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

class Hex {
   public:
    static constexpr int largest = 19;

    explicit Hex(int size) : size_(size) {
        if (size < 1 || size > largest) {
            throw InvalidArgumentError("hex: the size must be from 1 to " + std::to_string(largest) + ", not " + std::to_string(size));
        }
        for (int side = 0; side < sides; ++side) {
            parent(side) = static_cast<std::uint16_t>(side);
        }
        for (int i = 0; i < size; ++i) {
            border(cell(-1, i), Player::black, top);
            border(cell(size, i), Player::black, bottom);
            border(cell(i, -1), Player::white, left);
            border(cell(i, size), Player::white, right);
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
    bool is_terminal() const { return won_; }
    std::uint64_t key() const { return key_; }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        if (!won_) {
            for_each_free([&](int point, int /*place*/) { out.push_back(Action{point}); });
        }
    }

    Reward play(Action action) {
        if (won_ || action.value < 0 || action.value >= area() || !is_free(action.value)) {
            throw IllegalMoveError("hex: " + std::to_string(action.value) + " is not a free cell of\n" + text());
        }
        put(cell_of(action.value));
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
        return {.total = count_ == start ? 0 : outcome(), .length = count_ - start, .cut = !won_};
    }

    std::string text() const {
        std::string text;
        for (int row = 0; row < size_; ++row) {
            text.append(static_cast<std::size_t>(row), ' ');
            for (int col = 0; col < size_; ++col) {
                text += col == 0 ? "" : " ";
                text += ".XO"[at(cell(row, col))];
            }
            text += '\n';
        }
        return text;
    }

   private:
    static constexpr std::uint8_t empty = 0;
    static constexpr int top = 0;
    static constexpr int bottom = 1;
    static constexpr int left = 2;
    static constexpr int right = 3;
    static constexpr int sides = 4;
    static constexpr std::size_t capacity = sides + (largest + 2) * (largest + 2);

    int area() const { return size_ * size_; }
    int stride() const { return size_ + 2; }
    int cell(int row, int col) const { return sides + (row + 1) * stride() + col + 1; }
    int point_of(int cell) const { return ((cell - sides) / stride() - 1) * size_ + (cell - sides) % stride() - 1; }
    int cell_of(int point) const { return cell(point / size_, point % size_); }
    std::uint8_t at(int cell) const { return stones_[static_cast<std::size_t>(cell)]; }
    bool is_free(int point) const { return at(cell_of(point)) == empty; }
    std::uint16_t& parent(int cell) { return parent_[static_cast<std::size_t>(cell)]; }

    void border(int cell, Player player, int side) {
        stones_[static_cast<std::size_t>(cell)] = stone(player);
        parent(cell) = static_cast<std::uint16_t>(side);
    }

    template <class Visit>
    void for_each_free(const Visit& visit) const {
        for (int row = 0; row < size_; ++row) {
            const int first = cell(row, 0);
            for (int col = 0; col < size_; ++col) {
                if (at(first + col) == empty) {
                    visit(row * size_ + col, first + col);
                }
            }
        }
    }

    static std::uint8_t stone(Player player) { return static_cast<std::uint8_t>(1 + index_of(player)); }

    void put(int cell) {
        const Player mover = to_play();
        const std::uint8_t own = stone(mover);
        stones_[static_cast<std::size_t>(cell)] = own;
        parent(cell) = static_cast<std::uint16_t>(cell);
        key_ ^= stone_word(mover, cell);
        ++count_;
        // The neighbours in a circle: two that follow each other touch, so one of each run is enough.
        const std::array<int, 6> around{-stride(), -stride() + 1, 1, stride(), stride() - 1, -1};
        bool before = at(cell - 1) == own;
        for (const int step : around) {
            const bool is_own = at(cell + step) == own;
            if (is_own && !before) {
                join(cell, cell + step);
            }
            before = is_own;
        }
    }

    void join(int a, int b) {
        a = root(a);
        b = root(b);
        if (a == b) {
            return;
        }
        const auto [low, high] = std::minmax(a, b);
        parent(high) = static_cast<std::uint16_t>(low);
        won_ = won_ || high < sides;
    }

    int root(int cell) {
        while (parent(cell) != cell) {
            cell = parent(cell) = parent(parent(cell));
        }
        return cell;
    }

    // Black's reward for the step that led here.
    Reward outcome() const { return won_ && to_play() == Player::white ? 1 : 0; }

    int size_;
    int count_ = 0;
    bool won_ = false;
    std::uint64_t key_ = 0;
    std::array<std::uint8_t, capacity> stones_{};
    std::array<std::uint16_t, capacity> parent_{};
};

static_assert(GameState<Hex> && HasUniformPlayout<Hex> && HasWatchedPlayout<Hex> && std::is_trivially_copyable_v<Hex>);

}  // namespace katachi
