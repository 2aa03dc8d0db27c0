#include "search/td_search.hpp"

#include <utility>

#include "core/errors.hpp"

namespace katachi {

namespace {

std::optional<GrownMemory> checked(const std::optional<GrownOptions>& grown, int side) {
    if (!grown) {
        return std::nullopt;
    }
    grown->check(side);
    return GrownMemory(*grown);
}

}  // namespace

ShortTermMemory::ShortTermMemory(std::shared_ptr<const features::Representation> representation, const TdOptions& options,
                                 const std::optional<GrownOptions>& grown)
    : representation_(std::move(representation)),
      grown_(checked(grown, representation_->shapes().side())),
      weights_(no_weights()),
      learner_(options, most_weights()) {
    if (representation_->knows_turn() || representation_->stages() > 1) {
        throw InvalidArgumentError("a search learns one vector of weights for all states, whoever is to move and whatever the stage");
    }
    use_.running = "a search on this memory is already running";
}

ShapeWeights ShortTermMemory::no_weights() const { return ShapeWeights(most_weights(), !BasicUnsharedLookup<ShapeWeights>::fits(*representation_)); }

std::uint32_t ShortTermMemory::most_weights() const {
    return representation_->weights() + (grown_ ? static_cast<std::uint32_t>(grown_->options().limit) : 0);
}

void ShortTermMemory::clear() {
    user_ = nullptr;
    for (std::uint32_t i = 0; i < weights_.count(); ++i) {  // in place: a search may still look at them
        weights_.set(static_cast<features::Entry>(i) + 1, 0);
    }
    learner_ = TdLearner(learner_.options(), most_weights());
    if (grown_) {
        grown_->clear();
    }
}

GameErrors TdSearch::errors() const {
    GameErrors mean = errors_;
    const auto games = static_cast<double>(simulations());
    for (double* const part : {&mean.cross_entropy, &mean.mean, &mean.rms, &mean.rms_to_outcome}) {
        *part = games > 0 ? *part / games : 0;
    }
    return mean;
}

}  // namespace katachi
