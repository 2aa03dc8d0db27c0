#include "search/tree_control.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace katachi {

namespace {

// 1 / sqrt(n), sqrt(2 ln n) and sqrt(ln n) of numbers that visits usually are.
struct Tables {
    std::vector<double> inverse_roots = std::vector<double>(TreeControl::tabulated);
    std::vector<double> wide = std::vector<double>(TreeControl::tabulated);
    std::vector<double> narrow = std::vector<double>(TreeControl::tabulated);

    Tables() {
        for (std::uint32_t n = 1; n < TreeControl::tabulated; ++n) {
            const double log = std::log(static_cast<double>(n));
            inverse_roots[n] = 1 / std::sqrt(static_cast<double>(n));
            wide[n] = std::sqrt(2 * log);
            narrow[n] = std::sqrt(log);
        }
    }
};

const Tables& tables() {
    static const Tables found;
    return found;
}

}  // namespace

TreeControl::TreeControl(const TreeSearchOptions& options, const GameFacts& facts, Player searcher)
    : options_(options),
      facts_(facts),
      searcher_(searcher),
      inverse_roots_(tables().inverse_roots.data()),
      root_logs_(options.ucb_form == UcbForm::thesis ? tables().wide.data() : tables().narrow.data()),
      prior_visits_(options.prior == Prior::none ? 0 : options.prior_visits),
      is_shared_(options.threads > 1),
      combines_(options.rave != RaveUse::none || prior_visits_ > 0),
      is_plain_(!is_shared_ && !combines_ && options.control == ControlPolicy::ucb1 && options.structure == Structure::tree &&
                options.convention == Convention::afterstate && options.opponent == OpponentModel::adversary && options.unscaled == Unscaled::raw &&
                options.learner != Learner::q_naive && options.learner != Learner::q_watkins) {
    for (const bool maximises : {false, true}) {
        Scale& fixed = fixed_scales_[maximises ? 1 : 0];
        if (options_.normalisation == Normalisation::known && facts_.return_bounds && facts_.return_bounds->low < facts_.return_bounds->high) {
            fixed = scale_of({facts_.return_bounds->low, facts_.return_bounds->high}, maximises);
            has_fixed_scale_ = true;
        } else if (options_.normalisation == Normalisation::none) {
            fixed = unscaled(maximises);
            has_fixed_scale_ = true;
        }
    }
}

double TreeControl::large_inverse_root(std::uint32_t n) { return 1 / std::sqrt(static_cast<double>(n)); }

double TreeControl::large_root_log(std::uint64_t n) const {
    const double log = std::log(static_cast<double>(n));
    return std::sqrt(options_.ucb_form == UcbForm::thesis ? 2 * log : log);
}

Choice TreeControl::choose(NodeStore& store, NodeIndex node, Player to_play, const Range& global, double epsilon, Rng& rng,
                           const std::vector<std::uint32_t>* allowed) {
    const bool is_compared = options_.learner == Learner::q_naive || options_.learner == Learner::q_watkins;
    const bool is_opponent = to_play != searcher_;
    const bool maximises = this->maximises(to_play);
    if (combines_ && is_shared_) {
        combine<AtomicAccess>(store, node, maximises, allowed);
    } else if (combines_) {
        combine<PlainAccess>(store, node, maximises, allowed);
    }
    if (is_shared_ && !combines_) {
        look_together(store, node, maximises);
    } else if (!combines_ || is_compared) {
        look(store, node, allowed);
    }
    ControlPolicy policy = options_.control;
    if (is_opponent && options_.opponent == OpponentModel::random) {
        policy = ControlPolicy::random;
    } else if (is_opponent && options_.opponent == OpponentModel::greedy) {
        policy = ControlPolicy::greedy;
    }
    Choice choice;
    if (is_compared) {
        compare(maximises, choice);
    }
    if (combines_ && policy != ControlPolicy::ucb1) {
        combined_values_.resize(combined_.size());
        std::ranges::transform(combined_, combined_values_.begin(), &Combined::value);
    }
    const std::vector<double>& seen = combines_ ? combined_values_ : values_;
    Scale scaled;
    const auto count = static_cast<std::uint32_t>(combines_ ? combined_.size() : values_.size());
    switch (policy) {
        case ControlPolicy::ucb1:
            if (!scale(store, node, maximises, global, scaled) && options_.unscaled == Unscaled::random) {
                choice.slot = rng.below(count);
            } else {
                choice.slot = combines_ ? best_combined(scaled, rng) : best_by_ucb1(store, node, scaled, rng);
            }
            break;
        case ControlPolicy::epsilon_greedy:
            choice.slot = epsilon > 0 && rng.uniform() < epsilon ? rng.below(count) : best_by_value(seen, maximises, rng);
            break;
        case ControlPolicy::softmax:
            if (!scale(store, node, maximises, global, scaled) && options_.unscaled == Unscaled::random) {
                choice.slot = rng.below(count);
            } else {
                choice.slot = softmax(seen, scaled, rng);
            }
            break;
        case ControlPolicy::greedy:
            choice.slot = best_by_value(seen, maximises, rng);
            break;
        case ControlPolicy::random:
            choice.slot = rng.below(count);
            break;
    }
    if (choice.has_best) {
        choice.is_greedy = std::abs(values_[choice.slot] - choice.best) <= options_.tie_tolerance;
    }
    if (allowed != nullptr) {
        choice.slot = (*allowed)[choice.slot];
    }
    return choice;
}

