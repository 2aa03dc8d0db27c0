// The board that a search copies: stones, chains that know when they are in atari, simple ko, passes and a hash.
//
// Method. A chain is a circular list of stones with one stone as its head. Its liberties are kept as pseudo-liberties:
// every (stone, empty neighbour) pair counts once, so placing or removing a stone is four additions and needs no search.
// Three sums over these pairs are packed into one 64-bit word, `Liberties`: the number n, the sum s and the sum of squares q
// of the liberty points. By the Cauchy-Schwarz inequality n*q >= s*s with equality exactly when all pairs name the same
// point, so the word tells atari, and the last liberty is s / n.
//
// Empty points and walls belong to chain 0, whose word collects garbage and is never read: that saves a branch at every
// neighbour. A list of the empty points serves exactly uniform random choice. Points are padded (geometry.hpp).
//
// Not here: superko, scoring with komi, whose game it is. See position.hpp (real play) and go_state.hpp (search).
// The slow twin is src/katachi/reference/go_rules.py; tests/differential compares them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

#include "core/rng.hpp"
#include "core/types.hpp"
#include "games/go/geometry.hpp"
#include "games/go/zobrist.hpp"

namespace katachi::go {

enum class Colour : std::uint8_t { black = 0, white = 1, empty = 2, wall = 3 };

constexpr Colour colour_of(Player player) { return static_cast<Colour>(index_of(player)); }
constexpr Colour other(Colour c) { return static_cast<Colour>(static_cast<int>(c) ^ 1); }

// What a player may not fill (Silver 2009, 5.6, leaves it open). In the first three the on-board orthogonal neighbours are the player's own.
enum class EyeRule : std::uint8_t {
    simple,      // and fewer than two enemy stones on the diagonals, none at the edge (RLGO; the default)
    surrounded,  // and no adjacent chain in atari (Fuego)
    strict,      // and nothing else
    none,        // nothing is an eye, and a pass is always a candidate (rollouts of general game players)
};

// Calls f<rule>() for a rule known at run time only: the choice is made once, outside the loops.
template <class F>
decltype(auto) with_eye_rule(EyeRule rule, F&& f) {
    switch (rule) {
        case EyeRule::surrounded:
            return f.template operator()<EyeRule::surrounded>();
        case EyeRule::strict:
            return f.template operator()<EyeRule::strict>();
        case EyeRule::none:
            return f.template operator()<EyeRule::none>();
        case EyeRule::simple:
            break;
    }
    return f.template operator()<EyeRule::simple>();
}

// n, s and q of the essay above in one word; fields cannot overflow up to 19x19.
class Liberties {
   public:
    constexpr Liberties() = default;
    // The word of one pair whose liberty is p.
    static constexpr Liberties of(Point p) { return Liberties{words[static_cast<std::size_t>(p)]}; }

    constexpr Liberties& operator+=(Liberties other) {
        word_ += other.word_;
        return *this;
    }
    constexpr Liberties& operator-=(Liberties other) {
        word_ -= other.word_;
        return *this;
    }

    constexpr std::uint64_t pairs() const { return word_ & ((1U << sum_shift) - 1); }
    constexpr bool none() const { return pairs() == 0; }
    // Exactly one liberty. Also true without any, which occurs only in the middle of a move.
    constexpr bool at_most_one() const { return pairs() * (word_ >> square_shift) == sum() * sum(); }
    // The same for a chain known to have a liberty at `here`, with one multiplication.
    constexpr bool only(Liberties here) const { return word_ == pairs() * here.word_; }
    constexpr Point last() const { return static_cast<Point>(sum() / pairs()); }
    // This word where the condition holds, otherwise nothing; without a branch.
    constexpr Liberties only_if(bool condition) const { return Liberties{word_ & -static_cast<std::uint64_t>(condition)}; }

   private:
    static constexpr int sum_shift = 11;
    static constexpr int square_shift = 31;

    constexpr explicit Liberties(std::uint64_t word) : word_(word) {}
    constexpr std::uint64_t sum() const { return (word_ >> sum_shift) & ((1U << (square_shift - sum_shift)) - 1); }

