#include "search/tree_learner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <ranges>

namespace katachi {

namespace {

constexpr double faintest_trace = 1e-9;  // online: what is weaker is not followed

}  // namespace

TreeLearner::TreeLearner(const TreeSearchOptions& options, double initial)
    : options_(options),
      initial_(initial),
      lambda_(options.lambda),
      is_plain_(options.structure == Structure::tree && (options.learner == Learner::monte_carlo || options.learner == Learner::td) &&
                options.plies == 1 && options.convention == Convention::afterstate && options.normalisation != Normalisation::local_return &&
                (options.global_source == GlobalSource::running_return || options.global_source == GlobalSource::episode_return) &&
                options.playout_policy != PlayoutPolicy::mast && options.v_playout != PlayoutValue::memory),
      backlog_(options.threads) {
    options_.step_prior += options.prior == Prior::none ? 0 : options.prior_visits;
}

void TreeLearner::begin_episode(std::uint64_t number) {
    if (options_.lambda_rise > 0) {
        lambda_ = 1 - (1 - options_.lambda) * std::pow(1 - options_.lambda_rise, static_cast<double>(number));
    }
}

double TreeLearner::power(std::vector<double>& table, double base, int k) {
    const auto index = static_cast<std::size_t>(k);
    if (table.empty()) {
        table.push_back(1);
    }
    while (table.size() <= index) {
        table.push_back(table.back() * base);
    }
    return table[index];
}

// alpha, for a node whose visit has been counted.
inline double TreeLearner::step_size(const Node& node) const {
    if (options_.step_size == StepSize::visits) [[likely]] {
        return 1 / (node.visits + options_.step_prior);
    }
    return other_step_size(node);
}

double TreeLearner::other_step_size(const Node& node) const {
    const double visits = node.visits;
    switch (options_.step_size) {
        case StepSize::visits:
            break;
        case StepSize::episodes:
            return 1 / (node.episodes + options_.step_prior);
        case StepSize::constant:
            return options_.step;
        case StepSize::linear:
            return std::max(0.0, options_.step - options_.step_decay * (visits - 1));
        case StepSize::exponential:
            return options_.step * std::pow(options_.step_decay, visits - 1);
    }
    return 0;
}

Tail TreeLearner::tail(double decayed, double discounted, int length, bool is_cut, double beyond, double leaf) {
    const double gamma = options_.gamma;
    Tail tail{.errors = decayed, .next = beyond, .discounted = discounted, .length = length};
    if (is_cut && options_.v_playout != PlayoutValue::leaf_over_gamma) {
        tail.discounted += discount(length) * beyond;
    }
    switch (options_.v_playout) {
        case PlayoutValue::converged_next:
        case PlayoutValue::leaf_terminal:
            tail.errors = 0;
            tail.next = tail.discounted;
            break;
        case PlayoutValue::leaf_over_gamma:
            // v_j = leaf / gamma^j: rewards alone make errors, but for the last state, whose successor is worth 0. Discounted,
            // all of them are worth the same; gamma^j itself vanishes in long playouts.
            tail.next = leaf / gamma;
            if (is_cut) {
                tail.discounted += leaf / gamma;
            } else {
                tail.errors -= std::pow(lambda_, length - 1) * leaf / gamma;
            }
            break;
        default:
            if (gamma != 1) {
                const double decay = gamma * lambda_;
                tail.errors += (gamma - 1) * beyond * (1 - trace(length - 1)) / (1 - decay);
            }
            tail.errors += trace(length - 1) * ((is_cut ? gamma * beyond : 0.0) - beyond);
            break;
    }
    return tail;
}

void TreeLearner::learn(NodeStore& store, Episode& episode, Range& global) {
    if (is_plain_) {
        learn_plainly(store, episode);
        if (options_.rave != RaveUse::none) {
            measure(episode);
        }
        finish(store, episode, global);
        return;
    }
    measure(episode);
    switch (options_.learner) {
        case Learner::monte_carlo:
            give_returns(store, episode);
            break;
        case Learner::max_backup:
        case Learner::mixed_backup:
            back_up_best(store, episode);
            break;
        default:
            if (options_.timing == Timing::in_place) {
                learn_in_place(store, episode);
            } else {
                give_errors(store, episode);
            }
            break;
    }
    finish(store, episode, global);
}

// No node of a tree occurs twice in an episode, so that returns or errors can be given as they are measured.
void TreeLearner::learn_plainly(NodeStore& store, const Episode& episode) {
    const Tail& tail = episode.tail;
    const double gamma = options_.gamma;
    std::uint32_t goes_on = 0;
    const auto count = [&](Node& node) {
        ++node.visits;
        ++node.episodes;
        node.mark += goes_on;
        goes_on = 1;
    };
    if (options_.learner == Learner::monte_carlo) {
        double gain = tail.length > 0 || episode.is_over ? tail.discounted : tail.next;
        for (const Entry& entry : std::views::reverse(episode.entries)) {
            gain = entry.reward + gamma * gain;
            if (entry.node != no_node) {
                Node& node = store[entry.node];
                count(node);
                node.value = entry.value + step_size(node) * (gain - entry.value);
            }
        }
        return;
    }
    double next = tail.next;
    double sum = tail.errors;
    for (const Entry& entry : std::views::reverse(episode.entries)) {
        sum = gamma * lambda_ * sum + (entry.reward + gamma * next - entry.value);
        next = entry.value;
        if (entry.node != no_node) {
            Node& node = store[entry.node];
            count(node);
            node.value = entry.value + step_size(node) * sum;
        }
    }
}

// returns_ and sums_, from the end to the beginning.
void TreeLearner::measure(const Episode& episode) {
    const auto& entries = episode.entries;
    const std::size_t size = entries.size();
    returns_.resize(size);
    sums_.resize(size);
    const double gamma = options_.gamma;
    const bool is_state = options_.convention == Convention::state;
    const bool uses_best = options_.learner == Learner::q_naive || options_.learner == Learner::q_watkins;
    const bool cuts = options_.learner == Learner::q_watkins;
    if (cuts) {
        cuts_.resize(size);
    }
    const Tail& tail = episode.tail;
    double gain = tail.length > 0 || episode.is_over ? tail.discounted : tail.next;
    double next = tail.next;
    double sum = tail.errors;
    double reward_after = 0;
    std::uint32_t cut = 0;
    for (std::size_t i = size; i-- > 0;) {
        const Entry& entry = entries[i];
        const bool is_last = i + 1 == size;
        double error = 0;
        if (is_state && is_last) {
            // The end is worth 0; where the episode was cut, the state is worth what it was.
            gain = entry.is_end ? 0 : entry.value;
        } else if (is_state) {
            // The best action's value has its reward in it.
            error = (uses_best && entry.has_best ? entry.best : reward_after + gamma * next) - entry.value;
            gain = reward_after + gamma * gain;
        } else {
            error = entry.reward + gamma * (uses_best && entry.has_best ? entry.best : next) - entry.value;
            gain = entry.reward + gamma * gain;
        }
        if (cuts && !entry.is_greedy) {
            sum = 0;
            ++cut;
        }
        sum = gamma * lambda_ * sum + error;
        returns_[i] = gain;
        sums_[i] = sum;
        if (cuts) {
            cuts_[i] = cut;
        }
        next = entry.is_end ? 0 : entry.value;
        reward_after = entry.reward;
    }
    if (options_.plies == 2) {
        measure_two_ply(episode);
    }
}

// d_i = R_i + gamma R_(i+1) + gamma^2 V_(i+2) - V_i: each state learns from the next one of the same player.
void TreeLearner::measure_two_ply(const Episode& episode) {
    const auto& entries = episode.entries;
    const std::size_t size = entries.size();
    const double gamma = options_.gamma;
    const double decay = gamma * gamma * lambda_;
    for (std::size_t i = size; i-- > 0;) {
        const Entry& entry = entries[i];
        double error = entry.reward - entry.value;
        if (i + 2 < size) {
            error += gamma * entries[i + 1].reward + gamma * gamma * entries[i + 2].value;
        } else if (i + 1 < size) {
            error += gamma * entries[i + 1].reward + gamma * gamma * episode.tail.next;
        } else {
            error += gamma * episode.tail.next;
        }
        sums_[i] = error + (i + 2 < size ? decay * sums_[i + 2] : 0);
    }
}

void TreeLearner::count_visit(Node& node, const Entry& entry) {
    if (node.visits == 0) {
        node.value = entry.value;
    }
    ++node.visits;
    if (entry.later == never) {  // the first of its occurrences that is looked at
        ++node.episodes;
    }
}

// In the convention of states nothing comes after the last one.
bool TreeLearner::learns_nothing(const Episode& episode, std::size_t i) const {
    return options_.convention == Convention::state && i + 1 == episode.entries.size();
}

void TreeLearner::give_returns(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    for (std::size_t i = entries.size(); i-- > 0;) {
        if (entries[i].node == no_node) {
            continue;
        }
        Node& node = store[entries[i].node];
        count_visit(node, entries[i]);
        if (!learns_nothing(episode, i) && (options_.visit_mode == VisitMode::every || entries[i].is_first)) {
            node.value += step_size(node) * (returns_[i] - node.value);
        }
    }
}

// V += alpha times all that the node is given: one step size for an episode, of its counts with all visits of that episode.
void TreeLearner::give_errors(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    for (const Entry& entry : entries) {
        if (entry.node != no_node) {
            count_visit(store[entry.node], entry);
        }
    }
    for (std::size_t i = entries.size(); i-- > 0;) {
        const Entry& entry = entries[i];
        if (entry.node == no_node) {
            continue;
        }
        Node& node = store[entry.node];
        double sum = sums_[i];
        if (options_.visit_mode == VisitMode::first && !entry.is_first) {
            continue;
        }
        if (options_.visit_mode == VisitMode::replacing && entry.later != never &&
            (options_.learner != Learner::q_watkins || cuts_[i] == cuts_[entry.later])) {
            // The errors from the next occurrence on reach the node through that one.
            sum -= trace(static_cast<int>(entry.later - i)) * sums_[entry.later];
        }
        node.value += step_size(node) * sum;
    }
}

void TreeLearner::learn_in_place(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    const double gamma = options_.gamma;
    const bool is_state = options_.convention == Convention::state;
    const bool uses_best = options_.learner != Learner::td;
    double next = episode.tail.next;
    double sum = episode.tail.errors;
    double reward_after = 0;
    for (std::size_t i = entries.size(); i-- > 0;) {
        const Entry& entry = entries[i];
        Node* node = entry.node == no_node ? nullptr : &store[entry.node];
        if (node != nullptr) {
            count_visit(*node, entry);
        }
        const double value = node == nullptr ? entry.value : node->value;
        const bool is_compared = uses_best && entry.has_best;
        double error = 0;
        if (!is_state) {
            error = entry.reward + gamma * (is_compared ? entry.best : next) - value;
        } else if (!learns_nothing(episode, i)) {
            error = (is_compared ? entry.best : reward_after + gamma * next) - value;
        }
        sum = gamma * lambda_ * (options_.learner == Learner::q_watkins && !entry.is_greedy ? 0 : sum) + error;
        if (node != nullptr) {
            node->value += step_size(*node) * sum;
        }
        next = entry.is_end ? 0 : value;
        reward_after = entry.reward;
    }
}

// V of the best memorised action, if there is one.
bool TreeLearner::best_of(const NodeStore& store, const Entry& entry, double& best) const {
    const Node& node = store[entry.node];
    bool is_found = false;
    for (std::uint32_t i = 0; i < node.count; ++i) {
        NodeIndex child = node.first + i;
        if (options_.structure != Structure::tree) {
            const Edge& edge = store.edge(node.first + i);
            child = edge.node == no_node ? store.index().find(edge.key) : edge.node;
        }
        if (child == no_node || store[child].visits == 0) {
            continue;
        }
        const double value = store[child].value;
        if (!is_found || (entry.maximises ? value > best : value < best)) {
            best = value;
            is_found = true;
        }
    }
    return is_found;
}

void TreeLearner::back_up_best(NodeStore& store, const Episode& episode) {
    const double mix = options_.learner == Learner::max_backup ? 1 : options_.mix;
    const auto& entries = episode.entries;
    for (std::size_t i = entries.size(); i-- > 0;) {
        const Entry& entry = entries[i];
        if (entry.node == no_node) {
            continue;
        }
        Node& node = store[entry.node];
        double& mean = store.mean(entry.node);
        if (node.visits == 0) {
            mean = entry.value;
        }
        count_visit(node, entry);
        if (options_.visit_mode == VisitMode::every || entry.is_first) {
            mean += step_size(node) * (returns_[i] - mean);
        }
        double best = 0;
        node.value = best_of(store, entry, best) ? (1 - mix) * mean + mix * (entry.reward + options_.gamma * best) : mean;
        if (options_.structure == Structure::tree && entry.slot != no_node) {
            renew_action(store, entry);  // what is above looks at it
        }
    }
}

void TreeLearner::learn_step(NodeStore& store, Episode& episode) {
    auto& entries = episode.entries;
    const std::size_t last = entries.size() - 1;
    Entry& entry = entries[last];
    if (entry.node != no_node) {
        Node& node = store[entry.node];
        if (node.visits == 0) {
            node.value = entry.value;
        }
        ++node.visits;
        node.episodes += entry.is_first ? 1 : 0;
        entry.value = node.value;
    }
    if (last == 0) {
        return;
    }
    if (entry.slot != no_node) {
        ++store.edge(entry.slot).visits;
    }
    const Entry& before = entries[last - 1];
    const double value = before.node == no_node ? before.value : store[before.node].value;
    const bool is_compared = options_.learner != Learner::td && before.has_best;
    const double next = entry.is_end ? 0 : entry.value;
    double target = before.reward + options_.gamma * (is_compared ? before.best : next);
    if (options_.convention == Convention::state) {
        target = is_compared ? before.best : entry.reward + options_.gamma * next;
    }
    give_error(store, episode, last - 1, target - value);
}

void TreeLearner::learn_end(NodeStore& store, Episode& episode, Range& global) {
    const std::size_t last = episode.entries.size() - 1;
    if (options_.convention == Convention::afterstate) {
        const Entry& entry = episode.entries[last];
        const double value = entry.node == no_node ? entry.value : store[entry.node].value;
        give_error(store, episode, last, entry.reward + options_.gamma * episode.tail.next - value);
    }
    measure(episode);  // for the bounds
    finish(store, episode, global);
}

// The error of entry `last` goes to everything that led there.
void TreeLearner::give_error(NodeStore& store, const Episode& episode, std::size_t last, double error) {
    double weight = 1;
    for (std::size_t i = last + 1; i-- > 0 && std::abs(weight) >= faintest_trace;) {
        const Entry& entry = episode.entries[i];
        if (i < last && options_.learner == Learner::q_watkins && !entry.is_greedy) {
            break;
        }
        const bool counts = options_.visit_mode == VisitMode::every || (options_.visit_mode == VisitMode::first && entry.is_first) ||
                            (options_.visit_mode == VisitMode::replacing && (entry.later == never || entry.later > last));
        if (entry.node != no_node && counts) {
            Node& node = store[entry.node];
            node.value += step_size(node) * weight * error;
        }
        weight *= options_.gamma * lambda_;
    }
}

// What the control policy sees of an entry from the state before it.
double TreeLearner::successor_value(const NodeStore& store, const Entry& entry) const {
    const bool is_tree = options_.structure == Structure::tree;
    const NodeIndex seen = is_tree && entry.slot != no_node ? entry.slot : entry.node;
    const double value = store[seen].value;
    if (options_.convention == Convention::afterstate) {
        return value;
    }
    return (is_tree ? store.reward(seen) : entry.reward) + options_.gamma * value;
}

void TreeLearner::widen_ranges(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    Range branch;  // of all memorised states behind, seen from the entry before
    std::size_t last = 0;
    for (std::size_t i = entries.size(); i-- > 1;) {
        const Entry& entry = entries[i];
        const NodeIndex before = entries[i - 1].node;
        if (branch.low <= branch.high) {
            branch = {options_.gamma * branch.low, options_.gamma * branch.high};
        }
        if (entry.node != no_node) {
            last = std::max(last, i);
            branch.add(successor_value(store, entry));
        }
        if (before == no_node) {
            continue;
        }
        if (options_.normalisation == Normalisation::local_branch) {
            store.range(before).add(branch);
        } else if (entry.node != no_node && options_.normalisation == Normalisation::local) {
            store.range(before).add(successor_value(store, entry));
        } else if (entry.node != no_node) {
            store.range(before).add(options_.convention == Convention::state ? entry.reward + options_.gamma * returns_[i] : returns_[i]);
        }
    }
    // The last memorised state had a successor that is not memorised, worth V_init.
    const bool goes_on = last + 1 < entries.size() || episode.tail.length > 0;
    if (options_.bounds_include_init && goes_on && entries[last].node != no_node) {
        store.range(entries[last].node).add(options_.v_init ? initial_ : entries[last + 1].initial);
    }
}

// An action whose outcomes are observed is worth their mean, by how often each occurred.
void TreeLearner::renew_action(NodeStore& store, const Entry& entry) {
    Node& slot = store[entry.slot];
    double sum = 0;
    double rewards = 0;
    std::uint32_t visits = 0;
    for (NodeIndex i = slot.first; i < slot.first + slot.count; ++i) {
        visits += store[i].visits;
        sum += store[i].visits * store[i].value;
        rewards += store.extras().rewards ? store[i].visits * store.reward(i) : 0;
    }
    if (visits == 0) {
        return;
    }
    slot.visits = slot.episodes = visits;
    slot.value = sum / visits;
    if (store.extras().rewards) {
        store.reward(entry.slot) = rewards / visits;
    }
}

void TreeLearner::learn_raves(NodeStore& store, const Episode& episode, Taken& taken) const {
    const auto& entries = episode.entries;
    std::size_t count = 0;
    while (count + 1 < entries.size() && (entries[count + 1].node != no_node || entries[count + 1].slot != no_node)) {
        ++count;  // what comes then is a playout
    }
    for (std::size_t i = count; i-- > 0;) {
        give_raves<PlainAccess>(store, episode, taken, i);
    }
}

// One more return for the actions that were taken. Which they are cannot be foretold, so that there is no branch.
template <class Access, class IsTaken, class ActionOf>
void TreeLearner::add_returns(Rave* raves, std::size_t count, double target, const IsTaken& is_taken, const ActionOf& action_of) {
    const auto bits = std::bit_cast<std::uint64_t>(target);
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t mask = is_taken(action_of(k)) ? ~std::uint64_t{0} : 0;
        Access::store(raves[k].sum, raves[k].sum + std::bit_cast<double>(bits & mask));
        Access::store(raves[k].count, raves[k].count + static_cast<double>(mask & 1));
    }
}

