// Pig: the smallest stochastic two-player game. A turn is a row of die rolls (action 0), each added to the turn's total;
// a 1 loses the total and the turn; holding (action 1) banks it. First to `target` points wins: return 1 for player 0.
// The optimal play for target 100 is known (Neller and Presser 2004).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "games/game_state.hpp"

namespace katachi {

class Pig {
   public:
    static constexpr Action roll{0};
    static constexpr Action hold{1};
    static constexpr int highest_target = 10'000;

    explicit Pig(int target) : target_(target) {
        if (target < 1 || target > highest_target) {
            throw InvalidArgumentError("pig: the target must be from 1 to " + std::to_string(highest_target) + ", not " + std::to_string(target));
        }
    }

    GameFacts facts() const {
        return {.players = 2,
                .action_space = 2,
                .return_bounds = Bounds{0, 1},
                .max_length = std::nullopt,
                .deterministic = false,
                .key = KeyKind::exact,
                .final_reward = true};
    }

    Player to_play() const { return to_play_; }
    bool is_terminal() const { return scores_[0] >= target_ || scores_[1] >= target_; }

    std::uint64_t key() const {
        std::uint64_t key = mix64(static_cast<std::uint64_t>(index_of(to_play_)) + golden_gamma);
        for (const int part : {scores_[0], scores_[1], turn_, target_}) {
            key = mix64(key + golden_gamma + static_cast<std::uint64_t>(part));
        }
        return key;
    }

    void legal_actions(ActionBuffer& out) const {
        out.clear();
        if (!is_terminal()) {
            out.push_back(roll);
            out.push_back(hold);
        }
    }

    Reward play(Action action, Rng& rng) {
        if (is_terminal() || (action != roll && action != hold)) {
            throw IllegalMoveError("pig: " + std::to_string(action.value) + " is neither roll (0) nor hold (1), or the game is over: " + text());
        }
        if (action == roll) {
            const int die = 1 + static_cast<int>(rng.below(6));
            if (die > 1) {
                turn_ += die;
                return 0;
            }
            turn_ = 0;
        }
        scores_[static_cast<std::size_t>(index_of(to_play_))] += turn_;
        turn_ = 0;
        const Player mover = to_play_;
        to_play_ = opponent(to_play_);
        return is_terminal() && mover == Player::black ? 1 : 0;
    }

    std::string text() const {
        return "score " + std::to_string(scores_[0]) + ":" + std::to_string(scores_[1]) + " of " + std::to_string(target_) + ", turn total " +
               std::to_string(turn_) + ", player " + std::to_string(index_of(to_play_)) + " to play\n";
    }

   private:
    int target_;
    std::array<int, 2> scores_{};
    int turn_ = 0;
    Player to_play_ = Player::black;
};

static_assert(GameState<Pig> && StochasticPlay<Pig>);

}  // namespace katachi