    static constexpr auto words = [] {
        std::array<std::uint64_t, zobrist_points> table{};
        for (std::uint64_t p = 0; p < table.size(); ++p) {
            table[p] = 1 | (p << sum_shift) | ((p * p) << square_shift);
        }
        return table;
    }();

    std::uint64_t word_ = 0;
};

// How many of a point's four neighbours are black, white and empty; a wall counts as black and as white.
class NeighbourCount {
   public:
    static constexpr std::uint16_t one(Colour c) { return ones[static_cast<std::size_t>(c)]; }

    constexpr void add(Colour c) { word_ = static_cast<std::uint16_t>(word_ + one(c)); }
    constexpr void replace(Colour from, Colour to) { word_ = static_cast<std::uint16_t>(word_ + one(to) - one(from)); }
    constexpr bool any_empty() const { return word_ >= one(Colour::empty); }
    constexpr bool several_empty() const { return word_ >= 2 * one(Colour::empty); }
    constexpr bool all(Colour c) const { return ((word_ >> (4 * static_cast<int>(c))) & 0xF) == 4; }

   private:
    static constexpr std::array<std::uint16_t, 4> ones{0x001, 0x010, 0x100, 0x011};
    std::uint16_t word_ = 0;
};

template <class Index, int Capacity>
class Board {
    static_assert(Capacity <= (1 << (8 * sizeof(Index))));

   public:
    static constexpr bool fits(Geometry g) { return g.padded() <= Capacity; }

    explicit Board(Geometry geometry);

    Geometry geometry() const { return {width_, height_}; }
    Colour colour(Point p) const { return colour_[at(p)]; }
    Player to_play() const { return to_play_; }
    int passes() const { return passes_; }
    bool is_over() const { return passes_ >= 2; }
    // The point that simple ko forbids to the player to move, or no_point.
    Point ko() const { return ko_; }
    int stones(Player player) const { return stones_[static_cast<std::size_t>(index_of(player))]; }

    // Covers the stones (and the shape of the board), and nothing else.
    std::uint64_t stones_key() const { return stones_key_; }
    // Covers stones, player to move, ko point and passes.
    std::uint64_t key() const {
        return stones_key_ ^ zobrist.ko[at(ko_)] ^ zobrist.passes[at(passes_)] ^ (to_play_ == Player::white ? zobrist.white_to_play : 0);
    }
    // Calls visit(stone) for every stone that a move of the player to move at the empty point p would take off the
    // board: enemies, or in a suicide the friends that it joins (not the new stone itself).
    template <class Visit>
    void for_each_removed_by(Point p, Visit&& visit) const;
    // stones_key() after that move.
    std::uint64_t stones_key_after(Point p) const;
    // Would a stone of the player to move at the empty point p take enemies off the board?
    bool captures(Point p) const {
        const Colour enemy = other(colour_of(to_play_));
        const Liberties here = Liberties::of(p);
        unsigned taken = 0;
        for (const Point q : around(p)) {
            taken |= static_cast<unsigned>(colour(q) == enemy) & static_cast<unsigned>(liberties_[chain_[at(q)]].only(here));
        }
        return taken != 0;
    }

    // Calls visit(p) with the last liberty of every enemy chain in atari: what takes something, unless a ko forbids it. A point comes once for each
    // chain.
    template <class Visit>
    void for_each_capture(Visit&& visit) const;

    // Would a stone of the player to move at the empty point p be left without liberty?
    bool is_suicide(Point p) const { return !neighbours_[at(p)].any_empty() && is_crowded_suicide(p); }
    bool is_eye(Point p, Colour c, EyeRule rule) const;
    // May a simulation play at the empty point p? Legal, not suicide, and not the player's own eye.
    template <EyeRule rule>
    bool is_candidate(Point p) const;

