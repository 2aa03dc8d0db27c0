"""Figure 1 (9.3 of the thesis): what players who err say of a position whose value is 0.

A row is a pair of players: many Monte-Carlo values, how far they are from 0, and some of them for the figure. The game
and its formulas are katachi.planning.error_game.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import run_others
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.planning.error_game import ErrorGame

__all__ = ["draw", "play", "run", "summarise", "total"]

_PLAY = "katachi.experiments.error_game.runner:play"
_COLUMNS = ("players", "rates", "repeats", "mean", "deviation", "RMS error", "by calculation")
_SHOWN = 500  # values of a row
_DEVIATIONS = 5.0  # how far a measured error may be from the calculated one, in its own standard errors


def total(settings: Mapping[str, Any]) -> int:
    """A row for each pair of players."""
    return len(settings["players"])


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    shared = {key: settings[key] for key in ("seed", "repeats", "moves", "simulations")}
    run_others(_PLAY, [{**shared, **told} for told in settings["players"]], rows_path, executor, progress)


def play(work: dict[str, Any]) -> dict[str, Any]:
    """So many Monte-Carlo values by one pair of players."""
    game = ErrorGame(*work["rates"], moves=work["moves"], simulations=work["simulations"])
    values = game.values(work["repeats"], Rng(work["seed"]).split("error-game").split(work["name"]))
    told = {
        "mean": float(values.mean()),
        "deviation": float(values.std(ddof=1)),
        "rms": sqrt(float((values**2).mean())),
        "exact": game.rms_error,
    }
    return {
        **work,
        **{key: round(value, 6) for key, value in told.items()},
        "values": [round(float(value), 3) for value in values[:_SHOWN]],
    }


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Both errors against their bars."""
    found = {row["name"]: row for row in rows}
    if not {"balanced", "unbalanced"} <= found.keys():
        raise InvalidArgumentError("not both pairs of players have played yet")
    weak, strong = found["balanced"], found["unbalanced"]
    below, above = claim.numbers["balanced"]["below"], claim.numbers["unbalanced"]["above"]
    is_so = weak["rms"] < below and strong["rms"] > above
    verdict: Verdict = "reproduced" if is_so and all(map(_is_as_calculated, (weak, strong))) else "not"
    text = (
        f"RMS error {weak['rms']:.2f} of weak, balanced players (calculated {weak['exact']:.2f}, below {below:g}) and "
        f"{strong['rms']:.2f} of strong, unbalanced ones ({strong['exact']:.2f}, above {above:g}) over "
        f"{weak['repeats']:,} repeats"
    )
    answer = Answer(verdict, text)
    return summary_of(
        _COLUMNS,
        [_line(found[name]) for name in sorted(found)],
        {"balancing-fig-1": answer, "silver-fig-9-3": answer},
    )


def _is_as_calculated(row: Row) -> bool:
    """Is the mean square what the formula says? Its standard error is that of the squares of normal values."""
    mean, deviation = row["mean"], row["deviation"]
    error = sqrt((2 * deviation**4 + 4 * mean**2 * deviation**2) / row["repeats"])
    return bool(abs(row["rms"] ** 2 - row["exact"] ** 2) <= _DEVIATIONS * error)


def _line(row: Row) -> list[str]:
    rates = " and ".join(f"{rate:g}" for rate in row["rates"])
    numbers = [f"{row['mean']:+.3f}", f"{row['deviation']:.3f}", f"{row['rms']:.3f}", f"{row['exact']:.3f}"]
    return [row["name"], rates, f"{row['repeats']:,}", *numbers]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """How the Monte-Carlo values lie around the truth."""
    figure, (axes,) = new_figure(1, width=6)
    for row in sorted(rows, key=lambda row: str(row["name"])):
        axes.hist(row["values"], bins=40, alpha=0.6, label=f"{row['name']}: RMS error {row['rms']:.2f}")
    axes.axvline(0, color="black", linewidth=1, label="the truth")
    axes.set_xlabel(f"mean of {rows[0]['simulations']} simulations")
    axes.set_ylabel("how often")
    axes.legend(fontsize="small")
    save_figure(figure, path)
