// Go as it is really played: a Board, the rules, and the history that superko and undo need.
//
// Superko compares keys first and then the stones themselves, so that a collision of two 64-bit keys cannot forbid a
// legal move. Undo rebuilds the board from the stones of the entry before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "games/go/board.hpp"
#include "games/go/go_state.hpp"
#include "games/go/rules.hpp"
#include "games/go/text.hpp"

namespace katachi::go {

enum class Verdict : std::uint8_t { legal, game_over, off_board, occupied, ko, superko, suicide };

constexpr const char* reason(Verdict verdict) {
    switch (verdict) {
        case Verdict::game_over:
            return "the game is over";
        case Verdict::off_board:
            return "no such point on this board";
        case Verdict::occupied:
            return "point is occupied";
        case Verdict::ko:
            return "ko may not be retaken at once";
        case Verdict::superko:
            return "an earlier position would be repeated";
        case Verdict::suicide:
            return "suicide is not allowed";
        case Verdict::legal:
            break;
    }
    return "legal";
}

// The colouring of a whole board, for exact comparison and for rebuilding.
class Stones {
   public:
    template <class B>
    static Stones of(const B& board) {
        Stones stones;
        const Geometry geometry = board.geometry();
        for (int i = 0; i < geometry.area(); ++i) {
            const Colour c = board.colour(geometry.padded_point(i));
            if (c != Colour::empty) {
                stones.flip(i, static_cast<Player>(c));
            }
        }
        return stones;
    }

    void flip(int dense, Player player) {
        planes_[static_cast<std::size_t>(index_of(player))][static_cast<std::size_t>(dense / 64)] ^= 1ULL << (dense % 64);
    }

    bool has(int dense, Player player) const {
        return ((planes_[static_cast<std::size_t>(index_of(player))][static_cast<std::size_t>(dense / 64)] >> (dense % 64)) & 1) != 0;
    }

    bool operator==(const Stones&) const = default;

   private:
    static constexpr std::size_t words = (max_side * max_side + 63) / 64;
    std::array<std::array<std::uint64_t, words>, 2> planes_{};
};

template <class B>
class Position {
   public:
    using BoardType = B;

    Position(Geometry geometry, const Rules& rules) : rules_(rules), board_(geometry) { remember(); }

    // A set-up position: the history starts here. Throws InvalidArgumentError when a chain has no liberty.
    Position(Geometry geometry, const Rules& rules, const std::vector<Action>& black, const std::vector<Action>& white, Player to_play,
             std::optional<Action> ko, int passes, int handicap)
        : rules_(rules), board_(geometry), handicap_(handicap) {
        place_all(black, Player::black);
        place_all(white, Player::white);
        for (int i = 0; i < geometry.area(); ++i) {
            const Point p = geometry.padded_point(i);
            if (board_.colour(p) != Colour::empty && !board_.has_liberty(p)) {
                throw InvalidArgumentError("a chain in the set-up has no liberty:\n" + diagram(board_));
            }
        }
        board_.set_up_turn(to_play, no_point, passes);
        if (ko) {
            if (passes > 0 || !is_ko(*ko)) {
                throw InvalidArgumentError("point " + std::to_string(ko->value) + " cannot be a ko for the player to move in this set-up:\n" +
                                           diagram(board_));
            }
            board_.set_up_turn(to_play, geometry.padded_point(ko->value), passes);
        }
        remember();
    }

    const B& board() const { return board_; }
    Geometry geometry() const { return board_.geometry(); }
    Player to_play() const { return board_.to_play(); }
    bool is_over() const { return board_.is_over(); }
    int handicap() const { return handicap_; }
    const Rules& rules() const { return rules_; }
    bool has_superko() const { return rules_.ko != Ko::simple; }
    const std::vector<Action>& moves() const { return moves_; }
    // Who played each of them.
    const std::vector<Player>& movers() const { return movers_; }
    // After how many moves, at least one, the turn was given to somebody by turn_to.
    std::vector<std::size_t> turned_plies() const {
        std::vector<std::size_t> plies;
        for (std::size_t ply = 1; ply < entries_.size(); ++ply) {
            if (entries_[ply].turned) {
                plies.push_back(ply);
            }
        }
        return plies;
    }
    // The points that the last move took stones off, ascending; a suicide's own point is one of them.
    std::vector<Action> last_removed() const;
    // What the board looked like after `ply` moves: "XO." row by row, the player to move, the ko point or pass, the passes.
    struct Snapshot {
        std::string stones;
        Player to_play;
        Action ko;
        int passes;
    };
    Snapshot snapshot(std::size_t ply) const;
    // Stones of `player` taken (or given up by suicide) so far.
    int captured(Player player) const { return captured_[static_cast<std::size_t>(index_of(player))]; }

