#include "policies/softmax_shapes.hpp"

#include <string_view>
#include <utility>

#include "policies/shape_preferences.hpp"

namespace katachi {

namespace {

template <class B>
class SoftmaxShapes final : public AnyPolicy<B> {
   public:
    SoftmaxShapes(std::shared_ptr<const FrozenPlacements> placements, go::EyeRule eye_rule)
        : frozen_(std::move(placements)), preferences_(frozen_->placements(), FrozenFactors(*frozen_, eye_rule), eye_rule) {}

    void begin(const B& board, int /*moves*/, Rng& /*rng*/) override { preferences_.reset(board); }
    void follow(const B& board, go::Point p) override { preferences_.follow(board, p); }

    go::Point choose(B& board, const go::Recent& /*recent*/, Rng& rng) override {
        return go::with_eye_rule(preferences_.eye_rule(), [&]<go::EyeRule rule> { return preferences_.template choose<rule>(board, rng); });
    }

    std::string_view add_chances(const B& board, const go::Recent& /*recent*/, int /*moves*/, double share, Chances& chances) override {
        preferences_.reset(board);
        WeighedMoves found;
        preferences_.weigh(board, found);
        for (const WeighedMove& move : found.moves) {
            chance_of(board, move.point, chances) += share * move.weight / found.total;
        }
        return "softmax-shapes";
    }

   private:
    std::shared_ptr<const FrozenPlacements> frozen_;
    ShapePreferences<B, FrozenFactors> preferences_;
};

}  // namespace

template <class B>
std::unique_ptr<AnyPolicy<B>> softmax_shapes(std::shared_ptr<const FrozenPlacements> placements, go::EyeRule eye_rule) {
    return std::make_unique<SoftmaxShapes<B>>(std::move(placements), eye_rule);
}

template std::unique_ptr<AnyPolicy<go::SmallBoard>> softmax_shapes(std::shared_ptr<const FrozenPlacements> placements, go::EyeRule eye_rule);
template std::unique_ptr<AnyPolicy<go::LargeBoard>> softmax_shapes(std::shared_ptr<const FrozenPlacements> placements, go::EyeRule eye_rule);

}  // namespace katachi
