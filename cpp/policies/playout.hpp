// Playouts by a policy that is made ready once for a search. The uniform one is for every game (uniform_playout.hpp), the others are for Go.
//
//     PolicyFor<S> policy(description, state);                     // an error if the game does not have it
//     go_playout(state, policy, rng, most_steps, on_move);         // a whole playout, with a witness
//     policy.begin(state, rng);                                    // or move by move: a playout begins,
//     Action action = policy.choose(state, rng, buffer);           // the policy says what it would play,
//     policy.follow(state, action);                                // and is told every move before it is played
//
// Which of the plain policies of Go plays is asked once for each playout, outside the loop of moves; others cost a virtual call for each move.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "policies/any_policy.hpp"
#include "policies/go_policies.hpp"
#include "policies/learnt_policies.hpp"
#include "policies/policy.hpp"
#include "policies/softmax_shapes.hpp"
#include "policies/uniform_playout.hpp"

namespace katachi {

template <class S>
concept GoLike = GameState<S> && requires(S state) {
    state.recent();
    state.board().geometry();
};

template <GameState S>
bool has_policy(const Policy& policy) {
    return GoLike<S> || policy.part_of_go() == nullptr;
}

// Every candidate is equally likely.
template <GameState S>
Action uniform_action(const S& state, Rng& rng, ActionBuffer& buffer) {
    candidates(state, buffer);
    return buffer[rng.below(static_cast<std::uint32_t>(buffer.size()))];
}

// A policy at work. States are of one game, like the one that it is made with.
template <GameState S>
class PolicyFor {
   public:
    PolicyFor(const Policy& policy, const S& state) {
        if (const Policy* part = policy.part_of_go()) {
            throw InvalidArgumentError("the playout policy " + part->text() + " is for Go, not for\n" + state.text());
        }
    }

    bool is_uniform() const { return true; }
    void begin(const S& /*state*/, Rng& /*rng*/) {}
    Action choose(const S& state, Rng& rng, ActionBuffer& buffer) const { return uniform_action(state, rng, buffer); }
    void follow(const S& /*state*/, Action /*action*/) {}
    Playout play_on(S& state, Rng& rng, ActionBuffer& buffer, int most_steps) const { return uniform_playout(state, rng, buffer, most_steps); }
    // The witness is told every step: witness(player, action).
    template <class Witness>
    Playout play_on(S& state, Rng& rng, ActionBuffer& buffer, int most_steps, Witness&& witness) const {
        return watched_playout(state, rng, buffer, most_steps, witness);
    }
};

// Turns the description into what chooses.
template <class B>
std::unique_ptr<AnyPolicy<B>> any_policy(const Policy& policy, go::EyeRule eye_rule) {
    const auto values = [&] { return MoveValues<B>(policy.shapes, eye_rule); };
    std::vector<std::unique_ptr<AnyPolicy<B>>> parts;
    parts.reserve(policy.parts.size());
    for (const Policy& part : policy.parts) {
        parts.push_back(any_policy<B>(part, eye_rule));
    }
    switch (policy.kind) {
        case PolicyKind::mogo:
            return std::make_unique<AnyStaged<B, MogoPolicy>>();
        case PolicyKind::fuego:
            return std::make_unique<AnyStaged<B, FuegoPolicy>>();
        case PolicyKind::greedy:
            return std::make_unique<GreedyPolicy<B>>(values(), policy.number);
        case PolicyKind::gaussian:
            return std::make_unique<GaussianPolicy<B>>(values(), policy.number);
        case PolicyKind::softmax:
            return std::make_unique<SoftmaxPolicy<B>>(values(), policy.number);
        case PolicyKind::shapes:
            return softmax_shapes<B>(policy.placements, eye_rule);
        case PolicyKind::mix:
            return std::make_unique<Mixture<B>>(policy.shares, std::move(parts));
        case PolicyKind::two_stages:
            return std::make_unique<TwoStages<B>>(policy.number, std::move(parts[0]), std::move(parts[1]));
        case PolicyKind::uniform:
            break;
    }
    return go::with_eye_rule(eye_rule, []<go::EyeRule rule>() -> std::unique_ptr<AnyPolicy<B>> { return std::make_unique<AnyUniform<B, rule>>(); });
}

// Local shapes are of one size of board.
template <class B>
void check_shapes(const Policy& policy, const B& board) {
    if (policy.shapes || policy.placements) {
        const int side = policy.shapes ? policy.shapes->representation().shapes().side() : policy.placements->placements().side();
        const go::Geometry geometry = board.geometry();
        if (!(geometry == go::Geometry{side, side})) {
            throw InvalidArgumentError("the weights of the playout policy " + policy.text() + " are for boards of " + std::to_string(side) + "x" +
                                       std::to_string(side) + ", not of " + std::to_string(geometry.width) + "x" + std::to_string(geometry.height));
        }
    }
    for (const Policy& part : policy.parts) {
        check_shapes(part, board);
    }
}

template <GoLike S>
class PolicyFor<S> {
   public:
    using Board = std::remove_cvref_t<decltype(std::declval<const S&>().board())>;

