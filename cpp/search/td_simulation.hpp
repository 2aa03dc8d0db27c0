// One simulated game of temporal-difference search, and what is learnt from it: what a thread needs, with weights that are not its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/grown_features.hpp"
#include "search/td_search.hpp"
#include "values/afterstates.hpp"

namespace katachi {

// The root of a search, and sums of the long-term memory there, which every simulation begins with.
template <class B>
struct TdRoot {
    using LongSums = Afterstates<FixedLookup>;

    go::GoState<B> state;
    ActionBuffer actions;
    std::shared_ptr<const ShapeEvaluator> long_term;  // may be missing
    std::optional<LongSums> long_sums;
};

// `Grown`: features that are added while it learns, if there are any.
template <class B, class Weights, class Lookup, class Grown = NoGrownFeatures>
class TdSimulation {
   public:
    using State = go::GoState<B>;
    using ShortSums = Afterstates<Lookup>;
    using LongSums = typename TdRoot<B>::LongSums;

    // All of them must outlive it. The learner is its own.
    TdSimulation(const TdRoot<B>& root, const TdSearchOptions& options, const features::Representation& representation, Weights& weights,
                 TdLearner& learner, Grown grown = {})
        : root_(&root),
          options_(&options),
          weights_(&weights),
          learner_(&learner),
          geometry_(root.state.board().geometry()),
          root_sums_(representation.shapes(), Lookup(representation, weights, Player::black)),
          sums_(root_sums_),
          long_sums_(root.long_sums),
          unit_(root.long_term ? root.long_term->unit() : 0),
          policy_(options.policy, root.state),
          by_spans_(learner.learns_spans()),
          since_(representation.shapes().windows().size()),
          takes_(static_cast<std::size_t>(geometry_.area())),
          grown_(std::move(grown)) {
        root_sums_.reset(root.state.board());
        for (int i = 0; i < geometry_.area(); ++i) {
            root_lead_ += stone_sign(root.state.board().colour(geometry_.padded_point(i)));
        }
    }

    // Plays and learns; returns the place of its first move among the root actions. `played`: simulations from this root so far.
    std::size_t run(std::uint64_t played, Rng& rng, SimulatedGame& game) {
        begin(played, game);
        State state = root_->state;
        if (epsilon_policy_ > 0) {
            begin_policy(state, rng);
        }
        const double whole = std::floor(options_->switch_after);
        const double fraction = options_->switch_after - whole;
        const double learnt_moves = fraction > 0 && rng.uniform() < fraction ? whole + 1 : whole;
        std::size_t first = 0;
        for (int t = 0; !outcome_ && (t == 0 || t < learnt_moves); ++t) {
            list_actions(state, t == 0);
            const Action action = t < learnt_moves ? choose(state, rng) : default_move(state, rng);
            if (t == 0) {
                first = static_cast<std::size_t>(std::ranges::find(actions_, action) - actions_.begin());
            }
            step(state, point_of(action), game);
        }
        needs_sums_ = false;
        sums_.stop_changes();
        if (long_sums_) {
            long_sums_->stop_changes();
        }
        if (!outcome_) {
            play_out(state, rng, game);
        }
        game.outcome = outcome_.value_or(0);
        learn(game);
        return first;
    }

    // What the memories say now of the state after some moves from the root: its actions, and Black's chance to win after each.
    std::vector<RootAction> valued_actions(std::span<const Action> moves = {}) {
        std::vector<RootAction> valued;
        const State state = state_after(moves);
        sums_.reset(state.board());
        if (long_sums_) {
            long_sums_->reset(state.board());
        }
        list_actions(state, moves.empty());
        for (const Action action : actions_) {
            valued.push_back({.action = action, .visits = 0, .value = value_after(state, action)});
        }
        return valued;
    }

    double root_value() {
        start_sums();
        const double value = learner_->value_of(sum());
        if constexpr (Grown::is_used) {
            return grown_.mixed(value);
        }
        return value;
    }

   private:
    void start_sums() {
        sums_.reset_to(root_sums_);
        long_sums_ = root_->long_sums;
        if constexpr (Grown::is_used) {
            grown_.begin(root_->state.board(), by_spans_ ? &spans_ : nullptr);
        }
    }