    bool in_atari(Point stone) const { return liberties_[at(chain_[at(stone)])].at_most_one(); }
    Point head(Point stone) const { return chain_[at(stone)]; }
    Point next_in_chain(Point stone) const { return next_[at(stone)]; }
    int chain_size(Point stone) const { return size_[at(chain_[at(stone)])]; }
    bool has_liberty(Point stone) const { return !liberties_[at(chain_[at(stone)])].none(); }
    // The liberties, once what it takes is off the board, of the chain that a stone of the player to move at the empty point p would be of.
    Liberties liberties_after(Point p) const;
    // Would that chain have one liberty, or none?
    bool is_self_atari(Point p) const { return !has_room(p) && !joins_safely(p) && liberties_after(p).at_most_one(); }
    // Two or more empty neighbours.
    bool has_room(Point p) const { return neighbours_[at(p)].several_empty(); }
    // Is a friend next to p whose chain has two or more other liberties? Then a stone there is no self-atari.
    [[gnu::always_inline]] inline bool joins_safely(Point p) const;
    // The liberties of a chain that has exactly two.
    [[gnu::always_inline]] inline std::optional<std::array<Point, 2>> two_liberties(Point stone) const;
    // Would a stone of its colour at one liberty of a chain with just these two give it two or more new ones? Captures are not counted.
    bool gains_liberties(Point stone, Point liberty, Point other_liberty) const;
    // The only liberty of a chain in atari.
    Point last_liberty(Point stone) const { return liberties_[at(chain_[at(stone)])].last(); }

    std::array<Point, 4> around(Point p) const { return {p - stride_, p - 1, p + 1, p + stride_}; }
    // Which of them have that colour, bits 0 to 3.
    unsigned around_of(Point p, Colour c) const {
        unsigned found = 0;
        unsigned bit = 1;
        for (const Point q : around(p)) {
            found |= bit & -static_cast<unsigned>(colour(q) == c);
            bit <<= 1;
        }
        return found;
    }
    // The eight points around p, row by row.
    std::array<Point, 8> all_around(Point p) const {
        return {p - stride_ - 1, p - stride_, p - stride_ + 1, p - 1, p + 1, p + stride_ - 1, p + stride_, p + stride_ + 1};
    }

    // The colours of the eight points around p on the board, row by row, two bits each. Read one by one: a longer read just after a
    // stone was placed waits for it.
    std::uint16_t neighbourhood(Point p) const {
        const Colour* const here = &colour_[at(p)];
        const std::ptrdiff_t s = stride_;
        unsigned code = 0;
        for (const std::ptrdiff_t way : {s + 1, s, s - 1, std::ptrdiff_t{1}, std::ptrdiff_t{-1}, 1 - s, -s, -s - 1}) {
            code = code * 4 + static_cast<unsigned>(here[way]);
        }
        return static_cast<std::uint16_t>(code);
    }

    // Plays for the player to move, unchecked: p is empty, and not a ko. Suicide removes the player's own chain.
    void play(Point p);
    void pass();

    // Puts a stone on an empty point in a set-up: nothing is captured, nobody has moved. The caller checks liberties.
    void set_up(Point p, Player player);
    void set_up_turn(Player to_play, Point ko, int passes);

    // A uniformly random candidate; no_point is the pass. Reorders the list of empty points only.
    template <EyeRule rule>
    [[gnu::always_inline]] inline Point random_candidate(Rng& rng);

    // Calls visit(points, owner) for every region of empty points that touches the stones of one player only.
    template <class Visit>
    void for_each_territory(Visit&& visit) const;
    // Black's area minus White's, all stones alive; exact at any time.
    int area_score() const;
    // The same when no two empty points are adjacent, as after two passes of candidates; otherwise area_score().
    int final_score() const;

   private:
    using Count = std::conditional_t<sizeof(Index) == 1, std::uint8_t, std::uint16_t>;

    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

    // Room for whole vectors of 16.
    static constexpr std::size_t vector_capacity = (std::size_t{Capacity} + 15) / 16 * 16;

    // The parts of the playout loop are worth more inlined than the compiler's own accounting says.
    [[gnu::always_inline]] inline bool is_crowded_suicide(Point p) const;
    // What a new stone finds around it: its own liberties, and which of its neighbours (bits 0 to 3) are friends and
    // which belong to enemy chains that it leaves without liberty.
    struct Surroundings {
        Liberties own;
        unsigned friends = 0;
        unsigned taken = 0;
    };

