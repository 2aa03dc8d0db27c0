"""Figures 14 to 17: four trainers and three rules, runs of three seeds, tested as they learn.

What is judged are test games against the Wally-like player, without exploration and without random moves: the source's
curves are of training games, in which the opponent is weaker at the start. Both are drawn.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.experiment import Answer, Claim, Row, Summary, Verdict, summary_of
from katachi.experiments.go_duels import Finding, all_of, mixed
from katachi.experiments.network_figures import draw_curves
from katachi.experiments.network_results import (
    COLUMNS,
    Cell,
    Cells,
    Mean,
    cells_of,
    is_above,
    is_as_good,
    is_equal,
    line_of,
    not_run,
    reaches,
    reaches_before,
    stays_below,
)
from katachi.experiments.network_runs import count_rows, run_networks

__all__ = ["draw", "run", "summarise", "total"]

_TRAINERS = ("backpropagation", "rprop", "residual", "residual-lambda")
_RULES = ("td-directed", "td-leaf", "td-mu")
_COMPARED = ("rprop", "residual-lambda")  # the trainers of Figures 16 and 17

total, run = count_rows, run_networks


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Cell by cell."""
    cells = cells_of(rows)
    trainers = _Trainers(cells, claim)
    answers = {
        "ekker-fig-14": trainers.three(),
        "ekker-fig-15": trainers.lambdas(),
        "ekker-fig-16": mixed([*_best_rule(cells, "rprop"), _start(cells, claim)]),
        "ekker-fig-17": mixed([*_best_rule(cells, "residual-lambda"), _alike(cells, "residual-lambda")]),
        "ekker-x12": mixed(_across(cells, claim)),
        "ekker-h2": all_of([trainers.slow(claim.numbers["slow"]["factor"])]),
        "ekker-h3": all_of([trainers.rprop()]),
        "ekker-h4": all_of([trainers.before(), trainers.low()]),
        "ekker-h5": all_of(trainers.best()),
        "ekker-h6": all_of(
            [
                is_as_good(f"TD(mu) and {rule} with {trainer}", _shares(cells, trainer), _shares(cells, trainer, rule))
                for trainer in _COMPARED
                for rule in _RULES[:2]
            ]
        ),
        "ekker-h7": all_of([_alike(cells, trainer, claim.numbers["alike"]) for trainer in _COMPARED]),
    }
    return summary_of(COLUMNS, [line_of(cell) for cell in _ordered(cells)], answers)


def _ordered(cells: Cells) -> list[Cell]:
    found = [cells.get(trainer, rule) for trainer in _TRAINERS for rule in _RULES]
    return [cell for cell in found if cell is not None]


def _shares(cells: Cells, trainer: str, rule: str = "td-mu") -> Mean | None:
    cell = cells.get(trainer, rule)
    return None if cell is None else cell.shares()


def _scores(cells: Cells, trainer: str, rule: str = "td-mu") -> Mean | None:
    cell = cells.get(trainer, rule)
    return None if cell is None else cell.scores()


class _Trainers:
    """Trainers with TD(mu): Figures 14 and 15, headlines 2 to 5."""

    def __init__(self, cells: Cells, claim: Claim) -> None:
        self._cells, self._numbers = cells, claim.numbers

    def slow(self, factor: float) -> Finding:
        """Back-propagation needs many times the games of RPROP."""
        share = self._numbers["slow"]["share"]
        text = f"{share} % with RPROP in a {factor:g}th of the games of back-propagation"
        return reaches_before(text, self._cells.get("rprop"), self._cells.get("backpropagation"), share, factor)

    def rprop(self) -> Finding:
        bar = self._numbers["rprop"]
        return reaches("RPROP", self._cells.get("rprop"), bar["share"], bar["games"])

    def before(self) -> Finding:
        share = self._numbers["residual"]["share"]
        text = f"{share} % with residual before RPROP"
        return reaches_before(text, self._cells.get("residual"), self._cells.get("rprop"), share)

    def low(self) -> Finding:
        text = "mean score of RPROP above that of residual"
        return is_above(text, _scores(self._cells, "rprop"), _scores(self._cells, "residual"), unit="stones")

    def best(self) -> list[Finding]:
        """Residual-lambda: wins like RPROP, scores above residual."""
        bar, cells = self._numbers["residual_lambda"], self._cells
        return [
            is_above(
                f"wins of Residual-lambda no more than {bar['below_rprop']} point below RPROP",
                _shares(cells, "residual-lambda"),
                _shares(cells, "rprop"),
                by=-bar["below_rprop"],
            ),
            is_above(
                f"score of Residual-lambda {bar['above_residual']} stone above residual",
                _scores(cells, "residual-lambda"),
                _scores(cells, "residual"),
                by=bar["above_residual"],
                unit="stones",
            ),
        ]

    def three(self) -> Answer:
        """Figure 14."""
        slow, fast, cells = self._numbers["slow"], self._numbers["residual"], self._cells
        scores = {trainer: _scores(cells, trainer) for trainer in _TRAINERS[:3]}
        return mixed(
            [
                stays_below("back-propagation", cells.get("backpropagation"), slow["share"], slow["games"]),
                self.rprop(),
                reaches("residual", cells.get("residual"), fast["share"], fast["games"]),
                _has_most("mean score of RPROP above back-propagation and residual", scores, "rprop"),
            ]
        )

    def lambdas(self) -> Answer:
        """Figure 15."""
        cells, names = self._cells, _TRAINERS[1:]
        shares = {trainer: _shares(cells, trainer) for trainer in names}
        text = "score of Residual-lambda above RPROP"
        return mixed(
            [
                _has_most("wins of Residual-lambda above RPROP and residual", shares, "residual-lambda"),
                is_above(text, _scores(cells, "residual-lambda"), _scores(cells, "rprop"), unit="stones"),
            ]
        )


