"""Four learners of playout policies on 5x5 and 6x6: labels, weights and errors (Silver and Tesauro 2009, section 6).

What is learnt and which rows are kept: .rows; the figures: .figures. Here rows are judged. A *curve* is the rows of one
run, by steps. Errors are compared with those of uniform playouts on the same positions, which every run begins with.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.balancing_learning.figures import draw_learning
from katachi.experiments.balancing_learning.rows import LearningSettings, run_learning
from katachi.experiments.experiment import Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.experiments.go_duels import Finding, all_of, mixed
from katachi.features.local_shapes import LocalShapes
from katachi.policies.policy_weights import policy_shapes

__all__ = ["COLUMNS", "Curve", "curves_of", "draw", "error_lines", "run", "summarise", "total"]

COLUMNS = ("what", "board", "steps or positions", "MSE", "without noise", "times uniform", "told")
_LEARNERS = ("regression", "reinforcement", "balancing", "two-step")
_BALANCERS = ("balancing", "two-step")
_BOARDS = (5, 6)
_Z95 = 1.959963984540054
_SQUARES = ("OX/XX", "OX/X.", ".X/X.", "XO/X.", "XX/..", "XX/X.", "X./..", "XX/XX")
_TURN, _WORST = "OX/XX", {"XX/XX", "XX/X."}  # dumpling and empty triangle
_STEADY = 0.2  # of its length is what a vector of weights may change in the last fifth of a run
_NEAR = 0.25  # of its length, from where a run is near its end
_ALIKE = 0.8  # correlation of weights


def total(settings: Mapping[str, Any]) -> int:
    """Labels, points of curves, errors at the end."""
    return LearningSettings.from_mapping(settings).count_rows()


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Labels, learns and measures what is missing."""
    run_learning(LearningSettings.from_mapping(settings), rows_path, executor, progress)


@dataclass(frozen=True)
class Curve:
    """One run."""

    name: str
    learner: str
    size: int
    rows: Sequence[Row]  # by steps
    final: Row | None  # its error at the end, with more playouts
    uniform: Row | None  # that of uniform playouts on the same positions

    @property
    def steps(self) -> int:
        """How long it is."""
        return int(self.rows[-1]["steps"])

    @property
    def ratio(self) -> tuple[float, float, float] | None:
        """Its error at the end in those of uniform playouts, and a 95 % interval.

        Both are measured on the same positions; the interval takes them for independent, which makes it too wide.
        """
        if self.final is None or self.uniform is None:
            return None
        ratio = self.final["mse"] / self.uniform["mse"]
        spread = _Z95 * ratio * hypot(*(row["error"] / row["mse"] for row in (self.final, self.uniform)))
        return ratio, ratio - spread, ratio + spread

    def stays_below(self, bar: float, text: str) -> Finding:
        """Is its error at the end at most so many times that of uniform playouts?"""
        if self.ratio is None:
            return _missing(text)
        ratio, low, high = self.ratio
        told = f"{text}: {ratio:.2f} ({low:.2f} to {high:.2f}) times uniform's error after {self.steps:,} steps"
        told += f", at most {bar:g}"
        return Finding("reproduced" if ratio <= bar else "not" if low > bar else "partly", told)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """At the end."""
        return np.array(self.rows[-1]["theta"])

    def weight(self, name: str) -> float:
        """One of them."""
        index, sign = LocalShapes(self.size, policy_shapes()).parse_weight(name)
        return float(sign * self.weights[index])

    @property
    def squares(self) -> dict[str, float]:
        """2x2 that may be anywhere, best first."""
        found = {square: self.weight(f"2x2 {square}") for square in _SQUARES}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    @property
    def spread(self) -> float:
        """The root mean square of its weights."""
        return float(np.sqrt(np.square(self.weights).mean()))

    def distance(self, row: Row) -> float:
        """Of weights from those at the end, in lengths of these."""
        length = float(np.linalg.norm(self.weights))
        return float(np.linalg.norm(np.array(row["theta"]) - self.weights)) / max(1e-9, length)

    @property
    def arrival(self) -> int:
        """Steps from which on it stays near its end."""
        arrived = self.steps
        for row in reversed([row for row in self.rows if "theta" in row]):
            if self.distance(row) > _NEAR:
                break
            arrived = row["steps"]
        return arrived


