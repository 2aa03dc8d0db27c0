// One simulated game as the learner sees it: the states it met, each with the reward of entering it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "search/node_store.hpp"
#include "search/tree_options.hpp"

namespace katachi {

inline constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

// Entry 0 is the root, entered without a reward.
struct Entry {
    NodeIndex node = no_node;     // none: not memorised
    NodeIndex slot = no_node;     // the action that led here: its own node where outcomes are observed, its edge in a graph
    Action action;                // the same for the record
    std::uint32_t later = never;  // the next entry with the same node
    Player to_play = Player::black;
    bool is_first = true;    // of its node in this episode
    bool is_greedy = true;   // what was chosen here was a best action
    bool has_best = false;   // the actions here were compared
    bool maximises = true;   // who moves here wants high values
    bool is_end = false;     // nothing comes after it; told in the convention of states
    bool is_marked = false;  // other threads are told of it
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

// Who took which action in the present episode, looked at from its end: since which step a player has taken an action, for steps that fall.
// Marks are numbered by episode, so that a new one forgets the others at once.
class Taken {
   public:
    // Nothing is kept for an action space of 0. `moves`: does an action count that the opponent took before?
    Taken(int action_space, RaveMoves moves) : is_first_only_(moves == RaveMoves::first), marks_(2 * static_cast<std::size_t>(action_space)) {}

    void begin() {
        steps_.clear();
        seen_ = unseen;
        ++episode_;
    }
    void add(Player player, Action action) { steps_.push_back(place(player, action)); }

    // Which actions has a player taken at step `step` or later? By their numbers; of `first`, before the opponent took them. No step is later
    // than that of the question before.
    auto since(Player player, std::size_t step) {
        for (seen_ = std::min(seen_, steps_.size()); seen_ > step; --seen_) {
            const std::uint32_t place = steps_[seen_ - 1];
            marks_[place] = episode_;
            if (is_first_only_) {
                marks_[place ^ 1U] = 0;
            }
        }
        return [marks = marks_.data(), player = static_cast<std::uint32_t>(index_of(player)), episode = episode_](Action action) {
            return marks[2 * static_cast<std::uint32_t>(action.value) + player] == episode;
        };
    }

   private:
    static constexpr std::size_t unseen = std::numeric_limits<std::size_t>::max();
    static std::uint32_t place(Player player, Action action) {
        return 2 * static_cast<std::uint32_t>(action.value) + static_cast<std::uint32_t>(index_of(player));
    }

    bool is_first_only_;
    std::vector<std::uint32_t> steps_;  // places
    std::vector<std::uint64_t> marks_;  // by place: the last episode in which it was taken
    std::size_t seen_ = unseen;         // steps from here on have been looked at
    std::uint64_t episode_ = 0;
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
