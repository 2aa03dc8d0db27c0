// What can go wrong, by name. bindings/ turns each into the Python error of the same name (katachi.core.errors).
#pragma once

#include <stdexcept>
#include <string>

namespace katachi {

// A move that the rules forbid, or that is not a move of the game at all.
struct IllegalMoveError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An argument outside its domain: a board size, a negative budget, a state that has ended.
struct InvalidArgumentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A game (usually a user's) that breaks the contract of games/game_state.hpp.
struct GameContractError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Values that have grown beyond all bounds, or are no numbers any more.
struct DivergenceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace katachi
