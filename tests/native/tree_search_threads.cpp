// Threads that search one tree, for ThreadSanitizer (`make sanitize-threads`): every way of learning that they may have. The counts are exact.
#include <cstdio>
#include <memory>

#include "games/go/go_state.hpp"
#include "search/tree_search.hpp"

namespace {

using namespace katachi;
using State = go::GoState<go::SmallBoard>;

// Does every node below this one have the visits of its children, and those of episodes that ended in it?
bool adds_up(const TreeMemory& search, const NodeView& node, std::uint64_t& memorised) {
    ++memorised;
    std::uint64_t below = 0;
    for (const NodeView& child : search.children(node.index)) {
        below += child.visits;
        if (child.visits > 0 && !adds_up(search, child, memorised)) {
            return false;
        }
    }
    return below <= node.visits && node.visits == node.episodes;
}

bool run(const char* what, TreeSearchOptions options, std::uint64_t simulations = 3000) {
    options.threads = 3;
    const State root(go::SmallBoard({5, 5}), {.max_plies = 75});
    ActionBuffer actions;
    root.candidates(actions);
    TreeSearch<State> search(root, actions, options, {}, Rng(1), false);
    search.begin({.simulations = simulations, .steps = {}, .seconds = {}});
    while (!search.advance(Slice())) {
    }
    const NodeView top = search.node(search.root());
    std::uint64_t visits = 0;
    std::uint64_t memorised = 0;
    for (const RootAction& action : search.root_actions()) {
        visits += action.visits;
    }
    std::printf("%s: %d simulations, %d nodes, value %.3f\n", what, static_cast<int>(search.simulations()), static_cast<int>(search.nodes()),
                top.value);
    return search.simulations() == simulations && top.visits == simulations && visits == simulations && adds_up(search, top, memorised) &&
           memorised == search.nodes();
}

}  // namespace

int main() {
    TreeSearchOptions uct;
    uct.policy = Policy::named("mogo");
    TreeSearchOptions sarsa = uct;
    sarsa.learner = Learner::td;
    sarsa.lambda = 0.8;
    TreeSearchOptions rave = uct;
    rave.rave = RaveUse::mc_rave;
    TreeSearchOptions handcrafted = rave;
    handcrafted.prior = Prior::handcrafted;
    TreeSearchOptions grandfather = rave;
    grandfather.prior = Prior::grandfather;
    grandfather.prior_visits = 3;
    TreeSearchOptions both = sarsa;
    both.rave = RaveUse::uct_rave;
    TreeSearchOptions all = uct;
    all.new_nodes = {};
    TreeSearchOptions whole = uct;
    whole.expansion = Expansion::all_children;
    const bool is_right = run("UCT", uct) && run("Sarsa-UCT", sarsa) && run("MC-RAVE", rave) && run("a prior by rules", handcrafted) &&
                          run("the grandfather's values", grandfather) && run("Sarsa-UCT with RAVE", both) && run("all states", all, 300) &&
                          run("all children first", whole);
    if (!is_right) {
        std::puts("visits of threads have been lost");
    }
    return is_right ? 0 : 1;
}