    Verdict judge(Action action) const { return judge_on(board_, action); }
    // The same for a player who need not be to move: see turn_to.
    Verdict judge_as(Player player, Action action) const;
    bool is_legal(Action action) const { return judge(action) == Verdict::legal; }
    void legal_actions(ActionBuffer& out) const;

    // What a search from here may try: the candidates of GoState, less those that superko forbids; a pass if none is left.
    void root_candidates(EyeRule eye_rule, ActionBuffer& out) const;
    // Searches start from a board rebuilt from its stones, so that equal positions search alike however they arose, but for playout policies
    // that answer the last moves.
    GoState<B> search_state(EyeRule eye_rule, std::optional<int> max_plies) const;

    void play(Action action);
    // The same by a player who need not be to move, also after two passes: see turn_to. A forced move is played even if the
    // rules of ko or suicide forbid it.
    void play_as(Player player, Action action, bool forced = false);
    void undo();
    // Gives the move to `player`. Unless that changes nothing, ko and passes are forgotten, so a game that was over goes on.
    void turn_to(Player player);
    // The position before all its moves.
    Position start() const;
    // Other rules from here on; what has been played stays, even where they would have forbidden it.
    void change_rules(const Rules& rules, int handicap);
    // The same for callers that know: the action is legal; `before` is the board as it was before the last move.
    void play_legal(Action action);
    void undo_to(const B& before);

    int area_score() const { return board_.area_score(); }
    // Black's margin: area, less komi and what White is given for handicap stones.
    double score() const { return area_score() - rules_.white_points(handicap_); }

   private:
    Recent recent() const {
        Recent recent;
        for (std::size_t i = moves_.size() - std::min<std::size_t>(2, moves_.size()); i < moves_.size(); ++i) {
            recent.add(geometry().is_pass(moves_[i]) ? no_point : geometry().padded_point(moves_[i].value));
        }
        return recent;
    }

    struct Entry {
        Stones stones;
        std::array<int, 2> captured{};
        Player to_play = Player::black;
        Point ko = no_point;
        int passes = 0;
        bool turned = false;  // by turn_to
    };

    // A repetition is forbidden per colouring, or per colouring and player to move.
    std::uint64_t repetition_key(std::uint64_t stones_key, Player next) const {
        return stones_key ^ (rules_.ko == Ko::situational && next == Player::white ? zobrist.white_to_play : 0);
    }

    // Did that change anything?
    static bool turn(B& board, Player player) {
        if (player == board.to_play() && !board.is_over()) {
            return false;
        }
        board.set_up_turn(player, no_point, 0);
        return true;
    }

    void remember() {
        keys_.emplace_back();
        entries_.emplace_back();
        remember_again(false);
    }

    void remember_again(bool turned) {
        keys_.back() = repetition_key(board_.stones_key(), to_play());
        entries_.back() = {Stones::of(board_), captured_, to_play(), board_.ko(), board_.passes(), turned};
    }

    Verdict judge_on(const B& board, Action action) const;
    bool repeats(const B& board, Point p) const;
    bool is_ko(Action action) const;
    void place_all(const std::vector<Action>& points, Player player);
    B rebuilt(const Entry& entry) const;

