#include "search/tree_memory.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/team.hpp"

namespace katachi {

namespace {

// What collecting takes at most: twice what was measured.
constexpr double seconds_per_byte = 1e-9;

}  // namespace

void TreeMemory::check_threads() const {
    if (options_.threads < 1 || options_.threads > TreeSearchOptions::most_threads) {
        throw InvalidArgumentError("a tree search has from 1 to " + std::to_string(TreeSearchOptions::most_threads) + " threads, not " +
                                   std::to_string(options_.threads));
    }
    const bool has_fixed_scale =
        options_.normalisation == Normalisation::none || (options_.normalisation == Normalisation::known && facts_.return_bounds);
    if (is_shared() && !(learner_.is_plain() && facts_.deterministic && has_fixed_scale)) {
        throw InvalidArgumentError(
            "several threads search a tree of afterstates in a game without chance, by mean returns or one-ply TD errors, with bounds that are "
            "known or none: not by these settings in this game");
    }
}

bool TreeMemory::advance(const Slice& slice) {
    if (!is_shared() || !has_begun() || is_finished()) {
        return Search::advance(slice);
    }
    prepare();
    while (crew_.size() + 1 < static_cast<std::size_t>(options_.threads)) {
        crew_.push_back(companion(rng_.split("thread", crew_.size() + 1)));
    }
    given_out_ = all_stepped_ = 0;
    for (const auto& member : crew_) {
        member->join(*this);
        member->keep_ownership(keeps_ownership_);
    }
    try {
        work_together(crew_.size() + 1,
                      [&](std::size_t i, const std::atomic<bool>& is_stopped) { work(i == 0 ? *this : *crew_[i - 1], slice, is_stopped); });
    } catch (...) {
        take_all();
        throw;
    }
    take_all();
    check_root();
    if (is_full_) {
        collect();
    }
    return is_finished() || (has_answer() && meter().is_spent(true));
}

// Whatever ends the work of a thread, the tree gets all that it has learnt.
class TreeMemory::Delivery {
   public:
    explicit Delivery(TreeMemory& member) : member_(member) {}
    Delivery(const Delivery&) = delete;
    Delivery(Delivery&&) = delete;
    Delivery& operator=(const Delivery&) = delete;
    Delivery& operator=(Delivery&&) = delete;
    ~Delivery() { member_.learner_.give_backlog(member_.store_); }

   private:
    TreeMemory& member_;
};

// Until the slice or the limit is spent. A search that has no answer yet does at least one simulation. Simulations are given out by the portion, and
// each thread counts its own: numbers that all threads change are slow.
void TreeMemory::work(TreeMemory& member, const Slice& slice, const std::atomic<bool>& is_stopped) {
    const bool limits_steps = meter().limit().steps.has_value();
    const std::uint64_t most = has_answer() ? meter().simulations_left() : std::max<std::uint64_t>(meter().simulations_left(), 1);
    const std::uint64_t portion = limits_steps ? 1 : static_cast<std::uint64_t>(simulations_per_look());
    const Delivery delivery(member);
    while (!is_stopped && !slice.expired() && !member.is_finished()) {
        const std::uint64_t first = given_out_.fetch_add(portion);
        const bool is_needed = first == 0 && !has_answer();
        if (first >= most || (!is_needed && (all_stepped_ >= meter().steps_left() || meter().is_spent(true)))) {
            return;
        }
        const std::uint64_t end = first + std::min(portion, most - first);
        for (std::uint64_t number = first; number < end && !member.is_finished(); ++number) {
            const std::uint64_t steps = member.simulate();
            ++member.finished_;
            member.stepped_ += steps;
            if (limits_steps) {
                all_stepped_ += steps;
            }
        }
    }
}

void TreeMemory::take_all() {
    for (const auto& member : crew_) {
        memorised_ += std::exchange(member->memorised_, 0);
        earned_ += std::exchange(member->earned_, 0);
        finished_ += std::exchange(member->finished_, 0);
        stepped_ += std::exchange(member->stepped_, 0);
        ownership_.add(std::exchange(member->ownership_, {}));
        is_full_ = std::exchange(member->is_full_, false) || is_full_;
    }
    count(std::exchange(finished_, 0), std::exchange(stepped_, 0));
}

void TreeMemory::collect() {
    if (options_.when_full != WhenFull::collect || !may_collect_) {
        return;
    }
    // Who has a clock may not have the time for it any more: then what is left is searched without room for new nodes.
    if (meter().seconds_left() < seconds_per_byte * static_cast<double>(store_.bytes())) {
        return;
    }
    const std::uint32_t before = store_.size();
    store_.prune(root_, before / 2);
    root_ = 0;
    memorised_ = count_memorised();
    is_full_ = false;
    may_collect_ = store_.size() <= before - before / 4;  // or it would go on like this all the time
}

std::uint32_t TreeMemory::count_memorised() const {
    std::uint32_t count = 0;
    std::vector<std::pair<NodeIndex, bool>> open{{root_, false}};
    while (!open.empty()) {
        const auto [index, is_slot] = open.back();
        open.pop_back();
        const Node& node = store_[index];
        count += !is_slot && node.visits > 0 ? 1 : 0;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            if (store_[node.first + i].visits > 0) {
                open.emplace_back(node.first + i, is_observed() && !is_slot);
            }
        }
    }
    return count;
}

}  // namespace katachi
