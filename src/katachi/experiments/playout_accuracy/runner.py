"""Figures 9.1 and 9.2: noisy policies over learnt values, how strong they are and how right their playouts.

Rows: chunks of games between policies (duels with the labels `policy`, `family`, `noise` and `against`), candidates of
the suite of decided positions, errors of policies on it, and games that go on from its positions (`restarts`).
"""

from collections.abc import Mapping, Sequence
from math import hypot
from pathlib import Path
from typing import Any

from katachi.arena.executor import Executor
from katachi.arena.statistics import Score
from katachi.core.errors import StoreError
from katachi.experiments.duel_plots import new_figure, plot_scores, save_figure
from katachi.experiments.duels import Duel, find, only, percent, run_others, values_of
from katachi.experiments.experiment import Answer, Claim, Progress, Row, Summary, Verdict, read_rows
from katachi.experiments.go_duels import Finding, all_of, count_rows, mixed, played, reaches, run_duels, summary
from katachi.experiments.playout_accuracy.suite import CANDIDATE, PLAY_FROM, SuiteSettings, suite_of
from katachi.experiments.policy_accuracy import MEASURE, accuracy_work

__all__ = ["draw", "run", "summarise", "total"]

_FAMILIES = ("greedy", "gaussian", "softmax")
_Z95 = 1.959963984540054
_TEST = "suite"


def total(settings: Mapping[str, Any]) -> int:
    """Chunks, candidates, errors and restarts."""
    own = int(settings["suite"]["candidates"]) + len(settings["policies"]) + len(settings["restarts"])
    return count_rows(settings) + own


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Plays, labels and measures what is missing."""
    run_duels(settings, rows_path, executor, progress)
    told, seed = SuiteSettings.from_mapping(settings["suite"]), settings["seed"]
    rows = read_rows(rows_path)
    there = {row["candidate"] for row in rows if "candidate" in row}
    wanted = [
        {"candidate": number, "suite": dict(settings["suite"]), "seed": seed} for number in range(told.candidates)
    ]
    run_others(CANDIDATE, [work for work in wanted if work["candidate"] not in there], rows_path, executor, progress)
    suite = suite_of(read_rows(rows_path), told)
    if not suite.positions:
        raise StoreError(f"{rows_path}: none of {told.candidates} candidates is decided")
    file = rows_path.parent / "labels" / f"{_TEST}.parquet"
    file.parent.mkdir(exist_ok=True)
    suite.save(file)
    rows = read_rows(rows_path)
    measured = {row["accuracy"] for row in rows if "accuracy" in row}
    works = [
        accuracy_work(policy, policy, _TEST, file, settings["simulations"], seed)
        for policy in settings["policies"]
        if policy not in measured
    ]
    run_others(MEASURE, works, rows_path, executor, progress)
    again = {(row["one"], row["other"]) for row in rows if "restarts" in row}
    works = [
        {"restarts": len(suite.positions), "one": one, "other": other, "file": str(file), "seed": seed}
        for one, other in settings["restarts"]
        if (one, other) not in again
    ]
    run_others(PLAY_FROM, works, rows_path, executor, progress)


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Strength by noise, error by noise, and strength from the suite's positions."""
    duels = played(rows)
    errors = {row["accuracy"]: row for row in rows if "accuracy" in row}
    answers = {
        "silver-fig-9-1": mixed(_strengths(duels, claim)),
        "silver-fig-9-2": mixed(_errors(errors, claim)),
        "silver-sec-9-2-3-restarts": _restarts(rows, duels, claim),
    }
    return summary(duels, claim, answers, [*_error_lines(errors), *_restart_lines(rows)])


def _strengths(duels: Sequence[Duel], claim: Claim) -> list[Finding]:
    """Without noise by more than 90 % against both; with the most noise about even with uniform."""
    bar = claim.numbers["clean"]
    clean = find(duels, policy="greedy(0)")
    findings = [
        reaches(f"without noise against {against}", only(clean, against=against), bar)
        for against in ("uniform", "mogo")
    ]
    for family in _FAMILIES:
        line = find(duels, family=family, against="uniform")
        if len(line) < 2:
            findings.append(Finding("partly", f"{family} with noise: not played at this scale"))
            continue
        least, most = (choose(line, key=lambda duel: float(duel["noise"])) for choose in (min, max))
        near = most.rate <= claim.numbers["degenerate"]
        text = f"{family} falls to uniform's level with noise: {percent(least.score)} at {least['noise']:g}, "
        findings.append(Finding("reproduced" if near else "not", f"{text}{percent(most.score)} at {most['noise']:g}"))
    return findings


def _gap(one: Row, other: Row) -> tuple[float, float]:
    return one["mse"] - other["mse"], _Z95 * hypot(one["error"], other["error"])


