// A game written in Python, seen through the contract of games/game_state.hpp. The interpreter lock stays held.
//
// The Python side is katachi.games.contract.Game: immutable states, play(state, action, rng) -> (state, reward). What a
// user's game returns is checked here as it comes in, so that a mistake is a GameContractError and not a crash.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "bindings/bindings.hpp"
#include "core/errors.hpp"
#include "games/game_state.hpp"
#include "policies/uniform_playout.hpp"

namespace katachi::bindings {

// The bound methods of one Python game, looked up once and shared by all its states.
struct PythonGame {
    GameFacts facts;
    nb::object legal_actions;
    nb::object candidates;
    nb::object play;
    nb::object is_terminal;
    nb::object to_play;
    nb::object key;              // None without keys
    nb::object format;           // state -> str
    nb::object uniform_playout;  // (state, rng) -> (return, length), or None
};

class PythonState {
   public:
    PythonState(std::shared_ptr<const PythonGame> game, nb::object state) : game_(std::move(game)), state_(std::move(state)) {}

    const nb::object& object() const { return state_; }

    GameFacts facts() const { return game_->facts; }
    bool is_terminal() const {
        const nb::object answer = game_->is_terminal(state_);
        // Array libraries have a bool of their own.
        if (nb::hasattr(answer, "dtype") && nb::hasattr(answer, "shape") && nb::len(nb::object(answer.attr("shape"))) == 0) {
            return PyObject_IsTrue(answer.ptr()) == 1;
        }
        return returned<bool>(answer, "is_terminal", "a bool");
    }
    std::string text() const { return returned<std::string>(game_->format(state_), "format_state", "a str"); }

    Player to_play() const {
        const int player = returned<int>(game_->to_play(state_), "to_play", "0 or 1");
        if (player < 0 || player >= game_->facts.players) {
            throw GameContractError("to_play returned " + std::to_string(player) + " in a game for " + std::to_string(game_->facts.players) +
                                    " player(s)");
        }
        return static_cast<Player>(player);
    }

    std::uint64_t key() const {
        if (game_->key.is_none()) {
            throw GameContractError("this game has no key: its facts say key=none");
        }
        const nb::object key = game_->key(state_);
        if (PyIndex_Check(key.ptr()) == 0) {
            throw GameContractError("key returned " + repr(key) + " instead of an int");
        }
        // Python hashes are signed and of any size; the low 64 bits are the key.
        return nb::cast<std::uint64_t>(nb::int_(key) & nb::int_(~0ULL));
    }

    void legal_actions(ActionBuffer& out) const { fill(game_->legal_actions, "legal_actions", out); }
    void candidates(ActionBuffer& out) const { fill(game_->candidates, "candidates", out); }

    Reward play(Action action, Rng& rng) {
        nb::object result;
        if (game_->facts.deterministic) {
            result = game_->play(state_, action);
        } else {
            // Python gets a copy of the generator, whose state comes back: nothing dangles if the game keeps it.
            nb::object copy = nb::cast(rng);
            result = game_->play(state_, action, copy);
            rng = nb::cast<const Rng&>(copy);
        }
        if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 2) {
            throw GameContractError("play returned " + repr(result) + " instead of (state, reward)");
        }
        const double reward = finite(result[1], "play");
        state_ = result[0];
        return reward;
    }

    // The game's own playout if it has one, which knows no cap; its final state is not known then, and nobody asks for it.
    Playout uniform_playout(Rng& rng, int most_steps) {
        const int longest = game_->facts.max_length.value_or(longest_playout);
        if (game_->uniform_playout.is_none() || most_steps < longest) {
            ActionBuffer buffer;
            return playout_by_steps(*this, rng, buffer, most_steps);
        }
        if (is_terminal()) {
            return {};
        }
        nb::object copy = nb::cast(rng);
        const nb::object result = game_->uniform_playout(state_, copy);
        if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 2) {
            throw GameContractError("uniform_playout returned " + repr(result) + " instead of (return, length)");
        }
        const auto total = finite(result[0], "uniform_playout");
        const auto length = returned<std::int64_t>(result[1], "uniform_playout", "(return, length) with a whole number as length");
        if (length < 1 || length > longest) {
            throw GameContractError("uniform_playout returned the length " + std::to_string(length) + ", not one from 1 to " +
                                    std::to_string(longest) +
                                    (game_->facts.max_length ? ", the max_length of the facts" : ", where playouts are cut") + "\n" + text());
        }
        rng = nb::cast<const Rng&>(copy);
        return {.total = total, .length = static_cast<int>(length), .cut = false};
    }

   private:
    static double finite(const nb::object& object, const char* method) {
        const auto value = returned<double>(object, method, "a number");
        if (!std::isfinite(value)) {
            throw GameContractError(std::string(method) + " earned " + repr(object) + ", not a finite number");
        }
        return value;
    }

    static std::string repr(const nb::object& object) { return nb::cast<std::string>(nb::repr(object)); }

    template <class T>
    static T returned(const nb::object& object, const char* method, const char* expected) {
        T value{};
        if (!nb::try_cast<T>(object, value)) {
            throw GameContractError(std::string(method) + " returned " + repr(object) + " instead of " + expected);
        }
        return value;
    }

    void fill(const nb::object& method, const char* name, ActionBuffer& out) const {
        out.clear();
        const nb::object actions = method(state_);
        if (PySequence_Check(actions.ptr()) == 0) {
            throw GameContractError(std::string(name) + " returned " + repr(actions) + " instead of a sequence of actions");
        }
        for (const nb::handle item : actions) {
            const auto action = returned<std::int64_t>(nb::borrow(item), name, "whole numbers");
            if (action < 0 || action >= game_->facts.action_space) {
                throw GameContractError(std::string(name) + " returned action " + std::to_string(action) + ", outside the action space of " +
                                        std::to_string(game_->facts.action_space));
            }
            out.push_back(Action{static_cast<std::int32_t>(action)});
        }
    }

    std::shared_ptr<const PythonGame> game_;
    nb::object state_;
};

static_assert(GameState<PythonState> && HasCandidates<PythonState> && HasUniformPlayout<PythonState>);

}  // namespace katachi::bindings