    // The root and some moves, also for the features that grow.
    State state_after(std::span<const Action> moves) {
        State state = root_->state;
        if constexpr (Grown::is_used) {
            grown_.begin(state.board(), nullptr);
        }
        for (const Action move : moves) {
            if constexpr (Grown::is_used) {
                grown_.leave(state.board(), point_of(move), 0);
            }
            state.play(move);
            if constexpr (Grown::is_used) {
                grown_.enter(state.board());
            }
        }
        return state;
    }

    void begin(std::uint64_t played, SimulatedGame& game) {
        start_sums();
        const double fade = options_->epsilon_half > 0 ? options_->epsilon_half / (options_->epsilon_half + static_cast<double>(played)) : 1;
        epsilon_ = options_->epsilon * fade;
        epsilon_policy_ = options_->epsilon_policy * fade;
        game.moves.clear();
        outcome_ = std::nullopt;
        lead_ = root_lead_;
        active_ = 0;
        records_ = needs_sums_ = true;
        is_met_late_ = false;
        follows_policy_ = false;
        learner_->begin_game();
        spans_.clear();
        trace_.clear();
        if (by_spans_) {
            std::ranges::fill(since_, 0);
            for (int window = 0; window < static_cast<int>(since_.size()); ++window) {
                sums_.lookup().for_each(window, sums_.tracker().code(window), [&](features::Entry) { ++active_; });
            }
        }
        meet();
    }

    double sum() const {
        const double fixed = sums_.sum() + (long_sums_ ? static_cast<double>(long_sums_->sum()) * unit_ : 0);
        if constexpr (Grown::is_used) {
            return fixed + grown_.sum();
        }
        return fixed;
    }

    // What an action adds to the sum.
    [[gnu::always_inline]] double change(const State& state, Action action) {
        if constexpr (Grown::is_used) {
            return fixed_change(state, action) + grown_.change(state.board(), point_of(action));
        }
        return fixed_change(state, action);
    }

    // Of the features that do not grow.
    [[gnu::always_inline]] double fixed_change(const State& state, Action action) {
        if (geometry_.is_pass(action)) {
            return 0;
        }
        if (takes_[static_cast<std::size_t>(action.value)]) [[unlikely]] {
            const go::Point p = geometry_.padded_point(action.value);
            const auto own = static_cast<double>(sums_.change(state.board(), p));
            return long_sums_ ? own + static_cast<double>(long_sums_->change(state.board(), p)) * unit_ : own;
        }
        const features::Digit stone = ShortSums::digit(go::colour_of(state.to_play()));
        const auto own = static_cast<double>(sums_.quiet_change(action.value, stone));
        return long_sums_ ? own + static_cast<double>(long_sums_->quiet_change(action.value, stone)) * unit_ : own;
    }

    // Black's chance to win after an action.
    double value_after(const State& state, Action action) {
        const double value = learner_->value_of(sum() + change(state, action));
        if constexpr (Grown::is_used) {
            return grown_.interpolates() ? grown_.mixed_after(value, state.board(), point_of(action)) : value;
        }
        return value;
    }

    // What orders actions as their values do.
    double worth(const State& state, Action action) {
        if constexpr (Grown::is_used) {
            return grown_.interpolates() ? value_after(state, action) : change(state, action);
        }
        return change(state, action);
    }

    go::Point point_of(Action action) const { return geometry_.is_pass(action) ? go::no_point : geometry_.padded_point(action.value); }

    // What may be played, and what of it takes something.
    void list_actions(const State& state, bool is_root) {
        std::ranges::fill(takes_, false);
        state.board().for_each_capture([&](go::Point p) { takes_[static_cast<std::size_t>(geometry_.dense(p))] = true; });
        if (is_root) {
            actions_ = root_->actions;
        } else {
            candidates(state, actions_);
        }
    }

    int states() const { return by_spans_ ? spans_.states() : trace_.states(); }

