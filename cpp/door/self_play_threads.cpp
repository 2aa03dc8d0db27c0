// A file of its own: together with one thread's, the compiler inlines less of both.
#include "training/self_play_threads.hpp"

namespace katachi {

std::unique_ptr<SelfPlay> make_self_play_in_threads(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                                    const Rng& rng) {
    const int side = representation->shapes().side();
    if (go::SmallBoard::fits({side, side})) {
        return std::make_unique<SelfPlayInThreads<go::SmallBoard>>(std::move(representation), options, rng);
    }
    return std::make_unique<SelfPlayInThreads<go::LargeBoard>>(std::move(representation), options, rng);
}

}  // namespace katachi
