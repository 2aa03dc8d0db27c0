#include "search/ending_solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/hash.hpp"

namespace katachi::go {

namespace {

constexpr int ko_shift = EndingState::most_points;  // 0: none, else the point and one
constexpr int passes_shift = ko_shift + 6;
constexpr int player_shift = passes_shift + 2;

PointSet stones_of(const SmallBoard& board, Player player) {
    PointSet stones = 0;
    const Geometry geometry = board.geometry();
    for (int i = 0; i < geometry.area(); ++i) {
        stones |= static_cast<PointSet>(board.colour(geometry.padded_point(i)) == colour_of(player)) << i;
    }
    return stones;
}

void play_move(SmallBoard& board, int move) {
    const Geometry geometry = board.geometry();
    if (move == geometry.area()) {
        board.pass();
    } else {
        board.play(geometry.padded_point(move));
    }
}

}  // namespace

EndingState EndingState::of(const SmallBoard& board) {
    const int ko = board.ko() == no_point ? 0 : board.geometry().dense(board.ko()) + 1;
    const PointSet rest = static_cast<PointSet>(ko) << ko_shift | static_cast<PointSet>(board.passes()) << passes_shift |
                          static_cast<PointSet>(index_of(board.to_play())) << player_shift;
    return {stones_of(board, Player::black) | rest, stones_of(board, Player::white)};
}

std::size_t EndingStateHash::operator()(const EndingState& state) const { return mix64(mix64(state.black + golden_gamma) ^ state.white); }

EndingProof::EndingProof(const SmallBoard& root, const EndingRules& rules, EndingGoal goal)
    : root_(root), rules_(rules), goal_(goal), points_(root.geometry()) {}

// Does a player hold enough for ever that the prover has reached his goal (the prover's area), or never will (the opponent's)?
bool EndingProof::is_safe_win(const SmallBoard& board, const EndingState& state, Player player) const {
    const int area = board.geometry().area();
    const PointSet empty = points_.all() & ~(state.colouring().black | state.white);
    const PointSet own = player == Player::black ? state.colouring().black : state.white;
    const auto is_enough = [&](int held) {
        const double score = player == Player::black ? 2 * held - area : area - 2 * held;  // the rest is the other's
        return rules_.reaches(goal_, score) == (player == goal_.player);
    };
    return is_enough(std::popcount(own) + std::popcount(empty)) && is_enough(safe_area(points_, own, empty).size());
}

std::optional<EndingProof::Answer> EndingProof::look(const SmallBoard& board, const EndingState& state, int depth) {
    if (board.is_over()) {
        return Answer{.won = rules_.reaches(goal_, board.area_score())};
    }
    const auto [place, is_new] = table_.try_emplace(state);
    Entry& entry = place->second;
    if (is_new) {
        // One player's moves alone end by themselves, unless they are suicides that nothing forbids to repeat.
        if ((!rules_.suicide || rules_.superko) && is_safe_win(board, state, goal_.player)) {
            entry = {.win = 0, .failed = 0, .move = static_cast<std::uint8_t>(board.geometry().area())};
        } else if (is_safe_win(board, state, opponent(goal_.player))) {
            entry.failed = hopeless;
        }
    }
    if (entry.win <= depth) {
        return Answer{.won = true, .plies = entry.win};
    }
    if (entry.failed >= depth) {
        return Answer{};
    }
    return std::nullopt;
}

// The prover tries what may win soonest, the opponent what refuted last time; both begin with captures.
void EndingProof::list_moves(Frame& frame) const {
    const SmallBoard& board = frame.board;
    const Geometry geometry = board.geometry();
    const bool is_prover = is_provers(board);
    const auto pass = static_cast<std::uint8_t>(geometry.area());
    frame.count = 0;
    frame.next = 0;
    if (board.passes() == 1) {
        frame.moves[static_cast<std::size_t>(frame.count++)] = pass;
    }
    const int begin = frame.count;
    int captures = begin;
    for (int i = 0; i < geometry.area(); ++i) {
        const Point p = geometry.padded_point(i);
        if (board.colour(p) != Colour::empty || p == board.ko()) {
            continue;
        }
        if (board.is_suicide(p) && (is_prover || !rules_.suicide)) {
            continue;
        }
        if (is_prover && board.is_eye(p, colour_of(goal_.player), EyeRule::simple)) {
            continue;
        }
        frame.moves[static_cast<std::size_t>(frame.count)] = static_cast<std::uint8_t>(i);
        if (board.captures(p)) {
            std::swap(frame.moves[static_cast<std::size_t>(frame.count)], frame.moves[static_cast<std::size_t>(captures++)]);
        }
        ++frame.count;
    }
    if (board.passes() == 0) {
        frame.moves[static_cast<std::size_t>(frame.count++)] = pass;
    }
    auto* const first = frame.moves.data();
    auto* const end = first + frame.count;
    auto* const last_time = std::find(first, end, table_.at(frame.state).move);
    if (last_time != end) {
        std::rotate(first, last_time, last_time + 1);
    }
}

void EndingProof::enter(const SmallBoard& board, int depth) {
    const EndingState state = EndingState::of(board);
    returned_ = look(board, state, depth);
    if (returned_) {
        return;
    }
    if (level_ == frames_.size()) {
        frames_.push_back({board, state});
    }
    Frame& frame = frames_[level_++];
    frame.board = board;
    frame.state = state;
    frame.depth = depth;
    frame.longest = 0;
    list_moves(frame);
}

// The state at the top is decided.
void EndingProof::leave(const Answer& answer) {
    const Frame& frame = frames_[--level_];
    Entry& entry = table_[frame.state];
    if (answer.won) {
        if (answer.plies < entry.win) {
            entry.win = static_cast<std::uint8_t>(answer.plies);
            entry.move = is_provers(frame.board) ? frame.moves[static_cast<std::size_t>(frame.next - 1)] : entry.move;
        }
    } else {
        entry.failed = std::max(entry.failed, static_cast<std::uint8_t>(frame.depth));
        if (!is_provers(frame.board)) {
            entry.move = frame.moves[static_cast<std::size_t>(frame.next - 1)];
        }
    }
    returned_ = answer;
}

// Takes what came back from the last move that was tried at the top.
void EndingProof::take(Frame& frame, const Answer& got) {
    if (is_provers(frame.board)) {
        if (got.won) {
            leave({.won = true, .plies = got.plies + 1});
        }
    } else if (got.won) {
        frame.longest = std::max(frame.longest, got.plies + 1);
    } else {
        leave({});
    }
}

bool EndingProof::search(int depth, SliceTicker& ticker, std::uint64_t& nodes_left) {
    if (level_ == 0) {
        enter(root_, depth);
    }
    while (level_ > 0) {
        Frame& frame = frames_[level_ - 1];
        if (returned_) {
            const Answer got = *returned_;
            returned_.reset();
            take(frame, got);
        } else if (frame.next == frame.count) {
            leave(is_provers(frame.board) ? Answer{} : Answer{.won = true, .plies = frame.longest});
        } else {
            if (nodes_left == 0 || ticker.expired()) {
                return false;
            }
            --nodes_left;
            SmallBoard board = frame.board;
            play_move(board, frame.moves[static_cast<std::size_t>(frame.next++)]);
            enter(board, frame.depth - 1);
        }
    }
    proven_ = returned_ && returned_->won;
    returned_.reset();
    return true;
}

std::size_t EndingProof::add_step(const SmallBoard& board, bool by_prover) {
    const EndingState state = EndingState::of(board);
    const auto [place, is_new] = step_of_.try_emplace(state, steps_.size());
    if (is_new) {
        steps_.push_back({.state = state, .by_prover = false, .answers = {}});
        if (!board.is_over() && table_.at(state).win > 0) {  // otherwise nothing but passes of the prover is left
            walks_.push_back({.board = board, .step = place->second});
        }
    }
    steps_[place->second].by_prover |= by_prover;
    return place->second;
}

bool EndingProof::check_superko(const std::unordered_set<EndingState, EndingStateHash>& history, SliceTicker& ticker) {
    if (steps_.empty()) {
        add_step(root_, false);
    }
    while (!walks_.empty()) {
        const Walk walk = walks_.back();
        walks_.pop_back();
        const int pass = walk.board.geometry().area();
        Frame frame{walk.board, steps_[walk.step].state};
        const bool is_prover = is_provers(walk.board);
        if (is_prover) {
            frame.moves[0] = table_.at(frame.state).move;
            frame.count = 1;
        } else {
            list_moves(frame);
        }
        for (int i = 0; i < frame.count; ++i) {
            const int move = frame.moves[static_cast<std::size_t>(i)];
            SmallBoard board = walk.board;
            play_move(board, move);
            const bool by_prover = is_prover && move != pass;
            if (by_prover && history.contains(EndingState::of(board).colouring())) {
                return true;
            }
            const std::size_t next = add_step(board, by_prover);
            steps_[walk.step].answers.push_back(next);
        }
        if (ticker.expired()) {
            return false;
        }
    }
    obeys_superko_ = !can_repeat();
    return true;
}

// Can a colouring that the prover makes have been met on the way to it?
bool EndingProof::can_repeat() const {
    std::unordered_map<EndingState, std::vector<std::size_t>, EndingStateHash> alike;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        alike[steps_[i].state.colouring()].push_back(i);
    }
    for (const auto& [colouring, group] : alike) {
        for (const std::size_t made : group) {
            for (const std::size_t earlier : group) {
                if (steps_[made].by_prover && earlier != made && is_reachable(earlier, made)) {
                    return true;
                }
            }
        }
    }
    return false;
}

