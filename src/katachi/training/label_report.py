"""What a data set of labels says: how its values lie, how far uniform playouts are from them, whether they are true.

Values should lie on both sides of one half: where nearly all are won or lost, komi leaves nothing to learn. They are
true as far as endings that can be solved tell: the mean distance of label and outcome over them.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import DataSetError, InvalidArgumentError
from katachi.search.endings import MOST_NODES, solve_ending
from katachi.training.data_set import DataSet
from katachi.training.labels import LabelSettings, OnProgress, label_here

__all__ = ["BAR", "LabelCheck", "LabelSummary", "check_labels", "compare_komis", "recommended_komi", "summarise"]

BAR = 0.1
"""What the mean distance of label and outcome must stay below."""

_BINS = 10


@dataclass(frozen=True)
class LabelSummary:
    """The labels of a data set."""

    positions: int
    games: int
    trees: int
    leaves: int
    komi: float
    mean: float
    below: float  # share of values below one half
    above: float
    histogram: tuple[int, ...]  # values in ten bins of equal width
    simulations: float  # of a label, on average
    uniform_mse: float  # of uniform playouts, with their noise (2009, section 6.2: 1,000 positions, 100 playouts each)
    uniform_mse_corrected: float  # without

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {key: round(value, 6) if isinstance(value, float) else value for key, value in asdict(self).items()}


def summarise(data: DataSet, rng: Rng, *, playouts: int = 100, most: int = 1000) -> LabelSummary:
    """Of at most so many positions, drawn with `rng`, uniform playouts are compared with the labels."""
    if not data.positions:
        raise DataSetError("there is nothing in this data set")
    if playouts < 2:
        raise InvalidArgumentError(f"noise is told by at least two playouts, not {playouts}")
    values = [position.value for position in data.positions]
    histogram = [0] * _BINS
    for value in values:
        histogram[min(_BINS - 1, int(_BINS * value))] += 1
    trees = [position.tree for position in data.positions if position.tree is not None]
    error, noise = _uniform_error(data, rng, playouts, most)
    return LabelSummary(
        positions=len(values),
        games=len({position.group for position in data.positions}),
        trees=len(trees),
        leaves=sum(len(leaves) for tree in trees for leaves in tree.values),
        komi=data.komi,
        mean=fmean(values),
        below=sum(value < 0.5 for value in values) / len(values),
        above=sum(value > 0.5 for value in values) / len(values),
        histogram=tuple(histogram),
        simulations=fmean(position.simulations for position in data.positions),
        uniform_mse=error,
        uniform_mse_corrected=error - noise,
    )


def _uniform_error(data: DataSet, rng: Rng, playouts: int, most: int) -> tuple[float, float]:
    """(mean squared difference, how much of it is the playouts' own variance: the mean of V(1 - V) / (n - 1))."""
    chosen = list(range(len(data.positions)))
    count, draw = min(most, len(chosen)), rng.split("positions")
    for i in range(count):
        j = i + draw.below(len(chosen) - i)
        chosen[i], chosen[j] = chosen[j], chosen[i]
    errors, noise = [], []
    for number in chosen[:count]:
        labelled = data.positions[number]
        batch = data.game.native_state(data.state(labelled)).playouts(playouts, rng.split("playouts", number))
        batch.run()
        mean = batch.total / playouts
        errors.append((mean - labelled.value) ** 2)
        noise.append(mean * (1 - mean) / (playouts - 1))
    return fmean(errors), fmean(noise)


def compare_komis(
    settings: LabelSettings, komis: Sequence[float], executor: Executor, on_progress: OnProgress = lambda _: None
) -> list[LabelSummary]:
    """The same positions labelled with each komi: only the searches and the outcomes differ."""
    rng = Rng(settings.seed).split("summary")
    return [summarise(label_here(settings.replace(komi=komi), executor, on_progress), rng) for komi in komis]


def recommended_komi(summaries: Sequence[LabelSummary]) -> float:
    """That whose labels straddle one half best: the smaller of both shares is largest."""
    return max(summaries, key=lambda summary: min(summary.below, summary.above)).komi


@dataclass(frozen=True)
class LabelCheck:
    """Labels against outcomes of endings that were solved."""

    tried: int  # positions with few enough empty points
    solved: int
    nodes: int  # not solved for want of nodes
    superko: int  # not solved because of superko
    mean_error: float | None  # of |label - outcome|; None: nothing was solved
    wrong: int  # labels on the other side of one half than the outcome
    worst: int | None  # the number of the position with the largest error
    worst_error: float | None

    @property
    def is_passed(self) -> bool:
        """Is the mean below the bar?"""
        return self.mean_error is not None and self.mean_error < BAR

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "bar": BAR, "is_passed": self.is_passed}


def check_labels(
    data: DataSet,
    *,
    nodes: int = MOST_NODES,
    most_empty: int = 12,
    most: int | None = None,
    on_position: Callable[[int, int], object] = lambda _done, _solved: None,
) -> LabelCheck:
    """Solves the positions that have few empty points, `most` of them at most, and compares.

    `on_position` hears how many have been tried and solved.
    """
    counts = {"proven": 0, "nodes": 0, "superko": 0}
    errors: list[tuple[float, int]] = []
    wrong = tried = 0
    for number, labelled in enumerate(data.positions):
        state = data.state(labelled)
        if state.stones().count(".") > most_empty or (most is not None and tried >= most):
            continue
        ending = solve_ending(state, nodes)
        assert ending is not None  # nobody could have stopped it
        tried += 1
        counts[ending.verdict] += 1
        if ending.outcome is not None:
            errors.append((abs(labelled.value - ending.outcome), number))
            wrong += (labelled.value - 0.5) * (ending.outcome - 0.5) < 0
        on_position(tried, counts["proven"])
    worst_error, worst = max(errors, default=(None, None))
    mean = fmean(error for error, _ in errors) if errors else None
    return LabelCheck(tried, counts["proven"], counts["nodes"], counts["superko"], mean, wrong, worst, worst_error)