def curves_of(rows: Sequence[Row]) -> list[Curve]:
    """The runs, by board and in the order of the learners."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if "run" in row:
            found.setdefault(row["run"], []).append(row)
    accuracy = {row["accuracy"]: row for row in rows if "accuracy" in row and row["accuracy"] != "uniform"}
    uniform = {row["test"]: row for row in rows if row.get("accuracy") == "uniform"}
    curves = []
    for name, own in found.items():
        own.sort(key=lambda row: int(row["steps"]))
        final = accuracy.get(name)
        beside = None if final is None else uniform.get(final["test"])
        curves.append(Curve(name, own[0]["learner"], own[0]["size"], own, final, beside))
    return sorted(curves, key=lambda curve: (curve.size, _LEARNERS.index(curve.learner), curve.name))


def _main(curves: Sequence[Curve], learner: str, size: int) -> Curve | None:
    """The run of a learner as the source has it: the one that is called like it."""
    return next((curve for curve in curves if curve.name == f"{learner}-{size}" and "theta" in curve.rows[-1]), None)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Labels, errors, weights."""
    curves = curves_of(rows)
    if not curves:
        raise InvalidArgumentError("no policy has been learnt yet")
    errors = mixed(_errors(curves, claim))
    shapes = mixed([*_convergence(curves), *_knowledge(curves, 5), *_spreads(curves)])
    answers = {
        "balancing-fig-2": shapes,
        "balancing-fig-3": errors,
        "balancing-sec-6-labels": all_of(_labels(rows, claim)),
        "balancing-k1": all_of([_below(curves, learner, size, claim.numbers["k1"]) for learner, size in _pairs()]),
        "balancing-k5": all_of([_turns(curves, size, claim.numbers["k5"]) for size in _BOARDS]),
        "balancing-k11": all_of(_knowledge(curves, 5)),
        "silver-fig-9-4": shapes,
        "silver-fig-9-5": errors,
    }
    return summary_of(COLUMNS, [*map(_label_line, _label_rows(rows)), *error_lines(rows, curves)], answers)


def _pairs() -> list[tuple[str, int]]:
    return [(learner, size) for size in _BOARDS for learner in _BALANCERS]


def _missing(text: str) -> Finding:
    return Finding("partly", f"{text}: not learnt at this scale")


def _below(curves: Sequence[Curve], learner: str, size: int, bar: float) -> Finding:
    """Is the error at the end at most so many times that of uniform playouts?"""
    curve, text = _main(curves, learner, size), f"{learner} on {size}x{size}"
    return _missing(text) if curve is None else curve.stays_below(bar, text)


def _turns(curves: Sequence[Curve], size: int, factor: float) -> Finding:
    """Does the error of reinforcement learning rise again, by so much at the end?"""
    curve, text = _main(curves, "reinforcement", size), f"reinforcement learning on {size}x{size}"
    if curve is None:
        return _missing(text)
    least, last = min(curve.rows, key=lambda row: float(row["mse"])), curve.rows[-1]
    ratio = last["mse"] / least["mse"]
    told = (
        f"{text}: {last['mse']:.4f} after {curve.steps:,} games, {ratio:.2f} times its least, {least['mse']:.4f} after "
    )
    told += f"{least['steps']:,}, more than {factor:g}"
    return Finding("reproduced" if ratio > factor else "not", told)


