"""Figures of katachi.experiments.learning_curve_results: Elo over games, and final Elo over a setting."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from katachi.arena.ratings import Rating
from katachi.experiments.duel_plots import new_figure, plot_published, save_figure
from katachi.experiments.experiment import Claim
from katachi.experiments.learning_curve_results import LearningCurves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_curves", "draw_panels", "plot_curves", "plot_final"]

_MARKS = "osD^vP*X"


def draw_curves(curves: LearningCurves, claim: Claim, path: Path, title: str) -> None:
    """One panel with all runs."""
    draw_panels(curves, claim, path, {title: list(curves.runs)})


def draw_panels(curves: LearningCurves, claim: Claim, path: Path, panels: Mapping[str, Sequence[str]]) -> None:
    """A panel for each title, with the curves of some runs and the printed points among the claim's numbers."""
    figure, axes = new_figure(len(panels), width=5.6, height=4.4)
    for own, (title, labels) in zip(axes, panels.items(), strict=True):
        plot_curves(own, curves, labels, title, claim.numbers.get("published", []))
    low, high = (choose(own.get_ylim()[end] for own in axes) for end, choose in ((0, min), (1, max)))
    for own in axes:
        own.set_ylim(low, high)
    save_figure(figure, path)


def plot_curves(
    axes: "Axes",
    curves: LearningCurves,
    labels: Sequence[str],
    title: str,
    published: Sequence[tuple[str, int, float]] = (),
) -> None:
    """Elo against the games of self-play, with 95 % bars; a run that diverged ends before that.

    What is published are points: the label of a run, its games and its Elo.
    """
    numbers = {label: number for number, label in enumerate(curves.runs)}
    for label in labels:
        line, number = curves.curve(label), numbers[label]
        shift = 1 + 0.012 * (number - len(numbers) / 2)  # so that bars of several runs can be told apart
        name = label if curves.diverged(label) is None else f"{label} (diverged by {curves.diverged(label):,})"
        _plot(axes, [games * shift for games, _ in line], [rating for _, rating in line], number, name)
        printed = [(games, elo) for run, games, elo in published if run == label]
        if printed:
            x, y = zip(*printed, strict=True)
            plot_published(axes, x, y, f"{label}, as printed", colour=f"C{number % 10}")
    for player, style in (("gnugo:level=0", ":"), ("random", "--")):
        if player in curves.opponents:
            elo = curves.rating(player).elo
            axes.axhline(elo, color="grey", linestyle=style, linewidth=0.9, label=_title(player))
    axes.set_xscale("log")
    _finish(axes, curves, title, "games of self-play")


def plot_final(
    axes: "Axes", curves: LearningCurves, lines: Mapping[str, Mapping[float, str]], title: str, x_label: str
) -> None:
    """Elo at the end against a setting: for each line, the run at each value; runs that diverged are crosses below."""
    ends = [curves.rating(curves.last(label)) for labels in lines.values() for label in labels.values()
            if curves.diverged(label) is None]  # fmt: skip
    floor = min(rating.low for rating in ends) - 60
    for number, (name, labels) in enumerate(lines.items()):
        ended = {x: label for x, label in sorted(labels.items()) if curves.diverged(label) is None}
        gone = [x for x in sorted(labels) if x not in ended]
        _plot(axes, list(ended), [curves.rating(curves.last(label)) for label in ended.values()], number, name)
        if gone:
            axes.plot(gone, [floor] * len(gone), "x", color=f"C{number}", markersize=9, label=f"{name}: diverged")
    axes.set_xscale("log")
    _finish(axes, curves, title, x_label)


def _plot(axes: "Axes", x: Sequence[float], ratings: Sequence[Rating], number: int, label: str) -> None:
    low, high = [r.elo - r.low for r in ratings], [r.high - r.elo for r in ratings]
    colour, mark = f"C{number % 10}", _MARKS[number % len(_MARKS)]
    elo = [rating.elo for rating in ratings]
    axes.errorbar(x, elo, yerr=[low, high], fmt=f"{mark}-", markersize=4, capsize=2, color=colour, label=label)


def _finish(axes: "Axes", curves: LearningCurves, title: str, x_label: str) -> None:
    axes.set_title(f"{title}\n{curves.scale}", fontsize="small")
    axes.set_xlabel(x_label)
    axes.set_ylabel("Elo, 95 % intervals")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small")


def _title(player: str) -> str:
    return player.replace("gnugo:level=", "GNU Go level ")
