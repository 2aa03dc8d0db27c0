#include "search/tree_control.hpp"

#include <algorithm>
#include <cmath>

namespace katachi {

namespace {

constexpr std::uint32_t tabulated_roots = 4096;

}  // namespace

TreeControl::TreeControl(const TreeSearchOptions& options, const GameFacts& facts, Player searcher)
    : options_(options), facts_(facts), searcher_(searcher), inverse_roots_(tabulated_roots) {
    for (std::uint32_t n = 1; n < tabulated_roots; ++n) {
        inverse_roots_[n] = 1 / std::sqrt(static_cast<double>(n));
    }
}

double TreeControl::inverse_root(std::uint32_t n) { return n < tabulated_roots ? inverse_roots_[n] : 1 / std::sqrt(static_cast<double>(n)); }

Choice TreeControl::choose(NodeStore& store, NodeIndex node, Player to_play, const Range& global, double epsilon, Rng& rng,
                           const std::vector<std::uint32_t>* allowed) {
    look(store, node, allowed);
    const bool is_opponent = to_play != searcher_;
    const bool maximises = this->maximises(to_play);
    ControlPolicy policy = options_.control;
    if (is_opponent && options_.opponent == OpponentModel::random) {
        policy = ControlPolicy::random;
    } else if (is_opponent && options_.opponent == OpponentModel::greedy) {
        policy = ControlPolicy::greedy;
    }
    Choice choice;
    if (options_.learner == Learner::q_naive || options_.learner == Learner::q_watkins) {
        compare(maximises, choice);
    }
    Scale scaled;
    const auto count = static_cast<std::uint32_t>(values_.size());
    switch (policy) {
        case ControlPolicy::ucb1:
            if (!scale(store, node, maximises, global, scaled) && options_.unscaled == Unscaled::random) {
                choice.slot = rng.below(count);
            } else {
                choice.slot = best_by_ucb1(store, node, scaled, options_.exploration, rng);
            }
            break;
        case ControlPolicy::epsilon_greedy:
            choice.slot = epsilon > 0 && rng.uniform() < epsilon ? rng.below(count) : best_by_value(maximises, rng);
            break;
        case ControlPolicy::softmax:
            if (!scale(store, node, maximises, global, scaled) && options_.unscaled == Unscaled::random) {
                choice.slot = rng.below(count);
            } else {
                choice.slot = softmax(scaled, rng);
            }
            break;
        case ControlPolicy::greedy:
            choice.slot = best_by_value(maximises, rng);
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

// Fills `found`; false if the values could not be scaled although they should be.
bool TreeControl::scale(const NodeStore& store, NodeIndex node, bool maximises, const Range& global, Scale& found) const {
    Range range;
    switch (options_.normalisation) {
        case Normalisation::none:
            break;
        case Normalisation::known:
            range = facts_.return_bounds ? Range{facts_.return_bounds->low, facts_.return_bounds->high} : global;
            break;
        case Normalisation::observed:
            range = global;
            break;
        default:
            range = store.range(node).is_valid() ? store.range(node) : global;
            break;
    }
    if (!range.is_valid()) {
        const double both_ends = facts_.return_bounds ? facts_.return_bounds->low + facts_.return_bounds->high : 0;
        found = maximises ? Scale{} : Scale{-1, both_ends};
        return options_.normalisation == Normalisation::none;
    }
    const double factor = 1 / (range.high - range.low);
    found = maximises ? Scale{factor, -range.low * factor} : Scale{-factor, range.high * factor};
    return true;
}

std::uint32_t TreeControl::best_by_ucb1(const NodeStore& store, NodeIndex node, const Scale& scale, double exploration, Rng& rng) {
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
    if (options_.parent_count == ParentCount::children) {
        for (const std::uint32_t n : visits_) {
            total += n;
        }
    } else {
        total = store[node].visits;
    }
    const double log_total = std::log(static_cast<double>(std::max<std::uint64_t>(total, 1)));
    const double bonus = exploration * std::sqrt(options_.ucb_form == UcbForm::thesis ? 2 * log_total : log_total);
    const bool is_fuego = options_.ucb_form == UcbForm::fuego;
    const double urgency = options_.first_play_urgency.value_or(0);
    scores_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t n = visits_[i];
        if (n == 0) {
            scores_[i] = is_fuego ? urgency + bonus : urgency;
        } else {
            scores_[i] = scale.factor * values_[i] + scale.offset + bonus * inverse_root(is_fuego ? n + 1 : n);
        }
    }
    return highest_score(rng);
}

std::uint32_t TreeControl::best_by_value(bool maximises, Rng& rng) {
    scores_.resize(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
        scores_[i] = maximises ? values_[i] : -values_[i];
    }
    return highest_score(rng);
}

// Ties (within the tolerance of the highest) are broken uniformly.
std::uint32_t TreeControl::highest_score(Rng& rng) {
    const double threshold = *std::ranges::max_element(scores_) - options_.tie_tolerance;
    std::uint32_t ties = 0;
    std::uint32_t first = 0;
    const auto count = static_cast<std::uint32_t>(scores_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (scores_[i] >= threshold) {
            first = ties == 0 ? i : first;
            ++ties;
        }
    }
    if (ties == 1) {
        return first;
    }
    std::uint32_t skip = rng.below(ties);
    for (std::uint32_t i = first;; ++i) {
        if (scores_[i] >= threshold && skip-- == 0) {
            return i;
        }
    }
}

std::uint32_t TreeControl::softmax(const Scale& scale, Rng& rng) {
    scores_.resize(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
        scores_[i] = (scale.factor * values_[i] + scale.offset) / options_.temperature;
    }
    const double highest = *std::ranges::max_element(scores_);
    double sum = 0;
    for (double& score : scores_) {
        score = std::exp(score - highest);
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
