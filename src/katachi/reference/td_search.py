"""What one simulated game teaches a TD search of Go, written from the equations (Silver 2009, 6.8, 5.5, 7.4).

The slow twin of the search on local shapes: it does not play simulations, it learns from one that is given. A state's
value is V(s) = σ(Σ w_f + Σ w̄_f) over the shapes f of the windows that are not empty, where w̄ is the short-term memory,
one weight for every shape at every place, and w the long-term one, whose shared weights do not change here. k(s) is the
number of those windows. What a weight learns is summed from the definition of its trace:

    θ̄_f <- θ̄_f + α Σ_t δ_t e_t(f),   e_t(f) = Σ_u λ^(t-u) φ_f(s_u) / k(s_u),   δ_t = V(s_{t+n}) - V(s_t) or z - V(s_t)

with n plies, t - u counted in steps of the trace, and only the last u with φ_f(s_u) = 1 where traces are replaced.

A feature's number is that of katachi.features.local_shapes: sizes in their order, of each its windows row by row, and
of each window its contents by their codes, digits empty 0, black 1, white 2, the first point changing fastest.
Pinned by tests/theory/test_td_search_twin.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp

from katachi.core.errors import InvalidArgumentError
from katachi.learning.td_settings import TdSettings
from katachi.reference.go_rules import EyeRule, TwinPosition, TwinRules
from katachi.reference.local_shapes import Shape, orientations, representative

__all__ = ["TdSearchTwin", "Weights"]

Weights = dict[int, float]  # by feature; one that is missing is 0

_DIGITS = ".XO"
_known_representative = lru_cache(maxsize=None)(representative)


@dataclass(frozen=True)
class TdSearchTwin:
    """A board's features, the rule of learning, and the long-term memory (`long`): by scheme, by representative.

    `record_limit`: only so many states of a simulation, from the root on, are recorded; the last ones learn z.
    """

    side: int
    settings: TdSettings = field(default_factory=lambda: TdSettings(update_mode="end-cached"))
    record_limit: int | None = None
    sizes: Sequence[tuple[int, int]] = ((1, 1), (2, 2), (3, 3))
    long: Mapping[str, Mapping[Shape, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chosen = self.settings
        for name, expected in (
            ("head", "logistic"),
            ("step_rule", "constant"),
            ("normaliser", "state"),
            ("trace_cutoff", 0.0),
        ):
            if getattr(chosen, name) != expected:
                raise InvalidArgumentError(
                    f"the twin of TD search knows {name}={expected}, not {getattr(chosen, name)}"
                )
        if self.record_limit is not None and self.record_limit < 1:
            raise InvalidArgumentError(f"at least one state is recorded, not {self.record_limit}")

    # ---- features

    def windows(self) -> list[tuple[int, int, int, int, int]]:
        """(number of the first feature, row, column, width, height), in the order of the numbers."""
        found, first = [], 0
        for size in self.sizes:
            for width, height in orientations(*size):
                for row in range(self.side - height + 1):
                    for col in range(self.side - width + 1):
                        found.append((first, row, col, width, height))
                        first += 3 ** (width * height)
        return found

    def active(self, stones: str) -> dict[int, Shape]:
        """The feature of every window that is not empty; there are k."""
        lines = [stones[start : start + self.side] for start in range(0, self.side**2, self.side)]
        found = {}
        for first, row, col, width, height in self.windows():
            rows = tuple(line[col : col + width] for line in lines[row : row + height])
            code = sum(_DIGITS.index(point) * 3**i for i, point in enumerate("".join(rows)))
            if code > 0:
                found[first + code] = (row, col, rows)
        return found

    def shared_worth(self, shape: Shape) -> float:
        """w_f: what the long-term weights say of a shape, all schemes added (2.4, unsharing)."""
        total = 0.0
        for scheme, weights in self.long.items():
            known = _known_representative(shape, self.side, scheme)
            if known is not None:
                total += known[1] * weights.get(known[0], 0.0)
        return total

    def unshared(self, boards: Iterable[str]) -> Weights:
        """The long-term weights of the shapes of some boards as short-term ones: one physical memory (7.4)."""
        return {f: self.shared_worth(shape) for stones in boards for f, shape in self.active(stones).items()}

    # ---- values

    def value(self, stones: str, short: Mapping[int, float]) -> float:
        """Black's chance to win."""
        total = sum(self.shared_worth(shape) + short.get(f, 0.0) for f, shape in self.active(stones).items())
        return 1 / (1 + exp(-total))

    def root_values(self, root: TwinPosition, short: Mapping[int, float], eye_rule: EyeRule) -> dict[int, float]:
        """V after every candidate; at the root superko is obeyed if the rules have it."""
        legal = set(root.legal_actions())
        moves = [action for action in root.candidates(eye_rule) if action in legal] or [self.side**2]
        return {action: self.value(root.play(action).stones(), short) for action in moves}

    # ---- learning

    def boards(self, root: TwinPosition, moves: Sequence[int]) -> list[str]:
        """s_0, the root, to s_{T-1}, from which the last move is played. Inside a simulation only simple ko holds."""
        position = TwinPosition.from_stones(
            self.side, self.side, TwinRules("simple", suicide=True), root.stones(), root.to_play
        )
        found = []
        for move in moves:
            found.append(position.stones())
            position = position.play(move)
        return found

    def learn(
        self, root: TwinPosition, moves: Sequence[int], outcome: float, short: Mapping[int, float]
    ) -> tuple[Weights, list[str]]:
        """The short-term weights after a simulation with the outcome z, and the states that were recorded."""
        states = self.boards(root, moves)[: self.record_limit]
        plies = self.settings.plies
        learning = len(states) if self.settings.learns_last else max(0, len(states) - plies + 1)
        theta = dict(short)
        if self.settings.update_mode == "online":
            met: list[float] = []
            for now, state in enumerate(states):
                met.append(self.value(state, theta))
                if now >= plies:
                    self._step(states, now - plies, met[now] - met[now - plies], theta)
            for t in range(max(0, len(states) - plies), learning):
                self._step(states, t, outcome - met[t], theta)
            return theta, states
        for t in range(learning):
            held = theta if self.settings.update_mode == "end-refresh" else short
            learns_outcome = self.settings.target == "monte-carlo" or t + plies >= len(states)
            target = outcome if learns_outcome else self.value(states[t + plies], held)
            self._step(states, t, target - self.value(states[t], held), theta)
        return theta, states

    def _step(self, states: Sequence[str], t: int, delta: float, theta: Weights) -> None:
        """θ̄ <- θ̄ + α δ_t e_t; a board without stones learns nothing."""
        k = len(self.active(states[t]))
        if k == 0:
            return
        at_add = self.settings.trace_norm == "at-add"
        for f, eligibility in self._trace(states, t).items():
            theta[f] = theta.get(f, 0.0) + self.settings.alpha * delta * eligibility / (1 if at_add else k)

    def _trace(self, states: Sequence[str], t: int) -> Weights:
        """e_t: of the states of the same player only, where each player has a trace."""
        settings, stride = self.settings, 2 if self.settings.trace_parity == "per-colour" else 1
        trace: Weights = {}
        for steps, u in enumerate(range(t, -1, -stride)):
            features = self.active(states[u])
            share = settings.lambda_**steps / (len(features) if settings.trace_norm == "at-add" and features else 1)
            for f in features:
                if f not in trace:
                    trace[f] = share
                elif settings.traces == "accumulating":
                    trace[f] += share
        return trace
