#include "features/board_inputs.hpp"

#include "core/errors.hpp"

namespace katachi::features {

BoardInputs::BoardInputs(go::Geometry geometry, std::vector<InputGroup> groups, bool scaled)
    : geometry_(geometry), groups_(std::move(groups)), scaled_(scaled) {
    if (groups_.empty()) {
        throw InvalidArgumentError("a network needs at least one group of inputs");
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (std::find(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(i), groups_[i]) !=
            groups_.begin() + static_cast<std::ptrdiff_t>(i)) {
            throw InvalidArgumentError("a group of inputs is named twice");
        }
        size_ += count(groups_[i]);
    }
    for (int i = 0; i < geometry.area(); ++i) {
        const go::Point p = geometry.padded_point(i);
        const int row = geometry.row(p);
        const int col = geometry.col(p);
        points_.push_back(p);
        is_edge_.push_back(static_cast<std::uint8_t>(row == 0 || col == 0 || row == geometry.height - 1 || col == geometry.width - 1));
    }
}

int BoardInputs::count(InputGroup group) const {
    switch (group) {
        case InputGroup::points:
            return geometry_.area();
        case InputGroup::liberties:
        case InputGroup::edge:
        case InputGroup::atari:
            return 2;
        case InputGroup::difference:
        case InputGroup::ko:
            break;
    }
    return 1;
}

double BoardInputs::divisor(InputGroup group) const {
    switch (group) {
        case InputGroup::points:
            return most_liberties;
        case InputGroup::liberties:
        case InputGroup::difference:
            return geometry_.area();
        case InputGroup::edge:
            return static_cast<double>(std::count(is_edge_.begin(), is_edge_.end(), 1));
        case InputGroup::atari:
        case InputGroup::ko:
            break;
    }
    return 1;
}

std::vector<std::string> BoardInputs::names() const {
    std::vector<std::string> names;
    for (const InputGroup group : groups_) {
        switch (group) {
            case InputGroup::points:
                for (int i = 0; i < geometry_.area(); ++i) {
                    names.push_back("point " + std::to_string(i));
                }
                break;
            case InputGroup::liberties:
                names.insert(names.end(), {"own liberties", "enemy liberties"});
                break;
            case InputGroup::difference:
                names.emplace_back("stone difference");
                break;
            case InputGroup::edge:
                names.insert(names.end(), {"own edge stones", "enemy edge stones"});
                break;
            case InputGroup::atari:
                names.insert(names.end(), {"own atari", "enemy atari"});
                break;
            case InputGroup::ko:
                names.emplace_back("ko");
                break;
        }
    }
    return names;
}

}  // namespace katachi::features
