"""Win rates of external engines: whose they are, in which unit, and what an engine says that tells none."""

import shlex
import sys
from textwrap import dedent

import pytest

from katachi import EngineError, Rng
from katachi.games.go.game import GoGame
from katachi.players.gtp_player import GtpPlayer

GAME = GoGame(5)

KATA = "info move C3 visits 30 winrate 0.75 order 0 pv C3 B2 info move B2 visits 10 winrate 0.5 order 1 pv B2"
ROOT = f"{KATA} rootInfo visits 40 winrate 0.7"
LZ = "info move B2 visits 9 winrate 2500 prior 1 pv B2 info move C3 visits 3 winrate 1000 pv C3"


def engine(command: str, answer: str) -> GtpPlayer:
    """An engine that knows one analysis and gives one answer to it."""
    body = f"""
    import sys
    for line in sys.stdin:
        number, command, *words = line.split()
        answers = {{"known_command": str(words == [{command!r}]), {command!r}: {answer!r}}}
        print(f"={{number}} {{answers.get(command, '')}}\\n", flush=True)
    """
    return GtpPlayer(shlex.join([sys.executable, "-S", "-c", dedent(body)]), timeout=20)


@pytest.mark.parametrize(
    ("command", "answer", "action", "black", "white", "visits"),
    [
        ("kata-genmove_analyze", f"\n{KATA}\nplay C3", 12, 0.75, 0.25, 40),
        ("kata-genmove_analyze", f"\n{LZ}\n{ROOT}\nplay B2", 16, 0.5, 0.5, 40),  # the last report, its own move
        ("kata-genmove_analyze", f"\n{KATA}\nplay resign", 12, 0.75, 0.25, 40),
        ("kata-genmove_analyze", f"\n{KATA}\nplay pass", 25, 0.75, 0.25, 40),  # a move it does not report on
        ("lz-genmove_analyze", f"\n{LZ}\nplay B2", 16, 0.25, 0.75, 12),
    ],
)
def test_values_are_those_of_black(
    command: str, answer: str, action: int, black: float, white: float, visits: int
) -> None:
    with engine(command, answer) as player:
        player.check_values()
        empty = GAME.initial_state()
        found = player.evaluate(GAME, empty, Rng(1))
        assert (found.action, found.value, found.simulations) == (action, black, visits)
        found = player.evaluate(GAME, empty.play("A5"), Rng(1))
        assert (found.action, found.value, found.simulations) == (action, white, visits)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("play C3", "told no win rate and move in its analysis: 'play C3'"),
        (f"\n{KATA}", "told no win rate and move"),
        ("\ninfo move C3 visits 3 pv C3\nplay C3", "told no win rate and move"),
        ("\ninfo move C3 visits 3 winrate 7500\nplay C3", "told a win rate of 7500"),
        (f"\n{KATA}\nplay Z9", "which is no move"),
    ],
)
def test_answers_that_tell_nothing_are_errors(answer: str, message: str) -> None:
    with engine("kata-genmove_analyze", answer) as player, pytest.raises(EngineError, match=message):
        player.evaluate(GAME, GAME.initial_state(), Rng(1))


def test_an_engine_without_analyses_is_refused() -> None:
    with (
        engine("genmove", "C3") as player,
        pytest.raises(EngineError, match="knows neither of kata-genmove_analyze, lz-genmove_analyze"),
    ):
        player.check_values()