    [[gnu::always_inline]] inline Surroundings place(Point p, Colour c, const std::array<Point, 4>& neighbours);
    [[gnu::always_inline]] inline void connect(Point p, const Surroundings& found, const std::array<Point, 4>& neighbours);
    void merge(Point a, Point b);
    int remove_chain(Point head);

    std::array<Liberties, Capacity> liberties_{};  // by head
    std::array<NeighbourCount, Capacity> neighbours_{};
    std::array<Colour, vector_capacity> colour_{};
    std::array<Index, vector_capacity> chain_{};  // head of the chain; 0 for empty points and walls
    std::array<Index, Capacity> next_{};
    std::array<Count, Capacity> size_{};  // by head
    std::array<Index, Capacity> empty_{};
    std::array<Count, Capacity> slot_{};  // where a point stands in empty_
    std::uint64_t stones_key_ = 0;
    std::array<std::uint16_t, 2> stones_{};
    std::uint16_t empty_count_ = 0;
    std::uint16_t stride_ = 0;
    std::uint16_t ko_ = no_point;
    std::uint8_t width_ = 0;
    std::uint8_t height_ = 0;
    std::uint8_t passes_ = 0;
    Player to_play_ = Player::black;
};

// Two capacity classes: 9x9 (and every rectangle that pads to as much) with 8-bit indices, and everything up to 19x19.
using SmallBoard = Board<std::uint8_t, padded_size(9, 9)>;
using LargeBoard = Board<std::uint16_t, padded_size(max_side, max_side)>;
static_assert(sizeof(SmallBoard) < 2048, "a search copies one per node or simulation");

template <class Index, int Capacity>
Board<Index, Capacity>::Board(Geometry geometry)
    : stones_key_(Zobrist::shape(geometry.width, geometry.height)),
      stride_(static_cast<std::uint16_t>(geometry.stride())),
      width_(static_cast<std::uint8_t>(geometry.width)),
      height_(static_cast<std::uint8_t>(geometry.height)) {
    assert(fits(geometry));
    colour_.fill(Colour::wall);
    for (int i = 0; i < geometry.area(); ++i) {
        const Point p = geometry.padded_point(i);
        colour_[at(p)] = Colour::empty;
        slot_[at(p)] = static_cast<Count>(empty_count_);
        empty_[at(empty_count_++)] = static_cast<Index>(p);
    }
    for (int i = 0; i < geometry.area(); ++i) {
        const Point p = geometry.padded_point(i);
        for (const Point q : around(p)) {
            neighbours_[at(p)].add(colour(q));
        }
    }
}

// No neighbour is empty. The stone lives when it takes a chain (an enemy in atari: p is its last liberty) or joins one
// that has another liberty (a friend not in atari).
template <class Index, int Capacity>
bool Board<Index, Capacity>::is_crowded_suicide(Point p) const {
    const Colour own = colour_of(to_play_);
    const Liberties here = Liberties::of(p);
    bool lives = false;
    for (const Point q : around(p)) {
        const Colour c = colour(q);
        lives |= (c != Colour::wall) & ((c == own) != liberties_[chain_[at(q)]].only(here));
    }
    return !lives;
}

template <class Index, int Capacity>
bool Board<Index, Capacity>::is_eye(Point p, Colour c, EyeRule rule) const {
    if (colour(p) != Colour::empty || !neighbours_[at(p)].all(c)) {
        return false;
    }
    switch (rule) {
        case EyeRule::none:
            return false;
        case EyeRule::strict:
            return true;
        case EyeRule::surrounded:
            for (const Point q : around(p)) {
                if (colour(q) == c && in_atari(q)) {
                    return false;
                }
            }
            return true;
        case EyeRule::simple:
            break;
    }
    const Colour enemy = other(c);
    int enemies = 0;
    bool edge = false;
    for (const Point q : {p - stride_ - 1, p - stride_ + 1, p + stride_ - 1, p + stride_ + 1}) {
        enemies += colour(q) == enemy;
        edge |= colour(q) == Colour::wall;
    }
    return enemies + edge < 2;
}

template <class Index, int Capacity>
template <EyeRule rule>
bool Board<Index, Capacity>::is_candidate(Point p) const {
    if (neighbours_[at(p)].any_empty()) {
        return true;  // neither suicide nor eye, and a ko point has no empty neighbour
    }
    if constexpr (rule == EyeRule::none) {
        return p != ko_ && !is_crowded_suicide(p);
    }
    return p != ko_ && !is_eye(p, colour_of(to_play_), rule) && !is_crowded_suicide(p);
}

// Rejection without replacement: a point that fails is set aside at the end of the list for the rest of this call.
template <class Index, int Capacity>
template <EyeRule rule>
Point Board<Index, Capacity>::random_candidate(Rng& rng) {
    for (std::uint32_t open = empty_count_; open > 0;) {
        // The pass is one candidate more.
        const std::uint32_t i = rng.below(rule == EyeRule::none ? open + 1 : open);
        if (rule == EyeRule::none && i == open) {
            return no_point;
        }
        const Index p = empty_[i];
        if (is_candidate<rule>(p)) {
            return p;
        }
        --open;
        const Index moved = empty_[open];
        empty_[i] = moved;
        slot_[moved] = static_cast<Count>(i);
        empty_[open] = p;
        slot_[p] = static_cast<Count>(open);
    }
    return no_point;
}

// One pass over the neighbours does all the book-keeping of a new stone, without a branch.
template <class Index, int Capacity>
typename Board<Index, Capacity>::Surroundings Board<Index, Capacity>::place(Point p, Colour c, const std::array<Point, 4>& neighbours) {
    const Index last = empty_[--empty_count_];
    empty_[slot_[at(p)]] = last;
    slot_[last] = slot_[at(p)];
    colour_[at(p)] = c;
    ++stones_[static_cast<std::size_t>(c)];
    stones_key_ ^= zobrist.stone[static_cast<std::size_t>(c)][at(p)];
    const Liberties here = Liberties::of(p);
    const Colour enemy = other(c);
    Surroundings found;
    for (unsigned i = 0; i < 4; ++i) {
        const Point q = neighbours[i];
        const Colour there = colour(q);
        Liberties& theirs = liberties_[chain_[at(q)]];
        theirs -= here;
        neighbours_[at(q)].replace(Colour::empty, c);
        found.own += Liberties::of(q).only_if(there == Colour::empty);
        found.friends |= static_cast<unsigned>(there == c) << i;
        found.taken |= static_cast<unsigned>((there == enemy) & theirs.none()) << i;
    }
    return found;
}

// Makes the stone at p, already placed, a chain of its own or part of its friends' chains.
template <class Index, int Capacity>
void Board<Index, Capacity>::connect(Point p, const Surroundings& found, const std::array<Point, 4>& neighbours) {
    unsigned friends = found.friends;
    if (friends == 0) {
        chain_[at(p)] = static_cast<Index>(p);
        next_[at(p)] = static_cast<Index>(p);
        size_[at(p)] = 1;
        liberties_[at(p)] = found.own;
        return;
    }
    const Index h = chain_[at(neighbours[at(std::countr_zero(friends))])];
    chain_[at(p)] = h;
    next_[at(p)] = next_[h];
    next_[h] = static_cast<Index>(p);
    ++size_[h];
    liberties_[h] += found.own;
    while ((friends &= friends - 1) != 0) {
        const Point q = neighbours[at(std::countr_zero(friends))];
        if (chain_[at(q)] != chain_[at(p)]) {
            merge(chain_[at(q)], chain_[at(p)]);
        }
    }
}

template <class Index, int Capacity>
void Board<Index, Capacity>::merge(Point a, Point b) {
    if (size_[at(a)] < size_[at(b)]) {
        std::swap(a, b);
    }
    liberties_[at(a)] += liberties_[at(b)];
    size_[at(a)] = static_cast<Count>(size_[at(a)] + size_[at(b)]);
    Point stone = b;
    do {
        chain_[at(stone)] = static_cast<Index>(a);
        stone = next_[at(stone)];
    } while (stone != b);
    std::swap(next_[at(a)], next_[at(b)]);
}

template <class Index, int Capacity>
int Board<Index, Capacity>::remove_chain(Point head) {
    const Colour c = colour(head);
    int removed = 0;
    Point stone = head;
    do {
        const Point following = next_[at(stone)];
        colour_[at(stone)] = Colour::empty;
        chain_[at(stone)] = no_point;
        slot_[at(stone)] = static_cast<Count>(empty_count_);
        empty_[at(empty_count_++)] = static_cast<Index>(stone);
        stones_key_ ^= zobrist.stone[static_cast<std::size_t>(c)][at(stone)];
        const Liberties here = Liberties::of(stone);
        for (const Point q : around(stone)) {
            neighbours_[at(q)].replace(c, Colour::empty);
            liberties_[chain_[at(q)]] += here;
        }
        ++removed;
        stone = following;
    } while (stone != head);
    stones_[static_cast<std::size_t>(c)] = static_cast<std::uint16_t>(stones_[static_cast<std::size_t>(c)] - removed);
    return removed;
}

template <class Index, int Capacity>
void Board<Index, Capacity>::play(Point p) {
    assert(colour(p) == Colour::empty && p != ko_);
    const Colour own = colour_of(to_play_);
    const Colour enemy = other(own);
    const std::array<Point, 4> neighbours = around(p);
    const Surroundings found = place(p, own, neighbours);
    connect(p, found, neighbours);
    ko_ = no_point;
    if (found.taken != 0) {
        int removed = 0;
        Point removed_head = no_point;
        for (const Point q : neighbours) {
            if (colour(q) == enemy && liberties_[chain_[at(q)]].none()) {
                removed_head = chain_[at(q)];
                removed += remove_chain(removed_head);
            }
        }
        // One stone took one stone and its only liberty is where that stood: retaking would repeat the position.
        if (removed == 1 && size_[chain_[at(p)]] == 1 && liberties_[chain_[at(p)]].pairs() == 1) {
            ko_ = static_cast<std::uint16_t>(removed_head);
        }
    } else if (liberties_[chain_[at(p)]].none()) [[unlikely]] {
        remove_chain(chain_[at(p)]);
    }
    passes_ = 0;
    to_play_ = opponent(to_play_);
}

template <class Index, int Capacity>
void Board<Index, Capacity>::pass() {
    ko_ = no_point;
    ++passes_;
    to_play_ = opponent(to_play_);
}

template <class Index, int Capacity>
void Board<Index, Capacity>::set_up(Point p, Player player) {
    assert(colour(p) == Colour::empty);
    const std::array<Point, 4> neighbours = around(p);
    connect(p, place(p, colour_of(player), neighbours), neighbours);
}

template <class Index, int Capacity>
void Board<Index, Capacity>::set_up_turn(Player to_play, Point ko, int passes) {
    to_play_ = to_play;
    ko_ = static_cast<std::uint16_t>(ko);
    passes_ = static_cast<std::uint8_t>(passes);
}

// The heads are marked first, in a loop that compilers turn into vector code, and the marks gathered into few words of bits: there are few heads, and
// where they are cannot be foretold.
template <class Index, int Capacity>
template <class Visit>
void Board<Index, Capacity>::for_each_capture(Visit&& visit) const {
    constexpr std::size_t word = sizeof(std::uint64_t);
    alignas(word) std::array<std::uint8_t, vector_capacity> heads;
    const auto enemy = static_cast<std::uint8_t>(other(colour_of(to_play_)));
    for (std::size_t i = 0; i < vector_capacity; ++i) {
        heads[i] = static_cast<std::uint8_t>(static_cast<unsigned>(chain_[i] == static_cast<Index>(i)) &
                                             static_cast<unsigned>(static_cast<std::uint8_t>(colour_[i]) == enemy));
    }
    std::array<std::uint64_t, (vector_capacity + 63) / 64> marks{};
    for (std::size_t start = 0; start < vector_capacity; start += word) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, &heads[start], word);
        // The product has the lowest bits of the eight bytes side by side at its top.
        marks[start / 64] |= (bytes * 0x0102040810204080U) >> 56 << start % 64;
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
        for (; marks[i] != 0; marks[i] &= marks[i] - 1) {
            const std::size_t h = 64 * i + static_cast<std::size_t>(std::countr_zero(marks[i]));
            if (liberties_[h].at_most_one()) {
                visit(liberties_[h].last());
            }
        }
    }
}

