"""Networks that learn from games: searches, rewards, resumption, opponents, and solved games (Ekker, 4 to 6)."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from katachi import InvalidArgumentError
from katachi._core import EyeRule, NetworkLearning, NetworkLearningOptions, Player, Rng, random_share, wally_move
from katachi.core.errors import SettingsError
from katachi.core.types import Action
from katachi.features.board_inputs import BoardInputs
from katachi.games.go import GoGame, Position, Rules
from katachi.games.native import ExplicitTree
from katachi.games.registry import make_game
from katachi.learning.episode_rules import RULES
from katachi.learning.network_trainers import TRAINERS
from katachi.search.alpha_beta import AlphaBeta, AlphaBetaSettings
from katachi.training.network_learning import NetworkLearningSettings, learner, network_learning
from katachi.values.network import NetworkSettings, make_network, network_of

GAME = GoGame(5, Rules.named("cgos").replace(ko="simple", komi=0.0))
SMALL = NetworkSettings(hidden=(6,), initial_range=0.5)


def random_position(seed: int, moves: int) -> Position:
    rng, found = random.Random(seed), GAME.initial_state()
    for _ in range(moves):
        found = found.play(rng.choice([a for a in found.legal_actions() if a != 25] or [25]))
    return found


def minimax(
    position: Position, depth: int, viewpoint: Player, value: Callable[[Any], float], earned: float = 0.0
) -> float:
    """Black's total, the slow way; values and captures are the viewpoint's, in stones."""
    if position.is_over or depth == 0:
        inputs = BoardInputs(5, 5).read(position, viewpoint)
        stones = value(inputs)
        return earned + (stones if viewpoint is Player.BLACK else -stones)
    actions = sorted({*position.candidates(EyeRule.SIMPLE), 25})
    found = []
    for action in actions:
        after = position.play(action)
        taken = [after.captured(player) - position.captured(player) for player in (Player.BLACK, Player.WHITE)]
        found.append(minimax(after, depth - 1, viewpoint, value, earned + taken[1] - taken[0]))
    return max(found) if position.to_play is Player.BLACK else min(found)


@pytest.mark.parametrize("seed", range(8))
def test_a_search_of_two_plies_is_minimax(seed: int) -> None:
    position = random_position(seed, 6 + 3 * seed)
    network = make_network(SMALL, GAME, Rng(seed))
    from katachi._core import Network

    plain = Network([32, 6, 1])
    plain.weights = network.weights
    search = AlphaBeta(GAME, position, settings=AlphaBetaSettings(depth=2), evaluate=network)
    search.run()
    expected = minimax(position, 2, position.to_play, lambda inputs: plain.value(inputs)[0])
    assert search.value == pytest.approx(expected)


def test_vector_of_minimax() -> None:
    """Fig. 10: the opponent leaves -1 after a and 2 after b."""
    game = ExplicitTree([[-1, 3], [4, 2]])
    search = AlphaBeta(game, game.initial_state(), settings=AlphaBetaSettings(depth=2))
    search.run()
    assert (search.value, search.line) == (2, [1, 1])


def test_captures_in_a_line_count() -> None:
    """A network that knows nothing takes stones, since it sees what that earns."""
    network = network_of(NetworkSettings(hidden=()), GAME, np.zeros(33))
    position = GAME.initial_state()
    for vertex in ("C3", "A1", "A2", "E5"):
        position = position.play(position.action(vertex))
    search = AlphaBeta(GAME, position, settings=AlphaBetaSettings(depth=1), evaluate=network)
    search.run()
    assert (position.vertex(search.best_action), search.value) == ("B1", 1.0)


def run(settings: NetworkLearningSettings, games: int) -> NetworkLearning:
    found = network_learning(settings)
    assert found.run(games)
    return found


@pytest.mark.parametrize("opponent", ["wally", "random", "self", "population"])
@pytest.mark.parametrize("komi", [0.0, 2.5])
def test_all_rewards_of_a_game_are_its_score(opponent: str, komi: float) -> None:
    play = network_learning(learner(opponents=(opponent,), network=SMALL, komi=komi, opening_plies=4))
    moves = 0
    for game in range(1, 25):
        play.run(game)
        tally = play.take_tally()
        assert tally.games == 1
        assert tally.rewards == pytest.approx(tally.scores)
        assert abs(tally.scores) <= 150
        moves += tally.moves
    assert moves > 24 * 10


def test_without_capture_rewards_the_end_has_it_all() -> None:
    play = network_learning(learner(network=SMALL, capture_rewards=False))
    play.run(10)
    tally = play.take_tally()
    assert tally.rewards == pytest.approx(tally.scores)


def last_plies(plies: int, **settings: object) -> tuple[float, float]:
    """The score of one game, and by how much TD-leaf moves the bias of a network that knows nothing, in errors.

    The game is over after so many plies of which the learner makes the first and the last one, with a search of one
    ply: the leaf of the last search is a final position.
    """
    play = run(
        learner(
            "td-leaf", "direct", lambda_=0.0, epsilon=0.0, depth=1, opening_plies=10, longest_game=10 + plies,
            colour="black", network=NetworkSettings(hidden=(), initial_range=0.0),
            training={"batch_games": 1, "eta": 1.0}, **settings,
        ),
        1,
    )  # fmt: skip
    return play.take_tally().scores, float(play.weights[-1]) / 0.25  # dy/dx of a network of zeros


def squashed(stones: float) -> float:
    return float(1 / (1 + np.exp(-stones)))


def test_leaves_that_a_referee_values_do_not_learn() -> None:
    """The last position learns the score; the leaf on the same board has the referee's value and no weights."""
    score, change = last_plies(1, ends="referee", capture_rewards=False)
    assert score != 0
    assert change == pytest.approx(squashed(score) - 0.5)


