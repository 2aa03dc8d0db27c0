#include "training/self_play.hpp"

#include <string>

namespace katachi {

std::unique_ptr<SelfPlay> make_self_play(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                         const Rng& rng) {
    constexpr int most_threads = 256;
    if (options.threads < 1 || options.threads > most_threads) {
        throw InvalidArgumentError("self-play has from 1 to " + std::to_string(most_threads) + " threads, not " + std::to_string(options.threads));
    }
    if (options.threads > 1) {
        return make_self_play_in_threads(std::move(representation), options, rng);
    }
    const int side = representation->shapes().side();
    if (go::SmallBoard::fits({side, side})) {
        return std::make_unique<SelfPlayInOneThread<go::SmallBoard>>(std::move(representation), options, rng);
    }
    return std::make_unique<SelfPlayInOneThread<go::LargeBoard>>(std::move(representation), options, rng);
}

}  // namespace katachi
