#include "values/network_value.hpp"

#include <cmath>

namespace katachi {

namespace {

int size_of(const NetworkInputs& inputs) {
    if (const auto* board = std::get_if<features::BoardInputs>(&inputs)) {
        return board->size();
    }
    if (const auto* shapes = std::get_if<ShapeInputs>(&inputs)) {
        return static_cast<int>((*shapes)->weights());
    }
    return static_cast<int>(std::get<StateTable>(inputs).capacity());
}

}  // namespace

NetworkValue::NetworkValue(Network network, NetworkInputs inputs, ValueUnit unit, double score_scale)
    : network_(std::move(network)), inputs_(std::move(inputs)), unit_(unit), score_scale_(score_scale) {
    if (network_.inputs() != size_of(inputs_)) {
        throw InvalidArgumentError("a network of " + std::to_string(network_.inputs()) + " inputs cannot take " + std::to_string(size_of(inputs_)));
    }
    const bool is_black = !std::holds_alternative<features::BoardInputs>(inputs_);
    if (is_black && (network_.shape().layers.size() != 2 || network_.shape().has_bias)) {
        throw InvalidArgumentError("tables and local shapes are for networks without hidden units and biases: they are told as Black sees them");
    }
    if (!(score_scale > 0) || !std::isfinite(score_scale)) {
        throw InvalidArgumentError("score_scale is a number above 0, not " + std::to_string(score_scale));
    }
    if (unit == ValueUnit::output) {
        sides_.return_bounds = Bounds{0, 1};
    }
}

void NetworkValue::check_size(go::Geometry expected, go::Geometry found) {
    if (!(expected == found)) {
        throw InvalidArgumentError("this network is for boards of " + std::to_string(expected.width) + "x" + std::to_string(expected.height) +
                                   ", not of " + std::to_string(found.width) + "x" + std::to_string(found.height));
    }
}

}  // namespace katachi
