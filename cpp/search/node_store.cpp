#include "search/node_store.hpp"

#include <cmath>

namespace katachi {

namespace {

// The children of one node that stay: where they are, and where they go.
struct Block {
    NodeIndex from;
    std::uint32_t count;
    NodeIndex to = no_node;
};

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
        if (Chunked<Node>::chunk_size - (size & (Chunked<Node>::chunk_size - 1)) < wanted) {
            size = (size | (Chunked<Node>::chunk_size - 1)) + 1;
        }
        block.to = size;
        size += wanted;
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

void NodeStore::forget(double share, bool is_tree) {
    for (NodeIndex i = 0; i < nodes_.size(); ++i) {
        Node& node = nodes_[i];
        for (std::uint32_t* count : {&node.visits, &node.episodes}) {
            *count = *count == 0 ? 0 : std::max(1U, static_cast<std::uint32_t>(std::lround(share * *count)));
        }
    }
    for (NodeIndex i = 0; is_tree && i < nodes_.size(); ++i) {
        if (nodes_[i].first != no_node) {
            count_children(i);
        }
    }
}

}  // namespace katachi