// Every step of a strategy is nearer to the end than the one before, which spares most of the walk.
bool EndingProof::is_reachable(std::size_t from, std::size_t to) const {
    const auto plies = [this](std::size_t step) {
        const auto found = table_.find(steps_[step].state);
        return found == table_.end() ? 0 : static_cast<int>(found->second.win);
    };
    const int nearest = plies(to);
    std::unordered_set<std::size_t> seen{from};
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
        const std::size_t step = open.back();
        open.pop_back();
        if (plies(step) <= nearest) {
            continue;
        }
        for (const std::size_t next : steps_[step].answers) {
            if (next == to) {
                return true;
            }
            if (seen.insert(next).second) {
                open.push_back(next);
            }
        }
    }
    return false;
}

EndingSolver::EndingSolver(const Position<SmallBoard>& position, std::uint64_t most_nodes) : most_nodes_(most_nodes), nodes_left_(most_nodes) {
    const Geometry geometry = position.geometry();
    if (geometry.area() > EndingState::most_points) {
        throw InvalidArgumentError("endings are solved on boards of at most " + std::to_string(EndingState::most_points) + " points, not on " +
                                   std::to_string(geometry.width) + "x" + std::to_string(geometry.height));
    }
    const Rules& rules = position.rules();
    rules_ = {.white_points = rules.white_points(position.handicap()), .suicide = rules.suicide, .superko = position.has_superko()};
    if (position.is_over()) {
        finish(position.score() > 0 ? 1 : position.score() < 0 ? 0 : 0.5);
        return;
    }
    for (std::size_t ply = 0; ply <= position.moves().size(); ++ply) {
        EndingState colouring;
        const std::string stones = position.snapshot(ply).stones;
        for (std::size_t i = 0; i < stones.size(); ++i) {
            colouring.black |= static_cast<PointSet>(stones[i] == 'X') << i;
            colouring.white |= static_cast<PointSet>(stones[i] == 'O') << i;
        }
        history_.insert(colouring);
    }
    const bool may_be_drawn = rules_.white_points == std::floor(rules_.white_points);
    for (const bool with_draws : {false, true}) {
        for (const Player player : {Player::black, Player::white}) {
            if (!with_draws || may_be_drawn) {
                proofs_.emplace_back(position.board(), rules_, EndingGoal{.player = player, .with_draws = with_draws});
            }
        }
    }
}