@pytest.mark.parametrize("capture_rewards", [False, True])
def test_states_before_learn_what_a_referee_says_of_a_leaf(capture_rewards: bool) -> None:
    """Komi and prisoners are in it: whatever is on the board, 1,000 points for White are a loss."""
    score, change = last_plies(
        3, ends="referee", komi=1000.0, search_adds_path_rewards=False, capture_rewards=capture_rewards
    )
    assert score + 1000 > 0
    assert change == pytest.approx(-0.5 - 0.5)


def test_without_rewards_of_the_line_captures_are_not_seen() -> None:
    """Of a network that knows nothing: every move is as good as any other."""
    scores = []
    for adds in (True, False):
        settings = learner(
            network=NetworkSettings(hidden=(), initial_range=0.0), opponents=("random",), depth=1, epsilon=0.0,
            search_adds_path_rewards=adds,
        )  # fmt: skip
        play = network_learning(settings, learns=False)
        play.run(1000)
        scores.append(play.take_tally().scores / 1000)
    assert scores[0] > scores[1] + 2


def test_stones_are_not_added_to_shares_of_wins() -> None:
    """A stone would outweigh all that values from 0 to 1 can say: searches of such networks take no account of them."""
    scores = []
    for adds in (True, False):
        settings = learner(
            network=SMALL.replace(unit="output"), opponents=("random",), depth=2, epsilon=0.0, reward="win",
            capture_rewards=False, search_adds_path_rewards=adds,
        )  # fmt: skip
        play = network_learning(settings, learns=False)
        play.run(20)
        scores.append(play.take_tally().scores)
    assert scores[0] == scores[1]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_run_goes_on_exactly_and_slices_do_not_matter(rule: str, trainer: str) -> None:
    settings = learner(rule, trainer, network=SMALL, opponents=("wally", "self"), training={"batch_games": 3})  # type: ignore[arg-type]
    whole = run(settings, 7)
    some = run(settings, 4)
    other = network_learning(settings)
    other.weights, other.trainer_memories = some.weights, some.trainer_memories
    other.games_in_batch, other.games = some.games_in_batch, some.games
    other.run(7)
    assert other.weights.tobytes() == whole.weights.tobytes()
    assert whole.weights.tobytes() != network_learning(settings).weights.tobytes()
    for one, another in zip(other.trainer_memories, whole.trainer_memories, strict=True):
        assert one.tobytes() == another.tobytes()


def test_the_population_is_the_past() -> None:
    settings = learner(network=SMALL, opponents=("population",), population_games=10, population_size=2)
    play = network_learning(settings)
    seen = []
    for games in (10, 20, 30):
        play.run(games)
        seen.append(play.weights)
    population = play.population
    assert [member.tobytes() for member in population] == [seen[2].tobytes(), seen[1].tobytes()]
    again = network_learning(settings)
    again.weights, again.trainer_memories, again.population = play.weights, play.trainer_memories, play.population
    again.games = 30
    play.run(36)
    again.run(36)
    assert again.weights.tobytes() == play.weights.tobytes()


