// Which grown features a simulated game has on, state by state (Silver 2009, 10.1), and what a move would make of them.
//
//     table      the position: stones, player to move, ko, passes
//     block      for every block: its stones, and what lies on all points within a distance of it
//     sequence   the last moves, in order and by colour, counted from the root; it stays on to the end of the game
//     square     for every square of the board that is not empty: what lies on it
//
// A region may grow by one feature in a simulation: the board for `table`, the board for `block`, each length for `sequence`, each square.
// The slow twin is src/katachi/reference/grown_features.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "core/hash.hpp"
#include "games/go/board.hpp"
#include "learning/span_trace.hpp"
#include "search/grown_memory.hpp"
#include "values/shape_weights.hpp"

namespace katachi {

// For a search whose features are all there from the beginning.
struct NoGrownFeatures {
    static constexpr bool is_used = false;
};

template <class B>
class GrownFeatures {
   public:
    static constexpr bool is_used = true;

    // `first`: the entry of the first of them. Spans are told where features come on and go off, unless they are missing. All must outlive it.
    GrownFeatures(GrownMemory& memory, const ShapeWeights& weights, features::Entry first, go::Geometry geometry)
        : memory_(&memory),
          weights_(&weights),
          first_(first),
          geometry_(geometry),
          interpolates_(memory.options().table_value == TableValue::interpolation) {
        const GrownOptions& options = memory.options();
        const auto area = static_cast<std::size_t>(geometry.area());
        std::uint64_t state = hash_name("katachi grown features");
        for (auto* const words : {&block_words_, &stone_words_, &square_words_}) {
            for (auto& colour : *words) {
                colour.resize(area);
                std::ranges::generate(colour, [&] { return splitmix64(state); });
            }
        }
        for (std::size_t point = 0; point < area; ++point) {
            points_.push_back(geometry.padded_point(static_cast<int>(point)));
            within_.push_back(points_within(static_cast<int>(point), options.block_distance));
            near_.push_back(points_within(static_cast<int>(point), std::max(options.block_distance, 1)));
        }
        squares_at_.resize(area);
        for (const int side : options.squares) {
            for (int row = 0; row + side <= geometry.height; ++row) {
                for (int col = 0; col + side <= geometry.width; ++col) {
                    for (int i = 0; i < side * side; ++i) {
                        squares_at_[dense(row + i / side, col + i % side)].push_back(static_cast<int>(square_salts_.size()));
                    }
                    square_salts_.push_back(splitmix64(state));
                }
            }
        }
        square_keys_.resize(square_salts_.size());
        square_changes_.resize(square_salts_.size());
        slots_.resize(1 + area + square_salts_.size());
        block_keys_.resize(area);
        seen_.resize(area);
        marks_.resize(area);
    }

    bool interpolates() const { return interpolates_; }

    // ---- a simulated game

    // It begins at a root. What is on there already comes from the state numbered 0.
    void begin(const B& root, SpanTrace* spans) {
        spans_ = spans;
        now_ = 0;
        sum_ = 0;
        active_ = 0;
        here_.reset();
        visited_.clear();
        moves_.clear();
        sequences_.clear();
        ++game_;
        std::ranges::fill(slots_, Slot{});
        std::ranges::fill(square_keys_, 0);
        has_grown_.assign(first_square + square_salts_.size(), false);
        changed_.clear();
        for (std::size_t point = 0; point < points_.size(); ++point) {
            const go::Colour colour = root.colour(points_[point]);
            if (colour != go::Colour::empty) {
                changed_.push_back({static_cast<int>(point), colour});
            }
        }
        find_present(root);
    }

    // A move (no_point: a pass) is about to be played. `now`: the number of the state after it.
    void leave(const B& board, go::Point p, int now) {
        now_ = now;
        collect_changes(board, p);
        if (memory_->options().blocks) {
            collect_heads(board);
            for (const int head : heads_) {
                put(block_slot(head), 0);
            }
        }
        moves_.push_back(word_of(board, p));
    }

    // It has been played.
    void enter(const B& board) { find_present(board); }

