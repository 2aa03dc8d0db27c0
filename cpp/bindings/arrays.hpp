// Rows of numbers on their way between Python and native code.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "values/shape_weights.hpp"

namespace katachi::bindings {

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using DoublesIn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FloatsIn = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// An array of Python's own.
template <class T>
Array<T> array_of(std::vector<T> values) {
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    T* const data = held->data();
    const std::size_t size = held->size();
    const nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(data, {size}, owner);
}

// A copy.
inline Array<float> weights_array(const ShapeWeights& weights) {
    const auto values = weights.values();
    return array_of(std::vector<float>(values.begin(), values.end()));
}

// All of them, which must be finite.
void assign_weights(ShapeWeights& weights, const FloatsIn& values);

}  // namespace katachi::bindings
