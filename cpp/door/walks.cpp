#include "door/state_door_of.hpp"
#include "games/walk.hpp"

namespace katachi {

std::unique_ptr<StateDoor> random_walk(int size, int cap) { return std::make_unique<StateDoorOf<RandomWalk>>(RandomWalk(size, cap)); }

std::unique_ptr<StateDoor> shortest_walk(int size, int cap) { return std::make_unique<StateDoorOf<ShortestWalk>>(ShortestWalk(size, cap)); }

}  // namespace katachi