// Values and visits of the actions, from children or through edges.
void TreeControl::look(NodeStore& store, NodeIndex node, const std::vector<std::uint32_t>* allowed) {
    const Node& here = store[node];
    const std::uint32_t count = allowed == nullptr ? here.count : static_cast<std::uint32_t>(allowed->size());
    values_.resize(count);
    visits_.resize(count);
    const bool is_state = options_.convention == Convention::state;
    if (options_.structure == Structure::tree) {
        const Node* children = &store[here.first];
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t slot = allowed == nullptr ? i : (*allowed)[i];
            values_[i] = children[slot].value;
            visits_[i] = children[slot].visits;
            if (is_state && visits_[i] > 0) {
                values_[i] = store.reward(here.first + slot) + options_.gamma * values_[i];
            }
        }
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        Edge& edge = store.edge(here.first + (allowed == nullptr ? i : (*allowed)[i]));
        if (edge.node == no_node) {
            edge.node = store.index().find(edge.key);
        }
        const bool is_known = edge.node != no_node && store[edge.node].visits > 0;
        values_[i] = is_known ? store[edge.node].value : edge.initial;
        visits_[i] = !is_known ? 0 : options_.graph_counts == GraphCounts::edge ? edge.visits : store[edge.node].visits;
        if (is_state && is_known) {
            values_[i] = edge.reward + options_.gamma * values_[i];
        }
    }
}

// The same of a tree while other threads are at work: each of them that has met a child counts as a visit that was lost.
void TreeControl::look_together(NodeStore& store, NodeIndex node, bool maximises) {
    Node* const children = &store[store.first(node)];
    const std::uint32_t count = store[node].count;
    values_.resize(count);
    visits_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t visits = AtomicAccess::load(children[i].visits);
        const std::uint32_t walkers = AtomicAccess::load(children[i].walkers);
        values_[i] = with_losses(AtomicAccess::load(children[i].value), visits, walkers, maximises);
        visits_[i] = visits + walkers;
    }
}

TreeControl::Scale TreeControl::scale_of(const Range& range, bool maximises) {
    const double factor = 1 / (range.high - range.low);
    return maximises ? Scale{factor, -range.low * factor} : Scale{-factor, range.high * factor};
}

// Values as they are; for the other player, of the other side.
TreeControl::Scale TreeControl::unscaled(bool maximises) const {
    const double both_ends = facts_.return_bounds ? facts_.return_bounds->low + facts_.return_bounds->high : 0;
    return maximises ? Scale{} : Scale{-1, both_ends};
}

// Fills `found`; false if the values could not be scaled although they should be.
bool TreeControl::scale(const NodeStore& store, NodeIndex node, bool maximises, const Range& global, Scale& found) const {
    if (has_fixed_scale_) {
        found = fixed_scales_[maximises ? 1 : 0];
        return true;
    }
    const bool is_local = store.extras().ranges && store.range(node).is_valid();
    const Range& range = is_local ? store.range(node) : global;
    found = range.is_valid() ? scale_of(range, maximises) : unscaled(maximises);
    return range.is_valid();
}

// The same as `look` and `best_by_ucb1`, in one pass over the children: most of a search is spent here.
std::uint32_t TreeControl::best_child_by_ucb1(const NodeStore& store, NodeIndex node, const Scale& scale, Rng& rng) {
    const Node& here = store[node];
    const Node* const children = &store[here.first];
    const std::uint32_t count = here.count;
    const double added = bonus(options_.parent_count == ParentCount::children ? here.mark : here.visits);
    const std::uint32_t more = options_.ucb_form == UcbForm::fuego ? 1 : 0;
    const double untried_score = options_.first_play_urgency.value_or(0) + (more == 1 ? added : 0.0);
    const bool untried_first = !options_.first_play_urgency;
    double highest = -std::numeric_limits<double>::infinity();
    double second = highest;
    std::uint32_t best = 0;
    const auto score_of = [&](const Node& child) {
        return child.visits == 0 ? untried_score : scale.factor * child.value + scale.offset + added * inverse_root(child.visits + more);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const Node& child = children[i];
        double score = untried_score;
        if (child.visits != 0) [[likely]] {
            score = scale.factor * child.value + scale.offset + added * inverse_root(child.visits + more);
        } else if (untried_first) {
            return untried_child(children, i, count, rng);
        }
        second = std::max(second, std::min(score, highest));
        best = score > highest ? i : best;
        highest = std::max(highest, score);
    }
    if (second < highest - options_.tie_tolerance) {
        return best;
    }
    scores_.resize(std::max<std::size_t>(scores_.size(), count));
    for (std::uint32_t i = 0; i < count; ++i) {
        scores_[i] = score_of(children[i]);
    }
    return highest_score(count, highest, rng);
}

