// What one of several threads has learnt of the nodes that most episodes pass, before it is given to the tree that all of them share.
//
// A number that two cores change in turn travels from one to the other each time, and a playout takes no longer than a few dozen such journeys. So
// of a node with many visits a thread keeps back what it has learnt for a few episodes and then gives it at once; all threads together keep back at
// most one part in `share` of the visits. Meanwhile the thread sees nothing new of its own there, so that a policy which would choose the same again
// stays with its choice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/node_store.hpp"
#include "search/rave.hpp"

namespace katachi {

class Backlog {
   public:
    static constexpr std::uint32_t most_episodes = 16;  // of one node, in one thread
    static constexpr std::uint32_t share = 16;

    // Of one thread of so many.
    explicit Backlog(int threads) : visits_per_episode_(share * static_cast<std::uint32_t>(threads)), kept_(threads > 1 ? places : 0) {}

    // How many episodes a node with so many visits may wait for; less than two: it does not.
    std::uint32_t patience(std::uint32_t visits) const { return std::min(most_episodes, visits / visits_per_episode_); }
    bool waits(std::uint32_t visits) const { return visits >= 2 * visits_per_episode_; }

    // Of one node: what the episodes were to teach it, and the RAVE values of its actions by these episodes.
    struct Kept {
        NodeIndex node = no_node;
        std::uint32_t episodes = 0;
        std::uint32_t going_on = 0;  // of them, those that took one of its actions
        std::array<double, most_episodes> lessons{};
        std::vector<Action> actions;
        std::vector<Rave> raves;
        std::uint32_t choice = 0;  // the slot that was chosen last
        std::uint32_t stays = 0;   // so many more times
    };

    // Where a node has its place, whosever it is now.
    Kept& place(NodeIndex node) { return kept_[(node * 2654435761U) >> (32 - place_bits)]; }
    std::span<Kept> all() { return kept_; }

    std::optional<std::uint32_t> choice(NodeIndex node) {
        Kept& kept = place(node);
        if (kept.node != node || kept.stays == 0) {
            return {};
        }
        --kept.stays;
        return kept.choice;
    }

    // Of a node that waits: the slot that was chosen, which leads to a node with so many visits.
    void stay(NodeIndex node, std::uint32_t slot, std::uint32_t visits_behind) {
        Kept& kept = place(node);
        if (kept.node == node && waits(visits_behind)) {
            kept.choice = slot;
            kept.stays = patience(visits_behind) - 1;
        }
    }

   private:
    static constexpr std::uint32_t place_bits = 8;
    static constexpr std::size_t places = std::size_t{1} << place_bits;

    std::uint32_t visits_per_episode_;
    std::vector<Kept> kept_;
};

}  // namespace katachi
