#include "door/state_door_of.hpp"
#include "games/gomoku.hpp"

namespace katachi {

std::unique_ptr<StateDoor> gomoku(int size, int line) { return std::make_unique<StateDoorOf<Gomoku>>(Gomoku(size, line)); }

}  // namespace katachi
