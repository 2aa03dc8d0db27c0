// Threads that learn the same weights, for ThreadSanitizer (`make sanitize-threads`): every way of learning that shares something.
#include <cstdio>
#include <memory>

#include "training/self_play.hpp"

int main() {
    using namespace katachi;
    const auto representation = std::make_shared<const features::Representation>(
        features::RepresentationOptions{.side = 5, .sizes = {{1, 1}, {2, 2}}, .turns = features::Turns::each_and_both, .stage_length = 10});
    const auto run = [&](const char* what, const TdOptions& td) {
        SelfPlayOptions options;
        options.threads = 3;
        options.count_occurrences = true;
        options.td = td;
        const auto play = make_self_play(representation, options, Rng(1));
        play->begin(300);
        while (!play->advance(Slice())) {
        }
        const SelfPlayTally tally = play->take_tally();
        std::printf("%s: %d games, cross entropy %.3f\n", what, static_cast<int>(tally.games),
                    tally.errors.cross_entropy / static_cast<double>(tally.games));
    };
    run("constant steps", {});
    run("traces", {.lambda = 0.5});
    run("online", {.update_mode = UpdateMode::online});
    run("counts", {.step = {.rule = StepRule::counts}});
    run("kalman", {.step = {.rule = StepRule::kalman}});
    run("idbd", {.step = {.rule = StepRule::idbd}});
}