// To the actions of entry i, which one of them has led on from.
template <class Access>
void TreeLearner::give_raves(NodeStore& store, const Episode& episode, Taken& taken, std::size_t i) const {
    const Entry& entry = episode.entries[i];
    const NodeIndex first = store.first(entry.node);
    const Node* const children = &store[first];
    add_returns<Access>(&store.rave(first), store[entry.node].count, action_target(i + 1, episode), taken.since(entry.to_play, i),
                        [children](std::size_t k) { return children[k].action; });
}

std::uint32_t TreeLearner::learn_together(NodeStore& store, const Episode& episode, Taken& taken) {
    measure(episode);
    const auto& entries = episode.entries;
    std::uint32_t created = 0;
    for (std::size_t i = entries.size(); i-- > 0;) {
        if (entries[i].node == no_node) {
            continue;
        }
        if (const std::uint32_t visits = store.visits(entries[i].node); backlog_.waits(visits)) {
            keep(store, episode, taken, i, backlog_.patience(visits));
            continue;
        }
        const bool goes_on = i + 1 < entries.size() && entries[i + 1].node != no_node;
        Node& node = store[entries[i].node];
        const NodeLock lock(node);
        created += i > 0 && node.visits == 0 ? 1 : 0;
        AtomicAccess::store(node.visits, node.visits + 1);
        AtomicAccess::store(node.mark, node.mark + (goes_on ? 1 : 0));
        ++node.episodes;
        AtomicAccess::store(node.value, taught(node, node.value, action_target(i, episode)));
        if (goes_on && options_.rave != RaveUse::none) {
            give_raves<AtomicAccess>(store, episode, taken, i);
        }
    }
    return created;
}