    // The state is learnt from: what is new in it is added.
    void grow() {
        for (const Unseen& unseen : unseen_) {
            if (has_grown_[unseen.region] || memory_->is_full()) {
                continue;
            }
            has_grown_[unseen.region] = true;
            const int number = memory_->add(unseen.key, unseen.kind);
            if (unseen.kind == GrownKind::table && interpolates_) {
                here_ = number;
            } else if (unseen.kind == GrownKind::sequence) {
                begin_sequence(number);
            } else {
                put(slots_[unseen.slot], entry(number));
            }
        }
        unseen_.clear();
        if (here_) {
            visited_.push_back(*here_);
        }
    }

    // It is over, after so many states that were learnt from.
    void finish(int states, double outcome) {
        now_ = states;
        for (Slot& slot : slots_) {
            close(slot);
        }
        for (Slot& slot : sequences_) {
            close(slot);
        }
        for (const int number : visited_) {
            memory_->visit(number, outcome);
        }
    }

    // ---- the present state

    // Of the active features, and how many they are.
    double sum() const { return sum_; }
    int active() const { return active_; }
    // Calls visit(entry) for each of them.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const auto* const slots : {&slots_, &sequences_}) {
            for (const Slot& slot : *slots) {
                if (slot.entry != 0) {
                    visit(slot.entry);
                }
            }
        }
    }
    // Their weights have changed.
    void renew() {
        sum_ = 0;
        for_each([&](features::Entry entry) { sum_ += (*weights_)[entry]; });
    }
    // The state's value, by what the other features say of it.
    double mixed(double value) const { return mix(value, here_); }

    // ---- the states after a move that is no suicide (no_point: a pass)

    // What it adds to the sum.
    double change(const B& board, go::Point p) {
        const GrownOptions& options = memory_->options();
        const bool captures = p != go::no_point && board.captures(p);
        double change = 0;
        if (options.table && !interpolates_) {
            change += worth(key_after(board, p)) - (*weights_)[slots_[0].entry];
        }
        if (options.blocks && p != go::no_point) {
            change += captures ? blocks_taking(board, p) : blocks_placing(board, p);
        }
        if (options.sequences) {
            change += sequences_ending(word_of(board, p));
        }
        if (!square_salts_.empty() && p != go::no_point) {
            change += squares_after(board, p);
        }
        return change;
    }

    // Its value, by what the other features say of it.
    double mixed_after(double value, const B& board, go::Point p) const { return mix(value, memory_->find(key_after(board, p))); }

   private:
    struct Slot {
        features::Entry entry = 0;  // 0: nothing is on
        int since = 0;
    };
    struct Unseen {
        std::uint64_t key;
        GrownKind kind;
        std::size_t region;
        std::size_t slot;
    };
    struct Change {
        int point;
        go::Colour colour;  // of the stone that comes or goes
    };
    struct Block {
        int lowest;  // of its points
        int head;
        std::uint64_t key;
    };
    using Words = std::array<std::vector<std::uint64_t>, 2>;  // by colour and point

    static constexpr std::size_t block_region = 1;
    static constexpr std::size_t first_sequence = 2;
    static constexpr std::size_t first_square = first_sequence + GrownOptions::longest_sequence;
    static constexpr std::uint64_t table_salt = hash_name("table");
    static constexpr std::uint64_t sequence_salt = hash_name("sequence");

    std::size_t dense(int row, int col) const {
        const int point = row * geometry_.width + col;
        return static_cast<std::size_t>(point);
    }

    std::vector<int> points_within(int centre, int distance) const {
        std::vector<int> found;
        for (int point = 0; point < geometry_.area(); ++point) {
            const int rows = std::abs(point / geometry_.width - centre / geometry_.width);
            const int cols = std::abs(point % geometry_.width - centre % geometry_.width);
            if (rows + cols <= distance) {
                found.push_back(point);
            }
        }
        return found;
    }

    static std::uint64_t word(const Words& words, go::Colour colour, int point) {
        return words[static_cast<std::size_t>(colour)][static_cast<std::size_t>(point)];
    }
    go::Colour colour_at(const B& board, int point) const { return board.colour(points_[static_cast<std::size_t>(point)]); }
    int head_at(const B& board, int point) const { return geometry_.dense(board.head(points_[static_cast<std::size_t>(point)])); }

    features::Entry entry(int number) const { return first_ + number; }
    float worth(std::uint64_t key) const {
        const std::optional<int> number = memory_->find(key);
        return number ? (*weights_)[entry(*number)] : 0;
    }

    // ---- slots: places for one feature at a time

    Slot& block_slot(int head) { return slots_[1 + static_cast<std::size_t>(head)]; }
    std::size_t square_slot(int square) const { return 1 + points_.size() + static_cast<std::size_t>(square); }

    void put(Slot& slot, features::Entry entry) {
        close(slot);
        slot = {.entry = entry, .since = now_};
        if (entry != 0) {
            sum_ += (*weights_)[entry];
            ++active_;
        }
    }
    void close(Slot& slot) {
        if (slot.entry == 0) {
            return;
        }
        sum_ -= (*weights_)[slot.entry];
        --active_;
        if (spans_ != nullptr && slot.since < now_) {
            spans_->add_span(slot.entry, slot.since, now_);
        }
        slot.entry = 0;
    }
    void put_known(std::uint64_t key, GrownKind kind, std::size_t region, std::size_t slot) {
        const std::optional<int> number = memory_->find(key);
        put(slots_[slot], number ? entry(*number) : 0);
        if (!number) {
            unseen_.push_back({key, kind, region, slot});
        }
    }

    // ---- what is on in a state whose `changed_` are known

    void find_present(const B& board) {
        const GrownOptions& options = memory_->options();
        unseen_.clear();
        if (options.table) {
            find_table(board.key() ^ table_salt);
        }
        if (options.blocks) {
            find_blocks(board);
        }
        if (options.sequences) {
            find_sequences();
        }
        if (!square_salts_.empty()) {
            find_squares();
        }
    }

    void find_table(std::uint64_t key) {
        if (!interpolates_) {
            put_known(key, GrownKind::table, 0, 0);
            return;
        }
        here_ = memory_->find(key);
        if (!here_) {
            unseen_.push_back({key, GrownKind::table, 0, 0});
        }
    }

    void find_blocks(const B& board) {
        collect_heads(board);
        collect_blocks(board);
        for (const Block& block : blocks_) {
            block_keys_[static_cast<std::size_t>(block.head)] = block.key;
            put_known(block.key, GrownKind::block, block_region, 1 + static_cast<std::size_t>(block.head));
        }
    }

    void find_sequences() {
        std::uint64_t key = sequence_salt;
        for (std::size_t length = 1; length <= longest(moves_.size()); ++length) {
            key = mix64(key + moves_[moves_.size() - length]);
            const std::optional<int> number = memory_->find(key);
            if (!number) {
                unseen_.push_back({key, GrownKind::sequence, first_sequence + length - 1, 0});
            } else if (!is_on(*number)) {
                begin_sequence(*number);
            }
        }
    }

    void find_squares() {
        touched_.clear();
        for (const auto [point, colour] : changed_) {
            for (const int square : squares_at_[static_cast<std::size_t>(point)]) {
                square_keys_[static_cast<std::size_t>(square)] ^= word(square_words_, colour, point);
                touched_.push_back(square);
            }
        }
        std::ranges::sort(touched_);
        touched_.erase(std::ranges::unique(touched_).begin(), touched_.end());
        for (const int square : touched_) {
            const auto i = static_cast<std::size_t>(square);
            if (square_keys_[i] == 0) {
                put(slots_[square_slot(square)], 0);
            } else {
                put_known(square_keys_[i] ^ square_salts_[i], GrownKind::square, first_square + i, square_slot(square));
            }
        }
    }

    // ---- changes

    // The stones that a move puts and takes.
    void collect_changes(const B& board, go::Point p) {
        changed_.clear();
        if (p == go::no_point) {
            return;
        }
        if (!board.is_suicide(p)) {
            changed_.push_back({geometry_.dense(p), go::colour_of(board.to_play())});
        }
        board.for_each_removed_by(p, [&](go::Point stone) { changed_.push_back({geometry_.dense(stone), board.colour(stone)}); });
    }

    // The blocks near `changed_`: all whose key a move may change are among them, before it and after it.
    void collect_heads(const B& board) {
        heads_.clear();
        ++stamp_;
        for (const Change& change : changed_) {
            for (const int point : near_[static_cast<std::size_t>(change.point)]) {
                if (colour_at(board, point) != go::Colour::empty) {
                    add_head(head_at(board, point));
                }
            }
        }
    }
    bool add_head(int head) {
        std::uint64_t& seen = seen_[static_cast<std::size_t>(head)];
        if (seen == stamp_) {
            return false;
        }
        seen = stamp_;
        heads_.push_back(head);
        return true;
    }

    // `heads_`, with keys, by their first points.
    void collect_blocks(const B& board) {
        blocks_.clear();
        for (const int head : heads_) {
            stones_.clear();
            add_stones(board, head);
            blocks_.push_back({std::ranges::min(stones_), head, block_key(board, colour_at(board, head))});
        }
        std::ranges::sort(blocks_, {}, &Block::lowest);
    }
    void add_stones(const B& board, int head) {
        const go::Point first = points_[static_cast<std::size_t>(head)];
        go::Point stone = first;
        do {
            stones_.push_back(geometry_.dense(stone));
            stone = board.next_in_chain(stone);
        } while (stone != first);
    }
    // Of the block of `stones_`.
    std::uint64_t block_key(const B& board, go::Colour colour) {
        ++mark_;
        std::uint64_t key = 0;
        for (const int stone : stones_) {
            marks_[static_cast<std::size_t>(stone)] = mark_;
            key ^= word(block_words_, colour, stone);
        }
        for (const int stone : stones_) {
            for (const int point : within_[static_cast<std::size_t>(stone)]) {
                std::uint64_t& mark = marks_[static_cast<std::size_t>(point)];
                const go::Colour there = colour_at(board, point);
                if (mark != mark_ && there != go::Colour::empty) {
                    key ^= word(stone_words_, there, point);
                }
                mark = mark_;
            }
        }
        return key;
    }

    // ---- after a move

    std::uint64_t key_after(const B& board, go::Point p) const {
        if (p != go::no_point && !board.captures(p)) {  // one stone more; no ko, no passes
            const auto colour = static_cast<std::size_t>(index_of(board.to_play()));
            const std::uint64_t stones = board.stones_key() ^ go::zobrist.stone[colour][static_cast<std::size_t>(p)];
            return stones ^ (board.to_play() == Player::black ? go::zobrist.white_to_play : 0) ^ table_salt;
        }
        return played(board, p).key() ^ table_salt;
    }
    static B played(const B& board, go::Point p) {
        B after = board;
        if (p == go::no_point) {
            after.pass();
        } else {
            after.play(p);
        }
        return after;
    }

    double blocks_taking(const B& board, go::Point p) {
        collect_changes(board, p);
        collect_heads(board);
        double change = 0;
        for (const int head : heads_) {
            change -= (*weights_)[block_slot(head).entry];
        }
        const B after = played(board, p);
        collect_heads(after);
        collect_blocks(after);
        for (const Block& block : blocks_) {
            change += worth(block.key);
        }
        return change;
    }

    // The new stone and its friends become one block; those near it have one stone more around them.
    double blocks_placing(const B& board, go::Point p) {
        const int point = geometry_.dense(p);
        const go::Colour own = go::colour_of(board.to_play());
        heads_.clear();
        stones_.assign(1, point);
        ++stamp_;
        double change = 0;
        for (const go::Point q : board.around(p)) {
            if (board.colour(q) != own) {
                continue;
            }
            const int head = geometry_.dense(board.head(q));
            if (add_head(head)) {
                change -= (*weights_)[block_slot(head).entry];
                add_stones(board, head);
            }
        }
        for (const int other : within_[static_cast<std::size_t>(point)]) {
            if (colour_at(board, other) == go::Colour::empty) {
                continue;
            }
            const int head = head_at(board, other);
            if (add_head(head)) {
                change += worth(block_keys_[static_cast<std::size_t>(head)] ^ word(stone_words_, own, point)) - (*weights_)[block_slot(head).entry];
            }
        }
        return change + worth(block_key(board, own));
    }

    double squares_after(const B& board, go::Point p) {
        collect_changes(board, p);
        touched_.clear();
        for (const auto [point, colour] : changed_) {
            for (const int square : squares_at_[static_cast<std::size_t>(point)]) {
                square_changes_[static_cast<std::size_t>(square)] ^= word(square_words_, colour, point);
                touched_.push_back(square);
            }
        }
        double change = 0;
        for (const int square : touched_) {
            const auto i = static_cast<std::size_t>(square);
            if (square_changes_[i] == 0) {
                continue;  // it has been counted
            }
            const std::uint64_t key = square_keys_[i] ^ square_changes_[i];
            change += (key == 0 ? 0 : worth(key ^ square_salts_[i])) - (*weights_)[slots_[square_slot(square)].entry];
            square_changes_[i] = 0;
        }
        return change;
    }

    // ---- sequences

    std::uint64_t word_of(const B& board, go::Point p) const {
        const auto action = static_cast<std::uint64_t>(geometry_.action(p).value);
        return mix64((2 * action + static_cast<std::uint64_t>(index_of(board.to_play())) + 1) * golden_gamma);
    }
    std::size_t longest(std::size_t moves) const { return std::min(moves, static_cast<std::size_t>(memory_->options().sequence_length)); }
    bool is_on(int number) const {
        const auto i = static_cast<std::size_t>(number);
        return i < games_on_.size() && games_on_[i] == game_;
    }
    void begin_sequence(int number) {
        const auto i = static_cast<std::size_t>(number);
        if (i >= games_on_.size()) {
            games_on_.resize(2 * i + 1);
        }
        games_on_[i] = game_;
        put(sequences_.emplace_back(), entry(number));
    }
    double sequences_ending(std::uint64_t last) const {
        double change = 0;
        std::uint64_t key = sequence_salt;
        for (std::size_t length = 1; length <= longest(moves_.size() + 1); ++length) {
            key = mix64(key + (length == 1 ? last : moves_[moves_.size() + 1 - length]));
            const std::optional<int> number = memory_->find(key);
            if (number && !is_on(*number)) {
                change += (*weights_)[entry(*number)];
            }
        }
        return change;
    }

    // Interpolation: C visits with the value of the other features, and those that there were.
    double mix(double value, std::optional<int> number) const {
        if (!number) {
            return value;
        }
        const GrownMemory::Mean& mean = memory_->mean(*number);
        const double prior = memory_->options().table_prior;
        const double all = prior + static_cast<double>(mean.visits);
        return all > 0 ? (prior * value + mean.total) / all : value;
    }

    GrownMemory* memory_;
    const ShapeWeights* weights_;
    features::Entry first_;
    go::Geometry geometry_;
    bool interpolates_;

    std::vector<go::Point> points_;             // padded, by dense ones
    std::vector<std::vector<int>> within_;      // by point: those at the distance of blocks
    std::vector<std::vector<int>> near_;        // and at least the neighbours
    std::vector<std::vector<int>> squares_at_;  // by point
    std::vector<std::uint64_t> square_salts_;
    Words block_words_;  // of a block's own stones
    Words stone_words_;  // of those around it
    Words square_words_;

    SpanTrace* spans_ = nullptr;
    int now_ = 0;  // the number of the next state
    double sum_ = 0;
    int active_ = 0;
    std::uint64_t game_ = 0;
    std::optional<int> here_;   // the present entry of the table, where it is interpolated
    std::vector<int> visited_;  // such entries
    std::vector<std::uint64_t> moves_;
    std::vector<Slot> slots_;                 // the table, blocks by head, squares
    std::vector<Slot> sequences_;             // that are on
    std::vector<std::uint64_t> games_on_;     // by number: the last game in which a sequence was on
    std::vector<std::uint64_t> block_keys_;   // by head
    std::vector<std::uint64_t> square_keys_;  // 0: empty
    std::vector<std::uint8_t> has_grown_;     // by region
    std::vector<Unseen> unseen_;

    std::vector<Change> changed_;
    std::vector<int> heads_;
    std::vector<Block> blocks_;
    std::vector<int> stones_;
    std::vector<int> touched_;
    std::vector<std::uint64_t> square_changes_;  // 0 between two calls
    std::vector<std::uint64_t> seen_;
    std::vector<std::uint64_t> marks_;
    std::uint64_t stamp_ = 0;
    std::uint64_t mark_ = 0;
};

}  // namespace katachi