// Pairs of different chains add up like those of one, so that only captures need a walk over stones.
template <class Index, int Capacity>
Liberties Board<Index, Capacity>::liberties_after(Point p) const {
    const Colour own = colour_of(to_play_);
    const Liberties here = Liberties::of(p);
    Liberties found;
    std::array<Point, 4> friends{};
    std::size_t friend_count = 0;
    std::array<Point, 4> taken{};
    std::size_t taken_count = 0;
    const auto add = [](std::array<Point, 4>& heads, std::size_t& count, Point h) {
        const bool is_new = std::find(heads.begin(), heads.begin() + count, h) == heads.begin() + count;
        if (is_new) {
            heads[count++] = h;
        }
        return is_new;
    };
    for (const Point q : around(p)) {
        const Colour c = colour(q);
        if (c == Colour::empty) {
            found += Liberties::of(q);
        } else if (c == own) {
            if (add(friends, friend_count, head(q))) {
                found += liberties_[chain_[at(q)]];
            }
            found -= here;
        } else if (c != Colour::wall && liberties_[chain_[at(q)]].only(here)) {
            add(taken, taken_count, head(q));
        }
    }
    for (std::size_t i = 0; i < taken_count; ++i) {
        Point stone = taken[i];
        do {
            for (const Point q : around(stone)) {
                const bool is_own =
                    colour(q) == own && std::find(friends.begin(), friends.begin() + friend_count, head(q)) != friends.begin() + friend_count;
                found += Liberties::of(stone).only_if(q == p || is_own);
            }
            stone = next_[at(stone)];
        } while (stone != taken[i]);
    }
    return found;
}

