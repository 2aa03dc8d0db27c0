"""Ratings from games: the Bradley-Terry model with draws (Davidson 1970) and an advantage of the first move.

With strengths pi = 10^(Elo / 400), Black's multiplied by 10^(advantage / 400), and nu for the draws:

    P(Black wins) = pi_b / Z,   P(draw) = nu sqrt(pi_b pi_w) / Z,   Z = pi_b + pi_w + nu sqrt(pi_b pi_w)

The prior is that of Bayesian Elo, which Silver's tournaments use (2009, 5.6): two virtual draws for each player, spread
over its opponents as its games are, so that 0 % and 100 % have finite ratings. A virtual draw counts as half a win and
half a loss, without colours. The advantage and the draws have a prior of the same weight. Ratings are the most likely
ones, intervals come from the curvature there.   Coverage: tests/theory/test_ratings.py.

A player without games is refused, and so are players that no chain of games connects.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from scipy.optimize import minimize

from katachi.arena.elo import ELO_PER_LOGIT
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import did_you_mean

__all__ = ["PairCounts", "Rating", "Ratings", "rate"]

_Z95 = 1.959963984540054
_FLAT = 1e-4  # of a likelihood: steeper than this is no maximum
_LAST_STEPS = 5  # of Newton, where the search stops just before the maximum
_SMALL_NU = 1e-9


@dataclass(frozen=True)
class PairCounts:
    """The games in which one player was Black (or moved first) and another one White."""

    black: str
    white: str
    black_wins: float
    draws: float
    white_wins: float

    @property
    def games(self) -> float:
        """How many."""
        return self.black_wins + self.draws + self.white_wins


@dataclass(frozen=True)
class Rating:
    """One player's line."""

    player: str
    elo: float
    low: float  # of the 95 % interval
    high: float
    games: float
    points: float


class Ratings:
    """The table, best first, with what else was found."""

    def __init__(
        self, lines: Sequence[Rating], covariance: np.ndarray, order: Sequence[str], advantage: float, draw_rate: float
    ) -> None:
        self.lines = tuple(sorted(lines, key=lambda line: -line.elo))
        self.advantage = advantage  # Elo of the first move
        self.draw_rate = draw_rate  # share of draws between equal players, the first move aside
        self._covariance = covariance
        self._index = {name: i for i, name in enumerate(order)}
        self._elo = {line.player: line.elo for line in lines}

    def __getitem__(self, player: str) -> Rating:
        for line in self.lines:
            if line.player == player:
                return line
        raise InvalidArgumentError(f"no rating for {player!r}: {did_you_mean(player, self._elo)}")

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """By how much the first is rated higher, and the standard error of that."""
        i, j = self._index[self[first].player], self._index[self[second].player]
        c = self._covariance
        return self._elo[first] - self._elo[second], sqrt(max(0.0, c[i, i] + c[j, j] - 2 * c[i, j]))

    def superiority(self, first: str, second: str) -> float:
        """The probability that the first is stronger."""
        difference, error = self.difference(first, second)
        return 0.5 if error == 0 else 0.5 * (1 + erf(difference / error / sqrt(2)))


