// Alpha-beta over the game contract (Silver 2009, 3.3.1 and 5.7.9; Knuth and Moore 1975): full width to a fixed depth, deepened step
// by step, with a transposition table, killer moves, a history of cuts, an order by the evaluator's outlook, and null moves. For two
// players with constant sum, and for one, who only maximises.
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
// round them differently.) Nor does the order of moves. Null moves do: a state in which passing would be good enough at a smaller
// depth is not searched any further.
//
// The evaluator: a Cursor is what it keeps of a state on the way, copied from state to state; FunctionLeaves keeps nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
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
    bool killers = true;           // moves that were enough elsewhere at this distance from the root come early
    bool history = true;           // moves that were often enough come early
    bool outlook = true;           // moves come in the order of what the evaluator thinks of them, if it knows
    int null_reduction = 0;        // plies less that a null move is searched; 0: there are none

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

// Leaves valued by a function: what player 0 may expect from a state on that is not terminal.
template <GameState S>
class FunctionLeaves {
   public:
    struct Cursor {};

    explicit FunctionLeaves(std::function<double(const S&)> function) : function_(std::move(function)) {}

    void reset(Cursor& /*cursor*/, const S& /*state*/) const {}
    void follow(Cursor& /*cursor*/, const S& /*before*/, Action /*action*/) const {}
    double settled(const S& /*state*/, double earned) const { return earned; }
    double leaf(const S& state, double earned) const { return earned + function_(state); }
    std::optional<double> leaf_after(Cursor& /*cursor*/, const S& /*state*/, Action /*action*/) const { return std::nullopt; }
    std::optional<double> outlook(Cursor& /*cursor*/, const S& /*state*/, Action /*action*/) const { return std::nullopt; }

   private:
    std::function<double(const S&)> function_;
};

// A game in which a player may do nothing.
template <class S>
concept HasNullAction = requires(const S& state) {
    { state.null_action() } -> std::same_as<std::optional<Action>>;
};

template <GameState S, class Leaves>
class AlphaBeta final : public AlphaBetaSearch {
   public:
    // `actions`: what may be tried at the root.
    AlphaBeta(S root, const ActionBuffer& actions, const AlphaBetaOptions& options, Leaves leaves, bool calls_python)
        : AlphaBetaSearch(options.table_bytes), options_(options), leaves_(std::move(leaves)), calls_python_(calls_python) {
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
        leaves_.reset(frame.cursor, frame.state);
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
        const Action action = parent.null_move ? *parent.null_move : parent.actions[parent.next];
        child.alpha = parent.alpha;
        child.beta = parent.beta;
        child.remaining = parent.remaining - 1;
        if (top_ == 0) {
            open_root_window(child, action);
        } else if (parent.null_move) {
            open_null_window(child, parent);
        }
        const bool is_node = !is_valued(parent, child, action) && enter(parent, child, action);

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
    static constexpr std::size_t most_counted = 1 << 16;  // actions of a history

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
        int remaining = 0;      // plies
        std::uint64_t key = 0;
        typename Leaves::Cursor cursor{};
        std::optional<Action> null_move;  // is tried before all others
        bool is_cut = false;              // by the null move
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
        root.remaining = depth;
        order(root, 0, nullptr);
        if (!outcome_.line.empty()) {
            bring_forward(root.actions, 0, outcome_.line.front());
        }
        root.alpha = -infinity;
        root.beta = infinity;
        open(root);
        nodes_ = nodes_before_ = 0;
    }

    // THE place for the order of moves: that of the table, killers, then by outlook and history; the rest stays as the game gives it.
    void order(Frame& frame, std::size_t level, const TableEntry* known) {
        ActionBuffer& actions = frame.actions;
        if (frame.remaining >= 2 && (options_.outlook || options_.history)) {
            sort(frame);
        }
        std::size_t place = 0;
        if (known != nullptr) {
            place += bring_forward(actions, place, known->action);
        }
        if (options_.killers && level < killers_.size()) {
            for (const std::optional<Action>& killer : killers_[level]) {
                if (killer) {
                    place += bring_forward(actions, place, *killer);
                }
            }
        }
    }

    void sort(Frame& frame) {
        const double sign = frame.maximises ? 1 : -1;
        const auto& counts = history_[frame.maximises ? 0 : 1];
        keys_.clear();
        for (const Action action : frame.actions) {
            const std::optional<double> outlook = options_.outlook ? leaves_.outlook(frame.cursor, std::as_const(frame.state), action) : std::nullopt;
            const auto index = static_cast<std::size_t>(action.value);
            keys_.push_back({sign * outlook.value_or(0), index < counts.size() ? counts[index] : 0, -static_cast<int>(keys_.size()), action});
        }
        std::ranges::sort(
            keys_, [](const SortKey& a, const SortKey& b) { return std::tie(a.outlook, a.count, a.place) > std::tie(b.outlook, b.count, b.place); });
        std::ranges::transform(keys_, frame.actions.begin(), &SortKey::action);
    }

    // To a place before where it is now; how many places are filled by that.
    static std::size_t bring_forward(ActionBuffer& actions, std::size_t place, Action action) {
        const auto from = actions.begin() + static_cast<std::ptrdiff_t>(place);
        const auto found = std::find(from, actions.end(), action);
        if (found == actions.end()) {
            return 0;
        }
        std::rotate(from, found, found + 1);
        return 1;
    }

