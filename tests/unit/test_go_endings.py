"""How players that search end a game of Go: passing when that wins, giving up, and stopping early."""

import time
from types import SimpleNamespace

import pytest

from katachi._core import Rng
from katachi.core.limit import Limit
from katachi.core.types import Player
from katachi.games.go.game import GoGame
from katachi.games.go.position import Position
from katachi.games.go.rules import Rules
from katachi.games.registry import make_game
from katachi.players.go_endings import passing_wins
from katachi.players.registry import make_player
from katachi.players.some_moves import Restriction, think_about
from katachi.players.thinking import ThinkingPlayer, analyse, position_value
from katachi.players.tree_player import _LeadWatch

# Black has the left, White the right; one white stone is dead on the left.
SETTLED = """
. X X O .
O . X O O
. X X O .
X . X O O
. X X O .
"""
UNSETTLED = """
. . . . .
. . X O .
. . X O .
. . . . .
. . . . .
"""


def position(text: str, rules: str, komi: float, to_play: Player = Player.BLACK) -> Position:
    return Position.from_diagram(text, rules=Rules.named(rules, komi), to_play=to_play)


@pytest.mark.parametrize(
    ("rules", "komi", "to_play", "wins"),
    [
        ("chinese", 0.5, Player.BLACK, True),  # 15 points to 10
        ("chinese", 0.5, Player.WHITE, False),
        ("chinese", 7.5, Player.BLACK, False),
        ("chinese", 7.5, Player.WHITE, True),
        ("cgos", 0.5, Player.BLACK, False),  # the opponent may go on, and nobody takes stones off
        ("cgos", 7.5, Player.WHITE, False),
    ],
)
def test_a_settled_board_is_passed_if_that_wins(rules: str, komi: float, to_play: Player, wins: bool) -> None:
    assert passing_wins(position(SETTLED, rules, komi, to_play), Rng(1)) is wins


@pytest.mark.parametrize(
    ("rules", "komi", "wins"),
    [
        ("cgos", -0.5, True),
        ("cgos", 0.5, False),
        ("chinese", 0.5, True),
        ("chinese", 3.5, True),
        ("chinese", 7.5, False),
    ],
)
def test_after_a_pass_the_board_is_counted(rules: str, komi: float, wins: bool) -> None:
    """Black has 15 points without the dead stone, White 10; with it each has 11, and three points touch both."""
    passed = position(SETTLED, rules, komi, Player.WHITE).play("pass")
    assert passed.passes == 1
    assert passing_wins(passed, Rng(1)) is wins


def test_an_open_board_is_not_passed() -> None:
    assert not passing_wins(position(UNSETTLED, "chinese", 0.5), Rng(1))
    assert not passing_wins(Position(5, rules=Rules.named("chinese", -20)), Rng(1))


@pytest.mark.parametrize("spec", ["mc-rave:sims=50", "uct:sims=50", "heuristic-mc-rave:sims=50", "tournament:sims=50"])
def test_players_pass(spec: str) -> None:
    game = GoGame(5, Rules.named("chinese", 0.5))
    decision = make_player(spec).choose(game, position(SETTLED, "chinese", 0.5), Rng(1))
    assert decision.action == game.initial_state().pass_action
    decision = make_player(spec).choose(game, position(SETTLED, "chinese", 0.5, Player.WHITE), Rng(1))
    assert decision.action != game.initial_state().pass_action


@pytest.mark.parametrize(("resign", "gives_up"), [(0, False), (0.1, True)])
def test_what_is_lost_is_given_up(resign: float, gives_up: bool) -> None:
    game = GoGame(5, Rules.named("cgos", 30.5))  # no board has so many points
    decision = make_player(f"mc-rave:sims=50,resign={resign}").choose(game, game.initial_state(), Rng(1))
    assert (decision.action is None) is gives_up
    won = GoGame(5, Rules.named("cgos", -30.5))
    assert make_player(f"mc-rave:sims=50,resign={resign}").choose(won, won.initial_state(), Rng(1)).action is not None


