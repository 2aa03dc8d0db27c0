#include "search/node_store.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace katachi {

namespace {

// The children of one node that stay: where they are, and where they go. How many they are is told by a bit at the last one:
// lists like these lie on top of a memory that may be full.
struct Block {
    NodeIndex from;
    NodeIndex to = no_node;
};

std::uint32_t block_size(const std::vector<bool>& is_last, NodeIndex from) {
    NodeIndex i = from;
    while (!is_last[i]) {
        ++i;
    }
    return i - from + 1;
}

std::uint32_t remaining(std::uint32_t count, double share) {
    return count == 0 ? 0 : std::max(1U, static_cast<std::uint32_t>(std::lround(share * count)));
}

// By the rule of `allocate`: a block does not cross the end of a chunk.
template <class Chunks>
std::uint32_t next_place(std::uint32_t size, std::uint32_t count) {
    return Chunks::chunk_size - (size & (Chunks::chunk_size - 1)) < count ? (size | (Chunks::chunk_size - 1)) + 1 : size;
}

}  // namespace

void NodeStore::keep_subtree(NodeIndex root) {
    // Room for all there can be: a list that grows would be held twice, on top of a memory that may be full.
    std::size_t most_blocks = 0;
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        most_blocks += nodes_[i].first != no_node ? 1 : 0;
    }
    std::vector<Block> blocks;
    blocks.reserve(most_blocks);
    std::vector<bool> is_last(nodes_.size());
    std::vector<NodeIndex> open{root};
    while (!open.empty()) {
        const Node& node = nodes_[open.back()];
        open.pop_back();
        if (node.count > 0) {
            blocks.push_back({node.first});
            is_last[node.first + node.count - 1] = true;
            for (NodeIndex i = node.first; i < node.first + node.count; ++i) {
                if (nodes_[i].first != no_node) {
                    open.push_back(i);
                }
            }
        }
    }
    std::ranges::sort(blocks, {}, &Block::from);
    // The same rule of allocation places every block behind fewer others: it moves down or stays.
    std::uint32_t size = 1;
    for (Block& block : blocks) {
        const std::uint32_t wanted = room(block_size(is_last, block.from));
        block.to = next_place<Chunked<Node>>(size, wanted);
        size = block.to + wanted;
    }
    const auto move = [&](NodeIndex from, NodeIndex to) {
        copy(from, to);
        nodes_[to].first = nodes_[to].count == 0 ? no_node : std::ranges::lower_bound(blocks, nodes_[to].first, {}, &Block::from)->to;
    };
    move(root, 0);
    for (const Block& block : blocks) {
        const std::uint32_t count = block_size(is_last, block.from);
        for (std::uint32_t i = 0; i < count; ++i) {
            move(block.from + i, block.to + i);
        }
    }
    nodes_.shrink(size);
    shrink_extras(size);
}

void NodeStore::prune(NodeIndex root, std::uint32_t most_nodes) {
    // A node has no more visits than its parent, so that what has enough of them is a tree. How many nodes hang below those with 2^k visits or
    // more, but less than the next power?
    std::array<std::uint64_t, 33> below{};
    std::vector<NodeIndex> open{root};
    while (!open.empty()) {
        const Node& node = nodes_[open.back()];
        open.pop_back();
        below[static_cast<std::size_t>(std::bit_width(node.visits))] += node.count;
        for (NodeIndex i = node.first; i < node.first + node.count; ++i) {
            if (nodes_[i].first != no_node) {
                open.push_back(i);
            }
        }
    }
    std::size_t width = below.size();
    std::uint64_t kept = 0;
    while (width > 0 && kept + below[width - 1] <= most_nodes) {
        --width;
        kept += below[width];
    }
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        if (i != root && nodes_[i].first != no_node && static_cast<std::size_t>(std::bit_width(nodes_[i].visits)) < width) {
            nodes_[i].first = no_node;
            nodes_[i].count = 0;
            nodes_[i].mark = 0;
        }
    }
    keep_subtree(root);
}

NodeIndex NodeStore::keep_reachable(NodeIndex root) {
    constexpr NodeIndex met = 0;
    std::vector<NodeIndex> places(nodes_.size(), no_node);
    std::vector<NodeIndex> open{root};
    places[root] = met;
    std::uint32_t most_blocks = 0;
    while (!open.empty()) {
        const Node& node = nodes_[open.back()];
        open.pop_back();
        most_blocks += node.count > 0 ? 1 : 0;
        for (NodeIndex i = node.first; i < node.first + node.count; ++i) {
            Edge& edge = edges_[i];
            if (edge.node == no_node) {
                edge.node = index_.find(edge.key);
            }
            if (edge.node != no_node && places[edge.node] == no_node) {
                places[edge.node] = met;
                open.push_back(edge.node);
            }
        }
    }
    // Everything moves down or stays, in its order.
    std::vector<std::pair<NodeIndex, NodeIndex>> blocks;  // the first edge of a node, and that node
    blocks.reserve(most_blocks);
    std::uint32_t size = 0;
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        if (places[i] != no_node) {
            places[i] = size++;
            copy(i, places[i]);
            if (nodes_[places[i]].count > 0) {
                blocks.emplace_back(nodes_[places[i]].first, places[i]);
            }
        }
    }
    nodes_.shrink(size);
    shrink_extras(size);
    std::ranges::sort(blocks);
    std::uint32_t edges = 0;
    for (const auto& [from, node] : blocks) {
        const std::uint32_t count = nodes_[node].count;
        const NodeIndex first = next_place<Chunked<Edge>>(edges, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            Edge& edge = edges_[first + i];
            edge = edges_[from + i];
            edge.node = edge.node == no_node ? no_node : places[edge.node];
        }
        nodes_[node].first = first;
        edges = first + count;
    }
    edges_.shrink(edges);
    index_.move(places);
    return places[root];
}

void NodeStore::forget(double share, bool is_tree) {
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        Node& node = nodes_[i];
        node.visits = remaining(node.visits, share);
        node.episodes = remaining(node.episodes, share);
        if (extras_.raves) {
            raves_[i] = {share * raves_[i].sum, share * raves_[i].count};
        }
    }
    for (NodeIndex i = 0; is_tree && i < nodes_.size(); ++i) {
        if (nodes_[i].first != no_node) {
            count_children(i);
        }
    }
    for (NodeIndex i = 0; i < edges_.size(); ++i) {
        edges_[i].visits = remaining(edges_[i].visits, share);
    }
}

}  // namespace katachi
