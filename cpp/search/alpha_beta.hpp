// Alpha-beta over the game contract (Silver 2009, 3.3.1 and 5.7.9; Knuth and Moore 1975): full width to a fixed depth, deepened step
// by step, with a transposition table. For two players with constant sum, and for one, who only maximises.
//
// Values are player 0's, and *totals*: what has been earned on the way from the root, and at a leaf what the evaluator expects from
// there on. A terminal state is worth what was earned. Player 0 maximises, player 1 minimises; nothing changes sides.
// The search is fail-soft: outside its window a value is a bound.
//
// There is no recursion but a stack of frames, and one call of `simulate` plays one action: so the search can be left after
// any node and taken up again, and its outcome does not depend on where that happens.
//
// The table never changes a value, only the effort: an entry counts for its own depth, or, if no evaluated leaf had a part in it,
// for any greater one. An exact entry inside the window is not returned but followed: its action alone is searched again, so that
// the principal variation always goes down to the leaf that its value comes from. (Where steps earn fractions the table may
// round them differently.)
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "games/game_state.hpp"
#include "search/search.hpp"
#include "search/transposition_table.hpp"

namespace katachi {

struct AlphaBetaOptions {
    int depth = 1;                 // plies
    bool is_iterative = true;      // depth 1, 2, … or at once the full depth
    bool legal_moves = false;      // all that is legal instead of the candidates
    bool all_root_values = false;  // every root action with an open window: exact values, and more work
    std::size_t table_bytes = 0;   // 0: no table

    static constexpr int deepest = 10'000;
};

// What an alpha-beta search shows, whatever its game: the outcome of the last depth that it finished.
class AlphaBetaSearch : public Search {
   public:
    struct Outcome {
        int depth = 0;  // 0: nothing is finished yet
        double value = 0;
        std::vector<Action> line;  // the principal variation
        bool is_exact = false;     // no leaf was evaluated: this is the value of the game
        std::vector<RootAction> root_actions;
    };

    int depth() const { return outcome_.depth; }
    double value() const { return outcome_.value; }
    std::vector<Action> line() const { return outcome_.line; }
    bool is_exact() const { return outcome_.is_exact; }
    std::size_t table_bytes() const { return table_.bytes(); }

    // Visits are nodes below the action. Of all but the best, the value is a bound: they are no better than that.
    std::vector<RootAction> root_actions() const override { return outcome_.root_actions; }

   protected:
    explicit AlphaBetaSearch(std::size_t table_bytes) : table_(table_bytes) {}

    TranspositionTable table_;
    Outcome outcome_;
};

// `Evaluate`: double(const S&), what player 0 may expect from a state on that is not terminal.
template <GameState S, class Evaluate>
class AlphaBeta final : public AlphaBetaSearch {
   public:
    // `actions`: what may be tried at the root.
    AlphaBeta(S root, const ActionBuffer& actions, const AlphaBetaOptions& options, Evaluate evaluate, bool calls_python)
        : AlphaBetaSearch(options.table_bytes), options_(options), evaluate_(std::move(evaluate)), calls_python_(calls_python) {
        if (!root.facts().deterministic) {
            throw InvalidArgumentError("alpha-beta needs a game without chance");
        }
        if (options.depth < 1 || options.depth > AlphaBetaOptions::deepest) {
            throw InvalidArgumentError("alpha-beta: the depth must be from 1 to " + std::to_string(AlphaBetaOptions::deepest) + ", not " +
                                       std::to_string(options.depth));
        }
        ActionBuffer legal;
        root.legal_actions(legal);
        for (const Action action : actions) {
            if (std::ranges::find(legal, action) == legal.end()) {
                throw IllegalMoveError("action " + std::to_string(action.value) + " is not legal in\n" + root.text());
            }
            root_.push_back({.action = action});
        }
        Frame& frame = frames_.emplace_back(std::move(root));
        frame.maximises = frame.state.to_play() == Player::black;
        start(options.is_iterative ? 1 : options.depth);
    }

