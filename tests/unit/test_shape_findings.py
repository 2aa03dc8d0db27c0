"""The experiments on what local shapes learn: each once, small, and their verdicts on rows made by hand."""

import copy
from pathlib import Path
from typing import Any

import pytest

from katachi.core.errors import InvalidArgumentError
from katachi.experiments.experiment import Answer, Row
from katachi.experiments.published_weights import (
    ANYWHERE_2X2,
    BY_PLACE_1X1,
    FAMILIES,
    STONE,
    Portrait,
    judge,
    judge_published_order,
    portrait,
)
from katachi.experiments.registry import experiment
from katachi.experiments.shape_counts.runner import SHARINGS, count_shapes, formula
from katachi.experiments.shape_weights.rows import has_corner_eyes, is_split, snapshots_until
from katachi.features.local_shapes import LocalShapes, ShapeSettings, parse_shape
from katachi.values.shape_value import ShapeValue
from katachi.values.shipped import shipped_weights
from katachi.values.weights_file import load_weights
from tests.unit.experiment_smoke import check_smoke
from tests.unit.test_duels import chunk

PRINTED = {1: 859.0, 2: 1067.0, 3: 1229.0, 4: 1226.0, 5: 1519.0, 6: 1537.0}  # Elo by depth
EXPERIMENTS = ("shape-alpha-beta", "shape-counts", "shape-speed", "shape-weights")


def answers(id: str, rows: list[Row]) -> dict[str, Answer]:
    found = experiment(id)
    return dict(found.runner.summarise(rows, found.claim).answers)


def published() -> Portrait:
    """What the source's weights look like."""
    families = {name: {**sizes, "used": 9, "weights": 10} for name, sizes in FAMILIES.items()}
    for name in ("1x1 li", "1x1 ld"):
        families[name] = {"rms": 0.1, "largest": 0.2, "used": 1, "weights": 1}
    return {"stone": STONE, "squares": dict(ANYWHERE_2X2), "places": dict(BY_PLACE_1X1), "families": families}


class TestExperiments:
    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_smoke(self, id: str, tmp_path: Path) -> None:
        check_smoke(id, tmp_path)

    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_nothing_is_there(self, id: str) -> None:
        with pytest.raises(InvalidArgumentError, match="yet"):
            answers(id, [])


class TestCounts:
    def test_formulas_agree_with_what_is_built(self) -> None:
        row = count_shapes({"board": 6})
        for sharing in SHARINGS:
            assert [row["weights"][sharing][f"{m}x{m}"] for m in (1, 2, 3)] == [
                formula(6, m, sharing) for m in (1, 2, 3)
            ]
        assert formula(9, 3, "ld") == 61_517

    def test_everything_right(self) -> None:
        found = answers("shape-counts", [count_shapes({"board": side}) for side in (5, 9)])
        assert {answer.verdict for answer in found.values()} == {"reproduced"}

    @pytest.mark.parametrize(
        ("board", "change", "wrong"),
        [
            (9, {"all_weights": 63_662}, {"silver-table-5-1", "silver-h1"}),
            (9, {"active": 387}, {"silver-table-5-1", "silver-h1"}),
            (5, {"small_weights": 108}, {"silver-h1", "balancing-k10"}),
            (9, {"all_features": 969_893}, {"silver-table-5-1", "silver-h1", "mogo-a9"}),
        ],
    )
    def test_one_number_wrong(self, board: int, change: dict[str, int], wrong: set[str]) -> None:
        rows = [count_shapes({"board": side}) for side in (5, 9)]
        rows = [{**row, **change} if row["board"] == board else row for row in rows]
        found = answers("shape-counts", rows)
        assert {id for id, answer in found.items() if answer.verdict == "not"} == wrong

    def test_a_printed_number_alone_is_wrong(self) -> None:
        """61,876 is what the table prints."""
        row = count_shapes({"board": 9})
        row["weights"]["ld"]["3x3"] = 61_876
        found = answers("shape-counts", [row])["silver-table-5-1"]
        assert found.verdict == "not"
        assert "61,876, not 61,517" in found.result


