#include "features/weight_sharing.hpp"

#include <algorithm>
#include <limits>

namespace katachi::features {

namespace {

bool inverts(Sharing sharing) { return sharing == Sharing::inversion || sharing == Sharing::dependent || sharing == Sharing::independent; }
bool turns(Sharing sharing) { return sharing != Sharing::none && sharing != Sharing::inversion; }
bool moves(Sharing sharing) { return sharing == Sharing::anywhere || sharing == Sharing::independent; }

// What the symmetries make of the contents of one size and orientation.
class ContentImages {
   public:
    ContentImages(const ShapeSet& shapes, ShapeSize size) : contents_(ShapeSet::contents(size)) {
        for (int symmetry = 0; symmetry < symmetries; ++symmetry) {
            for (Code code = 0; code < ShapeSet::contents(size); ++code) {
                const Code image = shapes.image(size, code, symmetry);
                images_.push_back(image);
                inverted_.push_back(ShapeSet::inverted(size, image));
            }
        }
    }

    Code image(int symmetry, Code code, bool is_inverted) const {
        const std::size_t i = static_cast<std::size_t>(symmetry) * contents_ + code;
        return is_inverted ? inverted_[i] : images_[i];
    }

   private:
    std::size_t contents_;
    std::vector<Code> images_;
    std::vector<Code> inverted_;
};

// The entries of one family, ids from 0 on; returns how many. Windows of a scheme that moves them share a block for each orientation.
std::uint32_t share_family(const ShapeSet& shapes, int family, ShareTable& table) {
    const auto windows = shapes.windows_of(family);
    const int first_window = static_cast<int>(&windows.front() - shapes.windows().data());
    const std::size_t contents = ShapeSet::contents(windows.front().size);
    const auto block_of = [&](const Window& window, int index) { return moves(table.sharing) ? window.orientation : index; };
    const auto start = static_cast<std::uint32_t>(table.entries.size());
    int blocks = 0;
    for (std::size_t w = 0; w < windows.size(); ++w) {
        const int block = block_of(windows[w], static_cast<int>(w));
        blocks = std::max(blocks, block + 1);
        table.firsts.push_back(start + static_cast<std::uint32_t>(static_cast<std::size_t>(block) * contents));
    }
    table.entries.resize(start + static_cast<std::size_t>(blocks) * contents);
    std::vector<ContentImages> images;
    for (const Window& window : windows) {
        if (images.size() == static_cast<std::size_t>(window.orientation)) {
            images.emplace_back(shapes, window.size);
        }
    }
    std::uint32_t unique = 0;
    std::vector<bool> is_done(static_cast<std::size_t>(blocks));
    for (std::size_t w = 0; w < windows.size(); ++w) {
        const auto block = static_cast<std::size_t>(block_of(windows[w], static_cast<int>(w)));
        if (is_done[block]) {
            continue;
        }
        is_done[block] = true;
        const ContentImages& contents_images = images[static_cast<std::size_t>(windows[w].orientation)];
        // Where each symmetry leads the window: the block of entries there.
        std::array<std::size_t, symmetries> targets{};
        const int known = turns(table.sharing) ? symmetries : 1;
        for (int symmetry = 0; symmetry < known; ++symmetry) {
            const int image = shapes.image(first_window + static_cast<int>(w), symmetry) - first_window;
            targets[static_cast<std::size_t>(symmetry)] =
                static_cast<std::size_t>(block_of(windows[static_cast<std::size_t>(image)], image)) * contents;
        }
        for (std::size_t code = 1; code < contents; ++code) {  // code 0, all empty, is neutral
            std::size_t smallest = std::numeric_limits<std::size_t>::max();
            bool by_turn = false;
            bool by_inversion = false;
            for (int symmetry = 0; symmetry < known; ++symmetry) {
                for (const bool is_inverted : {false, true}) {
                    if (is_inverted && !inverts(table.sharing)) {
                        continue;
                    }
                    const std::size_t here =
                        targets[static_cast<std::size_t>(symmetry)] + contents_images.image(symmetry, static_cast<Code>(code), is_inverted);
                    if (here < smallest) {
                        smallest = here;
                        by_turn = by_inversion = false;
                    }
                    if (here == smallest) {
                        (is_inverted ? by_inversion : by_turn) = true;
                    }
                }
            }
            const std::size_t own = block * contents + code;
            Entry& entry = table.entries[start + own];
            if (by_turn && by_inversion) {
                entry = 0;
            } else if (smallest == own) {
                entry = static_cast<Entry>(++unique);
            } else {
                entry = by_inversion ? -table.entries[start + smallest] : table.entries[start + smallest];
            }
        }
    }
    return unique;
}

}  // namespace

ShareTables::ShareTables(const ShapeSet& shapes, std::span<const Sharing> schemes) {
    for (const Sharing sharing : schemes) {
        tables_.push_back({sharing, {}, {}, {}});
    }
    for (int family = 0; family < static_cast<int>(shapes.sizes().size()); ++family) {
        for (ShareTable& table : tables_) {
            const std::size_t start = table.entries.size();
            const std::uint32_t unique = share_family(shapes, family, table);
            for (std::size_t i = start; i < table.entries.size(); ++i) {
                Entry& entry = table.entries[i];
                const auto shift = static_cast<Entry>(weights_);
                entry += entry > 0 ? shift : entry < 0 ? -shift : 0;
            }
            begins_.push_back(weights_);
            table.unique.push_back(unique);
            weights_ += unique;
        }
    }
}

std::uint32_t ShareTables::first_weight(int family, int table) const {
    return begins_.at(static_cast<std::size_t>(family) * tables_.size() + static_cast<std::size_t>(table));
}

}  // namespace katachi::features