def rate(
    games: Sequence[PairCounts], anchors: Mapping[str, float] | None = None, *, virtual_draws: float = 2.0
) -> Ratings:
    """Ratings of all who played. One anchor shifts the scale to its rating, several hold it on the average.

    Without an anchor the mean is 0.
    """
    names = sorted({name for pair in games for name in (pair.black, pair.white)})
    for name in anchors or {}:
        if name not in names:
            raise InvalidArgumentError(f"the anchor {name!r} has not played: {did_you_mean(name, names)}")
    _check_games(games, names)
    model = _Model(games, names, virtual_draws)
    found = minimize(
        model.cost,
        np.zeros(model.size),
        jac=model.gradient,
        hess=model.hessian,
        method="trust-exact",
        options={"gtol": 1e-8},
    )
    best = found.x
    for _ in range(_LAST_STEPS):
        # The cost of many games has too few digits to end there; the slope has enough.
        if found.success or np.abs(model.gradient(best)).max() <= _FLAT:
            break
        best = best - np.linalg.solve(model.hessian(best), model.gradient(best))
    if not found.success and np.abs(model.gradient(best)).max() > _FLAT:
        raise InvalidArgumentError(f"no ratings were found for these games: {found.message}")
    strengths = best[: len(names)]
    covariance = np.linalg.inv(model.hessian(best))[: len(names), : len(names)]
    fixed = [names.index(name) for name in anchors] if anchors else range(len(names))
    # Differences to the mean of the anchors, or of all: the level itself means nothing.
    centre = np.eye(len(names)) - np.mean(np.eye(len(names))[list(fixed)], axis=0)
    level = float(np.mean(list(anchors.values()))) if anchors else 0.0
    elo = ELO_PER_LOGIT * (centre @ strengths) + level
    spread = ELO_PER_LOGIT**2 * (centre @ covariance @ centre.T)
    lines = []
    for i, name in enumerate(names):
        error = _Z95 * sqrt(max(0.0, spread[i, i]))
        lines.append(Rating(name, float(elo[i]), float(elo[i] - error), float(elo[i] + error), *_tally(games, name)))
    nu = float(np.exp(best[-1])) if model.has_draws else 0.0
    advantage = ELO_PER_LOGIT * float(best[len(names)])
    return Ratings(lines, spread, names, advantage, nu / (2 + nu))


