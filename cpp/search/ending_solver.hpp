// Endings of Go solved exactly, on boards of at most 49 points: who wins if both play as well as can be.
//
// What is proven. Somebody, the prover, reaches a goal (Black wins, White wins, or, where komi allows draws, at least draws) within a number
// of plies, whatever the opponent does. The opponent may do all that simple ko allows: fill eyes, throw in, pass, and kill himself where the
// rules allow it. The prover may do less (no suicides, no eyes of his own filled): that costs proofs, never their truth. A game ends with two
// passes and is counted by area, all stones alive.
//
// How. Depth-first search with growing depth, for the goals of both players in turn. "Won within d plies" and "not won within d plies" are
// facts about a state (stones, player to move, ko, passes) and not about the way to it, so a table of states is exact, repetitions included:
// who goes round in circles runs out of plies. States are compared as a whole, not by hash codes. Unconditional life ends lines early: who
// holds enough of the board for ever may pass for ever.
//
// Superko. Under it values depend on the history, and the table knows none. But forbidding a repetition takes moves away: from the opponent,
// which does no harm to a proof; from the prover, which might. So the strategy that was found is walked through (all answers of the opponent):
// none of the prover's moves may make a colouring of the game's history, or one that can have been met on the way. Then the proof holds under
// positional superko with this history, and under situational superko, too. If that fails, nothing is claimed.
//
// Pinned by tests/differential/test_endings.py against src/katachi/reference/endings.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/slice.hpp"
#include "games/go/position.hpp"
#include "games/go/unconditional_life.hpp"

namespace katachi::go {

// A state in two words: stones, and above those of Black ko, passes and player to move. Without these it is a colouring.
struct EndingState {
    static constexpr int most_points = 49;

    PointSet black = 0;
    PointSet white = 0;

    static EndingState of(const SmallBoard& board);
    EndingState colouring() const { return {black & ((PointSet{1} << most_points) - 1), white}; }
    bool operator==(const EndingState&) const = default;
};

struct EndingStateHash {
    std::size_t operator()(const EndingState& state) const;
};

struct EndingGoal {
    Player player = Player::black;
    bool with_draws = false;  // a draw is enough
};

// What a search needs to know of the game.
struct EndingRules {
    double white_points = 7.5;
    bool suicide = false;
    bool superko = true;

    bool reaches(const EndingGoal& goal, double score) const {
        const double margin = goal.player == Player::black ? score - white_points : white_points - score;
        return margin > 0 || (goal.with_draws && margin == 0);
    }
};

// One goal: what is known of it, and the search for it.
class EndingProof {
   public:
    EndingProof(const SmallBoard& root, const EndingRules& rules, EndingGoal goal);

    // Searches for a win within so many plies until it is found or refuted (true), or the slice expires or no node is left (false).
    bool search(int depth, SliceTicker& ticker, std::uint64_t& nodes_left);
    bool is_proven() const { return proven_; }
    // Is the strategy that was found legal under superko after this history? Call it again until it is done (true).
    bool check_superko(const std::unordered_set<EndingState, EndingStateHash>& history, SliceTicker& ticker);
    bool obeys_superko() const { return obeys_superko_; }

   private:
    static constexpr std::uint8_t unknown = 255;
    static constexpr std::uint8_t hopeless = 254;  // no depth helps

    // Won within `win` plies by `move`, or not within `failed` ones, refuted by `move`.
    struct Entry {
        std::uint8_t win = unknown;
        std::uint8_t failed = 0;
        std::uint8_t move = unknown;
    };
    struct Frame {
        SmallBoard board;
        EndingState state;
        int depth = 0;
        int longest = 0;  // of the answers that were won
        std::array<std::uint8_t, EndingState::most_points + 1> moves{};
        int count = 0;
        int next = 0;
    };
    // Is it won within the depth, and within how many plies? Nothing: it has to be searched.
    struct Answer {
        bool won = false;
        int plies = 0;
    };
    // A state of the strategy, for the check of superko.
    struct Step {
        EndingState state;
        bool by_prover = false;  // made by a stone of the prover
        std::vector<std::size_t> answers;
    };
    struct Walk {
        SmallBoard board;
        std::size_t step = 0;
    };

    bool is_provers(const SmallBoard& board) const { return board.to_play() == goal_.player; }
    std::optional<Answer> look(const SmallBoard& board, const EndingState& state, int depth);
    bool is_safe_win(const SmallBoard& board, const EndingState& state, Player player) const;
    void enter(const SmallBoard& board, int depth);
    void take(Frame& frame, const Answer& got);
    void leave(const Answer& answer);
    void list_moves(Frame& frame) const;
    std::size_t add_step(const SmallBoard& board, bool by_prover);
    bool can_repeat() const;
    bool is_reachable(std::size_t from, std::size_t to) const;

    SmallBoard root_;
    EndingRules rules_;
    EndingGoal goal_;
    PointSets points_;
    std::unordered_map<EndingState, Entry, EndingStateHash> table_;
    std::vector<Frame> frames_;
    std::size_t level_ = 0;
    std::optional<Answer> returned_;
    bool proven_ = false;
    bool obeys_superko_ = false;
    std::vector<Step> steps_;
    std::unordered_map<EndingState, std::size_t, EndingStateHash> step_of_;
    std::vector<Walk> walks_;
};

class EndingSolver final : public Job {
   public:
    enum class Verdict : std::uint8_t { proven, out_of_nodes, superko };

    // Throws InvalidArgumentError for boards of more than 49 points.
    EndingSolver(const Position<SmallBoard>& position, std::uint64_t most_nodes);

    Verdict verdict() const { return verdict_; }
    double outcome() const { return outcome_; }  // Black's z, if it is proven
    int depth() const { return depth_; }         // plies of the last search
    std::uint64_t nodes() const { return most_nodes_ - nodes_left_; }

    bool advance(const Slice& slice) override;
    double progress() const override { return is_done_ ? 1.0 : static_cast<double>(nodes()) / static_cast<double>(most_nodes_); }

   private:
    static constexpr int deepest = 200;

    bool finish(double outcome);
    std::optional<double> proven_outcome() const;

    EndingRules rules_;
    std::unordered_set<EndingState, EndingStateHash> history_;
    std::vector<EndingProof> proofs_;
    std::size_t current_ = 0;
    int depth_ = 1;
    std::uint64_t most_nodes_;
    std::uint64_t nodes_left_;
    double outcome_ = 0.5;
    Verdict verdict_ = Verdict::out_of_nodes;
    bool is_checking_ = false;
    bool is_done_ = false;
};

}  // namespace katachi::go
