#include "policies/patterns.hpp"

#include <algorithm>
#include <utility>

#include "core/errors.hpp"

namespace katachi {

namespace {

using go::Colour;

constexpr std::string_view pictures =
    "hane-A  XOX  .*.  ???\n"
    "hane-B  .OX  .*.  ?.?\n"
    "hane-C  ?OX  .*X  ?.?\n"
    "hane-D  OOX  .X.  ?.?\n"
    "cut-1a  ?OX  ?*O  ?X?\n"  // two stones and a peeper, unless just one of the two points behind is the two stones' and the other empty
    "cut-1b  ?OX  O*O  ?O?\n"
    "cut-1c  ?OX  .*O  ?.?\n"
    "cut-2   ?X?  O*O  ooo\n"
    "edge-1  ?.X  ?*O  ###\n"
    "edge-2  ?X?  x*O  ###\n"
    "edge-3  ?XO  ?X?  ###\n"
    "edge-4  ?XO  ?Ox  ###\n"
    "edge-5  ?XO  OOX  ###\n";

constexpr std::string_view signs_around = "XOxo.?#";
constexpr std::string_view signs_to_play = "XO*";
constexpr std::size_t middle = 4;

// Where each of the eight points around comes from, for the eight symmetries of the square.
std::array<std::array<int, 8>, 8> symmetries() {
    std::array<std::array<int, 8>, 8> maps{};
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        for (int cell = 0; cell < 9; ++cell) {
            int row = cell / 3;
            int col = cell % 3;
            if ((symmetry & 1) != 0) {
                row = 2 - row;
            }
            if ((symmetry & 2) != 0) {
                col = 2 - col;
            }
            if ((symmetry & 4) != 0) {
                std::swap(row, col);
            }
            const int from = row * 3 + col;
            if (cell != static_cast<int>(middle)) {
                maps[static_cast<std::size_t>(symmetry)][static_cast<std::size_t>(cell < 4 ? cell : cell - 1)] = from < 4 ? from : from - 1;
            }
        }
    }
    return maps;
}

bool fits(char sign, Colour colour, Colour x) {
    switch (sign) {
        case 'X':
            return colour == x;
        case 'O':
            return colour == go::other(x);
        case 'x':
            return colour == go::other(x) || colour == Colour::empty;
        case 'o':
            return colour == x || colour == Colour::empty;
        case '.':
            return colour == Colour::empty;
        case '#':
            return colour == Colour::wall;
        default:
            return colour != Colour::wall;
    }
}

Colour colour_around(Neighbourhood around, int index) { return static_cast<Colour>((around >> (2 * index)) & 3); }

}  // namespace

Neighbourhood parse_neighbourhood(std::string_view text) {
    constexpr std::string_view colours = "XO.#";
    unsigned code = 0;
    unsigned shift = 0;
    bool is_right = text.size() == 9 && text[middle] == '.';
    for (std::size_t i = 0; is_right && i < text.size(); ++i) {
        const std::size_t colour = colours.find(text[i]);
        is_right = colour != std::string_view::npos;
        if (i != middle) {
            code |= static_cast<unsigned>(colour & 3) << shift;
            shift += 2;
        }
    }
    if (!is_right) {
        throw InvalidArgumentError("a neighbourhood is nine of X, O, '.' and '#', row by row with '.' in the middle, not '" + std::string(text) +
                                   "'");
    }
    return static_cast<Neighbourhood>(code);
}

Pattern Pattern::parse(std::string name, std::string_view text) {
    Pattern pattern;
    pattern.name_ = std::move(name);
    std::string signs(text);
    std::erase_if(signs, [](char c) { return c == ' ' || c == '\n'; });
    bool is_right = signs.size() == pattern.signs_.size();
    for (std::size_t i = 0; is_right && i < signs.size(); ++i) {
        is_right = (i == middle ? signs_to_play : signs_around).find(signs[i]) != std::string_view::npos;
        pattern.signs_[i] = signs[i];
    }
    if (!is_right) {
        throw InvalidArgumentError("a pattern is three rows of three of X, O, x, o, '.', '?' and '#' with X, O or '*' in the middle, not '" +
                                   std::string(text) + "'");
    }
    return pattern;
}

std::string Pattern::text() const {
    std::string text;
    for (std::size_t i = 0; i < signs_.size(); ++i) {
        text += signs_[i];
        text += i % 3 < 2 ? " " : i < 8 ? "\n" : "";
    }
    return text;
}

bool Pattern::matches(Neighbourhood around, Player to_play) const {
    static const auto all = symmetries();
    for (const Colour x : {Colour::black, Colour::white}) {
        if (plays(to_play, x) && std::ranges::any_of(all, [&](const std::array<int, 8>& turned) { return matches_as(turned, around, x); })) {
            return true;
        }
    }
    return false;
}

bool Pattern::matches_as(const std::array<int, 8>& turned, Neighbourhood around, Colour x) const {
    for (std::size_t i = 0; i < turned.size(); ++i) {
        if (!fits(signs_[i < middle ? i : i + 1], colour_around(around, turned[i]), x)) {
            return false;
        }
    }
    return true;
}

// Point by point: what each sign allows.
void Pattern::for_each_match(const std::function<void(Neighbourhood, Player)>& visit) const {
    std::vector<unsigned> open;
    std::vector<unsigned> grown;
    for (const Colour x : {Colour::black, Colour::white}) {
        for (const std::array<int, 8>& turned : symmetries()) {
            open.assign(1, 0);
            for (std::size_t i = 0; i < turned.size(); ++i) {
                grown.clear();
                for (const unsigned code : open) {
                    for (const Colour colour : {Colour::black, Colour::white, Colour::empty, Colour::wall}) {
                        if (fits(signs_[i < middle ? i : i + 1], colour, x)) {
                            grown.push_back(code | static_cast<unsigned>(colour) << (2 * turned[i]));
                        }
                    }
                }
                std::swap(open, grown);
            }
            for (const Player to_play : {Player::black, Player::white}) {
                if (!plays(to_play, x)) {
                    continue;
                }
                for (const unsigned code : open) {
                    visit(static_cast<Neighbourhood>(code), to_play);
                }
            }
        }
    }
}

bool Pattern::plays(Player to_play, Colour x) const { return signs_[middle] == '*' || signs_[middle] == (x == go::colour_of(to_play) ? 'X' : 'O'); }

const std::vector<Pattern>& playout_patterns() {
    static const std::vector<Pattern> patterns = [] {
        std::vector<Pattern> list;
        for (std::string_view rest = pictures; !rest.empty();) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(line.size() + 1);
            const std::size_t name = line.find(' ');
            list.push_back(Pattern::parse(std::string(line.substr(0, name)), line.substr(name)));
        }
        return list;
    }();
    return patterns;
}

PatternTable::PatternTable(const std::vector<Pattern>& patterns) {
    for (const Pattern& pattern : patterns) {
        pattern.for_each_match([&](Neighbourhood around, Player to_play) { bits_[static_cast<std::size_t>(index_of(to_play))].set(around); });
    }
}

const PatternTable& pattern_table() {
    static const PatternTable table(playout_patterns());
    return table;
}

}  // namespace katachi
