"""Findings of `network-players`: what runs and games say about Table 1, section 6.3, Figure 18 and headlines 9 and 10.

What is said of trainers and rules counts runs (katachi.experiments.two_way); chi-square, which counts games as the
source does, is told beside it. What is said of a single network counts its games.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from katachi.arena.statistics import Score
from katachi.experiments.duels import at_least, percent
from katachi.experiments.experiment import Row, Verdict
from katachi.experiments.go_duels import Finding
from katachi.experiments.network_players.games import (
    RULES,
    TRAINERS,
    Cell,
    Games,
    Snapshot,
    best_of_all,
    judged_runs,
    matches,
    shown_of_cell,
    used_to_choose,
)
from katachi.experiments.network_results import Mean, chi_square, gap_between, not_run
from katachi.experiments.two_way import two_way

__all__ = ["called", "end_findings", "factor", "headline_games", "snapshot_title", "table_findings", "widths"]

_ENOUGH = 200  # games for a headline
_FACTORS = ("trainer", "rule")


def snapshot_title(snapshot: Snapshot) -> str:
    """For people."""
    trainer, rule, number, after = snapshot
    return f"{trainer} {rule}, run {number} after {after:,} games"


def _of_table(rows: Sequence[Row]) -> dict[Cell, dict[int, Games]]:
    """Of the trainers that Table 1 has."""
    return {cell: own for cell, own in judged_runs(rows).items() if cell[0] in TRAINERS}


def _shares(runs: Mapping[Cell, Mapping[int, Games]]) -> dict[Cell, dict[int, float]]:
    return {cell: {number: games.share for number, games in own.items()} for cell, own in runs.items()}


def _pooled(runs: Mapping[Cell, Mapping[int, Games]], place: int) -> dict[str, Score]:
    """All games by trainer (0) or rule (1)."""
    found: dict[str, Score] = {}
    for cell, own in runs.items():
        for games in own.values():
            found[cell[place]] = found.get(cell[place], Score(0, 0)) + games.score
    return found


def table_findings(rows: Sequence[Row], table: Mapping[str, Mapping[str, Sequence[float]]]) -> list[Finding]:
    """Residual is far below the two others, by runs; the best of each cell win about what is printed, by games."""
    runs = _of_table(rows)
    analysis, pooled, findings = two_way(_shares(runs)), _pooled(runs, 0), []
    for trainer in ("residual-lambda", "rprop"):
        text = f"{trainer} above residual"
        if not {trainer, "residual"} <= pooled.keys():
            findings.append(not_run(text))
            continue
        told = f"{text}: {100 * pooled[trainer].win_rate:.1f} and {100 * pooled['residual'].win_rate:.1f} %"
        if analysis is None:
            findings.append(Finding("partly", f"{told}, one run a cell or not all cells"))
            continue
        gap, low, high = analysis.gap(0, trainer, "residual")
        told += f", {gap:+.1f} points ({low:+.1f} to {high:+.1f})"
        findings.append(Finding("reproduced" if low > 0 else "not" if high < 0 else "partly", told))
    judged = matches(rows, "judged")
    best = {cell: judged[shown_of_cell(rows, cell)] for cell in runs}
    printed = {(trainer, rule): row[0] for trainer, own in table.items() for rule, row in own.items()}
    inside = [cell for cell, share in printed.items() if cell in best and _holds(best[cell].score, share)]
    verdict: Verdict = "partly" if inside else "not"
    if len(inside) == len(printed):
        verdict = "reproduced"
    told = f"{len(inside)} of {len(printed)} printed win rates are within the intervals of the best of each cell"
    return [*findings, Finding(verdict, told)]


def _holds(score: Score, share: float) -> bool:
    low, high = score.interval
    return 100 * low <= share <= 100 * high


def factor(
    rows: Sequence[Row], place: int, p: Mapping[str, float], table: Mapping[str, Mapping[str, Sequence[float]]]
) -> Finding:
    """6.3: does it matter which trainer, which rule? It does if runs say so; if games alone do, it may.

    That it matters is half of it if another level is the best than in the source's table.
    """
    name, runs = _FACTORS[place], _of_table(rows)
    pooled = _pooled(runs, place)
    if len(pooled) < len(RULES):
        return not_run(f"what the {name} matters")
    statistic, degrees, by_games = chi_square(list(pooled.values()))
    rates = ", ".join(f"{key} {100 * score.win_rate:.1f} %" for key, score in sorted(pooled.items()))
    text = f"the {name} matters: {rates}; chi-square of all games {statistic:.1f} with {degrees} degrees of freedom, "
    text += f"p = {by_games:.4f} (printed {p[name]:.4f})"
    analysis, is_sure_by_games = two_way(_shares(runs)), by_games < p["sure"]
    if analysis is None:
        return Finding("partly" if is_sure_by_games else "not", f"{text}; one run a cell or not all cells")
    effect = analysis.effect(place)
    text += f"; by runs F({effect.degrees}, {effect.within}) = {effect.statistic:.2f}, p = {effect.p:.4f}"
    printed = _printed_best(table, place)
    best = max(analysis.levels(place), key=lambda level: analysis.mean(place, level))
    text += f"; {best} is the best (printed {printed})"
    if effect.p < p["sure"]:
        return Finding("reproduced" if best == printed else "partly", text)
    return Finding("partly" if is_sure_by_games else "not", text)


def _printed_best(table: Mapping[str, Mapping[str, Sequence[float]]], place: int) -> str:
    """The level with the highest mean of win rates in Table 1."""
    shares: dict[str, list[float]] = {}
    for trainer, own in table.items():
        for rule, (share, _) in own.items():
            shares.setdefault((trainer, rule)[place], []).append(share)
    return max(shares, key=lambda level: fmean(shares[level]))


def widths(rows: Sequence[Row], printed: Mapping[str, float]) -> Finding:
    """6.3: how wide are intervals of 1,000 games of one network? By the chunks of the headline's games."""
    own = [row for row in rows if row["kind"] == "match" and row["stage"] == "headline"]
    text = "intervals are as narrow"
    games = sum(row["games"] for row in own)
    if len(own) < 2 or games < printed["games"]:
        return not_run(text)
    low, high = Games.of(own).score.interval
    wins = 50 * (high - low)
    low, high = Mean(tuple(row["score"] for row in own)).interval
    score = (high - low) / 2
    told = f"{text}: ± {wins:.1f} points of wins and ± {score:.1f} of score over {games:,} games "
    told += f"(printed {printed['wins']:g} and {printed['score']:g} over {printed['games']:,})"
    return Finding("reproduced" if wins <= printed["wins"] and score <= printed["score"] else "not", told)


