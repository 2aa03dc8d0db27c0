// Threads that search with one memory, for ThreadSanitizer (`make sanitize-threads`): every way of learning that shares something.
#include <cstdio>
#include <memory>
#include <utility>

#include "core/team.hpp"
#include "search/td_search.hpp"
#include "values/weight_exchange.hpp"

namespace {

using namespace katachi;

// Three threads add whole numbers to weights of their own and follow each other: in the end all have the same sums.
bool exchange_works() {
    constexpr std::size_t threads = 3;
    constexpr std::uint32_t weights = 50;
    std::vector<ShapeWeights> tables(threads, ShapeWeights(weights));
    std::vector<ReplicaWeights> replicas(tables.begin(), tables.end());
    std::vector<std::vector<float>> added(threads, std::vector<float>(weights));
    WeightExchange exchange(threads);
    work_together(threads, [&](std::size_t member, const std::atomic<bool>&) {
        Rng rng = Rng(1).split("thread", member);
        for (int round = 0; round < 200; ++round) {
            for (int i = 0; i < 10; ++i) {
                const std::uint32_t weight = rng.below(weights);
                const auto change = static_cast<float>(rng.below(5)) - 2;
                replicas[member].add(static_cast<features::Entry>(weight) + 1, change);
                added[member][weight] += change;
            }
            exchange.meet(member, replicas[member]);
        }
    });
    for (std::size_t member = 0; member < threads; ++member) {
        exchange.meet(member, replicas[member]);
    }
    for (std::uint32_t weight = 0; weight < weights; ++weight) {
        const float sum = added[0][weight] + added[1][weight] + added[2][weight];
        for (const ShapeWeights& table : tables) {
            if (table.values()[weight] != sum) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

int main() {
    if (!exchange_works()) {
        std::puts("threads that follow each other have different weights");
        return 1;
    }
    const auto shapes = [](std::vector<features::Sharing> sharing) {
        return std::make_shared<const features::Representation>(
            features::RepresentationOptions{.side = 5, .sizes = {{1, 1}, {2, 2}}, .sharing = std::move(sharing)});
    };
    const auto unshared = shapes({features::Sharing::none});
    const auto shared = shapes({features::Sharing::independent, features::Sharing::dependent});
    const ShapeWeights nothing(shared->weights());
    const auto long_term = std::make_shared<const ShapeEvaluator>(shared, nothing);

    const auto run = [&](const char* what, const std::shared_ptr<const features::Representation>& representation, TdOptions td,
                         const TdSearchOptions& chosen = {}, const std::shared_ptr<const ShapeEvaluator>& below = nullptr) {
        TdSearchOptions options = chosen;
        options.threads = 3;
        const auto memory = std::make_shared<ShortTermMemory>(representation, td);
        const go::GoState<go::SmallBoard> root(go::SmallBoard({5, 5}), {.max_plies = 75});
        ActionBuffer actions;
        root.candidates(actions);
        const auto search = make_td_search(root, actions, memory, below, options, Rng(1));
        search->begin({.simulations = 400, .steps = {}, .seconds = {}});
        while (!search->advance(Slice())) {
        }
        std::printf("%s: %d simulations, value %.3f\n", what, static_cast<int>(search->simulations()), search->value());
    };
    const TdOptions cached{.update_mode = UpdateMode::end_cached};
    run("spans", unshared, cached);
    run("shared weights", shared, cached);
    run("two memories", unshared, cached, {}, long_term);
    run("refreshed", unshared, {});
    run("online", unshared, {.update_mode = UpdateMode::online});
    run("replacing traces", unshared, {.lambda = 0.5, .traces = Traces::replacing, .update_mode = UpdateMode::end_cached});
    run("counts", unshared, {.update_mode = UpdateMode::end_cached, .step = {.rule = StepRule::counts}});
    run("kalman", unshared, {.update_mode = UpdateMode::end_cached, .step = {.rule = StepRule::kalman}});
    run("idbd", unshared, {.update_mode = UpdateMode::end_cached, .step = {.rule = StepRule::idbd}});
    run("softmax", unshared, cached, {.exploration = Exploration::softmax});
}
