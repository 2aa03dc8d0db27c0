#include "door/state_door_of.hpp"
#include "games/connect_four.hpp"

namespace katachi {

std::unique_ptr<StateDoor> connect_four() { return std::make_unique<StateDoorOf<ConnectFour>>(ConnectFour()); }

}  // namespace katachi
