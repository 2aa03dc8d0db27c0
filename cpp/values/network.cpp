#include "values/network.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/errors.hpp"

namespace katachi {

namespace {

constexpr std::size_t most_weights = std::size_t{1} << 28;

// sums += factor * row
void add_row(std::vector<double>& sums, double factor, const double* row) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
        sums[j] += factor * row[j];
    }
}

}  // namespace

Network::Network(NetworkShape shape) : shape_(std::move(shape)) {
    const std::vector<int>& sizes = shape_.layers;
    if (sizes.size() < 2 || sizes.back() != 1) {
        throw InvalidArgumentError("a network has at least inputs and one output: its last layer has 1 unit");
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        if (sizes[i] < 1) {
            throw InvalidArgumentError("a layer has at least 1 unit, not " + std::to_string(sizes[i]));
        }
        const auto below = static_cast<std::size_t>(sizes[i]);
        const auto above = static_cast<std::size_t>(std::max(1, sizes[i + 1]));
        layers_.push_back({below, above, total});
        total += (below + (shape_.has_bias ? 1 : 0)) * above;
        if (total > most_weights) {
            throw InvalidArgumentError("a network has at most " + std::to_string(most_weights) + " weights");
        }
    }
    weights_.resize(total);
}

void Network::randomise(Rng& rng, double range) {
    for (double& weight : weights_) {
        weight = range * (2 * rng.uniform() - 1);
    }
}

void Network::begin(const Layer& layer, std::vector<double>& sums) const {
    if (shape_.has_bias) {
        const auto biases = weights_.begin() + static_cast<std::ptrdiff_t>(layer.offset + layer.below * layer.above);
        sums.assign(biases, biases + static_cast<std::ptrdiff_t>(layer.above));
    } else {
        sums.assign(layer.above, 0.0);
    }
}

void Network::forward(const features::InputList& inputs, Pass& pass) const {
    pass.units_.resize(layers_.size());
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const Layer& layer = layers_[l];
        std::vector<double>& sums = pass.units_[l];
        begin(layer, sums);
        const double* const rows = weights_.data() + layer.offset;
        if (l == 0) {
            for (const features::Input& input : inputs) {
                add_row(sums, input.value, rows + input.place * layer.above);
            }
        } else {
            const std::vector<double>& below = pass.units_[l - 1];
            for (std::size_t i = 0; i < below.size(); ++i) {
                add_row(sums, below[i], rows + i * layer.above);
            }
        }
        if (l + 1 < layers_.size()) {
            for (double& unit : sums) {
                unit = activate(unit);
            }
        }
    }
    pass.sum = pass.units_.back().front();
    pass.output = logistic(pass.sum);
}

void Network::add_gradient(const features::InputList& inputs, Pass& pass, double coefficient, std::span<double> gradient) const {
    pass.deltas_.resize(layers_.size());
    pass.deltas_.back().assign(1, coefficient);
    for (std::size_t l = layers_.size() - 1; l > 0; --l) {
        const Layer& layer = layers_[l];
        const std::vector<double>& units = pass.units_[l - 1];
        std::vector<double>& below = pass.deltas_[l - 1];
        below.resize(layer.below);
        for (std::size_t i = 0; i < layer.below; ++i) {
            const double* const row = weights_.data() + layer.offset + i * layer.above;
            double delta = 0;
            for (std::size_t j = 0; j < layer.above; ++j) {
                delta += row[j] * pass.deltas_[l][j];
            }
            below[i] = delta * slope(units[i]);
        }
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const Layer& layer = layers_[l];
        const std::vector<double>& deltas = pass.deltas_[l];
        const auto add = [&](std::size_t i, double value) {
            double* const row = gradient.data() + layer.offset + i * layer.above;
            for (std::size_t j = 0; j < layer.above; ++j) {
                row[j] += value * deltas[j];
            }
        };
        if (l == 0) {
            for (const features::Input& input : inputs) {
                add(input.place, input.value);
            }
        } else {
            for (std::size_t i = 0; i < layer.below; ++i) {
                add(i, pass.units_[l - 1][i]);
            }
        }
        if (shape_.has_bias) {
            add(layer.below, 1);
        }
    }
}

}  // namespace katachi
