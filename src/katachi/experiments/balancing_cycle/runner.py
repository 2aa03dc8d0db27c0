"""Beyond the sources: two-step balancing whose policy makes the next labels (katachi.training.policy_cycle).

What is learnt and which rows are kept is told by katachi.experiments.balancing_learning; the test sets are the same.
"""

from collections.abc import Sequence
from pathlib import Path

from katachi.core.errors import InvalidArgumentError
from katachi.experiments.balancing_learning.figures import draw_learning
from katachi.experiments.balancing_learning.runner import COLUMNS, curves_of, error_lines, run, total
from katachi.experiments.experiment import Claim, Row, Summary
from katachi.experiments.go_duels import all_of

__all__ = ["draw", "run", "summarise", "total"]


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Are the errors as small as the claim says?"""
    curves = curves_of(rows)
    if not curves:
        raise InvalidArgumentError("no policy has been learnt yet")
    bar = claim.numbers["error"]
    answer = all_of([curve.stays_below(bar, f"{curve.learner} on {curve.size}x{curve.size}") for curve in curves])
    return Summary(COLUMNS, error_lines(rows, curves), answer.result, answer.verdict, answer.result)


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Errors over steps for each board, and the weights of 2x2 shapes on 5x5."""
    draw_learning(curves_of(rows), path)
