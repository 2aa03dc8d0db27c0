#include "training/self_play.hpp"

namespace katachi {

std::unique_ptr<SelfPlay> make_self_play(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                         const Rng& rng) {
    constexpr int small_side = 9;
    if (representation->shapes().side() <= small_side) {
        return std::make_unique<SelfPlayOn<go::SmallBoard>>(std::move(representation), options, rng);
    }
    return std::make_unique<SelfPlayOn<go::LargeBoard>>(std::move(representation), options, rng);
}

}  // namespace katachi
