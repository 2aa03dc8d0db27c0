"""Figure 7.7: Sarsa-UCT(lambda) with and without space-local normalisation, both against UCT without."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError
from katachi.experiments.duel_plots import even_line, new_figure, plot_curve, save_figure, spread
from katachi.experiments.duels import Duel, both, count_rows, difference, duels_of, find, only, percent, run_duels
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, summary_of

__all__ = ["draw", "run", "summarise", "total"]

_COLUMNS = ("game", "lambda", "without", "space-local", "games", "difference in points")
_BAR = 1.5  # points, at lambda = 0.1 on Tic-tac-toe

total = count_rows


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays what is missing."""
    run_duels(settings, rows_path, executor, progress)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Differences lambda by lambda."""
    duels = duels_of(rows)
    if not duels:
        raise InvalidArgumentError("there are no games yet")
    table, verdicts, told = [], list[Verdict](), []
    for board in _boards(duels):
        pairs = _pairs(duels, board)
        for without, local in pairs:
            gap, low, high = difference(local.score, without.score)
            games = f"{without.games:,} and {local.games:,}"
            cells = [percent(without.score), percent(local.score), games, f"{gap:+.1f} ({low:+.1f} to {high:+.1f})"]
            table.append([board, f"{without['lambda']:g}", *cells])
        verdict, text = _board(pairs)
        verdicts.append(verdict)
        told.append(f"{board}: {text}")
    answers = {
        "vodopivec-fig-7-7": Answer(both(*verdicts), "; ".join(told)),
        "vodopivec-h14": _bar(duels),
    }
    return summary_of(_COLUMNS, table, answers)


def _boards(duels: Sequence[Duel]) -> list[str]:
    return sorted({str(duel["board"]) for duel in duels}, key=lambda board: (not board.startswith("Tic"), board))


def _pairs(duels: Sequence[Duel], board: str) -> list[tuple[Duel, Duel]]:
    """Without and with, at each lambda that has both."""
    local = {duel["lambda"]: duel for duel in find(duels, board=board, normalisation="local")}
    without = find(duels, board=board, normalisation="none")
    return [(duel, local[duel["lambda"]]) for duel in without if duel["lambda"] in local]


def _board(pairs: Sequence[tuple[Duel, Duel]]) -> tuple[Verdict, str]:
    """More in the mean over 0 < lambda < 1, and less difference between those."""
    inner = [(without, local) for without, local in pairs if 0 < without["lambda"] < 1]
    if not inner:
        return "partly", "no games below lambda = 1"
    before = sum((without.score for without, _ in inner), Score(0, 0))
    after = sum((local.score for _, local in inner), Score(0, 0))
    gap, low, high = difference(after, before)
    ranges = [max(d.rate for d in line) - min(d.rate for d in line) for line in zip(*inner, strict=True)]
    text = f"{gap:+.1f} points ({low:+.1f} to {high:+.1f}) in the mean over 0 < lambda < 1"
    text += f", where win rates differ by {ranges[1]:.1f} points instead of {ranges[0]:.1f}"
    if high < 0:
        return "not", text
    return ("reproduced" if low > 0 and ranges[1] < ranges[0] else "partly"), text


def _bar(duels: Sequence[Duel]) -> Answer:
    board = next((board for board in _boards(duels) if board.startswith("Tic")), "")
    without, local = (only(duels, board=board, lambda_=0.1, normalisation=name) for name in ("none", "local"))
    if without is None or local is None:
        return Answer("partly", "Tic-tac-toe at lambda = 0.1 is not played yet")
    gap, low, high = difference(local.score, without.score)
    text = f"Tic-tac-toe, 100 steps, lambda 0.1: {percent(local.score)} with and {percent(without.score)} without, "
    text += f"{gap:+.1f} points ({low:+.1f} to {high:+.1f}; bar: at least +{_BAR:g})"
    return Answer("reproduced" if gap >= _BAR else "not" if high < _BAR else "partly", text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Win rate against lambda, with and without."""
    duels = duels_of(rows)
    boards = _boards(duels)
    figure, panels = new_figure(len(boards))
    for axes, board in zip(panels, boards, strict=True):
        places = spread([duel["lambda"] for duel in find(duels, board=board)])
        for number, (name, label) in enumerate((("none", "without"), ("local", "space-local"))):
            line = find(duels, board=board, normalisation=name)
            plot_curve(axes, line, lambda duel: places[duel["lambda"]], label, colour=f"C{number}")  # noqa: B023
        even_line(axes, board, "lambda", places)
        axes.legend(fontsize="small")
    save_figure(figure, path)
