"""GNU Go by its short name in experiments."""

import pytest

from katachi.experiments.gnugo import shown, spec_of


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        (
            "gnugo:level=0",
            "--level 0 --chinese-rules --positional-superko --capture-all-dead --never-resign --seed {seed}",
        ),
        (
            "gnugo:level=10,resign",
            "--level 10 --chinese-rules --positional-superko --capture-all-dead --resign-allowed --seed {seed}",
        ),
    ],
)
def test_a_level(short: str, expected: str) -> None:
    assert spec_of(short) == f"gtp:gnugo --mode gtp {expected}"
    assert shown(spec_of(short)) == short


@pytest.mark.parametrize("spec", ["uct:sims=10", "gtp:gnugo --mode gtp", "gnugo:level=ten", "gnugo:level=3,resigns"])
def test_others_stay_as_they_are(spec: str) -> None:
    assert spec_of(spec) == spec
