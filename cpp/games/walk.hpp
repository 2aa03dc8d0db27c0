// The left-right games (Vodopivec 2018, section 6.1): one player on a line of places 0 to size - 1, who starts in the middle
// and ends at either end, or after `cap` steps. Action 0 = left, 1 = right.
//
// Random walk: the step to the right end earns 1, every other step 0. Shortest walk: the step to the right end earns 0, every
// other step -1, the one to the left end as well. The step that meets the cap earns 0 in both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "games/game_state.hpp"

namespace katachi {

enum class WalkKind : std::uint8_t { random, shortest };

template <WalkKind kind>
class Walk {
   public:
    static constexpr Action to_left{0};
    static constexpr Action to_right{1};

    Walk(int size, int cap) : size_(size), cap_(cap), place_(middle()) {
        if (size < 3 || size % 2 == 0) {
            throw InvalidArgumentError(name() + ": the size must be odd and at least 3, not " + std::to_string(size));
        }
        if (cap < place_ || cap > longest_playout) {
            throw InvalidArgumentError(name() + ": the cap must be from " + std::to_string(place_) + " (the way to an end) to " +
                                       std::to_string(longest_playout) + ", not " + std::to_string(cap));
        }
    }

    GameFacts facts() const {
        return {.players = 1,
                .action_space = 2,
                .return_bounds = kind == WalkKind::random ? Bounds{0, 1} : Bounds{static_cast<double>(-cap_), static_cast<double>(1 - middle())},
                .max_length = cap_,
                .deterministic = true,
                .key = KeyKind::approximate,  // it does not know how many steps are left
                .final_reward = kind == WalkKind::random};
    }

    Player to_play() const { return Player::black; }
    bool is_terminal() const { return is_at_end() || steps_ >= cap_; }
    std::uint64_t key() const { return mix64(static_cast<std::uint64_t>(place_) + golden_gamma); }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        if (!is_terminal()) {
            out.push_back(to_left);
            out.push_back(to_right);
        }
    }

    Reward play(Action action) {
        if (is_terminal() || (action != to_left && action != to_right)) {
            throw IllegalMoveError(name() + ": " + std::to_string(action.value) +
                                   " is neither left (0) nor right (1), or the game is over: " + text());
        }
        place_ += action == to_right ? 1 : -1;
        ++steps_;
        return last_reward();
    }

    // Draws as a playout step by step does.
    Playout uniform_playout(Rng& rng, int most_steps) {
        const int length = std::min(most_steps, cap_ - steps_);
        Playout playout;
        while (!is_at_end() && playout.length < length) {
            place_ += 2 * static_cast<int>(rng.below(2)) - 1;
            ++playout.length;
        }
        steps_ += playout.length;
        if (playout.length > 0) {
            playout.total = last_reward() + (kind == WalkKind::shortest ? 1.0 - playout.length : 0);
        }
        playout.cut = !is_terminal();
        return playout;
    }

    // The ends are brackets until the walker is there.
    std::string text() const {
        std::string line = "[" + std::string(static_cast<std::size_t>(size_ - 2), '.') + "]";
        line[static_cast<std::size_t>(place_)] = 'o';
        return line + " step " + std::to_string(steps_) + " of " + std::to_string(cap_) + "\n";
    }

   private:
    static std::string name() { return kind == WalkKind::random ? std::string("random walk") : std::string("shortest walk"); }

    int middle() const { return (size_ - 1) / 2; }
    bool is_at_end() const { return place_ == 0 || place_ == size_ - 1; }

    // Of the step that led here.
    Reward last_reward() const {
        if constexpr (kind == WalkKind::random) {
            return place_ == size_ - 1 ? 1 : 0;
        } else {
            return place_ == size_ - 1 || (steps_ >= cap_ && place_ != 0) ? 0 : -1;
        }
    }

    int size_;
    int cap_;
    int place_;
    int steps_ = 0;
};

using RandomWalk = Walk<WalkKind::random>;
using ShortestWalk = Walk<WalkKind::shortest>;

static_assert(GameState<RandomWalk> && HasUniformPlayout<RandomWalk> && std::is_trivially_copyable_v<RandomWalk>);
static_assert(GameState<ShortestWalk> && HasUniformPlayout<ShortestWalk>);

}  // namespace katachi