    bool calls_python() const override { return calls_python_; }

    double progress() const override {
        return std::max(Search::progress(), is_finished() ? 1.0 : static_cast<double>(outcome_.depth) / static_cast<double>(options_.depth));
    }

   protected:
    bool is_finished() const override { return root_.empty() || outcome_.is_exact || outcome_.depth == options_.depth; }
    bool has_answer() const override { return outcome_.depth > 0 || !options_.is_iterative; }

    // Plays the next action of the frame on top. Whatever may throw comes first and writes only to the frame above.
    std::uint64_t simulate() override {
        Frame& parent = frames_[top_];
        if (top_ + 1 == frames_.size()) {
            frames_.emplace_back(parent.state);
        }
        Frame& child = frames_[top_ + 1];
        const Action action = parent.actions[parent.next];
        child.state = parent.state;
        child.earned = parent.earned + play(child.state, action, no_chance_);
        child.alpha = parent.alpha;
        child.beta = parent.beta;
        if (top_ == 0) {
            open_root_window(child, action);
        }
        const bool is_node = enter(child, depth_ - static_cast<int>(top_) - 1);

        ++nodes_;
        if (is_node) {
            ++top_;
        } else {
            give_up_to(top_ + 1);
        }
        return 1;
    }

   private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    struct Frame {
        explicit Frame(S start) : state(std::move(start)) {}

        S state;
        double earned = 0;         // from the root to here
        double alpha = -infinity;  // the window: narrowed as values come in …
        double beta = infinity;
        double first_alpha = -infinity;  // … and as it was
        double first_beta = infinity;
        double best = 0;
        bool maximises = true;
        bool is_proven = true;  // no evaluated leaf below
        std::uint64_t key = 0;
        ActionBuffer actions;
        std::size_t next = 0;
        std::vector<Action> line;  // the best continuation; empty at a leaf
    };

    void start(int depth) {
        depth_ = depth;
        Frame& root = frames_[0];
        root.actions.clear();
        for (const RootAction& statistics : root_) {
            root.actions.push_back(statistics.action);
        }
        if (!outcome_.line.empty()) {
            order(root.actions, outcome_.line.front());
        }
        root.alpha = -infinity;
        root.beta = infinity;
        open(root);
        nodes_ = nodes_before_ = 0;
    }

    // THE place for the order of moves: the move of the table first. Killer and history moves would come next; the rest stays as the
    // game gives it.
    static void order(ActionBuffer& actions, Action first) {
        const auto found = std::ranges::find(actions, first);
        if (found != actions.end()) {
            std::rotate(actions.begin(), found, found + 1);
        }
    }

    static void open(Frame& frame) {
        frame.first_alpha = frame.alpha;
        frame.first_beta = frame.beta;
        frame.best = frame.maximises ? -infinity : infinity;
        frame.is_proven = true;
        frame.next = 0;
        frame.line.clear();
    }

    // A state has been reached, with `remaining` plies to go: true if it is to be searched, false if `best` is its value already.
    bool enter(Frame& frame, int remaining) {
        frame.line.clear();
        frame.is_proven = true;
        frame.best = frame.earned;
        if (frame.state.is_terminal()) {
            return false;
        }
        if (remaining == 0) {
            frame.best += evaluate_(std::as_const(frame.state));
            frame.is_proven = false;
            return false;
        }
        const TableEntry* known = nullptr;
        if (!table_.is_off()) {
            frame.key = frame.state.key();
            known = table_.find(frame.key);
        }
        const bool is_usable = known != nullptr && (known->depth == remaining || (known->is_proven && known->depth <= remaining));
        if (is_usable) {
            const double total = frame.earned + known->value;
            if ((known->bound != Bound::upper && total >= frame.beta) || (known->bound != Bound::lower && total <= frame.alpha)) {
                frame.best = total;
                frame.is_proven = known->is_proven;
                return false;
            }
        }
        if (options_.legal_moves) {
            frame.state.legal_actions(frame.actions);
            if (frame.actions.empty()) {
                throw GameContractError("no action in a state that is not terminal:\n" + frame.state.text());
            }
        } else {
            candidates(frame.state, frame.actions);
        }
        frame.maximises = frame.state.to_play() == Player::black;
        open(frame);
        if (known != nullptr) {
            order(frame.actions, known->action);
            if (is_usable && known->bound == Bound::exact && frame.actions.front() == known->action) {
                frame.actions.resize(1);
                frame.is_proven = known->is_proven;
            }
        }
        return true;
    }

