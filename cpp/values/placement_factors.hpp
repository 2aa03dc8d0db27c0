// exp of what a placement (features/placements.hpp) adds to the sum of weights: the factors of softmax policies over local shapes.
//
// A factor is the product of one for the stone itself and one for each window of 2x2 around it, so that few of them need exp.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "features/placements.hpp"
#include "games/go/board.hpp"

namespace katachi {

// Marks of points that nobody plays at under an eye rule, as far as the eight points around tell. What an enclosed point takes is another matter.
constexpr std::uint8_t closed_marks(go::EyeRule rule) {
    using features::Placements;
    return static_cast<std::uint8_t>(Placements::enclosed | (rule == go::EyeRule::simple ? Placements::simple_eye : 0) |
                                     (rule == go::EyeRule::strict ? Placements::strict_eye : 0));
}

// Factors have a minus sign where the point is closed.

// While weights change: a product for each question.
class PlacementFactors {
   public:
    PlacementFactors(std::shared_ptr<const features::Placements> placements, go::EyeRule eye_rule);

    const features::Placements& placements() const { return *placements_; }
    // As many as the placements have.
    void set_weights(std::span<const double> weights);

    double operator()(features::Placement placement) const {
        const auto point_class = static_cast<std::size_t>(features::Placements::class_of(placement));
        const auto& corners = features::Placements::corners(features::Placements::code_of(placement));
        constexpr std::size_t next = features::Placements::corner_codes;
        const double* const own = &factors_[point_class * features::Placements::quarters * next];
        const double factor =
            stones_[point_class] * (own[corners[0]] * own[next + corners[1]]) * (own[2 * next + corners[2]] * own[3 * next + corners[3]]);
        return (placements_->marks(placement) & closed_) != 0 ? -factor : factor;
    }

   private:
    std::shared_ptr<const features::Placements> placements_;
    std::uint8_t closed_;
    std::vector<double> stones_;   // by class
    std::vector<double> factors_;  // by corner_index
};

// Weights that stay as they are: tables of all placements, one for each kind of closed points. They are floats, to be small.
class FrozenPlacements {
   public:
    FrozenPlacements(std::shared_ptr<const features::Placements> placements, std::span<const double> weights);

    const features::Placements& placements() const { return *placements_; }
    const float* factors(go::EyeRule eye_rule) const { return tables_[kind_of(eye_rule)].data(); }

   private:
    static std::size_t kind_of(go::EyeRule rule) { return rule == go::EyeRule::simple ? 0 : rule == go::EyeRule::strict ? 1 : 2; }

    std::shared_ptr<const features::Placements> placements_;
    std::array<std::vector<float>, 3> tables_;
};

// Whoever has made the table must outlive it.
class FrozenFactors {
   public:
    FrozenFactors(const FrozenPlacements& placements, go::EyeRule eye_rule) : table_(placements.factors(eye_rule)) {}

    double operator()(features::Placement placement) const { return static_cast<double>(table_[placement]); }

   private:
    const float* table_;
};

}  // namespace katachi
