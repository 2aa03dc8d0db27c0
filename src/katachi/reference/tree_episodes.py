"""What an episode of a tree search teaches, by the equations: returns, TD errors, traces (Vodopivec 2018, 3.5, 4.3).

What lives here: nodes, the record of an episode, and what can be computed from that record alone. How it came about,
and what is done with it, is katachi.reference.tree_search, of which this is a part.

Symbols: R reward, V value, v V before the episode, G return, delta TD error.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf

from katachi._core import Player
from katachi.search.tree_settings import TreeSearchSettings

__all__ = ["Entry", "Episode", "Node"]


@dataclass
class Node:
    """A memorised state."""

    value: float
    visits: int = 0  # n
    episodes: int = 0  # n_e
    mean: float = 0.0  # of returns, beside a backed-up value
    reward: float = 0.0  # on entering, its mean; for the convention of states
    low: float = inf  # all-time bounds of its successors' values
    high: float = -inf

    def widen(self, value: float) -> None:
        self.low, self.high = min(self.low, value), max(self.high, value)


@dataclass
class Entry:
    """A state that an episode has met."""

    name: Hashable | None  # of its node; None: not memorised
    action: int  # what led here
    player: Player  # to move here
    reward: float  # of entering
    value: float  # v, V_init of a new node, V_playout of a state that is not memorised
    is_end: bool  # nothing comes after it: the game is over, or the horizon is reached
    initial: float = 0.0  # V_init here
    is_chosen: bool = False  # did the control policy choose what comes next?
    best: float | None = None  # the best action's value, where actions were compared
    is_greedy: bool = True


class Episode:
    """The states of one simulated game in their order, playouts too; entry 0 is the root, entered without a reward."""

    def __init__(self, settings: TreeSearchSettings, number: int) -> None:
        self.settings = settings
        self.lambda_ = 1 - (1 - settings.lambda_) * (1 - settings.lambda_rise) ** number
        self.in_states = settings.convention == "state"
        self.entries: list[Entry] = []
        self.beyond = 0.0  # the value assumed behind the last entry; 0 behind the end

    def end_value(self, i: int) -> float:
        """The value of entry i for the one before it; where V(s) is what comes after s, the end is worth 0."""
        entry = self.entries[i]
        return 0.0 if self.in_states and entry.is_end else entry.value

    def is_last(self, i: int) -> bool:
        return i == len(self.entries) - 1

    def errors(self, values: Sequence[float] | None = None) -> list[float]:
        """The one-step TD error of every entry, from the values before the episode unless others are given."""
        entries, gamma = self.entries, self.settings.gamma
        v = [entry.value for entry in entries] if values is None else values
        uses_best = self.settings.learner.startswith("q-")
        errors = []
        for i, entry in enumerate(entries):
            if self.in_states:
                if self.is_last(i):
                    errors.append(0.0)
                elif uses_best and entry.best is not None:
                    errors.append(entry.best - v[i])
                else:
                    behind = 0.0 if entries[i + 1].is_end else v[i + 1]
                    errors.append(entries[i + 1].reward + gamma * behind - v[i])
            elif uses_best and entry.best is not None:
                errors.append(entry.reward + gamma * entry.best - v[i])
            else:
                errors.append(entry.reward + gamma * (self.beyond if self.is_last(i) else v[i + 1]) - v[i])
        if self.settings.v_playout == "leaf-terminal":
            leaf = max(i for i, entry in enumerate(entries) if entry.name is not None)
            if leaf < len(entries) - 1:
                rest = sum(gamma**k * entry.reward for k, entry in enumerate(entries[leaf + 1 :]))
                rest += gamma ** (len(entries) - leaf - 1) * self.beyond
                errors[leaf:] = [entries[leaf].reward + gamma * rest - v[leaf]] + [0.0] * (len(entries) - leaf - 1)
        return errors

    def returns(self) -> list[float]:
        """G of every entry: with the reward of entering it for afterstates, without it for states."""
        entries, gamma = self.entries, self.settings.gamma
        found = [0.0] * len(entries)
        for i in range(len(entries) - 1, -1, -1):
            if self.in_states:
                found[i] = self.end_value(i) if self.is_last(i) else entries[i + 1].reward + gamma * found[i + 1]
            else:
                found[i] = entries[i].reward + gamma * (self.beyond if self.is_last(i) else found[i + 1])
        return found

    def reached(self, i: int, end: int) -> range:
        """The errors before `end` that the trace of entry i reaches: Watkins cuts it where a choice was not greedy."""
        if self.settings.learner == "q-watkins":
            for t in range(i, end):
                if not self.entries[t].is_greedy:
                    return range(i, t + 1)
        return range(i, end)

    def error_sum(self, errors: Sequence[float], i: int, end: int | None = None) -> float:
        """The TD errors from entry i on (before `end`), decayed."""
        s = self.settings
        end = len(errors) if end is None else end
        if s.plies == 2:
            return self.two_ply_sum(i)
        return sum((s.gamma * self.lambda_) ** (t - i) * errors[t] for t in self.reached(i, end))

    def two_ply_sum(self, i: int) -> float:
        """Errors to the next state of the same player: R_i + gamma R_(i+1) + gamma^2 V_(i+2) - V_i (8.2)."""
        entries, gamma = self.entries, self.settings.gamma
        v = [entry.value for entry in entries] + [self.beyond]
        total = 0.0
        for k, t in enumerate(range(i, len(entries), 2)):
            error = entries[t].reward - v[t]
            if t + 1 < len(entries):
                error += gamma * entries[t + 1].reward + gamma**2 * v[t + 2]
            else:
                error += gamma * v[t + 1]
            total += (gamma**2 * self.lambda_) ** k * error
        return total

    def occurrences(self) -> dict[Hashable, list[int]]:
        """Where each memorised state stands in the episode."""
        found: dict[Hashable, list[int]] = {}
        for i, entry in enumerate(self.entries):
            if entry.name is not None:
                found.setdefault(entry.name, []).append(i)
        return found

    def converge(self) -> None:
        """V_playout = converged-next: no TD error where nothing is memorised."""
        entries, gamma = self.entries, self.settings.gamma
        for i in range(len(entries) - 1, -1, -1):
            if entries[i].name is not None:
                continue
            is_last = i == len(entries) - 1
            if not self.in_states:
                entries[i].value = entries[i].reward + gamma * (self.beyond if is_last else entries[i + 1].value)
            elif not is_last:
                entries[i].value = entries[i + 1].reward + gamma * self.end_value(i + 1)

    def playout_depth(self) -> int:
        """How many steps the next entry is behind the last memorised one."""
        return next(d for d, entry in enumerate(reversed(self.entries), 1) if entry.name is not None)

    def targets(self) -> list[float]:
        """What every entry was to learn."""
        if self.settings.learner == "monte-carlo":
            return self.returns()
        errors = self.errors()
        return [entry.value + self.error_sum(errors, i) for i, entry in enumerate(self.entries)]
