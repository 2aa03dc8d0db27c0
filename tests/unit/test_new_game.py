"""Where a game begins and ends for players that keep something: who tells them, and what they forget."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from katachi import Limit, Rng, make_game, play_match
from katachi.arena.match import MatchSettings, run_match
from katachi.arena.referee import GameTask, play_game
from katachi.core.types import Player
from katachi.games.contract import Game
from katachi.games.go import GoGame, Position, Rules
from katachi.gtp.go_session import GoSession
from katachi.gtp.server import Engine
from katachi.gtp.session import BoardSession
from katachi.play.table import Table
from katachi.players.basic import RandomPlayer, RandomSettings
from katachi.players.player import tell_new_game
from katachi.players.registry import make_player
from katachi.players.td_player import TdPlayer
from katachi.players.tree_player import TreePlayer

GAME = GoGame(5)
TASK = GameTask(index=0, game="go", options={"size": 5}, black="a", white="b", seed=1)


class Listener(RandomPlayer):
    """Plays at random and writes down what it is told."""

    def __init__(self) -> None:
        super().__init__(RandomSettings())
        self.heard: list[Any] = []

    def new_game(self) -> None:
        self.heard.append("new")

    def end_game(self, game: Game[Any], state: Any, outcome: float | None) -> None:  # noqa: ANN401
        self.heard.append((game.is_terminal(state), outcome))


def listening(*lines: str) -> list[Any]:
    """What a player hears of commands."""
    player = Listener()
    engine = Engine(GoSession(player, 1, size=(5, 5), rules=Rules.named("cgos")))
    for line in lines:
        assert (engine.answer(line) or b"").startswith(b"="), line
    return player.heard


class TestWhoSaysSo:
    def test_the_referee_does_before_each_game(self) -> None:
        first, second = Listener(), Listener()
        play_match(GAME, first, second, 3, 1)
        assert first.heard == second.heard == ["new"] * 3

    def test_players_that_know_nothing_of_it_are_left_alone(self) -> None:
        tell_new_game(make_player("random"))

    def test_a_player_that_fails_then_has_lost(self) -> None:
        class Broken(Listener):
            def new_game(self) -> None:
                raise ValueError("no")

        outcome = play_game(TASK, GAME, (Listener(), Broken()))
        assert (outcome.reason, outcome.loser, outcome.total) == ("crash", "white", 1.0)
        assert "ValueError: no" in outcome.detail

    @pytest.mark.parametrize("line", ["clear_board", "boardsize 5", "boardsize 7", "rectangular_boardsize 5 6"])
    def test_the_engine_does(self, line: str) -> None:
        assert listening(line) == ["new", (False, None), "new"]

    @pytest.mark.parametrize("line", ["play b C3", "undo", "komi 1", "genmove w", "clear_cache", "set_position b A1"])
    def test_the_engine_does_not(self, line: str) -> None:
        assert listening("play b A2", line) == ["new"], "with its session"

    def test_a_record_is_a_new_game(self, tmp_path: Path) -> None:
        path = tmp_path / "game.sgf"
        assert listening("play b A2", f"printsgf {path}", f"loadsgf {path}") == ["new", (False, None), "new"]

    def test_so_it_is_in_other_games(self) -> None:
        player = Listener()
        session = BoardSession(make_game("hex", size=3), player, 1)
        session.clear()
        assert player.heard == ["new", (False, None), "new"]

    def test_a_person_begins_again(self) -> None:
        player = Listener()
        table = Table(player, Position(5), person=Player.BLACK)
        table.play("C3")
        table.resign()
        table.start_again()
        table.start_again()
        assert player.heard == ["new", (False, 0.0), "new", (False, None), "new"]


class TestWhoHearsHowItEnded:
    def test_nobody_in_a_match_unless_asked(self) -> None:
        first, second = Listener(), Listener()
        result = play_match(GAME, first, second, 2, 1, teaches=True)
        told = [mark for outcome in result.outcomes for mark in ("new", (True, outcome.total))]
        assert first.heard == second.heard == told

    def test_one_player_at_both_sides_hears_it_once(self) -> None:
        player = Listener()
        outcome = play_game(TASK, GAME, (player, player), teaches=True)
        assert player.heard == ["new", "new", (True, outcome.total)]

    def test_a_game_that_is_cut_has_no_outcome(self) -> None:
        player = Listener()
        play_game(TASK.replace(max_moves=3), GAME, (player, Listener()), teaches=True)
        assert player.heard == ["new", (False, None)]

    def test_over_gtp_with_the_next_game(self) -> None:
        assert listening("play b C3", "play w pass", "play b pass", "clear_board") == ["new", (True, 1.0), "new"]
        assert listening("play w C3", "clear_board") == ["new", (False, None), "new"]


def follows_by_chance(player: TdPlayer | TreePlayer) -> tuple[Any, Any]:
    """A game of one thought, and another that goes on as the first one did."""
    game = GoGame(5)
    first = Position(5).play("C3")
    player.choose(game, first, Rng(1))
    player.new_game()
    later = first.play("B3").play("C2")
    return game, later


def test_a_search_on_shapes_forgets() -> None:
    player, fresh = make_player("td-search:sims=30"), make_player("td-search:sims=30")
    assert isinstance(player, TdPlayer)
    assert isinstance(fresh, TdPlayer)
    game, later = follows_by_chance(player)
    assert player.choose(game, later, Rng(2)) == fresh.choose(game, later, Rng(2))
    np.testing.assert_array_equal(player.memory(game).weights, fresh.memory(game).weights)


def test_old_values_are_forgotten_too() -> None:
    player, fresh = make_player("td-search:sims=30,stale=2"), make_player("td-search:sims=30,stale=2")
    assert isinstance(player, TdPlayer)
    game, later = follows_by_chance(player)
    assert player.choose(game, later, Rng(2)) == fresh.choose(game, later, Rng(2))


def test_a_tree_is_forgotten() -> None:
    player = make_player("uct:sims=50")
    assert isinstance(player, TreePlayer)
    game = make_game("tic-tac-toe")
    state = game.initial_state()
    player.think(game, state, Rng(1)).run(Limit(simulations=50))
    player.new_game()
    thinking = player.think(game, state, Rng(2))
    thinking.run(Limit(simulations=20))
    assert thinking.decision().simulations == 20


@pytest.mark.parametrize("spec", ["td-search:sims=20", "uct:sims=40", "hybrid:sims=20,depth=2"])
def test_a_match_of_objects_has_the_games_of_a_match_of_specs(spec: str) -> None:
    """Also where all games begin alike: each one is a function of its seed."""
    game = make_game("go", size=5)
    settings = MatchSettings(first=spec, second="policy:name=fuego", games=3, seed=4, options={"size": 5}, max_moves=12)
    ours = play_match(game, make_player(spec), make_player("policy:name=fuego"), 3, 4, max_length=12)
    theirs = run_match(settings)
    assert [outcome.moves for outcome in ours.outcomes] == [outcome.moves for outcome in theirs.outcomes]


@pytest.mark.parametrize("spec", ["td-search:sims=20", "dyna2:sims=20,memories=separate"])
def test_a_game_that_begins_with_the_moves_of_the_last_one_is_another(spec: str) -> None:
    """The first ends after a move of the player's own, so that any first move of the next would follow."""
    player, fresh = make_player(spec), make_player(spec)
    assert isinstance(player, TdPlayer)
    assert isinstance(fresh, TdPlayer)
    play_game(TASK.replace(max_moves=1), GAME, (player, Listener()))
    for each in (player, fresh):
        play_game(TASK.replace(max_moves=2), GAME, (Listener(), each))
    np.testing.assert_array_equal(player.memory(GAME).weights, fresh.memory(GAME).weights)