// One of the children without a visit, each equally likely; the first is known.
std::uint32_t TreeControl::untried_child(const Node* children, std::uint32_t first, std::uint32_t count, Rng& rng) {
    std::uint32_t untried = 0;
    for (std::uint32_t i = first; i < count; ++i) {
        untried += children[i].visits == 0 ? 1 : 0;
    }
    std::uint32_t skip = untried == 1 ? 0 : rng.below(untried);
    for (std::uint32_t i = first;; ++i) {
        if (children[i].visits == 0 && skip-- == 0) {
            return i;
        }
    }
}

std::uint32_t TreeControl::best_by_ucb1(NodeStore& store, NodeIndex node, const Scale& scale, Rng& rng) {
    const auto count = static_cast<std::uint32_t>(values_.size());
    if (!options_.first_play_urgency) {
        // Untried actions come first, each equally likely.
        const auto untried = static_cast<std::uint32_t>(std::ranges::count(visits_, 0U));
        if (untried > 0) {
            std::uint32_t skip = untried == 1 ? 0 : rng.below(untried);
            for (std::uint32_t i = 0;; ++i) {
                if (visits_[i] == 0 && skip-- == 0) {
                    return i;
                }
            }
        }
    }
    std::uint64_t total = 0;
    for (const std::uint32_t n : visits_) {
        total += n;
    }
    const double added = bonus(options_.parent_count == ParentCount::children ? total : store.visits(node));
    const bool is_fuego = options_.ucb_form == UcbForm::fuego;
    const double urgency = options_.first_play_urgency.value_or(0);
    scores_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t n = visits_[i];
        if (n == 0) {
            scores_[i] = is_fuego ? urgency + added : urgency;
        } else {
            scores_[i] = scale.factor * values_[i] + scale.offset + added * inverse_root(is_fuego ? n + 1 : n);
        }
    }
    return highest_score(count, *std::ranges::max_element(scores_), rng);
}

// Q*, the counts behind it and beta of the actions: children of a tree. A thread that has met one counts as one more return, a loss.
template <class Access>
void TreeControl::combine(NodeStore& store, NodeIndex node, bool maximises, const std::vector<std::uint32_t>* allowed) {
    Node& here = store[node];
    const NodeIndex first = store.first(node);
    Node* const children = &store[first];
    Rave* const raves = options_.rave == RaveUse::none ? nullptr : &store.rave(first);
    const std::uint32_t count = allowed == nullptr ? here.count : static_cast<std::uint32_t>(allowed->size());
    const bool is_state = options_.convention == Convention::state;
    const auto slot_of = [&](std::uint32_t i) { return allowed == nullptr ? i : (*allowed)[i]; };
    std::uint64_t visits = Access::load(here.mark);
    if (allowed != nullptr) {
        visits = 0;
        for (const std::uint32_t slot : *allowed) {
            visits += children[slot].visits;
        }
    }
    combined_total_ = parent_visits(visits, Access::load(here.visits), count);
    const RaveWeight weight(options_, combined_total_);
    combined_.resize(count);
    rave_total_ = 0;
    untried_ = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t slot = slot_of(i);
        Node& child = children[slot];
        const Rave rave = raves == nullptr ? Rave{} : Rave{Access::load(raves[slot].sum), Access::load(raves[slot].count)};
        Combined& combined = combined_[i];
        combined.value = Access::load(child.value);
        combined.visits = Access::load(child.visits) + prior_visits_;
        combined.rave_count = rave.count;
        combined.weight = weight(combined.visits, rave.count);
        if (is_state && child.visits > 0) {
            combined.value = store.reward(first + slot) + options_.gamma * child.value;
        }
        if (combined.weight > 0) {
            combined.value = (1 - combined.weight) * combined.value + combined.weight * rave.value();
        }
        if constexpr (std::is_same_v<Access, AtomicAccess>) {
            const std::uint32_t walkers = Access::load(child.walkers);
            combined.value = with_losses(combined.value, combined.visits + 1, walkers, maximises);
            combined.visits += walkers;
        }
        rave_total_ += rave.count;
        untried_ += combined.is_tried() ? 0 : 1;
    }
}

