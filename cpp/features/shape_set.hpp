// Local shapes (Silver 2009, 5.3): every content of every small window of a square board is a binary feature, and of each window
// exactly one is on.
//
// A window is named by its size and its top left corner. Its content is a code: the sum of digit * 3^i over its points, row by
// row from the top, with the digits empty 0, black 1, white 2. Feature = first feature of the window + code; windows are numbered
// row by row, sizes one after the other. A size that is no square (2x1, 3x2) has the windows of both orientations, so that a
// symmetry of the board leads from windows to windows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace katachi::features {

using Feature = std::uint32_t;
using Code = std::uint16_t;

struct ShapeSize {
    int width;
    int height;

    int points() const { return width * height; }
    bool operator==(const ShapeSize&) const = default;
};

struct Window {
    Feature first = 0;  // the feature of an empty window
    int family = 0;     // which of the sizes
    int orientation = 0;
    ShapeSize size{};
    int row = 0;  // of its top left corner
    int col = 0;
};

// A point's part in a window: a stone there adds digit * power to its code.
struct Place {
    std::uint16_t window;
    std::uint16_t power;
};

// The eight symmetries of a square: bit 2 transposes, then bit 1 turns rows around, then bit 0 columns.
inline constexpr int symmetries = 8;

class ShapeSet {
   public:
    // `sizes` as the user counts them: each once, no side above 3.
    ShapeSet(int side, std::vector<ShapeSize> sizes);

    int side() const { return side_; }
    const std::vector<ShapeSize>& sizes() const { return sizes_; }
    std::span<const Window> windows() const { return windows_; }
    std::span<const Window> windows_of(int family) const;
    Feature features() const { return features_; }
    Feature features_of(int family) const;
    static Code contents(ShapeSize size);  // 3^points

    // Of a point row * side + col.
    [[gnu::always_inline]] std::span<const Place> places(int point) const {
        const auto i = static_cast<std::size_t>(point);
        return std::span(places_).subspan(place_ends_[i], place_ends_[i + 1] - place_ends_[i]);
    }

    // The points that some window could have in common with a point, itself among them.
    std::span<const std::uint16_t> near(int point) const {
        const auto i = static_cast<std::size_t>(point);
        return std::span(near_).subspan(near_ends_[i], near_ends_[i + 1] - near_ends_[i]);
    }

    // Which window a feature is of.
    int window_of(Feature feature) const;

    // Where a symmetry of the board leads a window, and its content.
    int image(int window, int symmetry) const;
    Code image(ShapeSize size, Code code, int symmetry) const;
    // The content with colours exchanged.
    static Code inverted(ShapeSize size, Code code);

   private:
    int window_at(int family, int orientation, int row, int col) const;

    int side_;
    std::vector<ShapeSize> sizes_;
    std::vector<Window> windows_;
    std::vector<int> family_ends_;  // windows of family f: from [f] to [f + 1]
    Feature features_ = 0;
    std::vector<Place> places_;
    std::vector<std::size_t> place_ends_;
    std::vector<std::uint16_t> near_;
    std::vector<std::size_t> near_ends_;
};

}  // namespace katachi::features