    // The next state, if it is one to be learnt from.
    void meet() {
        if (options_->record_limit > 0 && states() >= options_->record_limit) {
            records_ = false;
            return;
        }
        int active = active_;
        if constexpr (Grown::is_used) {
            grown_.grow();
            active += grown_.active();
        }
        const double sum = this->sum();
        const double value = learner_->value_of(sum);
        if (by_spans_) {
            spans_.add_state(sum, value, active);
            return;
        }
        const auto codes = sums_.tracker().codes();
        for (int window = 0; window < static_cast<int>(codes.size()); ++window) {
            sums_.lookup().for_each(window, sums_.tracker().code(window), [&](features::Entry entry) { trace_.add(entry); });
        }
        if constexpr (Grown::is_used) {
            grown_.for_each([&](features::Entry entry) { trace_.add(entry); });
        }
        trace_.end_state(value);
        if (learner_->options().update_mode == UpdateMode::online) {
            learner_->learn_step(*weights_, trace_);
            sums_.renew();
            if constexpr (Grown::is_used) {
                grown_.renew();
            }
        }
    }

    Action random_candidate(Rng& rng) const { return actions_[rng.below(static_cast<std::uint32_t>(actions_.size()))]; }

    // Before the switch: among `actions_`.
    Action choose(State& state, Rng& rng) {
        if (epsilon_ + epsilon_policy_ > 0) {
            const double u = rng.uniform();
            if (u < epsilon_) {
                return random_candidate(rng);
            }
            if (u < epsilon_ + epsilon_policy_) {
                return default_move(state, rng);
            }
        }
        return options_->exploration == Exploration::softmax ? any_by_value(state, rng) : best(state, rng);
    }

    Action best(const State& state, Rng& rng) {
        const double sign = state.to_play() == Player::black ? 1 : -1;
        double highest = -std::numeric_limits<double>::infinity();
        std::uint32_t ties = 0;
        Action chosen = actions_.front();
        for (const Action action : actions_) {
            const double signed_worth = sign * worth(state, action);
            if (signed_worth > highest) {
                highest = signed_worth;
                chosen = action;
                ties = 1;
            } else if (signed_worth == highest && rng.below(++ties) == 0) {
                chosen = action;
            }
        }
        return chosen;
    }

    Action any_by_value(const State& state, Rng& rng) {
        const double sign = state.to_play() == Player::black ? 1 : -1;
        weights_of_actions_.clear();
        double highest = -std::numeric_limits<double>::infinity();
        for (const Action action : actions_) {
            weights_of_actions_.push_back(sign * value_after(state, action));
            highest = std::max(highest, weights_of_actions_.back());
        }
        double total = 0;
        for (double& weight : weights_of_actions_) {
            weight = total += std::exp((weight - highest) / options_->temperature);  // of the best one 1: no sum is 0
        }
        const auto found = std::ranges::upper_bound(weights_of_actions_, rng.uniform() * total);
        const auto place = std::min<std::ptrdiff_t>(found - weights_of_actions_.begin(), static_cast<std::ptrdiff_t>(actions_.size()) - 1);
        return actions_[static_cast<std::size_t>(place)];
    }

    // The default policy's move, if it is among `actions_`, which at the root are fewer than the game's.
    Action default_move(State& state, Rng& rng) {
        begin_policy(state, rng);
        const Action action = policy_.choose(state, rng, buffer_);
        return std::ranges::find(actions_, action) == actions_.end() ? random_candidate(rng) : action;
    }

    // The rest of the game.
    void play_out(State& state, Rng& rng, SimulatedGame& game) {
        begin_policy(state, rng);
        policy_.visit([&](auto& policy) {
            while (!outcome_) {
                step(state, state.choose(policy, rng), game);
            }
        });
    }

    // The default policy's playout begins here, unless it has begun before.
    void begin_policy(const State& state, Rng& rng) {
        if (!follows_policy_) {
            policy_.begin(state, rng);
            follows_policy_ = true;
        }
    }

    // One move: what the memories make of it, and the board.
    void step(State& state, go::Point p, SimulatedGame& game) {
        meet_late();
        if (p != go::no_point) {
            follow(state.board(), p);
        }
        const Action action = geometry_.action(p);
        if (follows_policy_) {
            policy_.follow(state, action);
        }
        game.moves.push_back(action);
        if constexpr (Grown::is_used) {
            if (records_ || needs_sums_) {
                grown_.leave(state.board(), p, states());
            }
        }
        const Reward reward = state.play_at(p);
        if (state.is_terminal()) {
            outcome_ = reward;
            return;
        }
        if constexpr (Grown::is_used) {
            if (records_ || needs_sums_) {
                grown_.enter(state.board());
            }
        }
        if (records_ && meets_late()) {
            is_met_late_ = true;
        } else {
            settle();
            if (records_) {
                meet();
            }
        }
        if (options_->mercy > 0 && std::abs(lead_) >= options_->mercy * geometry_.area()) {
            outcome_ = lead_ > 0 ? 1 : 0;
        }
    }

