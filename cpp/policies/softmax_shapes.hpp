// Softmax over local shapes as a playout policy (shape_preferences.hpp), with weights that stay as they are.
#pragma once

#include <memory>

#include "policies/any_policy.hpp"
#include "values/placement_factors.hpp"

namespace katachi {

// For boards of the placements' side; both capacity classes are in softmax_shapes.cpp.
template <class B>
std::unique_ptr<AnyPolicy<B>> softmax_shapes(std::shared_ptr<const FrozenPlacements> placements, go::EyeRule eye_rule);

}  // namespace katachi