double TreeControl::fractional_bonus(double total) const {
    const double log = std::log(std::max(1.0, total));
    return options_.c_p * std::sqrt(options_.ucb_form == UcbForm::thesis ? 2 * log : log);
}

// UCB1 over Q*. An action is untried if nothing is known of it; with a RAVE value alone it has the bonus of one visit.
//
//     rave, mc-rave     Q*
//     uct-rave          Q* + c sqrt(ln N / n)                            (8.12)
//     uct-rave-2007     (1 - beta) (Q + c sqrt(ln N / n)) + beta (Q~ + c sqrt(ln N~ / n~))   (Gelly and Silver 2007)
std::uint32_t TreeControl::best_combined(const Scale& scale, Rng& rng) {
    const auto count = static_cast<std::uint32_t>(combined_.size());
    if (!options_.first_play_urgency && untried_ > 0) {
        std::uint32_t skip = untried_ == 1 ? 0 : rng.below(untried_);
        for (std::uint32_t i = 0;; ++i) {
            if (!combined_[i].is_tried() && skip-- == 0) {
                return i;
            }
        }
    }
    const bool has_bonus = options_.rave != RaveUse::rave && options_.rave != RaveUse::mc_rave;
    const bool is_2007 = options_.rave == RaveUse::uct_rave_2007;
    const bool is_whole = prior_visits_ == 0;
    const double added = !has_bonus ? 0 : is_whole ? bonus(static_cast<std::uint64_t>(combined_total_)) : fractional_bonus(combined_total_);
    const double rave_added = is_2007 ? fractional_bonus(rave_total_) : 0;
    const double more = options_.ucb_form == UcbForm::fuego ? 1 : 0;
    const double untried_score = options_.first_play_urgency.value_or(0) + (more == 1 ? added : 0.0);
    scores_.resize(std::max<std::size_t>(scores_.size(), count));
    double highest = -std::numeric_limits<double>::infinity();
    double second = highest;
    std::uint32_t best = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Combined& action = combined_[i];
        double score = untried_score;
        if (action.is_tried()) {
            score = scale.factor * action.value + scale.offset;
            if (has_bonus) {
                const double n = std::max(1.0, action.visits + more);
                const double root = is_whole ? inverse_root(static_cast<std::uint32_t>(n)) : 1 / std::sqrt(n);
                score += is_2007 ? (1 - action.weight) * added * root : added * root;
            }
            if (is_2007 && action.weight > 0) {
                score += action.weight * rave_added / std::sqrt(action.rave_count);
            }
        }
        scores_[i] = score;
        second = std::max(second, std::min(score, highest));
        best = score > highest ? i : best;
        highest = std::max(highest, score);
    }
    return second < highest - options_.tie_tolerance ? best : highest_score(count, highest, rng);
}

std::uint32_t TreeControl::best_by_value(const std::vector<double>& values, bool maximises, Rng& rng) {
    scores_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        scores_[i] = maximises ? values[i] : -values[i];
    }
    return highest_score(static_cast<std::uint32_t>(values.size()), *std::ranges::max_element(scores_), rng);
}

// Ties (within the tolerance of the highest) are broken uniformly.
std::uint32_t TreeControl::highest_score(std::uint32_t count, double highest, Rng& rng) const {
    const double threshold = highest - options_.tie_tolerance;
    std::uint32_t ties = 0;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool is_tie = scores_[i] >= threshold;
        last = is_tie ? i : last;
        ties += is_tie ? 1 : 0;
    }
    if (ties == 1) {
        return last;
    }
    if (ties == 0) {
        throw DivergenceError("no action is best: the values of this search are no numbers any more");
    }
    std::uint32_t skip = rng.below(ties);
    for (std::uint32_t i = 0;; ++i) {
        if (scores_[i] >= threshold && skip-- == 0) {
            return i;
        }
    }
}

std::uint32_t TreeControl::softmax(const std::vector<double>& values, const Scale& scale, Rng& rng) {
    scores_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        scores_[i] = scale.factor * values[i] + scale.offset;
    }
    const double highest = *std::ranges::max_element(scores_);
    double sum = 0;
    for (double& score : scores_) {
        score = std::exp((score - highest) / options_.temperature);
        sum += score;
    }
    double mark = rng.uniform() * sum;
    const auto last = static_cast<std::uint32_t>(scores_.size() - 1);
    for (std::uint32_t i = 0; i < last; ++i) {
        mark -= scores_[i];
        if (mark < 0) {
            return i;
        }
    }
    return last;
}

void TreeControl::compare(bool maximises, Choice& choice) const {
    choice.has_best = true;
    choice.best = maximises ? *std::ranges::max_element(values_) : *std::ranges::min_element(values_);
}

}  // namespace katachi