// What entry i is to learn, for later.
void TreeLearner::keep(NodeStore& store, const Episode& episode, Taken& taken, std::size_t i, std::uint32_t patience) {
    const Entry& entry = episode.entries[i];
    Backlog::Kept& kept = backlog_.place(entry.node);
    if (kept.node != entry.node) {
        give(store, kept);
        kept.node = entry.node;
        kept.stays = 0;
        kept.actions.clear();
        kept.raves.clear();
    }
    kept.lessons[kept.episodes++] = action_target(i, episode);
    if (i + 1 < episode.entries.size() && episode.entries[i + 1].node != no_node) {
        ++kept.going_on;
        if (options_.rave != RaveUse::none) {
            if (kept.actions.empty()) {
                const Node* const children = &store[store.first(entry.node)];
                const std::size_t count = store[entry.node].count;
                std::transform(children, children + count, std::back_inserter(kept.actions), [](const Node& child) { return child.action; });
                kept.raves.resize(count);
            }
            add_returns<PlainAccess>(kept.raves.data(), kept.raves.size(), action_target(i + 1, episode), taken.since(entry.to_play, i),
                                     [actions = kept.actions.data()](std::size_t k) { return actions[k]; });
        }
    }
    if (kept.episodes >= patience) {
        give(store, kept);
    }
}