def _errors(curves: Sequence[Curve], claim: Claim) -> list[Finding]:
    """Figure 3: all below uniform, balancers below half of it and below regression, reinforcement learning turns."""
    findings = []
    for size in _BOARDS:
        findings += [_below(curves, learner, size, 1.0) for learner in ("regression", "reinforcement")]
        findings += [_below(curves, learner, size, claim.numbers["fig_3"]) for learner in _BALANCERS]
        findings.append(_turns(curves, size, 1.0))
        one, other = (_main(curves, learner, size) for learner in ("regression", "balancing"))
        text = f"regression stays above balancing on {size}x{size}"
        if one is None or other is None or one.final is None or other.final is None:
            findings.append(_missing(text))
            continue
        gap = one.final["mse"] - other.final["mse"]
        error = _Z95 * hypot(one.final["error"], other.final["error"])
        verdict: Verdict = "reproduced" if gap > error else "not" if gap < -error else "partly"
        findings.append(Finding(verdict, f"{text}: by {gap:+.4f} ± {error:.4f}"))
    return findings


def _convergence(curves: Sequence[Curve]) -> list[Finding]:
    """All learners settle on 5x5, regression first."""
    own = {learner: _main(curves, learner, 5) for learner in _LEARNERS}
    findings = []
    for learner, curve in own.items():
        if curve is None:
            findings.append(_missing(f"{learner} converges"))
            continue
        before = [row for row in curve.rows if "theta" in row and row["steps"] <= 0.8 * curve.steps]
        if not before:
            findings.append(_missing(f"{learner} converges"))
            continue
        moved = curve.distance(before[-1])
        text = f"{learner} converges: its weights change by {100 * moved:.0f} % in the last fifth"
        text += f", at most {100 * _STEADY:.0f} %"
        findings.append(Finding("reproduced" if moved <= _STEADY else "not", text))
    known = {learner: curve.arrival for learner, curve in own.items() if curve is not None}
    text = "regression settles first"
    if len(known) < len(_LEARNERS):
        return [*findings, _missing(text)]
    first = min(known.values())
    told = ", ".join(f"{learner} after {steps:,}" for learner, steps in known.items())
    return [*findings, Finding("reproduced" if known["regression"] == first else "not", f"{text}: {told} steps")]


def _knowledge(curves: Sequence[Curve], size: int) -> list[Finding]:
    """Captures are good, turn is the best square, dumpling and empty triangle are the worst; the centre is liked."""
    findings = []
    for learner in _LEARNERS:
        curve = _main(curves, learner, size)
        if curve is None:
            findings.append(_missing(f"{learner}: shapes"))
            continue
        squares, stone = curve.squares, curve.weight("1x1 X")
        ranked = list(squares)
        parts = [stone > 0, ranked[0] == _TURN, set(ranked[-2:]) == _WORST]
        told = f"{learner}: capture {stone:+.2f}, best {ranked[0]}, worst {ranked[-2]} and {ranked[-1]}"
        findings.append(Finding("reproduced" if all(parts) else "partly" if any(parts) else "not", told))
    return findings


def _spreads(curves: Sequence[Curve]) -> list[Finding]:
    """Reinforcement learning has the largest weights, the two balancers agree, and everybody likes the centre."""
    own = {learner: curve for learner in _LEARNERS if (curve := _main(curves, learner, 5)) is not None}
    if len(own) < len(_LEARNERS):
        return [_missing("spread of weights")]
    widths = {learner: curve.spread for learner, curve in own.items()}
    widest = max(widths, key=lambda learner: widths[learner])
    told = ", ".join(f"{learner} {width:.2f}" for learner, width in widths.items())
    alike = float(np.corrcoef(own["balancing"].weights, own["two-step"].weights)[0, 1])
    first = {learner: curve.rows[-1]["first"] for learner, curve in own.items()}
    liked = [place["centre"] > place["edge"] > place["corner"] for place in first.values()]
    chances = "; ".join(
        f"{learner} {place['centre']:.2f}, {place['edge']:.2f}, {place['corner']:.2f}"
        for learner, place in first.items()
    )
    return [
        Finding("reproduced" if widest == "reinforcement" else "not", f"widest spread of weights: {told}"),
        Finding(
            "reproduced" if alike >= _ALIKE else "not",
            f"the balancers agree: correlation of weights {alike:.2f}, at least {_ALIKE:g}",
        ),
        Finding(
            "reproduced" if all(liked) else "partly" if any(liked) else "not",
            f"centre above edge above corner as first move (times uniform): {chances}",
        ),
    ]


