#include "search/td_search.hpp"

#include <utility>

#include "core/errors.hpp"

namespace katachi {

ShortTermMemory::ShortTermMemory(std::shared_ptr<const features::Representation> representation, const TdOptions& options)
    : representation_(std::move(representation)), weights_(no_weights()), learner_(options, representation_->weights()) {
    if (representation_->knows_turn() || representation_->stages() > 1) {
        throw InvalidArgumentError("a search learns one vector of weights for all states, whoever is to move and whatever the stage");
    }
    use_.running = "a search on this memory is already running";
}

ShapeWeights ShortTermMemory::no_weights() const {
    return ShapeWeights(representation_->weights(), !BasicUnsharedLookup<ShapeWeights>::fits(*representation_));
}

void ShortTermMemory::clear() {
    for (std::uint32_t i = 0; i < weights_.count(); ++i) {  // in place: a search may still look at them
        weights_.set(static_cast<features::Entry>(i) + 1, 0);
    }
    learner_ = TdLearner(learner_.options(), representation_->weights());
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