    // Behind the switch nobody asks for a sum before the next move: it is read when the weights have come.
    bool meets_late() const { return by_spans_ && !needs_sums_ && !Grown::is_used; }

    void meet_late() {
        if (is_met_late_) {
            is_met_late_ = false;
            settle();
            meet();
        }
    }

    void settle() {
        sums_.settle();
        if (long_sums_) {
            long_sums_->settle();
        }
    }

    void follow(const B& board, go::Point p) {
        if (options_->mercy > 0) {
            board.for_each_removed_by(p, [&](go::Point stone) { lead_ -= stone_sign(board.colour(stone)); });
            lead_ += board.is_suicide(p) ? 0 : stone_sign(go::colour_of(board.to_play()));
        }
        if (!records_ && !needs_sums_) {
            return;
        }
        const auto unseen = [](int, features::Code, features::Code) {};
        if (long_sums_) {
            long_sums_->play_ahead(board, p, unseen);
        }
        if (!by_spans_) {
            sums_.play_ahead(board, p, unseen);
            return;
        }
        const int next = spans_.states();  // the first state in which the windows are as they will be
        const Lookup& lookup = sums_.lookup();
        int* const starts = since_.data();
        int active = active_;
        sums_.play_ahead(board, p, [&](int window, features::Code before, features::Code after) {
            int& since = starts[window];
            lookup.for_each(window, before, [&](features::Entry entry) {
                --active;
                if (since < next) {
                    spans_.add_span(entry, since, next);
                }
            });
            lookup.for_each(window, after, [&](features::Entry) { ++active; });
            since = next;
        });
        active_ = active;
    }

    static int stone_sign(go::Colour colour) { return colour == go::Colour::black ? 1 : colour == go::Colour::white ? -1 : 0; }

    void learn(SimulatedGame& game) {
        meet_late();
        game.recorded = states();
        if constexpr (Grown::is_used) {
            grown_.finish(states(), game.outcome);
        }
        if (!by_spans_) {
            game.errors = learner_->learn_game(*weights_, trace_, game.outcome);
            return;
        }
        const int end = spans_.states();
        for (int window = 0; window < static_cast<int>(since_.size()); ++window) {
            const int since = since_[static_cast<std::size_t>(window)];
            if (since < end) {
                sums_.lookup().for_each(window, sums_.tracker().code(window), [&](features::Entry entry) { spans_.add_span(entry, since, end); });
            }
        }
        game.errors = learner_->learn_spans(*weights_, spans_, game.outcome);
    }

    const TdRoot<B>* root_;
    const TdSearchOptions* options_;
    Weights* weights_;
    TdLearner* learner_;
    go::Geometry geometry_;
    ShortSums root_sums_;
    ShortSums sums_;
    std::optional<LongSums> long_sums_;
    double unit_;
    PolicyFor<State> policy_;
    bool by_spans_;
    std::vector<int> since_;  // by window: from which state on it has been as it is
    SpanTrace spans_;
    GameTrace trace_;
    ActionBuffer actions_;
    std::vector<std::uint8_t> takes_;  // by point: a stone there takes others
    ActionBuffer buffer_;
    std::vector<double> weights_of_actions_;
    double epsilon_ = 0;
    double epsilon_policy_ = 0;
    std::optional<double> outcome_;
    int root_lead_ = 0;  // Black's, in stones
    int lead_ = 0;
    int active_ = 0;               // weights of the present state
    bool records_ = true;          // states are learnt from
    bool is_met_late_ = false;     // the present state has not been met yet
    bool needs_sums_ = true;       // moves are chosen by value
    bool follows_policy_ = false;  // it is told of moves
    [[no_unique_address]] Grown grown_;
};

}  // namespace katachi