# ---- labels ----------------------------------------------------------------------------------------------------------


def _label_rows(rows: Sequence[Row]) -> list[Row]:
    return sorted((row for row in rows if "labels" in row), key=lambda row: (row["size"], row["labels"]))


def _labels(rows: Sequence[Row], claim: Claim) -> list[Finding]:
    """As many as in the source, on both sides of one half, and true where endings tell."""
    findings, wanted = [], claim.numbers["labels"]
    for row in (row for row in _label_rows(rows) if row["size"] in _BOARDS):
        straddles = min(row["below"], row["above"]) >= wanted["straddle"]
        text = f"{row['labels']}: {row['positions']:,} positions of {row['games']:,} games, {row['simulations']:,.0f} "
        text += f"simulations each, {100 * row['above']:.0f} % above one half"
        is_full = row["games"] >= wanted["games"] and row["simulations"] >= wanted["simulations"]
        if row["trees"]:
            text += f", {row['trees']:,} trees with {row['leaves']:,} leaves"
            leaf_sims = _sims(row["leaf_player"])
            text += f" of {leaf_sims:,} simulations"
            is_full = is_full and row["trees"] >= wanted["games"] and leaf_sims >= wanted["leaf_simulations"]
        verdict: Verdict = "reproduced" if straddles and is_full else "partly" if straddles else "not"
        check = row.get("check")
        if check is not None and check["mean_error"] is not None:
            text += f", |label - outcome| {check['mean_error']:.4f} in {check['solved']} endings"
            verdict = verdict if check["mean_error"] < wanted["error"] else "not"
        findings.append(Finding(verdict, text))
    return findings or [Finding("partly", "no labels yet")]


def _sims(player: str | None) -> int:
    """Of a spec; 0 if it does not say."""
    found = re.search(r"\bsims=(\d+)", player or "")
    return 0 if found is None else int(found[1])


def _label_line(row: Row) -> list[str]:
    told = f"komi {row['komi']:g}, {100 * row['below']:.0f} % below and {100 * row['above']:.0f} % above one half"
    told += f", {row['trees']} trees" if row["trees"] else ""
    size, positions = f"{row['size']}x{row['size']}", f"{row['positions']:,}"
    return [
        f"labels {row['labels']}", size, positions, f"{row['uniform_mse']:.4f}",
        f"{row['uniform_mse_corrected']:.4f}", "1", told,
    ]  # fmt: skip


def error_lines(rows: Sequence[Row], curves: Sequence[Curve]) -> list[list[str]]:
    """What each policy errs at the end, the least on each board first."""
    by_name = {curve.name: curve for curve in curves}
    uniform = {row["test"]: row for row in rows if row.get("accuracy") == "uniform"}
    lines = []
    for row in sorted(
        (row for row in rows if "accuracy" in row), key=lambda row: (row["size"], row["mse"], row["test"])
    ):
        curve, beside = by_name.get(row["accuracy"]), uniform.get(row["test"])
        ratio = "" if beside is None else f"{row['mse'] / beside['mse']:.2f}"
        told = f"bias {row['bias']:+.3f}"
        if curve is not None:
            least = min(curve.rows, key=lambda point: float(point["mse"]))
            told += f", least along the way {least['mse']:.4f} after {least['steps']:,}"
        steps = "" if curve is None else f"{curve.steps:,}"
        size = f"{row['size']}x{row['size']}"
        error = f"{row['mse']:.4f} ± {_Z95 * row['error']:.4f}"
        lines.append([row["accuracy"], size, steps, error, f"{row['corrected_mse']:.4f}", ratio, told])
    return lines


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Errors over steps for each board, and the weights of 2x2 shapes on 5x5."""
    draw_learning(curves_of(rows), path)
