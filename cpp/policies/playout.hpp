// Playouts by the name of their policy. The uniform one is for every game (uniform_playout.hpp), the others are for Go (go_policies.hpp).
//
// The policy is chosen once, outside the loop of moves.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "policies/go_policies.hpp"
#include "policies/uniform_playout.hpp"

namespace katachi {

enum class DefaultPolicy : std::uint8_t { uniform, mogo, fuego };

template <class S>
concept GoLike = requires(S state, Rng& rng) {
    state.recent();
    state.board().geometry();
};

template <GameState S>
constexpr bool has_policy(DefaultPolicy policy) {
    return policy == DefaultPolicy::uniform || GoLike<S>;
}

constexpr const char* policy_name(DefaultPolicy policy) {
    return policy == DefaultPolicy::mogo ? "mogo" : policy == DefaultPolicy::fuego ? "fuego" : "uniform";
}

template <GameState S>
void check_policy(const S& state, DefaultPolicy policy) {
    if (!has_policy<S>(policy)) {
        throw InvalidArgumentError(std::string("the playout policy ") + policy_name(policy) + " is for Go, not for\n" + state.text());
    }
}

// Calls f(policy) with one of the policies of Go other than the uniform one, whose eye rule is the state's.
template <class F>
decltype(auto) with_go_policy(DefaultPolicy policy, F&& f) {
    return policy == DefaultPolicy::fuego ? f(FuegoPolicy()) : f(MogoPolicy());
}

// A playout of Go with a witness, which is told every move: no_point for a pass.
template <GoLike S, class OnMove>
Playout go_playout(S& state, DefaultPolicy policy, Rng& rng, int most_steps, OnMove&& on_move) {
    if (policy == DefaultPolicy::uniform) {
        return state.uniform_playout(rng, most_steps, on_move);
    }
    return with_go_policy(policy, [&](const auto& chosen) {
        return state.playout(
            rng, most_steps, [&](auto& board, const go::Recent& recent, Rng& draws) { return chosen.choose(board, recent, draws); }, on_move);
    });
}

// Plays `state` to its end, or for `most_steps` steps. The policy is one that the game has.
template <GameState S>
Playout playout(S& state, DefaultPolicy policy, Rng& rng, ActionBuffer& buffer, int most_steps = longest_playout) {
    if constexpr (GoLike<S>) {
        return go_playout(state, policy, rng, most_steps, [](go::Point) {});
    } else {
        return uniform_playout(state, rng, buffer, most_steps);
    }
}

// One move of a policy that the game has; nothing is played.
template <GameState S>
Action policy_action(S& state, DefaultPolicy policy, Rng& rng, ActionBuffer& buffer) {
    if constexpr (GoLike<S>) {
        if (policy != DefaultPolicy::uniform) {
            return with_go_policy(policy, [&](const auto& chosen) {
                const auto choose = [&](auto& board, const go::Recent& recent, Rng& draws) { return chosen.choose(board, recent, draws); };
                return state.board().geometry().action(state.choose(rng, choose));
            });
        }
    }
    candidates(state, buffer);
    return buffer[rng.below(static_cast<std::uint32_t>(buffer.size()))];
}

// What a policy may play, with probabilities: for tests, and for looking at it.
struct PolicyMoves {
    std::string stage;
    std::vector<std::pair<Action, double>> moves;  // ascending
};

template <GameState S>
PolicyMoves policy_moves(const S& state, DefaultPolicy policy) {
    PolicyMoves found{.stage = "uniform", .moves = {}};
    ActionBuffer actions;
    if constexpr (GoLike<S>) {
        if (policy != DefaultPolicy::uniform) {
            return with_go_policy(policy, [&]<class P>(const P& chosen) {
                constexpr std::array names{"capture-last", "escape", "low-liberty", "pattern", "capture", "uniform"};
                const auto& board = state.board();
                const go::Geometry geometry = board.geometry();
                StageMoves moves;
                const Stage stage = chosen.find(board, state.recent(), moves);
                if (stage == Stage::uniform) {
                    for (int i = 0; i < geometry.area(); ++i) {
                        const go::Point p = geometry.padded_point(i);
                        if (board.colour(p) == go::Colour::empty && board.template is_candidate<P::eye_rule>(p)) {
                            moves.add(p);
                        }
                    }
                }
                found.stage = names[static_cast<std::size_t>(stage)];
                std::vector<double> shares(static_cast<std::size_t>(geometry.area()) + 1);
                for (const go::Point p : moves) {
                    shares[static_cast<std::size_t>(geometry.action(chosen.corrected(board, p)).value)] += 1.0 / static_cast<double>(moves.size());
                }
                if (moves.empty()) {
                    shares.back() = 1;
                }
                for (int i = 0; i <= geometry.area(); ++i) {
                    if (shares[static_cast<std::size_t>(i)] > 0) {
                        found.moves.emplace_back(Action{i}, shares[static_cast<std::size_t>(i)]);
                    }
                }
                return found;
            });
        }
    }
    candidates(state, actions);
    for (const Action action : actions) {
        found.moves.emplace_back(action, 1.0 / static_cast<double>(actions.size()));
    }
    return found;
}

}  // namespace katachi