    Rules rules_;
    B board_;
    int handicap_ = 0;
    std::array<int, 2> captured_{};
    std::vector<Action> moves_;
    std::vector<Player> movers_;
    std::vector<std::uint64_t> keys_;  // of every position so far, this one included; apart from entries_ for a fast scan
    std::vector<Entry> entries_;
};

// Could the opponent have just taken a single stone here? Then the point is enclosed by enemies, one of which, a lone stone,
// has no other liberty.
template <class B>
bool Position<B>::is_ko(Action action) const {
    if (!geometry().is_action(action) || geometry().is_pass(action)) {
        return false;
    }
    const Point p = geometry().padded_point(action.value);
    const Colour enemy = other(colour_of(to_play()));
    const int stride = geometry().stride();
    bool enclosed = board_.colour(p) == Colour::empty;
    int takers = 0;
    for (const Point q : {p - stride, p - 1, p + 1, p + stride}) {
        const Colour c = board_.colour(q);
        enclosed &= c == enemy || c == Colour::wall;
        takers += static_cast<int>(c == enemy && board_.in_atari(q) && board_.chain_size(q) == 1);
    }
    return enclosed && takers == 1;
}

template <class B>
void Position<B>::place_all(const std::vector<Action>& points, Player player) {
    for (const Action a : points) {
        if (!geometry().is_action(a) || geometry().is_pass(a)) {
            throw InvalidArgumentError("set-up stone at " + std::to_string(a.value) + ": " + reason(Verdict::off_board));
        }
        const Point p = geometry().padded_point(a.value);
        if (board_.colour(p) != Colour::empty) {
            throw InvalidArgumentError("set-up stone at " + std::to_string(a.value) + ": " + reason(Verdict::occupied));
        }
        board_.set_up(p, player);
    }
}

template <class B>
B Position<B>::rebuilt(const Entry& entry) const {
    B board(geometry());
    for (int i = 0; i < geometry().area(); ++i) {
        for (const Player player : {Player::black, Player::white}) {
            if (entry.stones.has(i, player)) {
                board.set_up(geometry().padded_point(i), player);
            }
        }
    }
    board.set_up_turn(entry.to_play, entry.ko, entry.passes);
    return board;
}

template <class B>
typename Position<B>::Snapshot Position<B>::snapshot(std::size_t ply) const {
    if (ply >= entries_.size()) {
        throw InvalidArgumentError("no position after " + std::to_string(ply) + " moves: " + std::to_string(moves_.size()) + " have been played");
    }
    const Entry& entry = entries_[ply];
    return {diagram(rebuilt(entry), ""), entry.to_play, geometry().action(entry.ko), entry.passes};
}

template <class B>
std::vector<Action> Position<B>::last_removed() const {
    std::vector<Action> removed;
    if (moves_.empty() || geometry().is_pass(moves_.back())) {
        return removed;
    }
    const Stones& before = entries_[entries_.size() - 2].stones;
    const Stones& after = entries_.back().stones;
    for (int i = 0; i < geometry().area(); ++i) {
        const bool stood = before.has(i, Player::black) || before.has(i, Player::white) || moves_.back() == Action{i};
        const bool stands = after.has(i, Player::black) || after.has(i, Player::white);
        if (stood && !stands) {
            removed.push_back(Action{i});
        }
    }
    return removed;
}

// The last entry of the history is the board itself, whoever has the turn on it.
template <class B>
bool Position<B>::repeats(const B& board, Point p) const {
    const Player next = opponent(board.to_play());
    const std::uint64_t key = repetition_key(board.stones_key_after(p), next);
    const auto before = keys_.end() - 1;
    auto found = std::find(keys_.begin(), before, key);
    const bool may_be_now = key == repetition_key(board.stones_key(), board.to_play());
    if (found == before && !may_be_now) {
        return false;
    }
    Stones stones = entries_.back().stones;
    if (!board.is_suicide(p)) {
        stones.flip(geometry().dense(p), board.to_play());
    }
    board.for_each_removed_by(p, [&](Point q) { stones.flip(geometry().dense(q), static_cast<Player>(board.colour(q))); });
    const auto is_same = [&](const Entry& entry, Player to_play) {
        return entry.stones == stones && (rules_.ko == Ko::positional || to_play == next);
    };
    if (may_be_now && is_same(entries_.back(), board.to_play())) {
        return true;
    }
    for (; found != before; found = std::find(found + 1, before, key)) {
        const Entry& earlier = entries_[static_cast<std::size_t>(found - keys_.begin())];
        if (is_same(earlier, earlier.to_play)) {
            return true;
        }
    }
    return false;
}

template <class B>
Verdict Position<B>::judge_as(Player player, Action action) const {
    B board = board_;
    turn(board, player);
    return judge_on(board, action);
}

template <class B>
Verdict Position<B>::judge_on(const B& board, Action action) const {
    if (board.is_over()) {
        return Verdict::game_over;
    }
    if (!geometry().is_action(action)) {
        return Verdict::off_board;
    }
    if (geometry().is_pass(action)) {
        return Verdict::legal;
    }
    const Point p = geometry().padded_point(action.value);
    if (board.colour(p) != Colour::empty) {
        return Verdict::occupied;
    }
    if (p == board.ko()) {
        return Verdict::ko;
    }
    if (!rules_.suicide && board.is_suicide(p)) {
        return Verdict::suicide;
    }
    if (has_superko() && repeats(board, p)) {
        return Verdict::superko;
    }
    return Verdict::legal;
}

template <class B>
void Position<B>::legal_actions(ActionBuffer& out) const {
    out.clear();
    if (is_over()) {
        return;
    }
    for (int i = 0; i <= geometry().area(); ++i) {
        if (is_legal(Action{i})) {
            out.push_back(Action{i});
        }
    }
}

template <class B>
void Position<B>::root_candidates(EyeRule eye_rule, ActionBuffer& out) const {
    search_state(eye_rule, std::nullopt).candidates(out);
    std::erase_if(out, [this](Action a) { return !is_legal(a); });
    if (out.empty() && !is_over()) {
        out.push_back(geometry().pass());
    }
}

template <class B>
GoState<B> Position<B>::search_state(EyeRule eye_rule, std::optional<int> max_plies) const {
    return GoState<B>(rebuilt(entries_.back()),
                      {.white_points = rules_.white_points(handicap_),
                       .suicide = rules_.suicide,
                       .eye_rule = eye_rule,
                       .max_plies = max_plies.value_or(3 * geometry().area())},
                      static_cast<int>(moves().size()), recent());
}

template <class B>
void Position<B>::play(Action action) {
    const Verdict verdict = judge(action);
    if (verdict != Verdict::legal) {
        throw IllegalMoveError(reason(verdict));
    }
    play_legal(action);
}

template <class B>
void Position<B>::turn_to(Player player) {
    if (turn(board_, player)) {
        remember_again(true);
    }
}

// The history keeps the position as it was before the turn, so that undo comes back to it.
template <class B>
void Position<B>::play_as(Player player, Action action, bool forced) {
    const Verdict verdict = judge_as(player, action);
    const bool by_force = forced && (verdict == Verdict::ko || verdict == Verdict::superko || verdict == Verdict::suicide);
    if (verdict != Verdict::legal && !by_force) {
        throw IllegalMoveError(reason(verdict));
    }
    turn(board_, player);
    play_legal(action);
}

template <class B>
Position<B> Position<B>::start() const {
    Position start = *this;
    start.moves_.clear();
    start.movers_.clear();
    start.keys_.resize(1);
    start.entries_.erase(start.entries_.begin() + 1, start.entries_.end());
    start.board_ = rebuilt(entries_.front());
    start.captured_ = entries_.front().captured;
    return start;
}

template <class B>
void Position<B>::change_rules(const Rules& rules, int handicap) {
    rules_ = rules;
    handicap_ = handicap;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        keys_[i] = repetition_key(rebuilt(entries_[i]).stones_key(), entries_[i].to_play);
    }
}

template <class B>
void Position<B>::play_legal(Action action) {
    if (geometry().is_pass(action)) {
        board_.pass();
    } else {
        const Player mover = to_play();
        const std::array<int, 2> before{board_.stones(Player::black), board_.stones(Player::white)};
        board_.play(geometry().padded_point(action.value));
        for (const Player player : {Player::black, Player::white}) {
            const auto i = static_cast<std::size_t>(index_of(player));
            captured_[i] += before[i] + static_cast<int>(player == mover) - board_.stones(player);
        }
    }
    moves_.push_back(action);
    movers_.push_back(opponent(to_play()));
    remember();
}

template <class B>
void Position<B>::undo() {
    if (moves_.empty()) {
        throw InvalidArgumentError("nothing to undo: no move has been played");
    }
    undo_to(rebuilt(entries_[entries_.size() - 2]));
}

template <class B>
void Position<B>::undo_to(const B& before) {
    moves_.pop_back();
    movers_.pop_back();
    keys_.pop_back();
    entries_.pop_back();
    const Entry& entry = entries_.back();
    board_ = before;
    captured_ = entry.captured;
}

}  // namespace katachi::go
