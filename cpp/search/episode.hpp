// One simulated game as the learner sees it: the states it met, each with the reward of entering it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/node_store.hpp"

namespace katachi {

inline constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

// Entry 0 is the root, entered without a reward.
struct Entry {
    NodeIndex node = no_node;     // none: not memorised
    NodeIndex slot = no_node;     // the action that led here: its own node where outcomes are observed, its edge in a graph
    Action action;                // the same for the record
    std::uint32_t later = never;  // the next entry with the same node
    Player to_play = Player::black;
    bool is_first = true;   // of its node in this episode
    bool is_greedy = true;  // what was chosen here was a best action
    bool has_best = false;  // the actions here were compared
    bool maximises = true;  // who moves here wants high values
    bool is_end = false;    // nothing comes after it; told in the convention of states
    double reward = 0;
    double value = 0;    // before the episode: V, V_init of a new node, V_playout where nothing is memorised
    double best = 0;     // V of the best action
    double initial = 0;  // V_init of a state that is not memorised, where it is no constant
};

// How it went on behind the last entry: a playout of which only sums are kept.
struct Tail {
    double errors = 0;      // its TD errors, decayed by gamma lambda for every step after the first
    double next = 0;        // the value of the first state behind the last entry; 0 behind the end
    double discounted = 0;  // its return, discounted by gamma
    int length = 0;
};

// When each player last took each action in the present episode. Steps are counted over all episodes, so that a new one forgets the others at once.
class LastTaken {
   public:
    explicit LastTaken(int action_space) {
        for (auto& times : times_) {
            times.resize(static_cast<std::size_t>(action_space));
        }
    }

    void begin() { start_ = now_; }
    void add(Player player, Action action) { times_[static_cast<std::size_t>(index_of(player))][static_cast<std::size_t>(action.value)] = now_++; }

    // Which actions did a player take at step `step` or later? By their numbers.
    auto since(Player player, std::size_t step) const {
        return [times = times_[static_cast<std::size_t>(index_of(player))].data(), first = start_ + step](Action action) {
            return times[action.value] >= first;
        };
    }

   private:
    std::array<std::vector<std::uint64_t>, 2> times_;
    std::uint64_t start_ = 1;
    std::uint64_t now_ = 1;
};

struct Episode {
    std::vector<Entry> entries;
    Tail tail;
    double beyond = 0;  // where it was cut: the value assumed behind it
    double total = 0;   // all rewards, and that
    bool is_over = false;

    void clear() {
        entries.clear();
        tail = {};
        beyond = 0;
        total = 0;
        is_over = false;
    }
};

}  // namespace katachi