def test_a_few_lost_playouts_are_no_reason_to_give_up() -> None:
    game = GoGame(5, Rules.named("cgos", 30.5))
    player = make_player("mc-rave:sims=49,resign=0.1")
    assert player.choose(game, game.initial_state(), Rng(1)).action is not None


@pytest.mark.parametrize("spec", ["mc-rave:sims=50", "uct:sims=50"])
def test_candidates_begin_with_a_pass_that_wins(spec: str) -> None:
    game, player = GoGame(5, Rules.named("chinese", 0.5)), make_player(spec)
    assert isinstance(player, ThinkingPlayer)
    for to_play, passes in ((Player.BLACK, True), (Player.WHITE, False)):
        state = position(SETTLED, "chinese", 0.5, to_play)
        thinking = player.think(game, state, Rng(1))
        thinking.run(Limit(simulations=50))
        first, *others = thinking.candidates()
        assert (first.action == state.pass_action) is passes
        assert first.action == thinking.decision().action
        assert state.pass_action not in [other.action for other in others]
        if passes:
            assert first.value == thinking.decision().value == position_value(thinking.candidates()) == 1.0


def test_a_pass_that_wins_is_played_unless_it_is_forbidden() -> None:
    game, player = GoGame(5, Rules.named("chinese", 0.5)), make_player("mc-rave:sims=50")
    assert isinstance(player, ThinkingPlayer)
    state = position(SETTLED, "chinese", 0.5)
    corner, own_pass = state.action("A1"), state.pass_action
    for avoided, passes in (({corner}, True), ({corner, own_pass}, False)):
        thinking = think_about(player, game, state, Restriction(frozenset(avoided)), Rng(1))
        thinking.run(Limit(simulations=50))
        assert (thinking.decision().action == own_pass) is passes
        assert not avoided & {candidate.action for candidate in thinking.candidates()}


@pytest.mark.parametrize(("seconds", "stops"), [(60, True), (0.5, False)])
def test_a_decided_search_stops_early(seconds: float, stops: bool) -> None:
    """Connect four: one move wins at once and soon has nearly all visits."""
    game = make_game("connect-four")
    state = game.initial_state()
    for column in ("d", "a", "d", "a", "d", "b"):
        state, _ = game.play(state, game.parse_action(state, column))  # type: ignore[attr-defined]
    player = make_player(f"uct:seconds={seconds},early_stop={str(stops).lower()}")
    assert isinstance(player, ThinkingPlayer)
    thinking = player.think(game, state, Rng(2))
    started = time.monotonic()
    assert thinking.run(Limit(seconds=seconds))  # done either way
    assert (time.monotonic() - started < 0.9 * seconds) is stops
    assert thinking.decision().action == game.parse_action(state, "d")  # type: ignore[attr-defined]


def test_an_analysis_does_not_stop_early() -> None:
    """One legal move is sure to be played after half of the time; somebody who looks wants all of it."""
    game = GoGame(1, Rules.named("cgos", 0.5))
    player = make_player("uct:seconds=60")
    assert isinstance(player, ThinkingPlayer)
    thinking = player.think(game, game.initial_state(), Rng(1))
    started = time.monotonic()
    assert analyse(thinking, Limit(seconds=0.6))
    assert time.monotonic() - started >= 0.6


@pytest.mark.parametrize(("best", "stops"), [(7, True), (3, False)])
def test_a_search_goes_on_while_the_best_move_is_not_the_most_visited(best: int, stops: bool) -> None:
    """Nobody can overtake move 7 any more; but by its value another one would be played."""

    class Search:
        simulations = 0

        def root_actions(self) -> list[SimpleNamespace]:
            return [SimpleNamespace(action=3, visits=10), SimpleNamespace(action=7, visits=10_000)]

        def ranked(self) -> list[SimpleNamespace]:
            return [SimpleNamespace(action=best)]

    search = Search()
    watch = _LeadWatch(search, seconds=60.0)  # type: ignore[arg-type]
    assert watch.goes_on(), "a fifth of the time is always taken"
    search.simulations = 10
    watch._started -= 30.0  # half of the time has passed
    assert watch.goes_on() is not stops
    assert watch.is_decided is stops