def test_an_external_wally_is_the_one_inside() -> None:
    """Moves that are asked for outside lead to the same weights as those of the loop itself."""
    inside = run(learner(network=SMALL, random_start=0.0), 12)
    play = network_learning(learner(network=SMALL, random_start=0.0, opponents=("wally:random=0",)))
    game = learner().make_game()
    asked = 0
    while play.games < 12:
        play.run(12)
        if play.waiting == "move":
            position = game.initial_state()
            for action in play.moves:
                position = position.play(action)
            play.answer_move(wally_move(position.native))
            asked += 1
    assert asked > 12
    assert play.weights.tobytes() == inside.weights.tobytes()
    with pytest.raises(InvalidArgumentError, match="nobody waits for a move"):
        play.answer_move(3)


def test_a_game_that_is_abandoned_is_played_again() -> None:
    settings = learner(network=SMALL, opponents=("wally:random=0",), random_start=0.0)
    play = network_learning(settings)
    play.run(1)
    assert play.waiting == "move"
    first = play.moves
    play.abandon()
    assert play.waiting == "nothing"
    play.run(1)
    assert play.moves == first


def test_the_schedule_of_random_moves() -> None:
    options = learner(schedule_games=1000).to_native()
    assert random_share(options, 0) == random_share(options, 99) == 0.5
    assert random_share(options, 300) == pytest.approx(0.25)
    assert random_share(options, 500) == random_share(options, 10_000) == 0


def test_a_test_teaches_nothing() -> None:
    settings = learner(network=SMALL, epsilon=0.0)
    play = network_learning(settings, learns=False)
    start = play.weights
    play.run(20)
    assert play.weights.tobytes() == start.tobytes()
    assert play.take_tally().states == 0


def test_learning_makes_it_stronger() -> None:
    """Against random moves, within some hundred games; the network that has learnt nothing is the yardstick."""
    settings = learner("td-mu", "rprop", opponents=("random",), network=NetworkSettings(hidden=(20,)), epsilon=0.0)
    play = run(settings, 400)
    tested = network_learning(
        settings, value=network_of(settings.network, settings.make_game(), play.weights), learns=False
    )
    tested.run(200)
    fresh = network_learning(settings, learns=False)
    fresh.run(200)
    after, before = tested.take_tally(), fresh.take_tally()
    assert after.wins > 170
    assert after.scores > before.scores


@pytest.mark.parametrize("inputs", ["shapes", "board", "full+ko", "table"])
def test_all_inputs_learn_go(inputs: str) -> None:
    play = run(learner(network=NetworkSettings(inputs=inputs), opponents=("random",)), 20)
    assert np.isfinite(play.weights).all()
    assert play.weights.any()
    assert (len(play.keys) > 100) == (inputs == "table")


State = Any
Keyed = Any  # a game with keys


def solve(game: Keyed, state: State, known: dict[int, float]) -> float:
    """Player 0's return with best play; that of all states below is noted by their keys."""
    key = game.key(state)
    if key not in known:
        results = []
        for action in game.legal_actions(state):
            after, reward = game.play(state, action)
            results.append(reward if game.is_terminal(after) else solve(game, after, known))
        known[key] = max(results) if game.to_play(state) is Player.BLACK else min(results)
    return known[key]


def states_below(game: Keyed, starts: list[State]) -> list[State]:
    """All that are not terminal, the starts among them."""
    found: dict[int, State] = {}
    todo = list(starts)
    while todo:
        state = todo.pop()
        if not game.is_terminal(state) and game.key(state) not in found:
            found[game.key(state)] = state
            todo += [game.play(state, action)[0] for action in game.legal_actions(state)]
    return list(found.values())


def table_learner(game: str, table_size: int) -> NetworkLearningSettings:
    """TD-leaf at one ply on a table: leaves are positions after a move, and the learner tries all of them."""
    return learner(
        "td-leaf",
        "direct",
        lambda_=0.0,
        game=game,
        network=NetworkSettings(inputs="table", table_size=table_size, unit="output", initial_range=0.0),
        training={"eta": 6.0, "batch_games": 1, "gradient_of": "sum"},
        opponents=("self",),
        random_start=0.0,
        capture_rewards=False,
        depth=1,
        epsilon=1.0,
        explored_leaf="played",
        opening_plies=0,
    )