def headline_games(rows: Sequence[Row], bar: float) -> Finding:
    """Of all snapshots the one that was chosen, by games that did not choose it."""
    best, text = best_of_all(rows), "3 plies against GNU Go at its lowest level"
    judged = matches(rows, "headline").get(best)
    if judged is None:
        return not_run(text)
    chosen, score = used_to_choose(rows)[best].score, judged.score
    told = f"{text}: {snapshot_title(best)}, which {chosen.points:g} of {chosen.games} games chose, wins "
    told += f"{percent(score)} of {score.games:,} others, bar {bar:g} %"
    verdict = at_least(score, bar)
    if verdict == "reproduced" and score.games < _ENOUGH:
        return Finding("partly", f"{told} over {_ENOUGH} games")
    return Finding(verdict, told)


def called(text: str, calls: Mapping[Cell, Mapping[int, Mean]], cell: Cell, bar: float) -> Finding:
    """Are so many end positions called rightly by the last networks, on average over runs?"""
    if cell not in calls:
        return not_run(f"{text} with {cell[0]}")
    after, mean = list(calls[cell].items())[-1]
    told = f"{text} with {cell[0]} calls {mean} % of end positions after {after:,} games, bar {bar:g} %"
    verdict: Verdict = "reproduced" if mean.value >= bar else "not" if mean.interval[1] < bar else "partly"
    return Finding(verdict, told)


def end_findings(calls: Mapping[Cell, Mapping[int, Mean]], bar: float) -> list[Finding]:
    """Figure 18. Intervals are of runs; what one run gains is compared run by run."""
    findings = []
    last = {cell: list(own.values())[-1] for cell, own in calls.items()}
    for trainer in ("rprop", "residual-lambda"):
        text = f"TD(mu) calls most with {trainer}"
        own = {rule: last[trainer, rule] for rule in RULES if (trainer, rule) in last}
        if len(own) < len(RULES):
            findings.append(not_run(text))
            continue
        told = ", ".join(f"{rule} {mean}" for rule, mean in own.items())
        gaps = [gap_between(own["td-mu"], own[rule]) for rule in RULES[:2]]
        verdict: Verdict = "partly"
        if all(gap > 0 for gap, _, _ in gaps):
            verdict = "reproduced"
        elif any(high < 0 for _, _, high in gaps):
            verdict = "not"
        findings.append(Finding(verdict, f"{text}: {told}"))
    for rule in RULES:
        cell = ("residual-lambda", rule)
        if cell not in calls:
            findings.append(not_run(f"{rule} rises with residual-lambda"))
            continue
        first, final = next(iter(calls[cell].values())), last[cell]
        gain = Mean(tuple(end - start for start, end in zip(first.values, final.values, strict=True)))
        low, high = gain.interval
        told = f"{rule} rises with residual-lambda: {first}, then {final}, by {gain}"
        rises: Verdict = "reproduced" if low > 0 else "not" if high < 0 else "partly"
        findings += [Finding(rises, told), called(rule, calls, cell, bar)]
    return findings