class _Model:
    """Minus the logarithm of the likelihood over (strengths, advantage, ln nu), with its derivatives."""

    def __init__(self, games: Sequence[PairCounts], names: Sequence[str], virtual_draws: float) -> None:
        index = {name: i for i, name in enumerate(names)}
        players = len(names)
        self._black = np.array([index[pair.black] for pair in games])
        self._white = np.array([index[pair.white] for pair in games])
        self._counts = np.array([(pair.black_wins, pair.draws, pair.white_wins) for pair in games], dtype=float)
        self.has_draws = bool(self._counts[:, 1].sum() > 0)
        # Who always sits on the same side tells nothing about the side: then there is no advantage to be found.
        both = {(pair.black, pair.white) for pair in games}
        self._has_advantage = any((white, black) in both for black, white in both)
        self.size = players + 2
        played = np.zeros((players, players))
        for pair in games:
            played[index[pair.black], index[pair.white]] += pair.games
            played[index[pair.white], index[pair.black]] += pair.games
        shares = virtual_draws * played / played.sum(axis=1, keepdims=True)
        # As weak a prior for the rest: a virtual win and loss of the first move, a virtual draw and a decided game.
        self._weak = virtual_draws / 2
        self._virtual = np.triu(shares + shares.T)  # draws between i and j, for i < j

    def _terms(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By pair: (P(black), P(draw), P(white)) and the difference of strengths."""
        players = self.size - 2
        advantage = x[players] if self._has_advantage else 0.0
        difference = x[self._black] - x[self._white] + advantage
        nu = np.exp(x[-1]) if self.has_draws else _SMALL_NU
        half = difference / 2
        high = np.abs(half)
        win, lose, draw = np.exp(half - high), np.exp(-half - high), nu * np.exp(-high)
        total = win + lose + draw
        return np.stack((win / total, draw / total, lose / total), axis=1), difference

    def cost(self, x: np.ndarray) -> float:
        probabilities, _ = self._terms(x)
        seen = self._counts > 0
        value = -float(np.sum(self._counts[seen] * np.log(probabilities[seen])))
        i, j = np.nonzero(self._virtual)
        gap = x[i] - x[j]
        value += float(np.sum(self._virtual[i, j] * (np.logaddexp(0, gap) + np.logaddexp(0, -gap)) / 2))
        if self._has_advantage:
            advantage = x[self.size - 2]
            value += self._weak * float(np.logaddexp(0, advantage) + np.logaddexp(0, -advantage))
        if self.has_draws:
            value += self._weak * float(2 * np.logaddexp(np.log(2), x[-1]) - x[-1] - np.log(2))
        return value + self._still(x)

    def _still(self, x: np.ndarray) -> float:
        """Holds what the data leave open: the level, and parameters that are not in use."""
        players = self.size - 2
        unused = 0.0 if self._has_advantage else x[players] ** 2
        return float(0.5 * np.sum(x[:players]) ** 2 + unused + (0.0 if self.has_draws else x[-1] ** 2))

    def gradient(self, x: np.ndarray) -> np.ndarray:
        players = self.size - 2
        p, _ = self._terms(x)
        games = self._counts.sum(axis=1)
        # The points made and expected are all that the strengths see (Davidson 1970).
        score = self._counts[:, 0] + self._counts[:, 1] / 2
        slope = games * (p[:, 0] + p[:, 1] / 2) - score
        gradient = np.zeros(self.size)
        np.add.at(gradient, self._black, slope)
        np.add.at(gradient, self._white, -slope)
        if self._has_advantage:
            gradient[players] = slope.sum() + self._weak * np.tanh(x[players] / 2)
        if self.has_draws:
            prior = 2 / (1 + 2 * np.exp(-x[-1])) - 1
            gradient[-1] = float(np.sum(games * p[:, 1] - self._counts[:, 1])) + self._weak * prior
        i, j = np.nonzero(self._virtual)
        pull = self._virtual[i, j] * np.tanh((x[i] - x[j]) / 2) / 2
        np.add.at(gradient, i, pull)
        np.add.at(gradient, j, -pull)
        gradient[:players] += np.sum(x[:players])
        if not self._has_advantage:
            gradient[players] = 2 * x[players]
        if not self.has_draws:
            gradient[-1] = 2 * x[-1]
        return gradient

    def hessian(self, x: np.ndarray) -> np.ndarray:
        players = self.size - 2
        p, _ = self._terms(x)
        games = self._counts.sum(axis=1)
        win, draw = p[:, 0], p[:, 1]
        score = win + draw / 2
        curvature = games * (win + draw / 4 - score**2)
        cross = games * (draw / 2 - draw * score)
        rows = np.zeros((len(games), self.size))
        rows[np.arange(len(games)), self._black] = 1
        rows[np.arange(len(games)), self._white] = -1
        if self._has_advantage:
            rows[:, players] = 1
        hessian: np.ndarray = rows.T @ (curvature[:, None] * rows)
        if self._has_advantage:
            hessian[players, players] += self._weak / (2 * np.cosh(x[players] / 2) ** 2)
        if self.has_draws:
            column = rows.T @ cross
            hessian[:, -1] += column
            hessian[-1, :] += column
            share = 1 / (1 + 2 * np.exp(-x[-1]))
            hessian[-1, -1] += float(np.sum(games * draw * (1 - draw))) + self._weak * 2 * share * (1 - share)
        i, j = np.nonzero(self._virtual)
        pull = self._virtual[i, j] / (4 * np.cosh((x[i] - x[j]) / 2) ** 2)
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            np.add.at(hessian, (a, b), sign * pull)
        hessian[:players, :players] += 1
        if not self._has_advantage:
            hessian[players, players] = 2
        if not self.has_draws:
            hessian[-1, -1] = 2
        return hessian


def _tally(games: Sequence[PairCounts], name: str) -> tuple[float, float]:
    """Games and points."""
    played = points = 0.0
    for pair in games:
        for player, wins in ((pair.black, pair.black_wins), (pair.white, pair.white_wins)):
            if player == name:
                played += pair.games
                points += wins + pair.draws / 2
    return played, points


def _check_games(games: Sequence[PairCounts], names: Sequence[str]) -> None:
    for pair in games:
        if min(pair.black_wins, pair.draws, pair.white_wins) < 0 or pair.black == pair.white:
            raise InvalidArgumentError(f"these are no games between two players: {pair}")
    if len(names) < 2:
        raise InvalidArgumentError(f"ratings need games between at least two players, not {names}")
    reached, front = {names[0]}, [names[0]]
    while front:
        name = front.pop()
        for pair in games:
            if pair.games and name in (pair.black, pair.white):
                other = pair.white if name == pair.black else pair.black
                if other not in reached:
                    reached.add(other)
                    front.append(other)
    lost = sorted(set(names) - reached)
    if lost:
        raise InvalidArgumentError(f"no games connect {', '.join(lost)} with {names[0]}: their ratings mean nothing")
