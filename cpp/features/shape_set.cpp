#include "features/shape_set.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace katachi::features {

namespace {

constexpr int largest_side = 19;
constexpr int largest_shape = 3;

// Where a symmetry leads the cell of a field.
std::pair<int, int> moved(int row, int col, ShapeSize field, int symmetry) {
    if ((symmetry & 4) != 0) {
        std::swap(row, col);
        std::swap(field.width, field.height);
    }
    if ((symmetry & 2) != 0) {
        row = field.height - 1 - row;
    }
    if ((symmetry & 1) != 0) {
        col = field.width - 1 - col;
    }
    return {row, col};
}

ShapeSize transposed(ShapeSize size) { return {size.height, size.width}; }

}  // namespace

ShapeSet::ShapeSet(int side, std::vector<ShapeSize> sizes) : side_(side), sizes_(std::move(sizes)) {
    if (side < 1 || side > largest_side) {
        throw InvalidArgumentError("local shapes are for boards from 1x1 to 19x19, not of side " + std::to_string(side));
    }
    family_ends_.push_back(0);
    for (std::size_t family = 0; family < sizes_.size(); ++family) {
        const ShapeSize size = sizes_[family];
        const std::string name = std::to_string(size.width) + "x" + std::to_string(size.height);
        if (size.height < 1 || size.width < size.height || size.width > largest_shape || size == ShapeSize{3, 1}) {
            throw InvalidArgumentError("there are local shapes of 1x1, 2x1, 2x2, 3x2 and 3x3, not of " + name);
        }
        if (size.width > side) {
            throw InvalidArgumentError("shapes of " + name + " do not fit on a board of side " + std::to_string(side));
        }
        if (std::count(sizes_.begin(), sizes_.end(), size) != 1) {
            throw InvalidArgumentError("shapes of " + name + " are asked for twice");
        }
        const int orientations = size.width == size.height ? 1 : 2;
        for (int orientation = 0; orientation < orientations; ++orientation) {
            const ShapeSize shape = orientation == 0 ? size : transposed(size);
            for (int row = 0; row + shape.height <= side; ++row) {
                for (int col = 0; col + shape.width <= side; ++col) {
                    windows_.push_back({features_, static_cast<int>(family), orientation, shape, row, col});
                    features_ += contents(shape);
                }
            }
        }
        family_ends_.push_back(static_cast<int>(windows_.size()));
    }
    std::vector<std::vector<Place>> lists(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (std::size_t w = 0; w < windows_.size(); ++w) {
        const Window& window = windows_[w];
        int power = 1;
        for (int row = window.row; row < window.row + window.size.height; ++row) {
            for (int col = window.col; col < window.col + window.size.width; ++col) {
                const int point = row * side + col;
                lists[static_cast<std::size_t>(point)].push_back({static_cast<std::uint16_t>(w), static_cast<std::uint16_t>(power)});
                power *= 3;
            }
        }
    }
    place_ends_.push_back(0);
    for (const auto& list : lists) {
        places_.insert(places_.end(), list.begin(), list.end());
        place_ends_.push_back(places_.size());
    }
    const int reach = sizes_.empty() ? 0 : std::ranges::max(sizes_, {}, &ShapeSize::width).width - 1;
    near_ends_.push_back(0);
    for (int point = 0; point < side * side; ++point) {
        for (int row = std::max(0, point / side - reach); row <= std::min(side - 1, point / side + reach); ++row) {
            for (int col = std::max(0, point % side - reach); col <= std::min(side - 1, point % side + reach); ++col) {
                near_.push_back(static_cast<std::uint16_t>(row * side + col));
            }
        }
        near_ends_.push_back(near_.size());
    }
}

std::span<const Window> ShapeSet::windows_of(int family) const {
    const auto begin = static_cast<std::size_t>(family_ends_.at(static_cast<std::size_t>(family)));
    const auto end = static_cast<std::size_t>(family_ends_.at(static_cast<std::size_t>(family) + 1));
    return std::span(windows_).subspan(begin, end - begin);
}

Feature ShapeSet::features_of(int family) const {
    const auto windows = windows_of(family);
    return static_cast<Feature>(windows.size()) * contents(windows.front().size);
}

Code ShapeSet::contents(ShapeSize size) {
    int count = 1;
    for (int i = 0; i < size.points(); ++i) {
        count *= 3;
    }
    return static_cast<Code>(count);
}

int ShapeSet::window_of(Feature feature) const {
    const auto after = std::ranges::upper_bound(windows_, feature, {}, &Window::first);
    return static_cast<int>(after - windows_.begin()) - 1;
}

int ShapeSet::window_at(int family, int orientation, int row, int col) const {
    const auto windows = windows_of(family);
    const ShapeSize size = orientation == 0 ? windows.front().size : transposed(windows.front().size);
    const int columns = side_ - size.width + 1;
    const int skipped = orientation == 0 ? 0 : static_cast<int>(windows.size()) / 2;
    return family_ends_[static_cast<std::size_t>(family)] + skipped + row * columns + col;
}

int ShapeSet::image(int window, int symmetry) const {
    const Window& from = windows_[static_cast<std::size_t>(window)];
    const ShapeSize board{side_, side_};
    const auto [row, col] = moved(from.row, from.col, board, symmetry);
    const auto [far_row, far_col] = moved(from.row + from.size.height - 1, from.col + from.size.width - 1, board, symmetry);
    const bool is_square = from.size.width == from.size.height;
    const int orientation = is_square || (symmetry & 4) == 0 ? from.orientation : 1 - from.orientation;
    return window_at(from.family, orientation, std::min(row, far_row), std::min(col, far_col));
}

Code ShapeSet::image(ShapeSize size, Code code, int symmetry) const {
    const ShapeSize turned = (symmetry & 4) == 0 ? size : transposed(size);
    int result = 0;
    int rest = code;
    for (int row = 0; row < size.height; ++row) {
        for (int col = 0; col < size.width; ++col) {
            const auto [to_row, to_col] = moved(row, col, size, symmetry);
            int power = 1;
            for (int i = to_row * turned.width + to_col; i > 0; --i) {
                power *= 3;
            }
            result += rest % 3 * power;
            rest /= 3;
        }
    }
    return static_cast<Code>(result);
}

Code ShapeSet::inverted(ShapeSize size, Code code) {
    int result = 0;
    int power = 1;
    int rest = code;
    for (int i = 0; i < size.points(); ++i) {
        const int digit = rest % 3;
        result += (digit == 0 ? 0 : 3 - digit) * power;
        rest /= 3;
        power *= 3;
    }
    return static_cast<Code>(result);
}

}  // namespace katachi::features