class TestSpeed:
    def row(self, rate: float, share: float, repetition: int = 0) -> Row:
        """Values per second, 10 to a move; a move costs more where there is learning."""
        pace = {"games": 10, "moves": 1000, "values": 10_000, "seconds": 10_000 / rate}
        fast = {**pace, "seconds": pace["seconds"] * (1 - share)}
        kinds = {"learning": pace, "exploring": fast, "greedy": fast}
        return {"repetition": repetition, "warm_up": 1, "games": 10, "seed": 1, **kinds, "draws_per_second": 1e8}

    @pytest.mark.parametrize(
        ("rate", "repetitions", "verdict"),
        [(1.2e6, 5, "reproduced"), (1.2e6, 2, "partly"), (0.9e6, 5, "not")],
    )
    def test_bar(self, rate: float, repetitions: int, verdict: str) -> None:
        rows = [self.row(rate, 0.4, number) for number in range(repetitions)]
        assert answers("shape-speed", rows)["silver-sec-5-7-1-speed"].verdict == verdict

    def test_the_best_repetition_counts_and_the_share_is_told(self) -> None:
        rows = [self.row(rate, 0.4, number) for number, rate in enumerate((0.1e6, 1.5e6, 0.3e6, 0.5e6, 0.9e6))]
        found = answers("shape-speed", rows)["silver-sec-5-7-1-speed"]
        assert found.verdict == "reproduced"
        assert "learning takes 40% of the training time (published about 15%; told, not judged)" in found.result


class TestPublishedWeights:
    def held(self, found: Portrait) -> dict[str, bool]:
        return {finding.name: finding.holds for finding in judge(found)}

    def test_the_published_weights_are_like_themselves(self) -> None:
        assert all(self.held(published()).values())

    @pytest.mark.parametrize(
        ("part", "name", "value", "broken"),
        [
            ("squares", "OX/XX", 0.2, {"extremes", "order"}),  # second
            ("squares", "XX/XX", 0.08, {"extremes", "order"}),  # not the last
            ("squares", "XX/..", 0.15, {"order"}),  # third
            ("squares", "XO/X.", 0.15, {"order"}),  # third, though it is so near
            ("squares", "X./..", 0.03, {"sizes of small shapes"}),
            ("places", "A1", 0.01, {"signs"}),
            ("places", "E5", -0.01, {"signs"}),
            ("places", "D4", -0.01, set()),
        ],
    )
    def test_one_weight_changed(self, part: str, name: str, value: float, broken: set[str]) -> None:
        found = published()
        found[part][name] = value
        assert {name for name, holds in self.held(found).items() if not holds} == broken

    @pytest.mark.parametrize("factor", [0.4, 2.5])
    def test_sizes(self, factor: float) -> None:
        found = published()
        found["families"]["3x3 ld"]["rms"] *= factor
        found["stone"] *= factor
        assert {name for name, holds in self.held(found).items() if not holds} == {
            "sizes of small shapes",
            "sizes of families",
        }

    def test_from_weights(self) -> None:
        """Weights with the published small shapes: whatever is not of a family has its place."""
        value = ShapeValue(LocalShapes(9))
        names = {"1x1 X": STONE, **{f"2x2 {name}": weight for name, weight in ANYWHERE_2X2.items()}}
        names |= {f"{vertex} 1x1 X": weight for vertex, weight in BY_PLACE_1X1.items()}
        for name, weight in names.items():
            number, sign = value.shapes.parse_weight(name)
            value.native.set(number, sign * weight)
        found = portrait(value)
        assert found["squares"] == pytest.approx(ANYWHERE_2X2, abs=1e-6)
        assert found["places"] == pytest.approx(BY_PLACE_1X1, abs=1e-6)
        assert found["families"]["2x2 li"]["rms"] == pytest.approx(FAMILIES["2x2 li"]["rms"], abs=0.001)
        assert found["families"]["3x3 ld"] == {"rms": 0, "largest": 0, "used": 0, "weights": 61_517}
        assert [f.name for f in judge_published_order(value) if not f.holds] == ["sizes of families"]

    def test_the_weights_of_the_package(self) -> None:
        """A million games of ours: as the source's, but for third and fourth, which are 0.002 apart there."""
        value, header = load_weights(shipped_weights(9))
        assert header.games == 1_000_000
        assert [finding.name for finding in judge_published_order(value) if not finding.holds] == ["order"]
        squares = portrait(value)["squares"]
        ranked = sorted(squares, key=lambda square: -squares[square])
        assert ranked[:2] == ["OX/XX", "OX/X."]
        assert set(ranked[2:4]) == {".X/X.", "XO/X."}
        assert ranked[-1] == "XX/XX"

    def test_no_weights_at_all(self) -> None:
        assert not any(finding.holds for finding in judge_published_order(ShapeValue(LocalShapes(9))))

    def test_other_shapes_are_refused(self) -> None:
        for shapes in (LocalShapes(5), LocalShapes(9, ShapeSettings(sharing="li"))):
            with pytest.raises(InvalidArgumentError, match="for 9x9"):
                portrait(ShapeValue(shapes))