def _has_most(text: str, means: dict[str, Mean | None], name: str) -> Finding:
    """Is one the highest; not if another is above it for certain?"""
    found = {key: mean for key, mean in means.items() if mean is not None}
    if len(found) < len(means):
        return not_run(text)
    told = f"{text}: " + ", ".join(f"{key} {mean}" for key, mean in found.items())
    others = [mean for key, mean in found.items() if key != name]
    findings = [is_above("", found[name], other) for other in others]
    if all(found[name].value > other.value for other in others):
        return Finding("reproduced", told)
    return Finding("not" if any(finding.verdict == "not" for finding in findings) else "partly", told)


def _best_rule(cells: Cells, trainer: str) -> list[Finding]:
    own = _shares(cells, trainer)
    return [is_above(f"TD(mu) above {rule} with {trainer}", own, _shares(cells, trainer, rule)) for rule in _RULES[:2]]


def _alike(cells: Cells, trainer: str, within: float | None = None) -> Finding:
    text = f"TD-leaf and TD-directed with {trainer}"
    return is_equal(text, _shares(cells, trainer, "td-leaf"), _shares(cells, trainer, "td-directed"), within)


def _start(cells: Cells, claim: Claim) -> Finding:
    """Figure 16: TD-leaf learns a little faster than TD-directed at the start."""
    after = claim.numbers["start"]
    text = f"TD-leaf above TD-directed after {after:,} games with rprop"
    leaf, directed = cells.get("rprop", "td-leaf"), cells.get("rprop", "td-directed")
    if leaf is None or directed is None:
        return not_run(text)
    return is_above(text, leaf.shares(after), directed.shares(after))


def _across(cells: Cells, claim: Claim) -> list[Finding]:
    """6.2: the best of all, which rule goes with which trainer, that residual makes no difference, and that
    Residual-lambda is worth more than plain back-propagation.
    """
    shares = {cell: mean for cell in _ordered(cells) if (mean := cell.shares()) is not None}
    if not shares:
        return [not_run("all combinations")]
    best = max(shares, key=lambda cell: shares[cell].value)
    bar = claim.numbers["best"]
    verdict: Verdict = (
        "reproduced" if shares[best].value >= bar else "not" if shares[best].interval[1] < bar else "partly"
    )
    findings = [Finding(verdict, f"the best is {best.title}: {shares[best]}, at least {bar} %")]
    for rule in _RULES:
        with_lambda, with_rprop = _shares(cells, "residual-lambda", rule), _shares(cells, "rprop", rule)
        if rule == "td-mu":
            findings.append(is_above("TD(mu), Residual-lambda above RPROP", with_lambda, with_rprop))
        else:
            findings.append(is_above(f"{rule}, RPROP above Residual-lambda", with_rprop, with_lambda))
    findings += [
        is_equal(f"TD(mu) and {rule} with residual", _shares(cells, "residual"), _shares(cells, "residual", rule))
        for rule in _RULES[:2]
    ]
    findings += [
        is_above(
            f"{rule}, Residual-lambda above back-propagation",
            _shares(cells, "residual-lambda", rule),
            _shares(cells, "backpropagation", rule),
        )
        for rule in _RULES
    ]
    return findings


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Wins and scores by trainer with TD(mu), and by rule with RPROP and with Residual-lambda."""
    cells = cells_of(rows)
    groups = {
        "TD(mu), trainers (Figures 14, 15)": [cells.get(trainer) for trainer in _TRAINERS],
        "RPROP, rules (Figure 16)": [cells.get("rprop", rule) for rule in _RULES],
        "Residual-lambda, rules (Figure 17)": [cells.get("residual-lambda", rule) for rule in _RULES],
    }
    draw_curves({title: [cell for cell in found if cell is not None] for title, found in groups.items()}, path)
