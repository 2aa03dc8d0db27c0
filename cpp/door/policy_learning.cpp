#include "training/policy_learning_on.hpp"

namespace katachi {

std::unique_ptr<PolicyLearning> make_policy_learning(const std::shared_ptr<const features::Representation>& representation,
                                                     std::vector<LabelledPosition> positions, const PolicyLearningOptions& options, const Rng& rng) {
    auto placements = std::make_shared<const features::Placements>(*representation);
    const int side = placements->side();
    if (go::SmallBoard::fits({side, side})) {
        return std::make_unique<PolicyLearningOn<go::SmallBoard>>(representation, std::move(placements), std::move(positions), options, rng);
    }
    return std::make_unique<PolicyLearningOn<go::LargeBoard>>(representation, std::move(placements), std::move(positions), options, rng);
}

}  // namespace katachi