class TestWeights:
    games = 1_000_000

    def rows(self, games: int = games, random_wins: int = 998, gnugo_wins: int = 50) -> list[Row]:
        """A run as the source describes it."""
        rows: list[Row] = []
        for count in snapshots_until(games):
            error = 0.3 + 0.4 / (1 + count / 500)
            found = copy.deepcopy(published())
            for family, start in (("2x2 li", 50), ("3x3 li", 3_000), ("3x3 ld", 9_000)):
                found["families"][family]["rms"] *= min(1.0, 0.1 * count / start)
            if count < 500:
                found["squares"]["XX/X."] = 0.5
            rows.append({"snapshot": count, "cross_entropy": error, "rms_to_outcome": error / 2, **found})
        for family in ("1x1 li", "1x1 ld", "2x2 li", "2x2 ld", "3x3 li", "3x3 ld"):
            more: dict[str, Any] = {"3x3 li": {"split": 8, "split_of_all": 0.2}, "3x3 ld": {"corner_eyes": 2}}
            rows.append({"top": family, "weights": [["3x3 XX./XX./...", 0.1]] * 20, **more.get(family, {})})
            counted = {"total": 5000 * games, "classes": 61_517, "never": 2_000, "thousands": 30_000, "bins": [[3, 5]]}
            rows.append({"occurrences": family, "games": games, **counted})
        rows.append(chunk(random_wins, 0, 1000 - random_wins, opponent="random"))
        rows.append(chunk(gnugo_wins, 0, 1000 - gnugo_wins, opponent="gnugo"))
        return rows

    def verdicts(self, rows: list[Row]) -> dict[str, str]:
        return {id.removeprefix("silver-"): answer.verdict for id, answer in answers("shape-weights", rows).items()}

    def test_as_published(self) -> None:
        assert set(self.verdicts(self.rows()).values()) == {"reproduced"}

    @pytest.mark.parametrize(
        ("random_wins", "gnugo_wins", "verdict"),
        [(998, 50, "reproduced"), (998, 120, "reproduced"), (980, 50, "not"), (998, 10, "not"), (986, 50, "partly")],
    )
    def test_headline_2(self, random_wins: int, gnugo_wins: int, verdict: str) -> None:
        """More than the band against GNU Go is told, and no miss."""
        rows = self.rows(random_wins=random_wins, gnugo_wins=gnugo_wins)
        found = answers("shape-weights", rows)["silver-h2"]
        assert found.verdict == verdict
        assert ("above the band" in found.result) == (gnugo_wins > 80)

    def test_headline_2_needs_games_and_the_order(self) -> None:
        assert self.verdicts(self.rows(games=50_000))["h2"] == "partly"
        rows = [row for row in self.rows() if "chunk" not in row]
        assert self.verdicts(rows)["h2"] == "partly"
        rows = self.rows()
        for row in rows:
            if "snapshot" in row:
                row["squares"]["XX/XX"] = 0.4
        assert self.verdicts(rows)["h2"] == "partly"
        assert self.verdicts([row for row in rows if "chunk" not in row])["h2"] == "not"

    def changed(self, **values: Any) -> list[Row]:  # noqa: ANN401
        """Snapshots with other errors: functions of the games."""
        rows = self.rows()
        for row in rows:
            if "snapshot" in row:
                row |= {name: function(row["snapshot"]) for name, function in values.items()}
        return rows

    def test_errors(self) -> None:
        assert (
            self.verdicts(self.changed(cross_entropy=lambda n: 0.7 - 4e-7 * n))["fig-5-10"] == "partly"
        )  # no flat end
        rising = {"cross_entropy": lambda n: 0.4 + 3e-7 * n, "rms_to_outcome": lambda n: 0.4 + 3e-7 * n}
        assert self.verdicts(self.changed(**rising))["fig-5-10"] == "not"

    def test_evolution(self) -> None:
        rows = self.rows()
        for row in rows:
            if "snapshot" in row:
                row["families"]["3x3 li"]["rms"] = 0.05  # from the first game on
        assert self.verdicts(rows)["fig-5-9"] == "partly"
        for row in rows:
            if "snapshot" in row:
                row["squares"]["XX/.."] = 1.0
                row["places"] = {vertex: -weight for vertex, weight in row["places"].items()}
        assert self.verdicts(rows)["fig-5-9"] == "not"

    def test_a_short_run_says_little_about_when_weights_leave_zero(self) -> None:
        assert self.verdicts(self.rows(games=1_000))["fig-5-9"] == "partly"

    def test_occurrences(self) -> None:
        assert self.verdicts(self.rows(games=100_000))["fig-5-5"] == "partly"  # what never occurs needs a million
        rows = self.rows()
        for row in rows:
            if row.get("occurrences") == "3x3 ld":
                row |= {"never": 20_000, "thousands": 50, "total": 1}
            elif "occurrences" in row:
                row["total"] = 1_000
        assert self.verdicts(rows)["fig-5-5"] == "not"
        assert self.verdicts([row for row in rows if "occurrences" not in row])["fig-5-5"] == "partly"

    def test_largest(self) -> None:
        rows = self.rows()
        for row in rows:
            if row.get("top") == "3x3 ld":
                row["corner_eyes"] = 0
        assert self.verdicts(rows)["fig-5-17"] == "partly"
        assert self.verdicts([row for row in rows if "top" not in row])["fig-5-17"] == "partly"

    @pytest.mark.parametrize(
        ("name", "weight", "splits"),
        [
            ("3x3 XXO/OXO/OXX", 0.2, True),  # Black is one chain, White two
            ("3x3 XXO/OXO/OXX", -0.2, False),
            ("3x3 XOX/XOX/XXX", 0.2, False),  # White is one
            ("3x3 OOX/XOO/X..", -0.2, True),
        ],
    )
    def test_splitting(self, name: str, weight: float, splits: bool) -> None:
        assert is_split(parse_shape(name, 9), weight) == splits

    @pytest.mark.parametrize(
        ("name", "weight", "eyes"),
        [
            ("A9 3x3 .OO/O.O/OOX", -0.1, True),
            ("A9 3x3 .OO/O.O/OOX", 0.1, False),  # White's eyes, good for Black
            ("B9 3x3 .OO/O.O/OOX", -0.1, False),  # no corner
            ("A9 3x3 .OO/OOO/OO.", -0.1, False),  # the second may have a neighbour outside
            ("A9 3x3 .X./X.X/.X.", 0.1, True),
        ],
    )
    def test_eyes_in_the_corner(self, name: str, weight: float, eyes: bool) -> None:
        assert has_corner_eyes(parse_shape(name, 9), weight) == eyes