def check_solved(settings: NetworkLearningSettings, starts: list[State], games: int) -> int:
    """Values within 0.05 of the solved ones, and optimal greedy play; gives the number of states."""
    game: Keyed = settings.make_game()
    play = network_learning(settings, starts=starts)
    play.run(games)
    value = network_of(settings.network, game, play.weights, play.keys)
    known: dict[int, float] = {}
    for start in starts:
        solve(game, start, known)
    states = states_below(game, starts)
    greedy = AlphaBetaSettings(depth=1, root_values="all")
    wrong, worst = 0, 0.0
    for state in states:
        search = AlphaBeta(game, state, settings=greedy, evaluate=value)
        search.run()
        exact = {}
        for action in game.legal_actions(state):
            after, reward = game.play(state, action)
            exact[action] = reward if game.is_terminal(after) else known[game.key(after)]
        wrong += exact[search.best_action] != known[game.key(state)]
        worst = max(worst, *(abs(root.value - exact[Action(root.action)]) for root in search.root_actions()))
    assert (wrong, worst) == (0, pytest.approx(0, abs=0.05)), f"{wrong} wrong of {len(states)}, at most {worst} off"
    return len(states)


def test_tic_tac_toe_is_learnt_by_table_lookup() -> None:
    game = make_game("tic-tac-toe")
    states = states_below(game, [game.initial_state()])
    early = [state for state in states if len(game.legal_actions(state)) >= 7]  # they have more moves to be tried
    assert check_solved(table_learner("tic-tac-toe", 6000), states + 20 * early, 900_000) == 4520


def test_endings_of_connect_four_are_learnt_by_table_lookup() -> None:
    """Positions with eight empty places: won, drawn and lost ones, and all that can come of them."""
    game = make_game("connect-four")
    endings: dict[float, State] = {}
    for seed in range(4000):
        rng, state = random.Random(seed), game.initial_state()
        for _ in range(34):
            state, _ = game.play(state, rng.choice(game.legal_actions(state)))
            if game.is_terminal(state):
                break
        else:
            endings.setdefault(solve(game, state, {}), state)
        if len(endings) == 3:
            break
    assert sorted(endings) == [0.0, 0.5, 1.0]
    starts = states_below(game, list(endings.values()))
    assert check_solved(table_learner("connect-four", 10_000), starts, 60_000) > 100


def test_settings_on_both_sides() -> None:
    native = {name for name in dir(NetworkLearningOptions) if not name.startswith("_")}
    apart = {"game", "size", "seed", "network", "lambda_", "mu_delta_includes_reward", "updates"}
    assert set(NetworkLearningSettings.model_fields) - apart == native - {"learns"}
    options, given = NetworkLearningOptions(), NetworkLearningSettings().to_native()
    for name in native - {"rule", "trainer"}:
        assert getattr(options, name) == getattr(given, name), name


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"game": "tic-tac-toe"}, "tic-tac-toe needs network.unit=output"),
        ({"network": NetworkSettings(unit="output")}, "capture_rewards are stones"),
        ({"reward": "win"}, "reward=win is 1 or 0"),
        ({"ends": "referee", "referee": "gnugo"}, "asks ownership inside searches: it cannot be with referee=gnugo"),
        ({"random_hold": 0.7}, r"random_hold=0\.7 is later than random_end=0\.5"),
        ({"opponents": ()}, "opponents"),
    ],
)
def test_settings_that_contradict_each_other(changes: dict[str, object], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        learner(**changes)  # type: ignore[arg-type]


def test_lambda_of_the_residual_algorithms() -> None:
    assert learner("td-mu", "residual").lambda_ == 0
    assert learner("td-mu", "residual-lambda").lambda_ == 0.5
    with pytest.raises(InvalidArgumentError, match=r"has lambda=0, not 0\.5: with more it is residual-lambda"):
        learner("td-mu", "residual", lambda_=0.5)


def test_networks_that_cannot_be() -> None:
    with pytest.raises(SettingsError, match="there are no inputs called 'boards'"):
        NetworkSettings(inputs="boards")
    with pytest.raises(SettingsError, match="without hidden units"):
        NetworkSettings(inputs="table", hidden=(3,))
    with pytest.raises(InvalidArgumentError, match="inputs=full are for Go, not for tic-tac-toe"):
        make_network(NetworkSettings(unit="output"), make_game("tic-tac-toe"), Rng(1))
    with pytest.raises(InvalidArgumentError, match="the table is full: it has room for 5 states"):
        run(learner(network=NetworkSettings(inputs="table", table_size=5)), 3)