// In the order of the episodes, as if they had just ended.
void TreeLearner::give(NodeStore& store, Backlog::Kept& kept) const {
    if (kept.episodes == 0) {
        return;
    }
    Node& node = store[kept.node];
    const NodeLock lock(node);
    double value = node.value;
    for (std::uint32_t k = 0; k < kept.episodes; ++k) {
        AtomicAccess::store(node.visits, node.visits + 1);
        ++node.episodes;
        value = taught(node, value, kept.lessons[k]);
    }
    AtomicAccess::store(node.value, value);
    AtomicAccess::store(node.mark, node.mark + kept.going_on);
    if (!kept.raves.empty() && kept.going_on > 0) {
        Rave* const raves = &store.rave(store.first(kept.node));
        for (std::size_t k = 0; k < kept.raves.size(); ++k) {
            AtomicAccess::store(raves[k].sum, raves[k].sum + kept.raves[k].sum);
            AtomicAccess::store(raves[k].count, raves[k].count + kept.raves[k].count);
            kept.raves[k] = {};
        }
    }
    kept.episodes = kept.going_on = 0;
}

void TreeLearner::give_backlog(NodeStore& store) {
    for (Backlog::Kept& kept : backlog_.all()) {
        give(store, kept);
        kept.node = no_node;  // nodes may move before the next episode
    }
}