bool EndingSolver::finish(double outcome) {
    outcome_ = outcome;
    verdict_ = Verdict::proven;
    is_done_ = true;
    return true;
}

std::optional<double> EndingSolver::proven_outcome() const {
    if (proofs_[0].is_proven()) {
        return 1;
    }
    if (proofs_[1].is_proven()) {
        return 0;
    }
    return proofs_.size() > 2 && proofs_[2].is_proven() && proofs_[3].is_proven() ? std::optional(0.5) : std::nullopt;
}

bool EndingSolver::advance(const Slice& slice) {
    SliceTicker ticker(slice, 64);
    while (!is_done_ && !is_checking_) {
        EndingProof& proof = proofs_[current_];
        if (!proof.is_proven() && !proof.search(depth_, ticker, nodes_left_)) {
            is_done_ = nodes_left_ == 0;
            return is_done_;
        }
        is_checking_ = proven_outcome().has_value();
        if (!is_checking_ && ++current_ == proofs_.size()) {
            current_ = 0;
            is_done_ = ++depth_ > deepest;
        }
    }
    const std::optional<double> proven = is_done_ ? std::nullopt : proven_outcome();
    if (!proven) {
        return true;
    }
    const double outcome = *proven;
    const std::vector<std::size_t> needed = outcome == 1   ? std::vector<std::size_t>{0}
                                            : outcome == 0 ? std::vector<std::size_t>{1}
                                                           : std::vector<std::size_t>{2, 3};
    for (const std::size_t i : needed) {
        if (rules_.superko && !proofs_[i].obeys_superko()) {
            if (!proofs_[i].check_superko(history_, ticker)) {
                return false;
            }
            if (!proofs_[i].obeys_superko()) {
                verdict_ = Verdict::superko;
                is_done_ = true;
                return true;
            }
        }
    }
    return finish(outcome);
}

}  // namespace katachi::go
