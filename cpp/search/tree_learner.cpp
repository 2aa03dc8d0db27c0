#include "search/tree_learner.hpp"

#include <algorithm>
#include <cmath>

namespace katachi {

namespace {

constexpr double faintest_trace = 1e-9;  // online: what is weaker is not followed

}  // namespace

TreeLearner::TreeLearner(const TreeSearchOptions& options, const GameFacts& facts, double initial)
    : options_(options),
      facts_(facts),
      initial_(initial),
      is_plain_(options.structure == Structure::tree && (options.learner == Learner::monte_carlo || options.learner == Learner::td) &&
                options.plies == 1 && options.convention == Convention::afterstate && options.normalisation != Normalisation::local_return &&
                (options.global_source == GlobalSource::running_return || options.global_source == GlobalSource::episode_return) &&
                options.playout_policy != PlayoutPolicy::mast && options.playout_value != PlayoutValue::memory) {}

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
double TreeLearner::step_size(const Node& node) const {
    const double visits = node.visits;
    switch (options_.step_size) {
        case StepSize::visits:
            return 1 / (visits + options_.step_prior);
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

Tail TreeLearner::tail(double decayed, double discounted, int length, bool is_cut, double value, double leaf) {
    const double gamma = options_.gamma;
    Tail tail{.errors = decayed, .next = value, .discounted = discounted, .length = length};
    if (is_cut) {
        tail.discounted += discount(length) * value;
    }
    switch (options_.playout_value) {
        case PlayoutValue::converged_next:
        case PlayoutValue::leaf_terminal:
            tail.errors = 0;
            tail.next = tail.discounted;
            break;
        case PlayoutValue::leaf_over_gamma:
            // v_j = leaf / gamma^j: rewards alone make errors, but for the last state, whose successor is worth 0.
            tail.next = leaf / gamma;
            if (!is_cut) {
                tail.errors -= trace(length - 1) * leaf / discount(length);
            }
            break;
        default:
            if (gamma != 1) {
                const double decay = gamma * options_.lambda;
                tail.errors += (gamma - 1) * value * (1 - trace(length - 1)) / (1 - decay);
            }
            tail.errors += trace(length - 1) * ((is_cut ? gamma * value : 0.0) - value);
            break;
    }
    return tail;
}

void TreeLearner::learn(NodeStore& store, Episode& episode, Range& global) {
    if (is_plain_) {
        learn_plainly(store, episode);
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
            if (options_.timing == Timing::in_place && options_.visit_mode == VisitMode::every) {
                learn_in_place(store, episode);
            } else {
                give_errors(store, episode);
            }
            break;
    }
    finish(store, episode, global);
}

// No node of a tree occurs twice in an episode, so that errors can be given as they are measured.
void TreeLearner::learn_plainly(NodeStore& store, const Episode& episode) {
    const bool is_td = options_.learner == Learner::td;
    const Tail& tail = episode.tail;
    double gain = tail.length > 0 || episode.is_over ? tail.discounted : tail.next;
    double next = tail.next;
    double sum = tail.errors;
    std::uint32_t goes_on = 0;
    for (auto entry = episode.entries.rbegin(); entry != episode.entries.rend(); ++entry) {
        gain = entry->reward + options_.gamma * gain;
        sum = options_.gamma * options_.lambda * sum + (entry->reward + options_.gamma * next - entry->value);
        next = entry->value;
        if (entry->node == no_node) {
            continue;
        }
        Node& node = store[entry->node];
        ++node.visits;
        ++node.episodes;
        node.mark += goes_on;
        goes_on = 1;
        node.value = entry->value + step_size(node) * (is_td ? sum : gain - entry->value);
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
        const double target = uses_best && entry.has_best ? entry.best : next;
        double error = 0;
        if (is_state) {
            // The last state is the end, worth 0, or where the episode was cut, worth what it was.
            error = is_last ? 0 : reward_after + gamma * target - entry.value;
            gain = is_last ? entry.value : reward_after + gamma * gain;
        } else {
            error = entry.reward + gamma * target - entry.value;
            gain = entry.reward + gamma * gain;
        }
        if (cuts && !entry.is_greedy) {
            sum = 0;
            ++cut;
        }
        sum = gamma * options_.lambda * sum + error;
        returns_[i] = gain;
        sums_[i] = sum;
        if (cuts) {
            cuts_[i] = cut;
        }
        next = entry.value;
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
    const double decay = gamma * gamma * options_.lambda;
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

// The root was not entered when the episode began: in a graph, where it may be entered later, that teaches nothing about its
// value as an afterstate.
bool TreeLearner::learns(std::size_t i) const { return i > 0 || options_.structure == Structure::tree || options_.convention == Convention::state; }

// Is it the first entry of its node that teaches something?
bool TreeLearner::learns_first(const Episode& episode, std::size_t i) const {
    return episode.entries[i].is_first || (!learns(0) && episode.entries[0].later == i);
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

void TreeLearner::give_returns(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    for (std::size_t i = entries.size(); i-- > 0;) {
        if (entries[i].node == no_node) {
            continue;
        }
        Node& node = store[entries[i].node];
        count_visit(node, entries[i]);
        if (learns(i) && (options_.visit_mode == VisitMode::every || learns_first(episode, i))) {
            node.value += step_size(node) * (returns_[i] - node.value);
        }
    }
}

void TreeLearner::give_errors(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    for (std::size_t i = entries.size(); i-- > 0;) {
        const Entry& entry = entries[i];
        if (entry.node == no_node) {
            continue;
        }
        Node& node = store[entry.node];
        count_visit(node, entry);
        double sum = sums_[i];
        if (!learns(i) || (options_.visit_mode == VisitMode::first && !learns_first(episode, i))) {
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
        const double value = node == nullptr || is_state && i + 1 == entries.size() ? entry.value : node->value;
        const double target = uses_best && entry.has_best ? entry.best : next;
        double error = (is_state ? reward_after : entry.reward) + gamma * target - value;
        if (is_state && i + 1 == entries.size()) {
            error = 0;
        }
        sum = gamma * options_.lambda * (options_.learner == Learner::q_watkins && !entry.is_greedy ? 0 : sum) + error;
        if (node != nullptr && learns(i)) {
            node->value += step_size(*node) * sum;
        }
        next = value;
        reward_after = entry.reward;
    }
}

// V of the best memorised action, if there is one.
bool TreeLearner::best_of(const NodeStore& store, const Entry& entry, double& best) const {
    const Node& node = store[entry.node];
    bool is_found = false;
    const bool is_black = entry.to_play == Player::black;
    for (std::uint32_t i = 0; i < node.count; ++i) {
        const NodeIndex child = options_.structure == Structure::tree ? node.first + i : store.edge(node.first + i).node;
        if (child == no_node || store[child].visits == 0) {
            continue;
        }
        const double value = store[child].value;
        if (!is_found || (is_black ? value > best : value < best)) {
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
        if (learns(i) && (options_.visit_mode == VisitMode::every || learns_first(episode, i))) {
            mean += step_size(node) * (returns_[i] - mean);
        }
        double best = 0;
        node.value = best_of(store, entry, best) ? (1 - mix) * mean + mix * (entry.reward + options_.gamma * best) : mean;
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
    const Entry& before = entries[last - 1];
    const double value = before.node == no_node ? before.value : store[before.node].value;
    const bool uses_best = options_.learner != Learner::td && before.has_best;
    const double target = uses_best ? before.best : entry.value;
    const double reward = options_.convention == Convention::state ? entry.reward : before.reward;
    give_error(store, episode, last - 1, reward + options_.gamma * target - value);
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
        const bool counts = options_.visit_mode == VisitMode::every || (options_.visit_mode == VisitMode::first && learns_first(episode, i)) ||
                            (options_.visit_mode == VisitMode::replacing && (entry.later == never || entry.later > last));
        if (entry.node != no_node && learns(i) && counts) {
            Node& node = store[entry.node];
            node.value += step_size(node) * weight * error;
        }
        weight *= options_.gamma * options_.lambda;
    }
}

// What the control policy sees of an entry from the state before it.
double TreeLearner::successor_value(const NodeStore& store, const Entry& entry) const {
    const bool is_observed = options_.structure == Structure::tree && entry.slot != no_node;
    const double value = store[is_observed ? entry.slot : entry.node].value;
    return options_.convention == Convention::state ? entry.reward + options_.gamma * value : value;
}

void TreeLearner::widen_ranges(NodeStore& store, const Episode& episode) {
    const auto& entries = episode.entries;
    Range branch;
    std::size_t last = 0;
    for (std::size_t i = entries.size(); i-- > 1;) {
        if (entries[i].node == no_node) {
            continue;
        }
        last = std::max(last, i);
        const double value = successor_value(store, entries[i]);
        branch = {options_.gamma * branch.low, options_.gamma * branch.high};
        branch.add(value);
        if (entries[i - 1].node == no_node) {
            continue;
        }
        Range& range = store.range(entries[i - 1].node);
        if (options_.normalisation == Normalisation::local) {
            range.add(value);
        } else if (options_.normalisation == Normalisation::local_branch) {
            range.add(branch);
        } else {
            range.add(options_.convention == Convention::state ? entries[i].reward + options_.gamma * returns_[i] : returns_[i]);
        }
    }
    // The last memorised state had a successor that is not memorised, worth V_init.
    const bool goes_on = last + 1 < entries.size() || episode.tail.length > 0;
    if (options_.bounds_include_init && goes_on && entries[last].node != no_node) {
        store.range(entries[last].node).add(initial_);
    }
}

void TreeLearner::finish(NodeStore& store, const Episode& episode, Range& global) {
    if (!is_plain_ && options_.structure == Structure::tree) {
        for (std::size_t i = 1; i < episode.entries.size() && episode.entries[i].node != no_node; ++i) {
            ++store[episode.entries[i - 1].node].mark;
        }
    }
    const bool has_slots = options_.structure != Structure::tree || store.extras().keys;
    for (const Entry& entry : episode.entries) {
        if (!has_slots) {
            break;
        }
        if (entry.slot == no_node) {
            continue;
        }
        if (options_.structure != Structure::tree) {
            ++store.edge(entry.slot).visits;
            continue;
        }
        // An action whose outcomes are observed is worth their mean, by how often each occurred.
        Node& slot = store[entry.slot];
        double sum = 0;
        std::uint32_t visits = 0;
        for (NodeIndex i = slot.first; i < slot.first + slot.count; ++i) {
            visits += store[i].visits;
            sum += store[i].visits * store[i].value;
        }
        if (visits > 0) {
            slot.visits = slot.episodes = visits;
            slot.value = sum / visits;
        }
    }
    if (store.extras().ranges) {
        widen_ranges(store, episode);
    }
    if (options_.global_source == GlobalSource::episode_return) {
        global.add(episode.total);
    } else if (options_.global_source != GlobalSource::running_return) {
        for (std::size_t i = 0; i < episode.entries.size(); ++i) {
            const bool is_target = options_.global_source == GlobalSource::target;
            global.add(sums_[i] + (is_target ? episode.entries[i].value : 0.0));
        }
    }
}

}  // namespace katachi
