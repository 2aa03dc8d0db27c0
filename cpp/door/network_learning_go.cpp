#include "games/go/go_state.hpp"
#include "training/network_learning_of.hpp"

namespace katachi {

template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<go::GoState<go::SmallBoard>>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);
template std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<go::GoState<go::LargeBoard>>&, std::shared_ptr<NetworkValue>,
                                                                const NetworkLearningOptions&, const Rng&, bool);

}  // namespace katachi