    // At the root the first best action in the order of the game is the answer, in whatever order they are tried: one that comes
    // before the present best need only be as good.
    void open_root_window(Frame& child, Action action) const {
        const Frame& root = frames_[0];
        if (options_.all_root_values) {
            child.alpha = -infinity;
            child.beta = infinity;
        } else if (!root.line.empty() && rank(action) < rank(root.line.front())) {
            (root.maximises ? child.alpha : child.beta) = std::nextafter(root.best, root.maximises ? -infinity : infinity);
        }
    }

    std::size_t rank(Action action) const { return static_cast<std::size_t>(std::ranges::find(root_, action, &RootAction::action) - root_.begin()); }

    // The frame at `level` has its value: its parent takes it, and goes the same way if that was all it needed.
    void give_up_to(std::size_t level) {
        while (level > 0) {
            const Frame& child = frames_[level];
            Frame& parent = frames_[--level];
            take(parent, child, level == 0);
            if (parent.next < parent.actions.size() && parent.alpha < parent.beta) {
                top_ = level;
                return;
            }
            if (level > 0) {
                remember(parent, depth_ - static_cast<int>(level));
            }
        }
        finish_depth();
    }

    void take(Frame& parent, const Frame& child, bool is_root) {
        const Action action = parent.actions[parent.next++];
        parent.is_proven = parent.is_proven && child.is_proven;
        bool is_better = parent.line.empty() || (parent.maximises ? child.best > parent.best : child.best < parent.best);
        if (is_root) {
            RootAction& statistics = root_[rank(action)];
            statistics.value = child.best;
            statistics.visits = nodes_ - std::exchange(nodes_before_, nodes_);
            is_better = is_better || (child.best == parent.best && rank(action) < rank(parent.line.front()));
        }
        if (!is_better) {
            return;
        }
        parent.best = child.best;
        parent.line.assign(1, action);
        parent.line.insert(parent.line.end(), child.line.begin(), child.line.end());
        if (parent.maximises) {
            parent.alpha = std::max(parent.alpha, parent.best);
        } else {
            parent.beta = std::min(parent.beta, parent.best);
        }
    }

    void remember(const Frame& frame, int remaining) {
        if (table_.is_off()) {
            return;
        }
        const Bound bound = frame.best <= frame.first_alpha ? Bound::upper : frame.best >= frame.first_beta ? Bound::lower : Bound::exact;
        table_.keep({.key = frame.key,
                     .value = frame.best - frame.earned,
                     .action = frame.line.front(),
                     .depth = static_cast<std::uint16_t>(remaining),
                     .bound = bound,
                     .is_proven = frame.is_proven});
    }

    void finish_depth() {
        const Frame& root = frames_[0];
        outcome_ = {.depth = depth_, .value = root.best, .line = root.line, .is_exact = root.is_proven, .root_actions = root_};
        top_ = 0;
        if (!is_finished()) {
            start(depth_ + 1);
        }
    }

    AlphaBetaOptions options_;
    Evaluate evaluate_;
    bool calls_python_;
    Rng no_chance_{0};              // games of chance are refused
    std::vector<RootAction> root_;  // in the order of the game
    std::deque<Frame> frames_;      // frames_[0] is the root
    std::size_t top_ = 0;
    int depth_ = 0;                   // of the present iteration
    std::uint64_t nodes_ = 0;         // of the present iteration
    std::uint64_t nodes_before_ = 0;  // before the present root action
};

}  // namespace katachi
