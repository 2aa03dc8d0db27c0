// What a tree search memorises: nodes with their statistics, in one store with 32-bit indices.
//
// Tree: the children of a node are neighbours in the store, one slot for each action, made at once. A slot is memorised when it
// has been visited; before that its value is what it would begin with. Graph: nodes are found by the keys of their states,
// and a block of edges leads to them. Where a game has chance and its outcomes are observed, the slot of an action has the
// outcomes as its children, and they the next actions.
//
// What only some settings need lies in parallel arrays: the bounds of a node's successors, the reward on entering, the mean
// beside a backed-up value, keys. Statistics that later searches share between actions go the same way.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/types.hpp"
#include "search/chunked.hpp"

namespace katachi {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex no_node = std::numeric_limits<NodeIndex>::max();

struct Node {
    double value = 0;            // V, player 0's; in the afterstate convention with the reward on entering
    std::uint32_t visits = 0;    // n: every visit
    std::uint32_t episodes = 0;  // n_e: the episodes with a visit
    NodeIndex first = no_node;   // the first child, or the first edge of a graph
    std::uint32_t count = 0;     // how many
    Action action;               // tree: what leads here
    // Tree: the visits of all children. Graph: where the node stands in the present episode, if it does.
    std::uint32_t mark = 0;
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

// Keys to nodes: open addressing, at most half full.
class KeyIndex {
   public:
    NodeIndex find(std::uint64_t key) const {
        if (slots_.empty()) {
            return no_node;
        }
        for (std::size_t i = key & mask();; i = (i + 1) & mask()) {
            if (slots_[i].node == no_node || slots_[i].key == key) {
                return slots_[i].node;
            }
        }
    }

    void insert(std::uint64_t key, NodeIndex node) {
        if ((size_ + 1) * 2 > slots_.size()) {
            std::vector<Slot> old(std::max<std::size_t>(1024, slots_.size() * 2));
            old.swap(slots_);
            for (const Slot& slot : old) {
                if (slot.node != no_node) {
                    place(slot);
                }
            }
        }
        place({key, node});
        ++size_;
    }

    std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }
    // What `bytes` would be after one more.
    std::size_t bytes_for_one_more() const {
        return (size_ + 1) * 2 > slots_.size() ? std::max<std::size_t>(1024, slots_.size() * 2) * sizeof(Slot) : bytes();
    }
    void clear() {
        slots_.clear();
        slots_.shrink_to_fit();
        size_ = 0;
    }

   private:
    struct Slot {
        std::uint64_t key = 0;
        NodeIndex node = no_node;
    };
    std::size_t mask() const { return slots_.size() - 1; }
    void place(const Slot& slot) {
        std::size_t i = slot.key & mask();
        while (slots_[i].node != no_node) {
            i = (i + 1) & mask();
        }
        slots_[i] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

class NodeStore {
   public:
    // Which parallel arrays there are.
    struct Extras {
        bool ranges = false;
        bool rewards = false;
        bool means = false;
        bool keys = false;
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
    KeyIndex& index() { return index_; }
    const KeyIndex& index() const { return index_; }
    const Extras& extras() const { return extras_; }

    std::uint32_t size() const { return nodes_.size(); }
    std::size_t bytes() const {
        return nodes_.bytes() + edges_.bytes() + ranges_.bytes() + rewards_.bytes() + means_.bytes() + keys_.bytes() + index_.bytes();
    }

    // Is there room for so many more nodes and edges?
    bool has_room(std::uint32_t nodes, std::uint32_t edges = 0) const {
        std::size_t more = fits(nodes_, nodes) ? 0 : chunk_bytes();
        more += fits(edges_, edges) ? 0 : sizeof(Edge) * Chunked<Edge>::chunk_size;
        more += index_.bytes() == 0 && edges == 0 ? 0 : index_.bytes_for_one_more() - index_.bytes();
        return bytes() + more <= most_bytes_ && nodes_.size() < no_node - 2 * Chunked<Node>::chunk_size;
    }

    // Neighbours, all new.
    NodeIndex add(std::uint32_t count, double value) {
        if (count > Chunked<Node>::chunk_size) {
            throw InvalidArgumentError("a tree search takes at most " + std::to_string(Chunked<Node>::chunk_size) + " actions in a state, not " +
                                       std::to_string(count));
        }
        const NodeIndex first = nodes_.allocate(count);
        grow_extras();
        for (NodeIndex i = first; i < first + count; ++i) {
            reset(i, value);
        }
        return first;
    }

    // All children of a node at once.
    NodeIndex add_children(NodeIndex parent, std::uint32_t count, double value) {
        const NodeIndex first = add(room(count), value);
        nodes_[parent].first = first;
        nodes_[parent].count = count;
        return first;
    }

    NodeIndex add_edges(std::uint32_t count) {
        const NodeIndex first = edges_.allocate(count);
        for (NodeIndex i = first; i < first + count; ++i) {
            edges_[i] = Edge{};
        }
        return first;
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
        nodes_[parent].count = count + 1;
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
    // The slots of a block with so many children: the next power of two where it may grow.
    std::uint32_t room(std::uint32_t count) const { return extras_.growing && count > 0 ? std::bit_ceil(count) : count; }

    template <class T>
    static bool fits(const Chunked<T>& chunked, std::uint32_t count) {
        const std::uint32_t used = chunked.size() & (Chunked<T>::chunk_size - 1);
        return count == 0 || (used != 0 && Chunked<T>::chunk_size - used >= count);
    }

    std::size_t chunk_bytes() const {
        const std::size_t one = sizeof(Node) + (extras_.ranges ? sizeof(Range) : 0) + (extras_.rewards ? sizeof(double) : 0) +
                                (extras_.means ? sizeof(double) : 0) + (extras_.keys ? sizeof(std::uint64_t) : 0);
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
    }

    Extras extras_;
    std::size_t most_bytes_;
    Chunked<Node> nodes_;
    Chunked<Edge> edges_;
    Chunked<Range> ranges_;
    Chunked<double> rewards_;
    Chunked<double> means_;
    Chunked<std::uint64_t> keys_;
    KeyIndex index_;
};

}  // namespace katachi