    PolicyFor(const Policy& policy, const S& state) : kind_(policy.kind), eye_rule_(state.rules().eye_rule) {
        check_shapes(policy, state.board());
        if (!is_plain()) {
            any_ = any_policy<Board>(policy, eye_rule_);
        }
    }

    bool is_uniform() const { return kind_ == PolicyKind::uniform; }

    void begin(const S& state, Rng& rng) {
        if (any_) {
            any_->begin(state.board(), state.moves(), rng);
        }
    }

    // Nothing is played.
    Action choose(S& state, Rng& rng, ActionBuffer& buffer) {
        if (is_uniform()) {
            return uniform_action(state, rng, buffer);
        }
        return visit([&](auto& policy) { return state.board().geometry().action(state.choose(policy, rng)); });
    }

    void follow(const S& state, Action action) {
        if (any_) {
            const go::Geometry geometry = state.board().geometry();
            any_->follow(state.board(), geometry.is_pass(action) ? go::no_point : geometry.padded_point(action.value));
        }
    }

    // Goes on with a playout that has begun, to the game's end or for `most_steps` steps. The witness is told every move: no_point for a pass.
    template <class OnMove>
    Playout play_on(S& state, Rng& rng, int most_steps, OnMove&& on_move) {
        return visit([&](auto& policy) { return state.playout(policy, rng, most_steps, on_move); });
    }
    Playout play_on(S& state, Rng& rng, ActionBuffer& /*buffer*/, int most_steps) {
        return play_on(state, rng, most_steps, [](go::Point) {});
    }
    template <class Witness>
    Playout play_on(S& state, Rng& rng, ActionBuffer& /*buffer*/, int most_steps, Witness&& witness) {
        const go::Geometry geometry = state.board().geometry();
        Player player = state.to_play();
        return play_on(state, rng, most_steps, [&](go::Point p) {
            witness(player, geometry.action(p));
            player = opponent(player);
        });
    }

    // Calls f(policy) with the policy as a type of its own, if it is a plain one.
    template <class F>
    decltype(auto) visit(F&& f) {
        switch (kind_) {
            case PolicyKind::uniform:
                return go::with_eye_rule(eye_rule_, [&]<go::EyeRule rule> {
                    go::UniformPolicy<rule> policy;
                    return f(policy);
                });
            case PolicyKind::mogo: {
                MogoPolicy policy;
                return f(policy);
            }
            case PolicyKind::fuego: {
                FuegoPolicy policy;
                return f(policy);
            }
            default:
                return f(*any_);
        }
    }

   private:
    bool is_plain() const { return kind_ == PolicyKind::uniform || kind_ == PolicyKind::mogo || kind_ == PolicyKind::fuego; }

    PolicyKind kind_;
    go::EyeRule eye_rule_;
    std::unique_ptr<AnyPolicy<Board>> any_;  // of all that is not plain
};

// A playout of Go with a witness, which is told every move: no_point for a pass.
template <GoLike S, class OnMove>
Playout go_playout(S& state, PolicyFor<S>& policy, Rng& rng, int most_steps, OnMove&& on_move) {
    policy.begin(state, rng);
    return policy.play_on(state, rng, most_steps, on_move);
}

// Plays `state` to its end, or for `most_steps` steps.
template <GameState S>
Playout playout(S& state, PolicyFor<S>& policy, Rng& rng, ActionBuffer& buffer, int most_steps = longest_playout) {
    policy.begin(state, rng);
    return policy.play_on(state, rng, buffer, most_steps);
}

// What a policy may play where a playout begins, with probabilities: for tests, and for looking at it.
struct PolicyMoves {
    std::string stage;
    std::vector<std::pair<Action, double>> moves;  // ascending
};

template <GameState S>
PolicyMoves policy_moves(const S& state, const Policy& policy) {
    const PolicyFor<S> checked(policy, state);
    PolicyMoves found{.stage = "uniform", .moves = {}};
    if constexpr (GoLike<S>) {
        const auto& board = state.board();
        Chances chances(static_cast<std::size_t>(state.facts().action_space));
        const auto any = any_policy<typename PolicyFor<S>::Board>(policy, state.rules().eye_rule);
        found.stage = std::string(any->add_chances(board, state.recent(), state.moves(), 1, chances));
        for (std::size_t i = 0; i < chances.size(); ++i) {
            if (chances[i] > 0) {
                found.moves.emplace_back(Action{static_cast<int>(i)}, chances[i]);
            }
        }
    } else {
        ActionBuffer actions;
        candidates(state, actions);
        for (const Action action : actions) {
            found.moves.emplace_back(action, 1.0 / static_cast<double>(actions.size()));
        }
    }
    return found;
}

}  // namespace katachi