def _is_lower(text: str, one: Row | None, other: Row | None) -> Finding:
    """Is one error below the other, for certain?"""
    if one is None or other is None:
        return Finding("partly", f"{text}: not measured at this scale")
    gap, error = _gap(one, other)
    verdict: Verdict = "reproduced" if gap < -error else "not" if gap > error else "partly"
    return Finding(verdict, f"{text}: {one['mse']:.4f} and {other['mse']:.4f}, {gap:+.4f} ± {error:.4f}")


def _errors(errors: Mapping[str, Row], claim: Claim) -> list[Finding]:
    """Some noise beats uniform, too little is worst, and MoGo's policy is better than all."""
    learnt = {name: row for name, row in errors.items() if name.partition("(")[0] in _FAMILIES}
    best = min(learnt.values(), key=lambda row: float(row["mse"]), default=None)
    name = "the best learnt policy" if best is None else f"{best['accuracy']}, the best learnt policy,"
    uniform, mogo = errors.get("uniform"), errors.get("mogo")
    return [
        _is_lower(f"{name} below uniform", best, uniform),
        _is_lower("uniform below greedy without noise", uniform, errors.get("greedy(0)")),
        _is_lower(f"mogo below {name.removesuffix(',')}", mogo, best),
    ]


def _restarts(rows: Sequence[Row], duels: Sequence[Duel], claim: Claim) -> Answer:
    """Win rates from the suite's positions are ordered as those from the empty board."""
    findings = []
    for row in _restart_rows(rows):
        duel = only(duels, policy=row["one"], against=row["other"])
        text = f"{row['one']} against {row['other']}"
        if duel is None:
            findings.append(Finding("partly", f"{text}: not played from the empty board"))
            continue
        score = _score(row)
        same = (score.win_rate - 0.5) * (duel.score.win_rate - 0.5) > 0
        low, high = score.interval
        verdict: Verdict = "reproduced" if same else "not" if low > 0.5 or high < 0.5 else "partly"
        findings.append(
            Finding(verdict, f"{text}: {percent(score)} from the suite, {percent(duel.score)} from the start")
        )
    return all_of(findings) if findings else Answer("partly", "no game from the suite's positions yet")


def _score(row: Row) -> Score:
    return Score(row["wins"] + row["draws"] / 2, row["wins"] + row["draws"] + row["losses"])


def _restart_rows(rows: Sequence[Row]) -> list[Row]:
    return sorted((row for row in rows if "restarts" in row), key=lambda row: (str(row["one"]), str(row["other"])))


def _error_lines(errors: Mapping[str, Row]) -> list[list[str]]:
    lines = []
    for row in sorted(errors.values(), key=lambda row: (float(row["mse"]), str(row["accuracy"]))):
        told = f"MSE {row['mse']:.4f} ± {_Z95 * row['error']:.4f}, bias {row['bias']:+.3f}"
        count = f"{row['positions']} x {row['simulations']:,}"
        lines.append(
            [f"playouts of {row['accuracy']}", "the suite", f"{row['size']}x{row['size']}", "", count, "", told]
        )
    return lines


def _restart_lines(rows: Sequence[Row]) -> list[list[str]]:
    return [
        [row["one"], row["other"], "suite", percent(_score(row)), f"{_score(row).games:.0f}", "", "from its positions"]
        for row in _restart_rows(rows)
    ]


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Strength and error over noise, for each family."""
    duels = played(rows)
    errors = {row["accuracy"]: row for row in rows if "accuracy" in row}
    figure, panels = new_figure(3, 2, width=4.4, height=3.4)
    for place, family in enumerate(_FAMILIES):
        top, bottom = panels[place], panels[place + 3]
        line = find(duels, family=family)
        for number, against in enumerate(values_of(line, "against")):
            own = find(line, against=against)
            x = [float(duel["noise"]) for duel in own]
            plot_scores(top, x, [duel.score for duel in own], f"against {against}", colour=f"C{number}")
        top.axhline(50, color="grey", linewidth=0.8)
        top.set_title(f"{family}(noise)", fontsize="medium")
        top.set_ylabel("win rate in %")
        own_errors = sorted(
            (float(name.partition("(")[2].rstrip(")")), row)
            for name, row in errors.items()
            if name.partition("(")[0] == family
        )
        bottom.errorbar(
            [noise for noise, _ in own_errors],
            [row["mse"] for _, row in own_errors],
            yerr=[_Z95 * row["error"] for _, row in own_errors],
            fmt="o-",
            markersize=3.5,
            capsize=2,
            label=family,
        )
        for number, name in enumerate(("uniform", "mogo", "fuego", "softmax-shapes(shipped)")):
            if name in errors:
                bottom.axhline(errors[name]["mse"], color=f"C{number + 1}", linestyle="--", linewidth=1, label=name)
        bottom.set_xlabel("noise")
        bottom.set_ylabel("mean squared error")
        bottom.legend(fontsize="x-small")
        for axes in (top, bottom):
            axes.grid(alpha=0.3)
            axes.set_xscale("symlog", linthresh=0.01)
        if line:
            top.legend(fontsize="x-small")
    save_figure(figure, path)
