#include "door/state_door_of.hpp"

namespace katachi {

static_assert(GameState<go::GoState<go::SmallBoard>> && HasCandidates<go::GoState<go::SmallBoard>> && HasUniformPlayout<go::GoState<go::SmallBoard>>);

std::unique_ptr<StateDoor> go_state(const go::GoState<go::SmallBoard>& state, std::optional<ActionBuffer> root_actions) {
    return std::make_unique<StateDoorOf<go::GoState<go::SmallBoard>>>(state, std::move(root_actions));
}

}  // namespace katachi
