#include "features/placements.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace katachi::features {

namespace {

// The other three points of the window in each quarter, as directions in the order of the window's points, and the point's own place there.
struct Quarter {
    std::array<int, 3> others;
    int own;
    int row;  // of the window's corner, from the point
    int col;
};
constexpr std::array<Quarter, Placements::quarters> quarter_shapes{
    {{{0, 1, 3}, 3, -1, -1}, {{1, 2, 4}, 2, -1, 0}, {{3, 5, 6}, 1, 0, -1}, {{4, 6, 7}, 0, 0, 0}}};

constexpr std::array<std::array<int, 2>, directions> steps{{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};

constexpr int power_of_three(int exponent) {
    int power = 1;
    for (int i = 0; i < exponent; ++i) {
        power *= 3;
    }
    return power;
}
constexpr int digit_of(int code, int place) { return code / power_of_three(place) % 3; }

using CornerTable = std::array<std::array<std::uint8_t, Placements::quarters>, Placements::codes>;

CornerTable make_corner_table() {
    CornerTable table{};
    for (std::size_t code = 0; code < table.size(); ++code) {
        std::array<int, directions> digits{};
        int rest = static_cast<int>(code);
        for (int& digit : digits) {
            digit = rest % 3;
            rest /= 3;
        }
        for (std::size_t q = 0; q < quarter_shapes.size(); ++q) {
            const auto& [a, b, c] = quarter_shapes[q].others;
            table[code][q] = static_cast<std::uint8_t>(digits[static_cast<std::size_t>(a)] + 3 * digits[static_cast<std::size_t>(b)] +
                                                       9 * digits[static_cast<std::size_t>(c)]);
        }
    }
    return table;
}

// By code of the eight points around: the codes of the three in each quarter.
const CornerTable& corner_table() {
    static const CornerTable table = make_corner_table();
    return table;
}

// The code of a window of 2x2 by its other three points and what is on the point itself.
Code window_code(const Quarter& quarter, int corner_code, int own_digit) {
    int code = 0;
    int power = 1;
    for (int place = 0; place < 4; ++place) {
        if (place == quarter.own) {
            code += own_digit * power;
        } else {
            code += corner_code % 3 * power;
            corner_code /= 3;
        }
        power *= 3;
    }
    return static_cast<Code>(code);
}

void check(const Representation& representation) {
    const RepresentationOptions& options = representation.options();
    const std::vector<ShapeSize> sizes{{1, 1}, {2, 2}};
    const std::vector<Sharing> sharing{Sharing::independent, Sharing::dependent};
    if (options.sizes != sizes || options.sharing != sharing || options.turns != Turns::both || options.stage_length != 0) {
        throw InvalidArgumentError("softmax over local shapes is for shapes of 1x1 and 2x2, with sharing ld+li, for all players and stages");
    }
}

}  // namespace

Placements::Placements(const Representation& representation) : side_(representation.shapes().side()), weights_(representation.weights()) {
    check(representation);
    find_classes(representation.shapes());
    find_entries(representation);
    find_marks();
}

const std::array<std::uint8_t, Placements::quarters>& Placements::corners(Code code) { return corner_table()[code]; }

// Windows of 1x1 come first and are numbered like points.
void Placements::find_classes(const ShapeSet& shapes) {
    const int area = side_ * side_;
    powers_.resize(static_cast<std::size_t>(area));
    std::vector<int> class_of_first(static_cast<std::size_t>(area), -1);
    for (int point = 0; point < area; ++point) {
        int chosen = 0;
        for (int symmetry = 1; symmetry < symmetries; ++symmetry) {
            chosen = shapes.image(point, symmetry) < shapes.image(point, chosen) ? symmetry : chosen;
        }
        const int first = shapes.image(point, chosen);
        if (class_of_first[static_cast<std::size_t>(first)] < 0) {
            class_of_first[static_cast<std::size_t>(first)] = classes();
            first_points_.push_back(first);
        }
        classes_.push_back(class_of_first[static_cast<std::size_t>(first)]);
        for (std::size_t direction = 0; direction < steps.size(); ++direction) {
            const int row = point / side_ + steps[direction][0];
            const int col = point % side_ + steps[direction][1];
            if (row < 0 || row >= side_ || col < 0 || col >= side_) {
                continue;
            }
            const int image = shapes.image(row * side_ + col, chosen);
            const std::array<int, 2> step{image / side_ - first / side_, image % side_ - first % side_};
            const auto turned = static_cast<int>(std::ranges::find(steps, step) - steps.begin());
            powers_[static_cast<std::size_t>(point)][direction] = static_cast<Code>(power_of_three(turned));
        }
    }
}

void Placements::find_entries(const Representation& representation) {
    const ShapeSet& shapes = representation.shapes();
    const auto tables = representation.tables_for(Player::black);
    const auto squares = shapes.windows_of(1);
    const int first_square = static_cast<int>(squares.data() - shapes.windows().data());
    corners_.resize(first_points_.size() * quarters * corner_codes);
    for (int point_class = 0; point_class < classes(); ++point_class) {
        const int point = first_points_[static_cast<std::size_t>(point_class)];
        stones_.push_back({tables[0]->entry(point, 1), tables[1]->entry(point, 1)});
        for (int q = 0; q < quarters; ++q) {
            const Quarter& quarter = quarter_shapes[static_cast<std::size_t>(q)];
            const int row = point / side_ + quarter.row;
            const int col = point % side_ + quarter.col;
            if (row < 0 || col < 0 || row + 2 > side_ || col + 2 > side_) {
                continue;
            }
            const int window = first_square + row * (side_ - 1) + col;
            for (int code = 0; code < corner_codes; ++code) {
                const Code before = window_code(quarter, code, 0);
                const Code after = window_code(quarter, code, 1);
                corners_[corner_index(point_class, q, code)] = {tables[0]->entry(window, after), tables[1]->entry(window, after),
                                                                -tables[0]->entry(window, before), -tables[1]->entry(window, before)};
            }
        }
    }
}

// The powers of a class's first point are in the order of the directions.
void Placements::find_marks() {
    for (const int first : first_points_) {
        const Powers& powers = powers_[static_cast<std::size_t>(first)];
        const bool is_edge = std::ranges::count(powers, 0) > 0;
        for (int code = 0; code < static_cast<int>(codes); ++code) {
            const auto all_around = [&](int digit) {
                return std::ranges::all_of(std::array{1, 3, 4, 6}, [&](int direction) {
                    return powers[static_cast<std::size_t>(direction)] == 0 || digit_of(code, direction) == digit;
                });
            };
            const auto aslant = std::ranges::count_if(std::array{0, 2, 5, 7}, [&](int direction) { return digit_of(code, direction) == 2; });
            const bool is_own = all_around(1);
            const bool is_eye = is_own && aslant + static_cast<int>(is_edge) < 2;
            marks_.push_back(static_cast<std::uint8_t>((all_around(2) ? enclosed : 0) | (is_own ? strict_eye : 0) | (is_eye ? simple_eye : 0)));
        }
    }
}

}  // namespace katachi::features
