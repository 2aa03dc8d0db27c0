#include "features/representation.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"

namespace katachi::features {

namespace {

// A game of more moves stays in the last stage.
int longest_game(int side) { return 2 * side * side; }

// The scheme without the exchange of colours.
Sharing without_inversion(Sharing sharing) {
    switch (sharing) {
        case Sharing::inversion:
            return Sharing::none;
        case Sharing::dependent:
            return Sharing::turned;
        case Sharing::independent:
            return Sharing::anywhere;
        default:
            return sharing;
    }
}

std::vector<Sharing> all_schemes(const RepresentationOptions& options) {
    std::vector<Sharing> schemes;
    if (options.turns != Turns::both) {
        for (const Sharing sharing : options.sharing) {
            schemes.push_back(without_inversion(sharing));
        }
    }
    if (options.turns != Turns::each) {
        schemes.insert(schemes.end(), options.sharing.begin(), options.sharing.end());
    }
    return schemes;
}

// What the table says of the content with colours exchanged, with the sign turned.
ShareTable inverted(const ShapeSet& shapes, const ShareTable& table) {
    ShareTable result = table;
    for (std::size_t w = 0; w < shapes.windows().size(); ++w) {
        const ShapeSize size = shapes.windows()[w].size;
        for (Code code = 0; code < ShapeSet::contents(size); ++code) {
            result.entries[table.firsts[w] + code] = -table.entries[table.firsts[w] + ShapeSet::inverted(size, code)];
        }
    }
    return result;
}

}  // namespace

Representation::Representation(const RepresentationOptions& options)
    : options_(options), shapes_(options.side, options.sizes), tables_(shapes_, all_schemes(options)) {
    if (options.sharing.empty()) {
        throw InvalidArgumentError("local shapes need at least one way of sharing weights, if only `none`");
    }
    if (options.stage_length < 0) {
        throw InvalidArgumentError("a stage of the game has at least one move, not " + std::to_string(options.stage_length));
    }
    if (options.stage_length > 0) {
        stages_ = std::max(1, (longest_game(options.side) + options.stage_length - 1) / options.stage_length);
    }
    const std::size_t own = options.turns == Turns::both ? 0 : options.sharing.size();
    inverted_.reserve(own);
    for (std::size_t i = 0; i < tables_.tables().size(); ++i) {
        const ShareTable& table = tables_.tables()[i];
        counting_[0].push_back(&table);
        if (i < own) {
            inverted_.push_back(inverted(shapes_, table));
        }
        counting_[1].push_back(i < own ? &inverted_.back() : &table);
    }
}

}  // namespace katachi::features
