#include <nanobind/stl/shared_ptr.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/any_position.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/choices.hpp"
#include "bindings/networks.hpp"
#include "core/errors.hpp"
#include "games/go/territory.hpp"
#include "policies/wally.hpp"
#include "training/network_learning.hpp"
#include "values/network_value.hpp"

namespace katachi::bindings {

namespace {

using Options = NetworkLearningOptions;
using KeysIn = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr auto owned = nb::rv_policy::automatic;

std::vector<std::string> units() { return {"stones", "output"}; }
std::vector<std::string> opponents() { return {"random", "wally", "self", "population", "external"}; }

void bind_value(nb::module_& m) {
    nb::class_<NetworkValue>(m, "NetworkValue", "What a network makes of states: katachi.values.network.")
        .def(
            "__init__",
            [](NetworkValue* self, const Network& network, const features::BoardInputs& inputs, const std::string& unit, double score_scale) {
                new (self) NetworkValue(network, inputs, named<ValueUnit>(units(), "unit", unit), score_scale);
            },
            "network"_a, "inputs"_a, "unit"_a, "score_scale"_a = 1.0, "On inputs of a board.")
        .def(
            "__init__",
            [](NetworkValue* self, const Network& network, std::shared_ptr<const features::Representation> shapes, const std::string& unit,
               double score_scale) { new (self) NetworkValue(network, std::move(shapes), named<ValueUnit>(units(), "unit", unit), score_scale); },
            "network"_a, "shapes"_a, "unit"_a, "score_scale"_a = 1.0, "On local shapes.")
        .def(
            "__init__",
            [](NetworkValue* self, const Network& network, const KeysIn& keys, const std::string& unit, double score_scale) {
                StateTable table(static_cast<std::uint32_t>(network.inputs()));
                table.assign(std::vector<std::uint64_t>(keys.data(), keys.data() + keys.size()));
                new (self) NetworkValue(network, std::move(table), named<ValueUnit>(units(), "unit", unit), score_scale);
            },
            "network"_a, "keys"_a, "unit"_a, "score_scale"_a = 1.0, "On a table of states, of which these are known by their keys.")
        .def_prop_rw(
            "weights",
            [](const NetworkValue& v) { return array_of(std::vector<double>(v.network().weights().begin(), v.network().weights().end())); },
            [](NetworkValue& v, const DoublesIn& values) { assign_numbers(v.network().weights(), values, "weights"); }, owned)
        .def_prop_ro(
            "keys", [](NetworkValue& v) { return array_of(v.table() == nullptr ? std::vector<std::uint64_t>() : v.table()->keys()); }, owned,
            "Of the states that a table knows, by place.")
        .def_prop_ro("unit", [](const NetworkValue& v) { return units()[static_cast<std::size_t>(v.unit())]; })
        .def_prop_ro("score_scale", &NetworkValue::score_scale);
}

template <class E, class O>
void nested(nb::class_<Options>& options, const char* name, O Options::* outer, E O::* field) {
    options.def_prop_rw(name, [=](const Options& o) { return o.*outer.*field; }, [=](Options& o, E value) { o.*outer.*field = value; });
}

void bind_options(nb::module_& m) {
    nb::class_<Options> options(m, "NetworkLearningOptions",
                                "How a network learns from games, as native code takes it: katachi.training.network_learning.");
    options.def(nb::init<>());
    choice(options, "ends", &Options::ends, {"network", "referee", "earned"});
    choice(options, "explored_leaf", &Options::explored_leaf, {"best", "played"});
    choice(options, "colour", &Options::colour, {"alternate", "black", "white"});
    choice(options, "ko", &Options::ko, {"simple", "positional", "situational"});
    choice(options, "eye_rule", &Options::eye_rule, {"simple", "surrounded", "strict", "none"});
    choice(options, "reward", &Options::reward, {"margin", "win"});
    choice(options, "referee", &Options::referee, {"ownership", "external"});
    options
        .def_prop_rw(
            "opponents",
            [](const Options& o) {
                std::vector<std::string> names;
                names.reserve(o.opponents.size());
                for (const OpponentKind kind : o.opponents) {
                    names.push_back(opponents()[static_cast<std::size_t>(kind)]);
                }
                return names;
            },
            [](Options& o, const std::vector<std::string>& names) {
                std::vector<OpponentKind> kinds;
                kinds.reserve(names.size());
                for (const std::string& name : names) {
                    kinds.push_back(named<OpponentKind>(opponents(), "opponents", name));
                }
                o.opponents = std::move(kinds);
            })
        .def_rw("rule", &Options::rule)
        .def_rw("trainer", &Options::trainer)
        .def_rw("learns", &Options::learns)
        .def_rw("depth", &Options::depth)
        .def_rw("epsilon", &Options::epsilon)
        .def_rw("search_adds_path_rewards", &Options::adds_path_rewards)
        .def_rw("opening_plies", &Options::opening_plies)
        .def_rw("opening_varies", &Options::opening_varies)
        .def_rw("random_start", &Options::random_start)
        .def_rw("random_hold", &Options::random_hold)
        .def_rw("random_end", &Options::random_end)
        .def_rw("schedule_games", &Options::schedule_games)
        .def_rw("population_size", &Options::population_size)
        .def_rw("population_games", &Options::population_games)
        .def_rw("komi", &Options::komi)
        .def_rw("longest_game", &Options::longest_game)
        .def_rw("capture_rewards", &Options::capture_rewards);
    nested(options, "referee_playouts", &Options::territory, &go::TerritoryOptions::playouts);
    nested(options, "dead_share", &Options::territory, &go::TerritoryOptions::dead_share);

    m.def("random_share", &random_share, "options"_a, "game"_a, "How often moves of the opponent are random in a game, counted from 0.");
}

void bind_loop(nb::module_& m) {
    nb::class_<NetworkLearningTally>(m, "NetworkLearningTally", "Sums over games, since they were last taken.")
        .def(nb::init<>())
        .def_rw("games", &NetworkLearningTally::games)
        .def_rw("wins", &NetworkLearningTally::wins, "Of the learner.")
        .def_rw("scores", &NetworkLearningTally::scores, "The learner's: points, or shares of 0 to 1.")
        .def_rw("positive_scores", &NetworkLearningTally::positive_scores, "The same, lost games counting 0.")
        .def_rw("moves", &NetworkLearningTally::moves)
        .def_rw("cut", &NetworkLearningTally::cut, "Games that were too long.")
        .def_rw("states", &NetworkLearningTally::states, "That learnt.")
        .def_rw("squared_errors", &NetworkLearningTally::squared_errors, "Of those.")
        .def_rw("nodes", &NetworkLearningTally::nodes, "Of the learner's searches.")
        .def_rw("rewards", &NetworkLearningTally::rewards, "All that the learner was given.");

    const std::vector<std::string> waits{"nothing", "move", "score"};
    nb::class_<NetworkLearning>(m, "NetworkLearning",
                                "A network that learns from games. Between two games all that the next one depends on can be read and set.")
        .def(
            "run",
            [](NetworkLearning& job, std::uint64_t until, const Progress& progress) {
                check_idle(job);
                job.begin(until);
                return drive(job, progress);
            },
            "until"_a, "progress"_a.none() = nb::none(), "Plays until there have been so many games or it waits (True), or progress returns False.")
        .def_prop_ro(
            "waiting",
            [waits](const NetworkLearning& job) {
                await_slice(job);
                return waits[static_cast<std::size_t>(job.waiting())];
            },
            "What is asked for: nothing, a move of an external opponent, or a score.")
        .def_prop_ro("opponent", settled(&NetworkLearning::opponent), "Its number in this game.")
        .def_prop_ro("start", settled(&NetworkLearning::start), "The number of the state in which this game began.")
        .def_prop_ro("moves", settled(&NetworkLearning::moves), "Of this game.")
        .def(
            "answer_move",
            [](NetworkLearning& job, Action action) {
                check_idle(job);
                job.answer_move(action);
            },
            "action"_a)
        .def(
            "answer_score",
            [](NetworkLearning& job, double score) {
                check_idle(job);
                job.answer_score(score);
            },
            "score"_a, "Player 0's margin on the board, without prisoners and komi.")
        .def(
            "abandon",
            [](NetworkLearning& job) {
                check_idle(job);
                job.abandon();
            },
            "Forgets the game that is being played.")
        .def(
            "take_tally",
            [](NetworkLearning& job) {
                await_slice(job);
                return job.take_tally();
            },
            "Sums over the games since the last time.")
        .def_prop_rw(
            "tally",
            [](const NetworkLearning& job) {
                await_slice(job);
                return job.tally();
            },
            [](NetworkLearning& job, const NetworkLearningTally& tally) {
                check_idle(job);
                job.set_tally(tally);
            },
            "A copy of the same sums, which goes on with what it is set to.")
        .def_prop_rw(
            "games", settled(&NetworkLearning::games),
            [](NetworkLearning& job, std::uint64_t games) {
                check_idle(job);
                job.set_games(games);
            },
            "How many there have been.")
        .def_prop_rw(
            "weights",
            [](NetworkLearning& job) {
                await_slice(job);
                const auto weights = job.value().network().weights();
                return array_of(std::vector<double>(weights.begin(), weights.end()));
            },
            [](NetworkLearning& job, const DoublesIn& values) {
                check_idle(job);
                assign_numbers(job.value().network().weights(), values, "weights");
            },
            owned)
        .def_prop_rw(
            "keys",
            [](NetworkLearning& job) {
                await_slice(job);
                return array_of(job.value().table() == nullptr ? std::vector<std::uint64_t>() : job.value().table()->keys());
            },
            [](NetworkLearning& job, const KeysIn& keys) {
                check_idle(job);
                if (job.value().table() != nullptr) {
                    job.value().table()->assign(std::vector<std::uint64_t>(keys.data(), keys.data() + keys.size()));
                } else if (keys.size() > 0) {
                    throw InvalidArgumentError("this network has no table for " + std::to_string(keys.size()) + " keys");
                }
            },
            owned, "Of the states that a table knows.")
        .def_prop_rw(
            "trainer_memories",
            [](NetworkLearning& job) {
                await_slice(job);
                return trainer_memories(job.trainer());
            },
            [](NetworkLearning& job, const std::vector<DoublesIn>& values) {
                check_idle(job);
                set_trainer_memories(job.trainer(), values);
            },
            owned)
        .def_prop_rw(
            "games_in_batch",
            [](NetworkLearning& job) {
                await_slice(job);
                return job.trainer().games_in_batch();
            },
            [](NetworkLearning& job, int games) {
                check_idle(job);
                if (games < 0 || games >= job.options().trainer.batch_games) {
                    throw InvalidArgumentError("a batch under way has 0 to " + std::to_string(job.options().trainer.batch_games - 1) +
                                               " games, not " + std::to_string(games));
                }
                job.trainer().set_games_in_batch(games);
            })
        .def_prop_rw(
            "population",
            [](NetworkLearning& job) {
                await_slice(job);
                std::vector<Array<double>> rows;
                rows.reserve(job.population().size());
                for (const std::vector<double>& row : job.population()) {
                    rows.push_back(array_of(row));
                }
                return rows;
            },
            [](NetworkLearning& job, const std::vector<DoublesIn>& rows) {
                check_idle(job);
                std::vector<std::vector<double>> weights;
                weights.reserve(rows.size());
                for (const DoublesIn& row : rows) {
                    assign_numbers(weights.emplace_back(row.size()), row, "a member of the population");
                }
                job.set_population(weights);
            },
            owned, "Weights of the past that are opponents.");

    m.def(
        "network_learning",
        [](const std::vector<const StateDoor*>& starts, const NetworkValue& value, const Options& options, const Rng& rng) {
            if (starts.empty()) {
                throw InvalidArgumentError("a game needs a state to begin in");
            }
            return starts.front()->network_learning(starts, std::make_shared<NetworkValue>(value), options, rng);
        },
        "starts"_a, "value"_a, "options"_a, "rng"_a, "A loop with a copy of the value, and no game yet. A game begins in any of the states.");
}

void bind_go_parts(nb::module_& m) {
    m.def(
        "wally_move",
        [](const AnyPosition& position) {
            return position.visit([](const auto& p) {
                using B = typename std::remove_cvref_t<decltype(p)>::BoardType;
                const Action action = p.geometry().action(go::Wally<B>(p.board()).choose());
                return p.is_legal(action) ? action : p.geometry().pass();
            });
        },
        "position"_a, "What the Wally-like player plays.");
    m.def(
        "territory_margin",
        [](const AnyPosition& position, int playouts, double dead_share) {
            return position.visit([&](const auto& p) {
                using B = typename std::remove_cvref_t<decltype(p)>::BoardType;
                const auto dead = go::TerritoryReferee<B>::dead_stones(p.board(), {playouts, dead_share});
                return std::pair(go::TerritoryReferee<B>::margin_without(p.board(), dead), dead);
            });
        },
        "position"_a, "playouts"_a, "dead_share"_a,
        "Black's margin by territory and dead stones, without prisoners and komi; and which stones are dead.");
}

}  // namespace

void bind_network_learning(nb::module_& m) {
    bind_value(m);
    bind_options(m);
    bind_loop(m);
    bind_go_parts(m);
}

}  // namespace katachi::bindings
