"""One lambda that rises with the simulations, and fixed ones: all against UCT, at every budget.

A *setting* is (lambda, lambda_rise) and plays at every budget. The setting that is judged stands in the claim; it was
chosen with games of other seeds. The best of several fixed lambdas is flattered by chance, and the one that is judged
is not: where both are equally good, the comparison leans to the fixed ones.

A setting's mean over budgets is that of all its games, since its cells have equal numbers of them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import even_line, new_figure, plot_curve, plot_scores, save_figure, spread
from katachi.experiments.duels import (
    Duel,
    best_of,
    both,
    count_rows,
    difference,
    duels_of,
    find,
    only,
    percent,
    run_duels,
)
from katachi.experiments.experiment import Claim, Progress, Row, Summary, Verdict

__all__ = ["draw", "run", "summarise", "total"]

Setting: TypeAlias = tuple[float, float]  # lambda, lambda_rise

_COLUMNS = ("game", "steps", "setting", "win rate", "games", "points above the best fixed lambda")
_MEAN = "mean"

total = count_rows


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    run_duels(settings, rows_path, executor, progress)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """A line for each cell and each mean over budgets; both questions, board by board."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    judged, margin = _judged(claim), float(claim.numbers["margin"])
    table, verdicts, told = [], list[Verdict](), []
    for board in _boards(duels):
        for steps in _budgets(duels, board):
            best = _best_fixed(find(duels, board=board, steps=steps))
            for setting in _settings(duels, board):
                duel = _cell(duels, board, setting, steps)
                if duel is not None:
                    told_gap = "" if best is None else _gap(duel.score, best.score) if duel is not best else "the best"
                    line = [_name(setting), percent(duel.score), f"{duel.games:,}", told_gap]
                    table.append([board, f"{steps:,}", *line])
        means = _means(duels, board)
        top = _top_fixed(means)
        for setting, score in means.items():
            told_gap = "" if top is None else _gap(score, means[top]) if setting != top else "the best"
            table.append([board, _MEAN, _name(setting), percent(score), f"{score.games:,}", told_gap])
        verdict, text = _each_budget(duels, board, judged, margin)
        over_all, mean_text = _mean_over_budgets(means, judged)
        verdicts += [verdict, over_all]
        told.append(f"{board}: {text}; {mean_text}")
    reached = sum(verdict == "reproduced" for verdict in verdicts)
    result = f"{_name(judged)}: {reached} of {len(verdicts)} comparisons with fixed lambdas hold"
    return Summary(_COLUMNS, table, result, _overall(verdicts), "; ".join(told))


def _overall(verdicts: Sequence[Verdict]) -> Verdict:
    """All hold, none holds, or some do."""
    return verdicts[0] if len(set(verdicts)) == 1 else "partly"


def _judged(claim: Claim) -> Setting:
    return float(claim.numbers["lambda"]), float(claim.numbers["rise"])


def _boards(duels: Sequence[Duel]) -> list[str]:
    return sorted({str(duel["board"]) for duel in duels}, key=lambda board: (not board.startswith("Tic"), board))


def _budgets(duels: Sequence[Duel], board: str) -> list[int]:
    return sorted({int(duel["steps"]) for duel in find(duels, board=board)})


def _settings(duels: Sequence[Duel], board: str) -> list[Setting]:
    """Fixed ones first, in the order of lambda."""
    found = {(float(duel["lambda"]), float(duel["rise"])) for duel in find(duels, board=board)}
    return sorted(found, key=lambda setting: (setting[1] > 0, setting))


def _name(setting: Setting) -> str:
    lambda_, rise = setting
    if rise > 0:
        return f"lambda from {lambda_:g}, rise {rise:g}"
    return "lambda 1 (UCT)" if lambda_ == 1 else f"lambda {lambda_:g}"


def _cell(duels: Sequence[Duel], board: str, setting: Setting, steps: int) -> Duel | None:
    return only(duels, board=board, steps=steps, lambda_=setting[0], rise=setting[1])


def _best_fixed(line: Sequence[Duel]) -> Duel | None:
    fixed = [duel for duel in line if duel["rise"] == 0]
    return best_of(fixed) if fixed else None