void TreeLearner::finish(NodeStore& store, const Episode& episode, Range& global) {
    if (!is_plain_ && options_.structure == Structure::tree) {
        for (std::size_t i = 1; i < episode.entries.size() && episode.entries[i].node != no_node; ++i) {
            ++store[episode.entries[i - 1].node].mark;
        }
    }
    const bool has_more = options_.structure != Structure::tree || store.extras().keys || store.extras().rewards;
    for (std::size_t i = 1; has_more && i < episode.entries.size(); ++i) {
        const Entry& entry = episode.entries[i];
        if (store.extras().rewards && entry.node != no_node) {
            // The mean, where chance gives different ones.
            store.reward(entry.node) += (entry.reward - store.reward(entry.node)) / store[entry.node].visits;
        }
        if (entry.slot == no_node) {
            continue;
        }
        if (options_.structure == Structure::tree) {
            renew_action(store, entry);
        } else if (options_.timing != Timing::online) {
            ++store.edge(entry.slot).visits;
        }
    }
    if (store.extras().ranges) {
        widen_ranges(store, episode);
    }
    if (options_.global_source == GlobalSource::episode_return) {
        global.add(episode.total);
    } else if (options_.global_source != GlobalSource::running_return) {
        for (std::size_t i = 0; i < episode.entries.size(); ++i) {
            if (episode.entries[i].node == no_node || learns_nothing(episode, i)) {
                continue;
            }
            const bool is_target = options_.global_source == GlobalSource::target;
            global.add(sums_[i] + (is_target ? episode.entries[i].value : 0.0));
        }
    }
}

}  // namespace katachi
