// What a tree search memorises: nodes with their statistics, in one store with 32-bit indices.
//
// Tree: the children of a node are neighbours in the store, one slot for each action, made at once. A slot is memorised when it
// has been visited; before that its value is what it would begin with. Graph: nodes are found by the keys of their states,
// and a block of edges leads to them. Where a game has chance and its outcomes are observed, the slot of an action has the
// outcomes as its children, and they the next actions.
//
// What only some settings need lies in parallel arrays: the bounds of a node's successors, the reward on entering, the mean
// beside a backed-up value, keys, RAVE values.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "core/access.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/spin_lock.hpp"
#include "core/types.hpp"
#include "search/chunked.hpp"
#include "search/rave.hpp"

namespace katachi {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = std::numeric_limits<NodeIndex>::max();

struct Node {
    double value = 0;            // V, player 0's; in the afterstate convention with the reward on entering
    std::uint32_t visits = 0;    // n: every visit
    std::uint32_t episodes = 0;  // n_e: the episodes with a visit
    NodeIndex first = no_node;   // the first child, or the first edge of a graph
    std::uint16_t count = 0;     // how many
    std::uint8_t walkers = 0;    // threads with an episode under way that has met it
    std::uint8_t is_locked = 0;  // a thread is changing it
    Action action;               // tree: what leads here
    // Tree: the visits of all children. Graph: where the node stands in the present episode, if it does.
    std::uint32_t mark = 0;
};
static_assert(sizeof(Node) == 32);

// Where several threads search one tree: who changes what a node has learnt, or the RAVE values of its children, holds its lock. Whoever only looks
// holds none, and reads every number by AtomicAccess.
class NodeLock {
   public:
    explicit NodeLock(Node& node) : flag_(node.is_locked) { spin_until_locked(flag_); }
    NodeLock(const NodeLock&) = delete;
    NodeLock(NodeLock&&) = delete;
    NodeLock& operator=(const NodeLock&) = delete;
    NodeLock& operator=(NodeLock&&) = delete;
    ~NodeLock() { unlock_flag(flag_); }

