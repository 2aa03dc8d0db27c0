// A multilayer perceptron with one output: forward and backward (Ekker, 5.1 and 3.3.1, eq. 15 and 16; Haykin 1994).
//
// Layers are fully connected; hidden units are logistic or tanh, the output y = sigma(x) is logistic. x, what comes before, is called the *sum*.
// Without a hidden layer it is a linear value function: a table, if inputs are those of a table.
//
// All weights stand in one row, layer by layer: for each unit below, in order, its weights to all units above; then the biases of those.
// Inputs are lists of what is not 0, so that the first layer costs only that. The slow twin is src/katachi/reference/network.py.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rng.hpp"
#include "features/inputs.hpp"

namespace katachi {

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }

enum class Activation : std::uint8_t { logistic, tanh };

struct NetworkShape {
    std::vector<int> layers;  // numbers of units: inputs first, 1 last
    Activation hidden = Activation::logistic;
    bool has_bias = true;

    bool operator==(const NetworkShape&) const = default;
};

class Network {
   public:
    // All weights are 0.
    explicit Network(NetworkShape shape);

    const NetworkShape& shape() const { return shape_; }
    int inputs() const { return shape_.layers.front(); }
    std::span<double> weights() { return weights_; }
    std::span<const double> weights() const { return weights_; }
    // Uniform on [-range, range).
    void randomise(Rng& rng, double range);

    // What one forward pass leaves for the backward pass, and room for that.
    class Pass {
       public:
        double sum = 0;     // x
        double output = 0;  // y

       private:
        friend class Network;
        std::vector<std::vector<double>> units_;   // by layer, without inputs and output
        std::vector<std::vector<double>> deltas_;  // dx/d(sum of a unit)
    };

    void forward(const features::InputList& inputs, Pass& pass) const;
    // The sum alone.
    double sum(const features::InputList& inputs, Pass& pass) const {
        forward(inputs, pass);
        return pass.sum;
    }

    // Adds coefficient * dx/dw to a row of as many numbers as there are weights. `pass` is that of the inputs.
    void add_gradient(const features::InputList& inputs, Pass& pass, double coefficient, std::span<double> gradient) const;

   private:
    struct Layer {
        std::size_t below;   // units
        std::size_t above;   // units
        std::size_t offset;  // of its weights
    };

    double activate(double x) const { return shape_.hidden == Activation::logistic ? logistic(x) : std::tanh(x); }
    // By what the unit gives.
    double slope(double y) const { return shape_.hidden == Activation::logistic ? y * (1 - y) : 1 - y * y; }
    // The sums of the units above, before anything from below is added.
    void begin(const Layer& layer, std::vector<double>& sums) const;

    NetworkShape shape_;
    std::vector<Layer> layers_;
    std::vector<double> weights_;
};

}  // namespace katachi