template <class Index, int Capacity>
bool Board<Index, Capacity>::joins_safely(Point p) const {
    const Colour own = colour_of(to_play_);
    const Liberties here = Liberties::of(p);
    const std::array<Point, 4> neighbours = around(p);
    for (const Point q : neighbours) {
        if (colour(q) == own) {
            const Index h = chain_[at(q)];
            Liberties others = liberties_[h];
            for (const Point r : neighbours) {
                others -= here.only_if(chain_[at(r)] == h);
            }
            if (!others.at_most_one()) {
                return true;
            }
        }
    }
    return false;
}

// With all pairs of one liberty taken away, all others must be of one point.
template <class Index, int Capacity>
std::optional<std::array<Point, 2>> Board<Index, Capacity>::two_liberties(Point stone) const {
    const Index h = chain_[at(stone)];
    Liberties rest = liberties_[h];
    if (rest.pairs() > 8 || rest.at_most_one()) {  // a liberty is part of four pairs at most
        return std::nullopt;
    }
    while (!neighbours_[at(stone)].any_empty()) {
        stone = next_[at(stone)];
    }
    const Point first = around(stone)[static_cast<std::size_t>(std::bit_width(around_of(stone, Colour::empty))) - 1];
    for (const Point q : around(first)) {
        rest -= Liberties::of(first).only_if(chain_[at(q)] == h);
    }
    if (!rest.at_most_one()) {
        return std::nullopt;
    }
    return std::array{first, rest.last()};
}