class TestAlphaBeta:
    def rows(self, elo: dict[int, float], games: int = 400) -> list[Row]:
        """What players of these ratings make of a round robin, rounded."""
        rows = []
        for depth in elo:
            for other in elo:
                if other < depth:
                    won = 2 * round(games / 2 / (1 + 10 ** ((elo[other] - elo[depth]) / 400)))
                    rows.append(chunk(won, 0, games - won, depth=depth, other=other))
            gnugo = 2 * round(games / 2 / (1 + 10 ** ((1700 - elo[depth]) / 400)))
            rows.append(chunk(gnugo, 0, games - gnugo, depth=depth, other="gnugo"))
        return rows

    def test_as_published(self) -> None:
        found = answers("shape-alpha-beta", self.rows(PRINTED))
        assert {answer.verdict for answer in found.values()} == {"reproduced"}

    def test_ratings_are_held_at_gnu_go(self) -> None:
        runner = experiment("shape-alpha-beta").runner
        table = runner.summarise(self.rows(PRINTED), experiment("shape-alpha-beta").claim).table
        ours = {line[0]: float(line[1]) for line in table}
        assert ours.pop("GNU Go level 0") == 1700
        assert ours == pytest.approx({f"depth {depth}": elo for depth, elo in PRINTED.items()}, abs=15)

    @pytest.mark.parametrize(
        ("elo", "verdict"),
        [
            ({**PRINTED, 4: 1400.0}, "reproduced"),  # depths 3 and 4 need not be equal
            ({**PRINTED, 5: 1150.0}, "not"),
            ({depth: elo for depth, elo in PRINTED.items() if depth < 5}, "partly"),  # not played
            ({**PRINTED, 2: 865.0}, "partly"),  # too near
        ],
    )
    def test_order(self, elo: dict[int, float], verdict: str) -> None:
        assert answers("shape-alpha-beta", self.rows(elo))["silver-table-5-2"].verdict == verdict

    @pytest.mark.parametrize(
        ("won", "games", "verdict"),
        [(160, 200, "reproduced"), (40, 50, "partly"), (144, 200, "partly"), (110, 200, "not"), (10, 50, "not")],
    )
    def test_headline_6(self, won: int, games: int, verdict: str) -> None:
        rows = [chunk(won, 0, games - won, depth=3, other=1)]
        assert answers("shape-alpha-beta", rows)["silver-h6"].verdict == verdict

    def test_speeds_are_told(self) -> None:
        speed = {"speed": 3, "positions": 4, "searched": 4, "nodes": 5_000_000, "seconds": 2.0}
        found = answers("shape-alpha-beta", [*self.rows(PRINTED), speed])["silver-table-5-2"]
        assert "2,500,000 at depth 3" in found.result
