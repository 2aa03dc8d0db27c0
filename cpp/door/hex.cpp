#include "door/state_door_of.hpp"
#include "games/hex.hpp"

namespace katachi {

std::unique_ptr<StateDoor> hex(int size) { return std::make_unique<StateDoorOf<Hex>>(Hex(size)); }

}  // namespace katachi
