"""GNU Go as an opponent: whole games through the player `gtp:COMMAND`."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from katachi import Action, EngineError, Player, Rng, make_game, play_match
from katachi.arena.match import MatchResult
from katachi.arena.referee import GameTask, play_game
from katachi.games.contract import Game
from katachi.games.go import Position
from katachi.games.go.game import GoGame
from katachi.players.basic import RandomPlayer, RandomSettings
from katachi.players.gtp_player import GtpPlayer
from katachi.players.gtp_process import GtpProcess
from katachi.players.player import Decision
from katachi.search.searches import Progress
from tests.programs import require_program

COMMAND = "gnugo --mode gtp --level 1 --chinese-rules --seed {seed}"
GAME = make_game("go", size=5, rules="chinese")


@pytest.fixture(scope="module", autouse=True)
def program() -> str:
    return require_program("gnugo", "gnugo")


def play(seed: int) -> MatchResult:
    return play_match(GAME, f"gtp:{COMMAND}", "flat-mc:sims=4", games=2, seed=seed)


def children() -> set[int]:
    """The processes that this one has started and not buried."""
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def test_matches_repeat_and_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    pids: list[int] = []
    start = GtpPlayer._start

    def noted(player: GtpPlayer) -> GtpProcess:
        process = start(player)
        pids.append(process.pid)
        return process

    monkeypatch.setattr(GtpPlayer, "_start", noted)
    before = children()
    first, again, other = ([o.untimed() for o in play(seed).outcomes] for seed in (1, 1, 2))
    assert first == again
    assert [o.moves for o in first] != [o.moves for o in other]
    assert all(o.reason == "count" for o in first)
    assert len(pids) == 6, "a process for each game, since each has a seed"
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert children() <= before


def test_gnu_go_beats_random_moves_if_it_captures_what_is_dead() -> None:
    """Without the option it passes too early for a count that takes all stones as alive, and loses 8 of 20."""
    engine = f"gtp:{COMMAND} --capture-all-dead"
    result = play_match(make_game("go", size=7, rules="chinese"), engine, "random", games=4, seed=1)
    assert result.wins == 4


def test_a_game_from_a_set_up_position() -> None:
    """GNU Go has no command for a set-up: the stones go there one by one, and moves follow from both sides."""
    start = Position.from_diagram(
        """
        . . X O . . .
        . . X O . . .
        . . X O O O O
        . X X X O X X
        . . X O O X .
        . . X O X X .
        . . X . X . .
        """,
        rules="chinese",
        to_play=Player.WHITE,
    )
    game = GoGame(7, "chinese")
    with GtpPlayer(COMMAND) as player:
        position = start
        for ply in range(4):
            decision = player.choose(game, position, Rng(1).split("choose", ply))
            assert decision.action is not None
            position = position.play(decision.action)
        assert player.describe()["name"] == "GNU Go"
        assert player._process is not None
        for color, stone in (("black", "X"), ("white", "O")):
            listed = player._process.ask("list_stones", color).split()
            ours = [position.vertex(p) for p, c in enumerate(position.stones()) if c == stone]
            assert sorted(listed) == sorted(ours)


def test_handicap_reaches_gnu_go() -> None:
    position = Position.set_up(9, 9, rules="chinese", black=["C3", "G7", "G3"], to_play=Player.WHITE, handicap=3)
    with GtpPlayer(COMMAND) as player:
        assert player.choose(GoGame(9, "chinese"), position, Rng(1)).action is not None
        assert player._process is not None
        assert player._process.ask("get_handicap") == "3"
        assert player._process.ask("get_komi") == "7.5"


def test_a_dead_engine_does_not_end_the_game() -> None:
    """Killed between two moves, it is started again and told the game."""

    class Killer(RandomPlayer):
        """A random player that kills its opponent's engine once."""

        moves = 0

        def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
            self.moves += 1
            if self.moves == 4:
                assert player._process is not None
                os.kill(player._process.pid, signal.SIGKILL)
            return super().choose(game, state, rng, progress)

    with GtpPlayer(COMMAND) as player:
        killer = Killer(RandomSettings())
        task = GameTask(index=0, game="go", black="killer", white="victim", seed=1)
        outcome = play_game(task, GAME, (killer, player))
        assert player.restarts == 1
    assert killer.moves > 4
    assert outcome.reason == "count"


def test_a_size_that_gnu_go_refuses() -> None:
    with GtpPlayer(COMMAND) as player, pytest.raises(EngineError, match="does not play on a board of 9x7"):
        player.choose(GoGame((9, 7)), Position(9, 7), Rng(1))


def test_a_move_costs_little_more_than_gnu_go_needs_for_it() -> None:
    """A round trip, measured with a command that does nothing, is far below a millisecond; the bound is generous."""
    with GtpProcess("gnugo --mode gtp") as process:
        process.ask("name")
        started = time.perf_counter()
        for _ in range(200):
            process.ask("protocol_version")
        assert (time.perf_counter() - started) / 200 < 0.01


def test_pass_is_understood() -> None:
    position = GAME.initial_state()
    with GtpPlayer(COMMAND) as player:
        for ply in range(60):
            if GAME.is_terminal(position):
                break
            mine = ply % 2 == 0
            action = player.choose(GAME, position, Rng(ply)).action if mine else position.pass_action
            assert action is not None
            position, _ = GAME.play(position, Action(action))
    assert position.is_over
    assert position.score() > 0, "Black alone has played"
