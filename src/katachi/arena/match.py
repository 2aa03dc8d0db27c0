"""One game between two players, and many. Same seed, same games."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from katachi._core import Rng
from katachi.arena.statistics import Score
from katachi.core.errors import IllegalMoveError, InvalidArgumentError
from katachi.core.types import Action, Player
from katachi.games.contract import Game
from katachi.players.player import GamePlayer, close_player
from katachi.players.registry import make_player

__all__ = ["GameRecord", "MatchResult", "Standing", "play_game", "play_match", "play_round_robin", "standings"]


@dataclass(frozen=True)
class GameRecord:
    """One played game."""

    players: tuple[str, str]  # by seat: player 0 first
    moves: tuple[Action, ...]
    total: float  # return of player 0
    cut: bool  # by the cap on its length
    resigned: Player | None = None  # who gave up


@dataclass(frozen=True)
class MatchResult:
    """Many games, seen by the first player."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    records: tuple[GameRecord, ...]

    @property
    def score(self) -> Score:
        """The first player's points."""
        return Score(self.wins + self.draws / 2, self.wins + self.draws + self.losses)

    @property
    def other_score(self) -> Score:
        """The second player's points."""
        return Score(self.losses + self.draws / 2, self.wins + self.draws + self.losses)


def play_game(
    game: Game[Any], players: tuple[GamePlayer, GamePlayer], rng: Rng, max_length: int | None = None
) -> GameRecord:
    """One game; `players[0]` is player 0. Every move has a generator of its own, split from `rng`."""
    state = game.initial_state()
    moves: list[Action] = []
    total = 0.0
    while not game.is_terminal(state):
        if max_length is not None and len(moves) >= max_length:
            return GameRecord((players[0].name, players[1].name), tuple(moves), total, cut=True)
        seat = int(game.to_play(state))
        decision = players[seat].choose(game, state, rng.split("choose", len(moves)))
        if decision.action is None:
            return _resigned(game, players, moves, Player(seat))
        if decision.action not in game.legal_actions(state):
            raise IllegalMoveError(f"{players[seat].name} chose {decision.action}, which is illegal in\n{state}")
        if game.facts.deterministic:
            state, reward = game.play(state, decision.action)
        else:
            state, reward = game.play(state, decision.action, rng.split("chance", len(moves)))
        moves.append(decision.action)
        total += reward
    return GameRecord((players[0].name, players[1].name), tuple(moves), total, cut=False)


def _resigned(
    game: Game[Any], players: tuple[GamePlayer, GamePlayer], moves: list[Action], loser: Player
) -> GameRecord:
    bounds = game.facts.return_bounds
    if bounds is None:
        raise InvalidArgumentError(
            f"{players[loser].name} resigned, but {game.name} has no worst return to give for it"
        )
    worst = game.facts.value_for(loser, bounds[0])
    return GameRecord((players[0].name, players[1].name), tuple(moves), worst, cut=False, resigned=loser)


def play_match(
    game: Game[Any],
    first: GamePlayer | str,
    second: GamePlayer | str,
    games: int,
    seed: int,
    *,
    max_length: int | None = 1000,
    on_game: Callable[[GameRecord], object] | None = None,
) -> MatchResult:
    """Many games with alternating seats, between players or their specs.

    A game cut at `max_length` (Silver 5.6: 1,000 plies) is a draw. Players made here, from specs, are closed at the
    end, so that no external engine stays behind.
    """
    bounds = game.facts.return_bounds
    if game.facts.players != 2 or bounds is None:
        raise InvalidArgumentError(f"a match needs a game for two players with bounded returns, not {game.name}")
    if games < 0:
        raise InvalidArgumentError(f"the number of games must not be negative: {games}")
    middle = (bounds[0] + bounds[1]) / 2
    rng = Rng(seed)
    wins = draws = losses = 0
    records = []
    with ExitStack() as stack:
        first, second = (_made(p, stack) if isinstance(p, str) else p for p in (first, second))
        for index in range(games):
            seat = Player(index % 2)
            seats = (first, second) if seat is Player.BLACK else (second, first)
            record = play_game(game, seats, rng.split("game", index), max_length)
            mine = middle if record.cut else game.facts.value_for(seat, record.total)
            wins += mine > middle
            draws += mine == middle
            losses += mine < middle
            records.append(record)
            if on_game is not None:
                on_game(record)
    return MatchResult(first.name, second.name, wins, draws, losses, tuple(records))


def _made(spec: str, stack: ExitStack) -> GamePlayer:
    """A player from its spec, to be closed with the stack."""
    player = make_player(spec)
    stack.callback(close_player, player)
    return player


def play_round_robin(
    game: Game[Any],
    players: Sequence[GamePlayer],
    games: int,
    seed: int,
    on_game: Callable[[GameRecord], object] | None = None,
) -> list[MatchResult]:
    """A match between every two players; the seeds of the matches are derived from `seed`."""
    names = [player.name for player in players]
    if len(set(names)) != len(names):
        raise InvalidArgumentError(f"the players of a tournament need different names: {names}")
    rng = Rng(seed)
    return [
        play_match(game, a, b, games, rng.split("match", index).next() % 2**63, on_game=on_game)
        for index, (a, b) in enumerate(combinations(players, 2))
    ]


@dataclass(frozen=True)
class Standing:
    """One line of a tournament's table."""

    player: str
    score: Score


def standings(matches: Sequence[MatchResult]) -> list[Standing]:
    """The table of a tournament, best first."""
    scores: dict[str, Score] = {}
    for match in matches:
        for name, score in ((match.first, match.score), (match.second, match.other_score)):
            scores[name] = scores.get(name, Score(0, 0)) + score
    table = [Standing(name, score) for name, score in scores.items()]
    return sorted(table, key=lambda standing: -standing.score.win_rate)
