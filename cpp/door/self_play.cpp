#include "training/self_play.hpp"

namespace katachi {

namespace {

template <class B>
std::unique_ptr<SelfPlay> make_on(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options, const Rng& rng) {
    if (options.threads == 1) {
        return std::make_unique<SelfPlayInOneThread<B>>(std::move(representation), options, rng);
    }
    return std::make_unique<SelfPlayInThreads<B>>(std::move(representation), options, rng);
}

}  // namespace

std::unique_ptr<SelfPlay> make_self_play(std::shared_ptr<const features::Representation> representation, const SelfPlayOptions& options,
                                         const Rng& rng) {
    constexpr int most_threads = 256;
    if (options.threads < 1 || options.threads > most_threads) {
        throw InvalidArgumentError("self-play has from 1 to " + std::to_string(most_threads) + " threads, not " + std::to_string(options.threads));
    }
    constexpr int small_side = 9;
    if (representation->shapes().side() <= small_side) {
        return make_on<go::SmallBoard>(std::move(representation), options, rng);
    }
    return make_on<go::LargeBoard>(std::move(representation), options, rng);
}

}  // namespace katachi