template <class Index, int Capacity>
bool Board<Index, Capacity>::gains_liberties(Point stone, Point liberty, Point other_liberty) const {
    const Colour c = colour(stone);
    const Point h = head(stone);
    int free = 0;
    int joins = 0;
    for (const Point q : around(liberty)) {
        free += static_cast<int>(colour(q) == Colour::empty) & static_cast<int>(q != other_liberty);
        joins |= static_cast<int>(colour(q) == c) & static_cast<int>(head(q) != h);
    }
    if (free >= 2 || joins == 0) {
        return free >= 2;
    }
    Liberties gained;
    std::array<Point, 4> joined{};
    std::size_t joined_count = 0;
    for (const Point q : around(liberty)) {
        if (colour(q) == Colour::empty) {
            gained += Liberties::of(q).only_if(q != other_liberty);
        } else if (colour(q) == c && head(q) != h) {
            if (std::find(joined.begin(), joined.begin() + joined_count, head(q)) == joined.begin() + joined_count) {
                joined[joined_count++] = head(q);
                gained += liberties_[chain_[at(q)]];
            }
            gained -= Liberties::of(liberty);
        }
    }
    for (const Point q : around(other_liberty)) {
        const bool is_joined = std::find(joined.begin(), joined.begin() + joined_count, head(q)) != joined.begin() + joined_count;
        gained -= Liberties::of(other_liberty).only_if(is_joined);
    }
    return !gained.at_most_one();
}

