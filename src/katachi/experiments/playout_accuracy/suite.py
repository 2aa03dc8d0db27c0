"""A suite of decided positions on 9x9, which stands for the 200 that an expert labelled (Silver 2009, 9.2.3).

Positions are from the middle and the end of games that a strong player plays against itself, one of each game. A deep
search values them; those that it takes for won or lost are kept. Every candidate is a row, so that the suite follows
from the rows.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from katachi._core import Rng
from katachi.core.settings import Settings
from katachi.core.types import Player
from katachi.experiments.experiment import Row
from katachi.games.go.game import GoGame, outcome
from katachi.games.go.position import Position
from katachi.players.player import GamePlayer, tell_new_game
from katachi.players.registry import make_player
from katachi.training.data_set import DataSet, LabelledPosition, replay
from katachi.training.labels import judge

__all__ = ["CANDIDATE", "PLAY_FROM", "SuiteSettings", "candidate", "play_from", "suite_of"]

CANDIDATE = "katachi.experiments.playout_accuracy.suite:candidate"
PLAY_FROM = "katachi.experiments.playout_accuracy.suite:play_from"
_LONGEST = 300  # moves of a game between policies; a longer one is a draw


class SuiteSettings(Settings):
    """Which positions, and how they are labelled."""

    size: int = Field(default=9, ge=2, le=19, description="Of the board (9.2: 9).")
    komi: float = Field(default=7.5, description="Points for White.")
    candidates: int = Field(ge=1, description="Games, and positions that are valued.")
    positions: int = Field(ge=1, description="Of the suite: the first decided ones (9.2.3: 200).")
    player: str = Field(description="Who plays the games.")
    expert: str = Field(description="Who values positions.")
    plies: list[int] = Field(
        min_length=2, max_length=2, description="The first and the last ply after which a position may be."
    )
    decided: float = Field(default=0.1, gt=0, lt=0.5, description="Values below it and above 1 minus it are decided.")

    @property
    def game(self) -> GoGame:
        """Go on this board."""
        return GoGame(self.size, "cgos", self.komi)


def candidate(work: dict[str, Any]) -> Row:
    """Plays one game to a ply drawn from a range, and values the position. A game that ends before is cut short."""
    settings = SuiteSettings.from_mapping(work["suite"])
    game, rng = settings.game, Rng(work["seed"]).split("suite", work["candidate"])
    player = make_player(settings.player)
    tell_new_game(player)
    low, high = settings.plies
    ply = low + rng.split("ply").below(high - low + 1)
    state, states = game.initial_state(), list[Position]()
    while not state.is_over and len(states) <= ply:
        states.append(state)
        state = _moved(player, game, state, rng.split("move", len(states)))
    state = states[-1]
    found = judge(make_player(settings.expert), game, state, rng.split("judge"))
    return {
        "candidate": work["candidate"],
        "moves": [int(move) for move in state.moves],
        "value": found.value,
        "best": int(found.action) if found.action is not None else None,
        "simulations": found.simulations,
    }


def _moved(player: GamePlayer, game: GoGame, state: Position, rng: Rng) -> Position:
    decision = player.choose(game, state, rng)
    assert decision.action is not None  # nobody resigns: the players here are ours, and resigning is off
    return state.play(decision.action)


def suite_of(rows: Sequence[Row], settings: SuiteSettings) -> DataSet:
    """The decided ones among the candidates, in their order. Labels are 0 and 1, as an expert gives them."""
    found = sorted((row for row in rows if "candidate" in row), key=lambda row: int(row["candidate"]))
    decided = [row for row in found if not settings.decided <= row["value"] <= 1 - settings.decided]
    positions = [
        LabelledPosition(
            moves=tuple(row["moves"]),
            value=float(row["value"] > 0.5),
            best=row["best"],
            simulations=row["simulations"],
            group=row["candidate"],
        )
        for row in decided[: settings.positions]
    ]
    return DataSet(settings.size, settings.size, settings.komi, "cgos", positions, {"suite": settings.model_dump()})


def play_from(work: dict[str, Any]) -> Row:
    """Two policies go on from every position of the suite, with both colours: what the first one made of it."""
    data = DataSet.load(Path(work["file"]))
    players = [make_player(f"policy:name={work[side]}") for side in ("one", "other")]
    counts = [0, 0, 0]
    for number, labelled in enumerate(data.positions):
        for seat in range(2):  # which colour the first one has
            rng = Rng(work["seed"]).split("restart").split(work["one"]).split(work["other"]).split("game", number)
            won = _finished(players, data.game, replay(data.game, labelled.moves), seat, rng.split("seat", seat))
            counts[0 if won > 0.5 else 2 if won < 0.5 else 1] += 1
    told = {key: work[key] for key in ("restarts", "one", "other")}
    return {**told, "wins": counts[0], "draws": counts[1], "losses": counts[2]}


def _finished(players: Sequence[GamePlayer], game: GoGame, state: Position, seat: int, rng: Rng) -> float:
    """The first player's outcome when it has that colour: 0 is Black."""
    for ply in range(_LONGEST):
        if state.is_over:
            total = outcome(state)
            return total if seat == 0 else 1 - total
        mover = players[seat if state.to_play is Player.BLACK else 1 - seat]
        state = _moved(mover, game, state, rng.split("move", ply))
    return 0.5
