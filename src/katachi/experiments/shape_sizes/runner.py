"""Figures 5.6 and 5.7: single sizes of shapes, and several together."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.curves import judge
from katachi.experiments.duels import is_above
from katachi.experiments.experiment import Answer, Claim, Row, Summary
from katachi.experiments.learning_curve_figures import draw_panels
from katachi.experiments.learning_curve_results import EQUAL, LearningCurves, after, shown_games
from katachi.experiments.learning_curves import count_rows, run_curves

__all__ = ["draw", "run", "summarise", "total"]

ONE, TWO, THREE = "1x1", "2x2", "3x3"
SMALL, LARGE, ALL = "1x1+2x2", "2x2+3x3", "1x1+2x2+3x3"
_MILLION = 1_000_000
_BAR_GAMES = 100_000
_RATIO = 10  # times the games that all sizes need

total, run = count_rows, run_curves


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Ratings, and what the two figures and the headline say of them."""
    curves = LearningCurves(rows)
    return curves.summary({
        "silver-fig-5-6": _single(curves),
        "silver-fig-5-7a": _cumulative(curves),
        "silver-fig-5-7b": _anti_cumulative(curves),
        "silver-h3": _headline(curves),
    })  # fmt: skip


def _single(curves: LearningCurves) -> Answer:
    """1x1 is poor, 2x2 is done early, 3x3 is late and passes it near 100,000 games."""
    early = curves.near(TWO, 2_000)
    gained, error = curves.gap(curves.last(TWO), curves.at(TWO, early))
    middle = curves.near(TWO, 10_000)
    crossing = _crossing(curves, THREE, TWO)
    conditions = {
        "1x1 ends below 2x2 and 3x3": curves.is_stronger(curves.last(TWO), curves.last(ONE))
        and curves.is_stronger(curves.last(THREE), curves.last(ONE)),
        f"2x2 gains less than {EQUAL:.0f} Elo after {early:,} games": gained < EQUAL,
        f"2x2 is ahead of 3x3 after {middle:,} games": curves.is_stronger(
            curves.at(TWO, middle), curves.at(THREE, middle)
        ),
        "3x3 overtakes 2x2 between 30,000 and 300,000 games": crossing is not None and 30_000 <= crossing <= 300_000,
    }
    passed = "has not overtaken 2x2" if crossing is None else f"overtakes 2x2 after about {shown_games(crossing)} games"
    sentence = (
        f"{curves.told_all([ONE, TWO, THREE])}; 2x2 gains {gained:+.0f} ± {error:.0f} after {early:,}; 3x3 {passed}"
    )
    return judge(conditions, sentence)


def _crossing(curves: LearningCurves, late: str, early: str) -> int | None:
    """The first rated number of games from which on one run is ahead of another one to the end."""
    ahead = None
    for games in curves.counts(late):
        is_ahead = curves.gap(curves.at(late, games), curves.at(early, games))[0] > 0
        ahead = (ahead or games) if is_ahead else None
    return ahead


def _cumulative(curves: LearningCurves) -> Answer:
    """The more sizes the better, and all together still rise."""
    before = curves.before(ALL, curves.games // 2)
    conditions = {
        "1x1 to 3x3 end above 1x1 and 2x2": curves.is_stronger(curves.last(ALL), curves.last(SMALL)),
        "1x1 and 2x2 end above 1x1": curves.is_stronger(curves.last(SMALL), curves.last(ONE)),
        "all sizes end above every single one": all(
            curves.is_stronger(curves.last(ALL), curves.last(one)) for one in (ONE, TWO, THREE)
        ),
        f"all sizes still rise after {before:,} games": curves.is_stronger(curves.last(ALL), curves.at(ALL, before)),
    }
    level = curves.rating(curves.last(ALL)).elo
    if curves.games >= _MILLION:
        conditions["all sizes reach 1200 Elo"] = level + curves.level_error >= 1200
    told = f"{curves.told_all([ONE, SMALL, ALL])} ({curves.scale}; printed: 1200 after a million games)"
    return judge(conditions, told)


def _anti_cumulative(curves: LearningCurves) -> Answer:
    """How many games each needs to where 3x3 alone is at its end."""
    goal = curves.rating(curves.last(THREE)).elo
    needed = {label: curves.games_to(label, goal) for label in (THREE, LARGE, ALL)}
    quick, slow = needed[ALL], needed[THREE]
    latest = curves.games_to(ALL, goal, -1)  # by the lower ends of its intervals
    ratio = None if quick is None or slow is None else slow / quick
    conditions = {
        f"all sizes need less than 1/{_RATIO} of the games of 3x3": ratio is not None and ratio > _RATIO,
        "all sizes are faster for certain": latest is not None and slow is not None and latest < slow,
    }
    told = ", ".join(f"{label} after {shown_games(games)}" for label, games in needed.items())
    times = "" if ratio is None else f" ({ratio:.1f} times the games)"
    return judge(
        conditions, f"games to the {goal:.0f} Elo that 3x3 has at its end: {told}{times}; printed: more than 10"
    )


def _headline(curves: LearningCurves) -> Answer:
    """Head to head."""
    pairs = [(curves.last(ALL), curves.last(one)) for one in (THREE, TWO)]
    conditions = {f"beats {other}": is_above(curves.score(one, other), 50) for one, other in pairs}
    answer = judge(conditions, "; ".join(curves.told_score(one, other) for one, other in pairs))
    return after(curves, _BAR_GAMES, answer)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The three panels of the thesis; crosses are printed numbers."""
    curves = LearningCurves(rows)
    panels = {
        "single sizes": [ONE, TWO, THREE],
        "cumulative": [ONE, SMALL, ALL],
        "anti-cumulative": [THREE, LARGE, ALL],
    }
    draw_panels(curves, claim, path, panels)
