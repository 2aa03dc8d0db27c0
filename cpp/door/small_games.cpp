#include "door/state_door_of.hpp"
#include "games/pig.hpp"
#include "games/tic_tac_toe.hpp"

namespace katachi {

std::unique_ptr<StateDoor> tic_tac_toe() { return std::make_unique<StateDoorOf<TicTacToe>>(TicTacToe()); }

std::unique_ptr<StateDoor> pig(int target) { return std::make_unique<StateDoorOf<Pig>>(Pig(target)); }

std::unique_ptr<StateDoor> explicit_tree(std::shared_ptr<const TreeDescription> tree) {
    return std::make_unique<StateDoorOf<ExplicitTree>>(ExplicitTree(std::move(tree)));
}

}  // namespace katachi