    // An action was enough: the rest is left out.
    void honour(const Frame& frame, std::size_t level, Action action) {
        const auto index = static_cast<std::size_t>(action.value);
        if (options_.history && index < most_counted) {
            auto& counts = history_[frame.maximises ? 0 : 1];
            counts.resize(std::max(counts.size(), index + 1));
            counts[index] += static_cast<std::uint64_t>(frame.remaining) * static_cast<std::uint64_t>(frame.remaining);
        }
        if (options_.killers) {
            if (killers_.size() <= level) {
                killers_.resize(level + 1);
            }
            auto& [first, second] = killers_[level];
            if (first != action) {
                second = std::exchange(first, action);
            }
        }
    }

    static void open(Frame& frame) {
        frame.first_alpha = frame.alpha;
        frame.first_beta = frame.beta;
        frame.best = frame.maximises ? -infinity : infinity;
        frame.is_proven = true;
        frame.next = 0;
        frame.null_move.reset();
        frame.is_cut = false;
        frame.line.clear();
    }

    // A leaf may have its value before it is reached.
    bool is_valued(Frame& parent, Frame& child, Action action) {
        if (child.remaining > 0) {
            return false;
        }
        const std::optional<double> value = leaves_.leaf_after(parent.cursor, std::as_const(parent.state), action);
        if (!value) {
            return false;
        }
        child.best = *value;
        child.is_proven = false;
        child.line.clear();
        return true;
    }

    // Goes on to the state after an action: true if it is to be searched, false if `best` is its value already.
    bool enter(const Frame& parent, Frame& frame, Action action) {
        frame.state = parent.state;
        frame.earned = parent.earned + play(frame.state, action, no_chance_);
        frame.line.clear();
        frame.is_proven = true;
        if (frame.state.is_terminal()) {
            frame.best = leaves_.settled(std::as_const(frame.state), frame.earned);
            return false;
        }
        if (frame.remaining <= 0) {
            frame.best = leaves_.leaf(std::as_const(frame.state), frame.earned);
            frame.is_proven = false;
            return false;
        }
        const TableEntry* known = nullptr;
        if (!table_.is_off()) {
            frame.key = frame.state.key();
            known = table_.find(frame.key);
        }
        const bool is_usable = known != nullptr && (known->depth == frame.remaining || (known->is_proven && known->depth <= frame.remaining));
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
        frame.cursor = parent.cursor;
        leaves_.follow(frame.cursor, parent.state, action);
        open(frame);
        order(frame, top_ + 1, known);
        if (is_usable && known->bound == Bound::exact && frame.actions.front() == known->action) {
            frame.actions.resize(1);
            frame.is_proven = known->is_proven;
        } else {
            choose_null_move(frame, parent);
        }
        return true;
    }

    // Doing nothing is tried where it may be enough: not twice in a row, and not without something that it must reach.
    void choose_null_move(Frame& frame, const Frame& parent) const {
        if constexpr (HasNullAction<S>) {
            const double goal = frame.maximises ? frame.beta : frame.alpha;
            if (options_.null_reduction > 0 && frame.remaining >= options_.null_reduction + 2 && !parent.null_move && std::isfinite(goal)) {
                frame.null_move = frame.state.null_action();
            }
        }
    }

    // Is it enough or not? Nothing else is asked.
    void open_null_window(Frame& child, const Frame& parent) const {
        child.remaining -= options_.null_reduction;
        if (parent.maximises) {
            child.alpha = std::nextafter(parent.beta, -infinity);
        } else {
            child.beta = std::nextafter(parent.alpha, infinity);
        }
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
            if (parent.null_move) {
                take_null(parent, child);
            } else {
                take(parent, child, level == 0);
            }
            if (!parent.is_cut && parent.next < parent.actions.size() && parent.alpha < parent.beta) {
                top_ = level;
                return;
            }
            if (level > 0 && !parent.is_cut) {
                if (parent.alpha >= parent.beta) {
                    honour(parent, level, parent.line.front());
                }
                remember(parent);
            }
        }
        finish_depth();
    }

    static void take_null(Frame& parent, const Frame& child) {
        parent.null_move.reset();
        if (parent.maximises ? child.best >= parent.beta : child.best <= parent.alpha) {
            parent.best = child.best;
            parent.is_proven = false;
            parent.is_cut = true;
        }
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

    void remember(const Frame& frame) {
        if (table_.is_off()) {
            return;
        }
        const Bound bound = frame.best <= frame.first_alpha ? Bound::upper : frame.best >= frame.first_beta ? Bound::lower : Bound::exact;
        table_.keep({.key = frame.key,
                     .value = frame.best - frame.earned,
                     .action = frame.line.front(),
                     .depth = static_cast<std::uint16_t>(frame.remaining),
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

    struct SortKey {
        double outlook;
        std::uint64_t count;
        int place;  // before sorting, counted downwards
        Action action;
    };

    AlphaBetaOptions options_;
    Leaves leaves_;
    bool calls_python_;
    Rng no_chance_{0};              // games of chance are refused
    std::vector<RootAction> root_;  // in the order of the game
    std::deque<Frame> frames_;      // frames_[0] is the root
    std::size_t top_ = 0;
    int depth_ = 0;                                              // of the present iteration
    std::uint64_t nodes_ = 0;                                    // of the present iteration
    std::uint64_t nodes_before_ = 0;                             // before the present root action
    std::array<std::vector<std::uint64_t>, 2> history_;          // by player and action: how often it was enough, deeper ones counting more
    std::vector<std::array<std::optional<Action>, 2>> killers_;  // by distance from the root: what was enough last
    std::vector<SortKey> keys_;
};

}  // namespace katachi
