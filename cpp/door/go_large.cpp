#include "door/state_door_of.hpp"

namespace katachi {

static_assert(GameState<go::GoState<go::LargeBoard>> && HasCandidates<go::GoState<go::LargeBoard>> && HasUniformPlayout<go::GoState<go::LargeBoard>>);

std::unique_ptr<StateDoor> go_state(const go::GoState<go::LargeBoard>& state, std::optional<ActionBuffer> root_actions) {
    return std::make_unique<StateDoorOf<go::GoState<go::LargeBoard>>>(state, std::move(root_actions));
}

}  // namespace katachi