template <class Index, int Capacity>
template <class Visit>
void Board<Index, Capacity>::for_each_removed_by(Point p, Visit&& visit) const {
    const Colour own = colour_of(to_play_);
    const bool dies = is_suicide(p);
    std::array<Point, 4> seen{};
    int seen_count = 0;
    for (const Point q : around(p)) {
        const bool leaves = dies ? colour(q) == own : (colour(q) == other(own) && in_atari(q));
        if (!leaves) {
            continue;
        }
        const Point h = head(q);
        bool known = false;
        for (int i = 0; i < seen_count; ++i) {
            known |= seen[at(i)] == h;
        }
        if (known) {
            continue;
        }
        seen[at(seen_count++)] = h;
        Point stone = h;
        do {
            visit(stone);
            stone = next_[at(stone)];
        } while (stone != h);
    }
}

template <class Index, int Capacity>
std::uint64_t Board<Index, Capacity>::stones_key_after(Point p) const {
    const auto word = [](Colour c, Point stone) { return zobrist.stone[static_cast<std::size_t>(c)][at(stone)]; };
    std::uint64_t key = stones_key_ ^ (is_suicide(p) ? 0 : word(colour_of(to_play_), p));
    for_each_removed_by(p, [&](Point stone) { key ^= word(colour(stone), stone); });
    return key;
}

template <class Index, int Capacity>
template <class Visit>
void Board<Index, Capacity>::for_each_territory(Visit&& visit) const {
    std::array<bool, Capacity> visited{};
    std::array<Index, Capacity> region;
    for (int i = 0; i < empty_count_; ++i) {
        if (visited[empty_[at(i)]]) {
            continue;
        }
        std::array<bool, 4> touches{};
        int size = 0;
        region[at(size++)] = empty_[at(i)];
        visited[empty_[at(i)]] = true;
        for (int next = 0; next < size; ++next) {
            for (const Point q : around(region[at(next)])) {
                touches[static_cast<std::size_t>(colour(q))] = true;
                if (colour(q) == Colour::empty && !visited[at(q)]) {
                    visited[at(q)] = true;
                    region[at(size++)] = static_cast<Index>(q);
                }
            }
        }
        if (touches[0] != touches[1]) {
            visit(std::span<const Index>(region.data(), at(size)), touches[0] ? Player::black : Player::white);
        }
    }
}

template <class Index, int Capacity>
int Board<Index, Capacity>::area_score() const {
    int score = stones(Player::black) - stones(Player::white);
    for_each_territory([&](std::span<const Index> region, Player owner) {
        const int size = static_cast<int>(region.size());
        score += owner == Player::black ? size : -size;
    });
    return score;
}

template <class Index, int Capacity>
int Board<Index, Capacity>::final_score() const {
    int score = stones(Player::black) - stones(Player::white);
    for (int i = 0; i < empty_count_; ++i) {
        const NeighbourCount around_p = neighbours_[empty_[at(i)]];
        if (around_p.any_empty()) {
            return area_score();
        }
        score += static_cast<int>(around_p.all(Colour::black)) - static_cast<int>(around_p.all(Colour::white));
    }
    return score;
}

}  // namespace katachi::go
