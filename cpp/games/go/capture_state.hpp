// Go whose steps earn the stones that they take (Ekker, 4.2 and 4.3): what searches of learners see that want as many points as they can get.
//
// A pass may be tried at any time. What the final position is worth is for a referee to say (territory.hpp), or for a value function: the end of
// a game earns nothing here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "games/go/go_state.hpp"

namespace katachi::go {

template <class B>
class CaptureState {
   public:
    explicit CaptureState(GoState<B> state) : state_(std::move(state)) {}

    const B& board() const { return state_.board(); }
    int moves() const { return state_.moves(); }
    bool is_terminal() const { return state_.is_terminal(); }
    Player to_play() const { return state_.to_play(); }
    std::uint64_t key() const { return state_.key(); }
    std::string text() const { return state_.text(); }

    GameFacts facts() const {
        GameFacts facts = state_.facts();
        facts.return_bounds.reset();
        facts.final_reward = false;
        return facts;
    }

    void legal_actions(ActionBuffer& out) const { state_.legal_actions(out); }

    // The eye filter, and a pass.
    void candidates(ActionBuffer& out) const {
        state_.candidates(out);
        const Action pass = board().geometry().pass();
        if (!is_terminal() && (out.empty() || out.back() != pass)) {
            out.push_back(pass);
        }
    }

    // Black's: what it takes, or what is taken from it.
    Reward play(Action action) {
        const Player enemy = opponent(to_play());
        const int before = board().stones(enemy);
        state_.play(action);
        const int taken = before - board().stones(enemy);
        return enemy == Player::white ? taken : -taken;
    }

   private:
    GoState<B> state_;
};

static_assert(GameState<CaptureState<SmallBoard>> && HasCandidates<CaptureState<SmallBoard>>);

}  // namespace katachi::go
