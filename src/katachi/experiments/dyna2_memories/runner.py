"""Figure 7.3: long-term memory, short-term memory, both, and UCT, against GNU Go level 0."""

from collections.abc import Sequence
from pathlib import Path

from katachi.experiments.duel_plots import Panel, draw_panels
from katachi.experiments.duels import Duel, between, find, only, scored, values_of
from katachi.experiments.experiment import Answer, Claim, Row, Summary, Verdict
from katachi.experiments.go_duels import (
    Finding,
    count_rows,
    is_stronger,
    mixed,
    played,
    reaches,
    run_duels,
    summary,
)

__all__ = ["draw", "run", "summarise", "total"]

total, run = count_rows, run_duels


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Win rates against GNU Go."""
    duels = played(rows)
    gnugo = find(duels, against="gnugo")
    return summary(duels, claim, {"silver-fig-7-3": _memories(gnugo, claim)})


def _memories(duels: Sequence[Duel], claim: Claim) -> Answer:
    """Each curve by itself, and against that of UCT."""
    findings = [_long(only(duels, player="long"), claim)]
    for sims in values_of(find(duels, player="uct"), "sims"):
        short, both, uct = (only(duels, player=player, sims=sims) for player in ("short", "both", "uct"))
        findings.append(is_stronger(f"both above UCT at {sims:,} simulations", both, uct))
        findings.append(_no_worse(f"short-term alone no worse than UCT at {sims:,}", short, uct))
    for player, name, start in (("both", "both win half", 2_000), ("short", "short-term alone wins half", 5_000)):
        late = [duel for duel in find(duels, player=player) if duel["sims"] >= start]
        findings += [reaches(f"{name} at {duel['sims']:,}", duel, 50) for duel in late]
        if not late:
            findings.append(reaches(f"{name} at {start:,}", None, 50))
    return mixed(findings)


def _long(duel: Duel | None, claim: Claim) -> Finding:
    text = "long-term alone wins about 5 %"
    if duel is None:
        return Finding("partly", f"{text}: not played at this scale")
    return Finding(between(duel.score, *claim.numbers["long"]), f"{text}: {scored(duel)}")


def _no_worse(text: str, one: Duel | None, other: Duel | None) -> Finding:
    """Ahead, if only by chance: "slightly above"."""
    found = is_stronger(text, one, other)
    is_ahead = one is not None and other is not None and one.rate >= other.rate
    verdict: Verdict = "reproduced" if is_ahead else found.verdict
    return Finding(verdict, found.text)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """The figure."""
    draw_panels(played(rows), [Panel("against GNU Go level 0", "sims", "player", {"against": "gnugo"})], path)