   private:
    std::atomic_ref<std::uint8_t> flag_;
};

struct Edge {
    std::uint64_t key = 0;  // of the state that the action leads to
    double initial = 0;     // the value of that state while it is not memorised
    double reward = 0;
    Action action;
    NodeIndex node = no_node;
    std::uint32_t visits = 0;
};

// The lowest and the highest of some values; not valid before there are two different ones. What differs by rounding only is
// not different: it would be blown up to the whole scale.
struct Range {
    static constexpr double narrowest = 1e-9;

    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    bool is_valid() const { return high - low > narrowest; }
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void add(const Range& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

// Keys to nodes: extendible hashing (Fagin et al. 1979). A directory leads to segments of equal size, each an open table at most
// half full; a full one is split in two. So the table is never copied into a larger one, and a cap on memory holds at every
// moment, at the price of one look into a directory that is small enough for the cache.
class KeyIndex {
   public:
    NodeIndex find(std::uint64_t key) const {
        if (directory_.empty()) {
            return no_node;
        }
        const std::uint64_t hash = mix64(key);
        const Slot* slots = &slots_[segment(hash) << segment_shift];
        for (std::uint64_t i = hash >> (64 - segment_shift);; i = (i + 1) & (segment_size - 1)) {
            if (slots[i].node == no_node || slots[i].key == key) {
                return slots[i].node;
            }
        }
    }

    // A key that is not there yet.
    void insert(std::uint64_t key, NodeIndex node) {
        const std::uint64_t hash = mix64(key);
        if (directory_.empty()) {
            directory_.push_back(add_segment(0));
        }
        while (segments_[segment(hash)].size * 2 >= segment_size) {
            split(hash);
        }
        place({key, node});
    }

    std::size_t bytes() const { return slots_.bytes() + segments_.capacity() * sizeof(Segment) + directory_.capacity() * sizeof(std::uint32_t); }
    // What one more may add to `bytes`, but for the directory.
    std::size_t growth() const { return slots_.growth(segment_size); }
    void clear() { *this = {}; }

    // Nodes have moved to new places; those without one are gone.
    void move(const std::vector<NodeIndex>& places) {
        for (std::uint32_t in = 0; in < segments_.size(); ++in) {
            for (const Slot& slot : emptied(in)) {
                if (places[slot.node] != no_node) {
                    place({slot.key, places[slot.node]});
                }
            }
        }
    }

   private:
    static constexpr std::uint32_t segment_shift = 10;
    static constexpr std::uint32_t segment_size = 1U << segment_shift;
    struct Slot {
        std::uint64_t key = 0;
        NodeIndex node = no_node;
    };
    struct Segment {
        std::uint32_t size = 0;
        std::uint32_t bits = 0;  // how many low bits of their hashes its keys share
    };

    // Keys of Python games are mixed as little as their authors like, so hashes are used: low bits for the directory, high bits
    // within a segment.
    std::uint32_t segment(std::uint64_t hash) const { return directory_[hash & (directory_.size() - 1)]; }

    std::uint32_t add_segment(std::uint32_t bits) {
        segments_.push_back({0, bits});
        return slots_.allocate(segment_size) >> segment_shift;
    }

    void place(const Slot& slot) {
        const std::uint64_t hash = mix64(slot.key);
        const std::uint32_t in = segment(hash);
        Slot* slots = &slots_[in << segment_shift];
        std::uint64_t i = hash >> (64 - segment_shift);
        while (slots[i].node != no_node) {
            i = (i + 1) & (segment_size - 1);
        }
        slots[i] = slot;
        ++segments_[in].size;
    }

    // The segment of a hash gives those of its keys to a new one that have one more bit set.
    void split(std::uint64_t hash) {
        const std::uint32_t full = segment(hash);
        const std::size_t bit = std::size_t{1} << segments_[full].bits;
        if (bit == directory_.size()) {
            directory_.resize(2 * bit);
            std::copy_n(directory_.begin(), bit, directory_.begin() + static_cast<std::ptrdiff_t>(bit));
        }
        const std::uint32_t created = add_segment(++segments_[full].bits);
        for (std::size_t i = (hash & (bit - 1)) | bit; i < directory_.size(); i += 2 * bit) {
            directory_[i] = created;
        }
        for (const Slot& slot : emptied(full)) {
            place(slot);
        }
    }

    // What a segment held.
    std::vector<Slot> emptied(std::uint32_t in) {
        Slot* slots = &slots_[in << segment_shift];
        std::vector<Slot> held;
        std::copy_if(slots, slots + segment_size, std::back_inserter(held), [](const Slot& slot) { return slot.node != no_node; });
        std::fill_n(slots, segment_size, Slot{});
        segments_[in].size = 0;
        return held;
    }

    Chunked<Slot, segment_shift> slots_;  // one chunk, one segment
    std::vector<Segment> segments_;
    std::vector<std::uint32_t> directory_;  // low bits of a hash to its segment
};

class NodeStore {
   public:
    // Which parallel arrays there are.
    struct Extras {
        bool ranges = false;
        bool rewards = false;
        bool means = false;
        bool keys = false;
        bool raves = false;
        bool growing = false;  // children may be added later, one by one
    };

    NodeStore(const Extras& extras, std::size_t most_bytes) : extras_(extras), most_bytes_(most_bytes) {}

    Node& operator[](NodeIndex i) { return nodes_[i]; }
    const Node& operator[](NodeIndex i) const { return nodes_[i]; }
    Edge& edge(NodeIndex i) { return edges_[i]; }
    const Edge& edge(NodeIndex i) const { return edges_[i]; }
    Range& range(NodeIndex i) { return ranges_[i]; }
    const Range& range(NodeIndex i) const { return ranges_[i]; }
    double& reward(NodeIndex i) { return rewards_[i]; }
    const double& reward(NodeIndex i) const { return rewards_[i]; }
    double& mean(NodeIndex i) { return means_[i]; }
    std::uint64_t& key(NodeIndex i) { return keys_[i]; }
    Rave& rave(NodeIndex i) { return raves_[i]; }
    const Rave& rave(NodeIndex i) const { return raves_[i]; }
    KeyIndex& index() { return index_; }
    const KeyIndex& index() const { return index_; }
    const Extras& extras() const { return extras_; }

    std::uint32_t size() const { return nodes_.size(); }
    std::size_t bytes() const {
        return nodes_.bytes() + edges_.bytes() + ranges_.bytes() + rewards_.bytes() + means_.bytes() + keys_.bytes() + raves_.bytes() +
               index_.bytes();
    }

    // Several threads will walk through it, one of them adding nodes at a time: who does holds `growing`.
    void share() {
        is_shared_ = true;
        const std::size_t most_nodes = most_bytes_ / sizeof(Node) + 2 * std::size_t{Chunked<Node>::chunk_size};
        nodes_.reserve(most_nodes);
        raves_.reserve(extras_.raves ? most_nodes : 0);
    }
    std::unique_lock<SpinLock> growing() { return is_shared_ ? std::unique_lock(growth_) : std::unique_lock<SpinLock>(); }

    // What threads may be changing.
    std::uint32_t visits(NodeIndex i) { return AtomicAccess::load(nodes_[i].visits); }
    double value(NodeIndex i) { return AtomicAccess::load(nodes_[i].value); }
    // Who sees the first child sees all of them as they were when they were adopted, or later.
    NodeIndex first(NodeIndex i) { return std::atomic_ref(nodes_[i].first).load(std::memory_order_acquire); }

    // Is there room for so many more nodes and edges?
    bool has_room(std::uint32_t nodes, std::uint32_t edges = 0) const {
        std::size_t more = nodes_.growth(nodes) == 0 ? 0 : chunk_bytes();
        more += edges_.growth(edges);
        more += index_.bytes() == 0 ? 0 : index_.growth();
        return bytes() + more <= most_bytes_ && nodes_.size() < no_node - 2 * Chunked<Node>::chunk_size;
    }

    // Neighbours, all new.
    NodeIndex add(std::uint32_t count, double value) {
        check_count(count);
        const NodeIndex first = nodes_.allocate(count);
        grow_extras();
        for (NodeIndex i = first; i < first + count; ++i) {
            nodes_[i].value = value;
        }
        return first;
    }

    // Neighbours that will be the children of one node.
    NodeIndex add_children(std::uint32_t count, double value) { return add(room(count), value); }

    // All children of a node, or all its edges, at once: they are written whole.
    void adopt(NodeIndex parent, NodeIndex first, std::uint32_t count) {
        nodes_[parent].count = static_cast<std::uint16_t>(count);
        std::atomic_ref(nodes_[parent].first).store(first, std::memory_order_release);
    }

    NodeIndex add_edges(std::uint32_t count) {
        check_count(count);
        return edges_.allocate(count);
    }

    // One more child behind the others, in a store whose blocks grow; the block may move.
    NodeIndex append_child(NodeIndex parent, double value) {
        const std::uint32_t count = nodes_[parent].count;
        if (count == room(count)) {
            const NodeIndex moved = add(room(count + 1), value);
            for (std::uint32_t i = 0; i < count; ++i) {
                copy(nodes_[parent].first + i, moved + i);
            }
            nodes_[parent].first = moved;
        }
        const NodeIndex created = nodes_[parent].first + count;
        reset(created, value);
        nodes_[parent].count = static_cast<std::uint16_t>(count + 1);
        return created;
    }

    void copy(NodeIndex from, NodeIndex to) {
        nodes_[to] = nodes_[from];
        if (extras_.ranges) {
            ranges_[to] = ranges_[from];
        }
        if (extras_.rewards) {
            rewards_[to] = rewards_[from];
        }
        if (extras_.means) {
            means_[to] = means_[from];
        }
        if (extras_.keys) {
            keys_[to] = keys_[from];
        }
        if (extras_.raves) {
            raves_[to] = raves_[from];
        }
    }

    // What is not memorised begins with another value.
    void renew_initial(double value) {
        for (NodeIndex i = 0; i < nodes_.size(); ++i) {
            nodes_[i].value = nodes_[i].visits == 0 ? value : nodes_[i].value;
        }
        for (NodeIndex i = 0; i < edges_.size(); ++i) {
            edges_[i].initial = value;
        }
    }

    void clear() {
        nodes_.shrink(0);
        edges_.shrink(0);
        shrink_extras(0);
        index_.clear();
    }

    // Only what is below `root` stays, in place and in its order; `root` becomes node 0. Of a tree only.
    void keep_subtree(NodeIndex root);

    // The least visited nodes below `root` lose their children, so that at most `most_nodes` stay if that can be; `root` becomes node 0. Of a tree
    // only.
    void prune(NodeIndex root, std::uint32_t most_nodes);

    // Only what can be reached from `root` stays; returns where that is now. Of a graph only.
    NodeIndex keep_reachable(NodeIndex root);

    // Adds up the visits of a node's children. Of a tree only.
    void count_children(NodeIndex i) {
        std::uint32_t sum = 0;
        for (std::uint32_t k = 0; k < nodes_[i].count; ++k) {
            sum += nodes_[nodes_[i].first + k].visits;
        }
        nodes_[i].mark = sum;
    }

    // Counts become a share of what they were, but no memorised node is forgotten: at least one visit stays.
    void forget(double share, bool is_tree);

   private:
    static void check_count(std::uint32_t count) {
        if (count > Chunked<Node>::chunk_size) {
            throw InvalidArgumentError("a tree search takes at most " + std::to_string(Chunked<Node>::chunk_size) + " actions in a state, not " +
                                       std::to_string(count));
        }
    }

    // The slots of a block with so many children: the next power of two where it may grow.
    std::uint32_t room(std::uint32_t count) const { return extras_.growing && count > 0 ? std::bit_ceil(count) : count; }

    std::size_t chunk_bytes() const {
        const std::size_t one = sizeof(Node) + (extras_.ranges ? sizeof(Range) : 0) + (extras_.rewards ? sizeof(double) : 0) +
                                (extras_.means ? sizeof(double) : 0) + (extras_.keys ? sizeof(std::uint64_t) : 0) +
                                (extras_.raves ? sizeof(Rave) : 0);
        return one * Chunked<Node>::chunk_size;
    }

    void grow_extras() {
        const std::uint32_t size = nodes_.size();
        if (extras_.ranges) {
            ranges_.grow(size);
        }
        if (extras_.rewards) {
            rewards_.grow(size);
        }
        if (extras_.means) {
            means_.grow(size);
        }
        if (extras_.keys) {
            keys_.grow(size);
        }
        if (extras_.raves) {
            raves_.grow(size);
        }
    }

    void shrink_extras(std::uint32_t size) {
        if (extras_.ranges) {
            ranges_.shrink(size);
        }
        if (extras_.rewards) {
            rewards_.shrink(size);
        }
        if (extras_.means) {
            means_.shrink(size);
        }
        if (extras_.keys) {
            keys_.shrink(size);
        }
        if (extras_.raves) {
            raves_.shrink(size);
        }
    }

    void reset(NodeIndex i, double value) {
        nodes_[i] = Node{};
        nodes_[i].value = value;
        if (extras_.ranges) {
            ranges_[i] = Range{};
        }
        if (extras_.rewards) {
            rewards_[i] = 0;
        }
        if (extras_.means) {
            means_[i] = 0;
        }
        if (extras_.keys) {
            keys_[i] = 0;
        }
        if (extras_.raves) {
            raves_[i] = Rave{};
        }
    }

    Extras extras_;
    std::size_t most_bytes_;
    bool is_shared_ = false;
    alignas(cache_line) SpinLock growth_;
    Chunked<Node> nodes_;
    Chunked<Edge> edges_;
    Chunked<Range> ranges_;
    Chunked<double> rewards_;
    Chunked<double> means_;
    Chunked<std::uint64_t> keys_;
    Chunked<Rave> raves_;
    KeyIndex index_;
};

}  // namespace katachi
