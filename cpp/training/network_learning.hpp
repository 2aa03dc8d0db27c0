// A network that learns from games against opponents, with search inside (Ekker, 4.3 and 6.1): what all games have in common. The loop itself is
// network_learning_of.hpp, the tables at which it is played are learning_tables.hpp.
//
// Game number n has a generator of its own, split from the run's by n, and between two games nothing is kept but what can be read and
// set here: so a run goes on exactly where it was left, and a game that was not finished is played again.
//
// Moves of an external opponent and scores of an external referee come from outside: then the job rests (`waiting`) until it is answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "core/slice.hpp"
#include "core/types.hpp"
#include "games/go/board.hpp"
#include "games/go/rules.hpp"
#include "games/go/territory.hpp"
#include "learning/episode_rules.hpp"
#include "learning/network_trainer.hpp"
#include "search/network_leaves.hpp"
#include "values/network_value.hpp"

namespace katachi {

enum class OpponentKind : std::uint8_t { random, wally, self, population, external };
enum class LearnerColour : std::uint8_t { alternate, black, white };
// Where the learner explores: which leaf learns, that of the best move or that of the one which is played.
enum class ExploredLeaf : std::uint8_t { best, played };
enum class GameReward : std::uint8_t { margin, win };
enum class RefereeKind : std::uint8_t { ownership, external };

struct NetworkLearningOptions {
    EpisodeRuleOptions rule{};
    NetworkTrainerOptions trainer{};
    bool learns = true;  // or the games are a test
    int depth = 2;       // plies of the learner's searches
    double epsilon = 0.1;
    ExploredLeaf explored_leaf = ExploredLeaf::best;
    bool adds_path_rewards = true;
    EndValue ends = EndValue::network;
    int opening_plies = 2;        // random ones, which nobody learns from
    bool opening_varies = false;  // any number of them up to that
    LearnerColour colour = LearnerColour::alternate;

    std::vector<OpponentKind> opponents{OpponentKind::wally};  // any of them, game by game
    // How often their moves are random: so often for the first share of the schedule, then less and less until never.
    double random_start = 0.5;
    double random_hold = 0.1;
    double random_end = 0.5;
    std::uint64_t schedule_games = 20'000;
    int population_size = 10;
    std::uint64_t population_games = 500;  // between two weights that join the population

    // Of Go.
    go::Ko ko = go::Ko::positional;
    double komi = 0;
    go::EyeRule eye_rule = go::EyeRule::simple;
    int longest_game = 150;
    GameReward reward = GameReward::margin;
    bool capture_rewards = true;
    RefereeKind referee = RefereeKind::ownership;
    go::TerritoryOptions territory{};
};

// The share of random moves among an opponent's in a game, counted from 0.
double random_share(const NetworkLearningOptions& options, std::uint64_t game);

// Sums over games.
struct NetworkLearningTally {
    std::uint64_t games = 0;
    std::uint64_t wins = 0;      // of the learner: a score above 0, or above a half where it is a share
    double scores = 0;           // the learner's
    double positive_scores = 0;  // the same, lost games counting 0
    std::uint64_t moves = 0;
    std::uint64_t cut = 0;
    std::uint64_t states = 0;   // that learnt
    double squared_errors = 0;  // of those
    std::uint64_t nodes = 0;    // of the learner's searches
    double rewards = 0;         // all that the learner was given
};

class NetworkLearning : public Job {
   public:
    enum class Waiting : std::uint8_t { nothing, move, score };

    NetworkLearning(std::shared_ptr<NetworkValue> value, const NetworkLearningOptions& options, const Rng& rng);

    const NetworkLearningOptions& options() const { return options_; }
    NetworkValue& value() { return *value_; }
    NetworkTrainer& trainer() { return trainer_; }
    std::uint64_t games() const { return games_; }
    void set_games(std::uint64_t games) {
        abandon();
        games_ = games;
    }
    const NetworkLearningTally& tally() const { return tally_; }
    void set_tally(const NetworkLearningTally& tally) { tally_ = tally; }
    NetworkLearningTally take_tally() { return std::exchange(tally_, {}); }

    // Weights that have joined, oldest place first replaced.
    std::vector<std::vector<double>> population() const;
    void set_population(const std::vector<std::vector<double>>& weights);

    // `advance` then plays until there have been so many games, or until it waits.
    void begin(std::uint64_t until) {
        first_ = games_;
        until_ = until;
    }
    double progress() const override { return until_ <= first_ ? 1 : static_cast<double>(games_ - first_) / static_cast<double>(until_ - first_); }

    Waiting waiting() const { return waiting_; }
    // In the game that is being played.
    std::size_t opponent() const { return opponent_; }
    std::size_t start() const { return start_; }
    const std::vector<Action>& moves() const { return moves_; }
    void answer_move(Action action);
    // Player 0's score of the board alone: komi and prisoners are not in it.
    void answer_score(double score);
    // The game that is being played has never been.
    void abandon();

   protected:
    void count_result(double score, bool is_won, bool is_cut);
    void learn(const ValuedGame& game, const std::vector<features::InputList>& inputs, const std::vector<features::InputList>& leaf_inputs);
    void end_game();

    NetworkLearningOptions options_;
    Rng base_;
    std::shared_ptr<NetworkValue> value_;
    NetworkTrainer trainer_;
    std::vector<std::shared_ptr<NetworkValue>> population_;
    NetworkLearningTally tally_;
    std::uint64_t games_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t until_ = 0;

    // The game that is being played.
    bool in_game_ = false;
    Waiting waiting_ = Waiting::nothing;
    std::optional<Action> answered_move_;
    std::optional<double> answered_score_;
    std::size_t opponent_ = 0;
    std::size_t start_ = 0;
    std::vector<Action> moves_;  // from its start

   private:
    std::vector<const features::InputList*> lesson_inputs_;
};

// A loop for the game of some states, of which any may be the first of a game. In Go it is the empty board of their size, whatever they are.
// Written in network_learning_of.hpp, compiled in cpp/door.
template <GameState S>
std::unique_ptr<NetworkLearning> make_network_learning(const std::vector<S>& starts, std::shared_ptr<NetworkValue> value,
                                                       const NetworkLearningOptions& options, const Rng& rng, bool calls_python);

}  // namespace katachi