def _means(duels: Sequence[Duel], board: str) -> dict[Setting, Score]:
    """Of the settings that have played at every budget."""
    found = {}
    for setting in _settings(duels, board):
        line = [_cell(duels, board, setting, steps) for steps in _budgets(duels, board)]
        played = [duel.score for duel in line if duel is not None]
        if len(played) == len(line):
            found[setting] = sum(played, Score(0, 0))
    return found


def _top_fixed(means: Mapping[Setting, Score]) -> Setting | None:
    fixed = [setting for setting in means if setting[1] == 0]
    return max(fixed, key=lambda setting: means[setting].win_rate, default=None)


def _gap(one: Score, other: Score) -> str:
    gap, low, high = difference(one, other)
    return f"{gap:+.1f} ({low:+.1f} to {high:+.1f})"


def _each_budget(duels: Sequence[Duel], board: str, judged: Setting, margin: float) -> tuple[Verdict, str]:
    """At no budget more than `margin` points below the fixed lambda that is best there."""
    verdicts, told = list[Verdict](), []
    for steps in _budgets(duels, board):
        best, duel = _best_fixed(find(duels, board=board, steps=steps)), _cell(duels, board, judged, steps)
        if best is None or duel is None:
            continue
        gap, _, high = difference(duel.score, best.score)
        verdicts.append("reproduced" if gap >= -margin else "not" if high < -margin else "partly")
        told.append(f"{_gap(duel.score, best.score)} at {steps:,} (lambda {best['lambda']:g})")
    if not verdicts:
        return "partly", "not played yet"
    return both(*verdicts), f"points above the best fixed lambda: {', '.join(told)}; bar: -{margin:g} at each"


def _mean_over_budgets(means: Mapping[Setting, Score], judged: Setting) -> tuple[Verdict, str]:
    """More in the mean than the fixed lambda that is best in the mean."""
    top = _top_fixed(means)
    if top is None or judged not in means:
        return "partly", "no mean over budgets yet"
    _, low, high = difference(means[judged], means[top])
    text = f"points above {_name(top)}, the best fixed one in the mean over budgets: {_gap(means[judged], means[top])}"
    return ("reproduced" if low > 0 else "not" if high < 0 else "partly"), text


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Above: win rate against budget. Below: the mean over budgets of each setting. A column for each board."""
    from matplotlib import colormaps

    duels = duels_of(rows)
    boards, judged = _boards(duels), _judged(claim)
    figure, panels = new_figure(len(boards), 2, width=6, height=4.4)
    fixed = sorted({setting for board in boards for setting in _settings(duels, board) if setting[1] == 0})
    rising = sorted({setting for board in boards for setting in _settings(duels, board) if setting[1] > 0})
    colours: dict[Setting, Any] = {judged: "crimson"}
    for number, setting in enumerate(fixed):
        colours[setting] = colormaps["Blues"](0.35 + 0.6 * number / max(1, len(fixed) - 1))
    for number, setting in enumerate(setting for setting in rising if setting != judged):
        colours[setting] = f"C{(1, 2, 6, 8)[number % 4]}"
    for column, board in enumerate(boards):
        settings = _settings(duels, board)
        places = spread(_budgets(duels, board))
        above, below = panels[column], panels[len(boards) + column]
        for number, setting in enumerate(settings):
            line = find(duels, board=board, lambda_=setting[0], rise=setting[1])
            where = {id(duel): places[duel["steps"]] for duel in line}
            shift = 0.05 * (number - len(settings) / 2)
            told = f"{_name(setting)}{' (judged)' if setting == judged else ''}"
            plot_curve(above, line, lambda duel: where[id(duel)], told, colour=colours[setting], shift=shift)  # noqa: B023
        even_line(above, f"{board}: against UCT with as many steps", "simulated steps per move", places)
        means = _means(duels, board)
        for place, (setting, score) in enumerate(means.items()):
            plot_scores(below, [place], [score], "", colour=colours[setting])
        even_line(below, f"{board}: mean over budgets", "")
        below.set_xticks(range(len(means)))
        below.set_xticklabels([_name(setting) for setting in means], rotation=30, ha="right", fontsize="small")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=5, fontsize="small")
    save_figure(figure, path)
