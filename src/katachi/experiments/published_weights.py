"""The weights that Silver's program (RLGO) had after a million games, and how far others are like them.

The values are those of its published file of shared weights, for 9x9, 1x1 to 3x3 shapes, LD and LI, from Black's side
(X is black). Weights of another run need not be equal to them: what is compared are the order of the 2x2 shapes that
may be anywhere, signs, and sizes within a factor of 2. The same judgement serves rows of an experiment (`judge`) and a
file of weights (`judge_published_order`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from katachi.core.errors import InvalidArgumentError
from katachi.features.local_shapes import ShapeSettings
from katachi.values.shape_value import ShapeValue

__all__ = [
    "ANYWHERE_2X2", "BEST_2X2", "BY_PLACE_1X1", "FAMILIES", "STONE", "WORST_2X2", "Finding", "Portrait", "judge",
    "judge_published_order", "portrait",
]  # fmt: skip

# What is kept of weights: `stone`, `squares` by content, `places` by vertex, `families` by name with rms and largest.
Portrait: TypeAlias = dict[str, Any]

STONE = 0.2018  # LI 1x1
ANYWHERE_2X2 = {
    "OX/XX": 0.3145, "OX/X.": 0.2107, ".X/X.": 0.1318, "XO/X.": 0.1298,
    "XX/..": 0.1198, "XX/X.": 0.0911, "X./..": 0.0783, "XX/XX": -0.0262,
}  # fmt: skip
BY_PLACE_1X1 = {
    "A1": -0.1778, "B1": -0.1005, "C1": -0.0396, "D1": -0.0246, "E1": -0.0245,
    "B2": -0.0485, "C2": 0.0293, "D2": 0.0459, "E2": 0.0271,
    "C3": 0.0930, "D3": 0.0995, "E3": 0.1004,
    "D4": 0.0519, "E4": 0.1334,
    "E5": 0.0367,
}  # fmt: skip
FAMILIES = {
    "2x2 li": {"rms": 0.161, "largest": 0.3145},
    "2x2 ld": {"rms": 0.034, "largest": 0.191},
    "3x3 li": {"rms": 0.067, "largest": 0.453},
    "3x3 ld": {"rms": 0.016, "largest": 0.258},
}
# First, second, third, and last. The third and the fourth are 0.002 apart, less than weights change from one snapshot
# to the next; the judgement is strict nevertheless.
BEST_2X2 = ("OX/XX", "OX/X.", ".X/X.")
WORST_2X2 = "XX/XX"
_FACTOR = 2.0
_SMALL = 0.05  # single weights nearer to zero are not compared by size: a factor says little there


@dataclass(frozen=True)
class Finding:
    """One thing that the published weights show, and whether others show it, too."""

    name: str
    holds: bool
    text: str


def portrait(value: ShapeValue) -> Portrait:
    """What of weights is compared and drawn; as JSON has it. They must be for 9x9, with the default shapes."""
    shapes = value.shapes
    if (shapes.side, shapes.settings) != (9, ShapeSettings()):
        raise InvalidArgumentError(f"the published weights are for 9x9 and {ShapeSettings()}, not {shapes.settings}")
    weights = value.weights.astype(np.float64)

    def of(name: str) -> float:
        weight, sign = shapes.parse_weight(name)
        return round(float(sign * weights[weight]), 6)

    families = {}
    for family in shapes.families:
        own = weights[family.first : family.first + family.weights]
        families[family.name] = {
            "rms": round(float(np.sqrt(np.square(own).mean())), 6),
            "largest": round(float(np.abs(own).max()), 6),
            "used": int(np.count_nonzero(own)),
            "weights": family.weights,
        }
    return {
        "stone": of("1x1 X"),
        "squares": {square: of(f"2x2 {square}") for square in ANYWHERE_2X2},
        "places": {vertex: of(f"{vertex} 1x1 X") for vertex in BY_PLACE_1X1},
        "families": families,
    }


def judge_published_order(value: ShapeValue) -> list[Finding]:
    """How far weights are like the published ones."""
    return judge(portrait(value))


def judge(found: Mapping[str, Any]) -> list[Finding]:
    """The same of a portrait."""
    # Equal weights say nothing about an order: they count as the wrong one.
    published = list(ANYWHERE_2X2)
    ranked = sorted(published, key=lambda square: (-found["squares"][square], -published.index(square)))
    told = ", ".join(f"{square} {found['squares'][square]:+.3f}" for square in ranked)
    best, worst = ranked[: len(BEST_2X2)], ranked[-1]
    stone, corner, centre = found["stone"], found["places"]["A1"], found["places"]["E5"]
    return [
        Finding("extremes", best[0] == BEST_2X2[0] and worst == WORST_2X2, f"2x2 anywhere: {told}"),
        Finding(
            "order",
            tuple(best) == BEST_2X2 and worst == WORST_2X2,
            f"the best 2x2 are {', '.join(best)} and the worst is {worst} "
            f"(published {', '.join(BEST_2X2)} and {WORST_2X2})",
        ),
        Finding(
            "signs",
            stone > 0 > corner and centre > 0,
            f"a stone anywhere {stone:+.3f}, in the corner {corner:+.3f}, in the centre {centre:+.3f} "
            f"(published {STONE:+.3f}, {BY_PLACE_1X1['A1']:+.3f}, {BY_PLACE_1X1['E5']:+.3f})",
        ),
        _sizes("small shapes", _single(found)),
        _sizes("families", {
            f"{family} {kind}": (found["families"][family][kind], size)
            for family, sizes in FAMILIES.items()
            for kind, size in sizes.items()
        }),
    ]  # fmt: skip


def _single(found: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """The stone and the 2x2 shapes that may be anywhere and are not near zero, each beside the published."""
    squares = {f"2x2 {name}": (found["squares"][name], size) for name, size in ANYWHERE_2X2.items()}
    every = {"1x1 X": (found["stone"], STONE), **squares}
    return {name: pair for name, pair in every.items() if abs(pair[1]) >= _SMALL}


def _sizes(what: str, pairs: Mapping[str, tuple[float, float]]) -> Finding:
    """Within a factor of 2, with the same sign."""
    off = [
        f"{name} {ours:+.3f} ({theirs:+.3f})"
        for name, (ours, theirs) in pairs.items()
        if not 1 / _FACTOR <= ours / theirs <= _FACTOR
    ]
    text = (
        f"of {len(pairs)} sizes of {what} {len(pairs) - len(off)} are within a factor of {_FACTOR:g} of the published"
    )
    return Finding(f"sizes of {what}", not off, text + (f", not {', '.join(off)}" if off else ""))
