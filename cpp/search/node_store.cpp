#include "search/node_store.hpp"

#include <cmath>

namespace katachi {

namespace {

// The children of one node that stay: where they are, and where they go. The edges of one node: and whose they are.
struct Block {
    NodeIndex from;
    std::uint32_t count;
    NodeIndex to = no_node;
};

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
    std::vector<NodeIndex> open{root};
    while (!open.empty()) {
        const Node& node = nodes_[open.back()];
        open.pop_back();
        if (node.first != no_node) {
            blocks.push_back({node.first, node.count});
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
        const std::uint32_t wanted = room(block.count);
        block.to = next_place<Chunked<Node>>(size, wanted);
        size = block.to + wanted;
    }
    const auto move = [&](NodeIndex from, NodeIndex to) {
        copy(from, to);
        if (nodes_[to].first != no_node) {
            nodes_[to].first = std::ranges::lower_bound(blocks, nodes_[to].first, {}, &Block::from)->to;
        }
    };
    move(root, 0);
    for (const Block& block : blocks) {
        for (std::uint32_t i = 0; i < block.count; ++i) {
            move(block.from + i, block.to + i);
        }
    }
    nodes_.shrink(size);
    shrink_extras(size);
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
    std::vector<Block> blocks;
    blocks.reserve(most_blocks);
    std::uint32_t size = 0;
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        if (places[i] != no_node) {
            places[i] = size++;
            copy(i, places[i]);
            if (nodes_[places[i]].count > 0) {
                blocks.push_back({nodes_[places[i]].first, nodes_[places[i]].count, places[i]});
            }
        }
    }
    nodes_.shrink(size);
    shrink_extras(size);
    std::ranges::sort(blocks, {}, &Block::from);
    std::uint32_t edges = 0;
    for (const Block& block : blocks) {
        const NodeIndex first = next_place<Chunked<Edge>>(edges, block.count);
        for (std::uint32_t i = 0; i < block.count; ++i) {
            Edge& edge = edges_[first + i];
            edge = edges_[block.from + i];
            edge.node = edge.node == no_node ? no_node : places[edge.node];
        }
        nodes_[block.to].first = first;
        edges = first + block.count;
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
