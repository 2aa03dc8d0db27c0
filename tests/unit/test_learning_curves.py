"""Learning curves: what settings mean, that runs go on where they stopped, and verdicts that can come out each way."""

import json
import random
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from katachi.arena.executor import InProcess
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, StoreError
from katachi.experiments.experiment import Row, append_row, read_rows
from katachi.experiments.learning_curve_results import LearningCurves, shown_games
from katachi.experiments.learning_curve_training import snapshot_path, train_run
from katachi.experiments.learning_curves import CurvesSettings, count_rows, run_curves
from katachi.experiments.registry import experiment, load_experiments
from tests.unit.experiment_smoke import check_smoke

Curves: TypeAlias = Mapping[str, Mapping[int, float]]  # Elo by label and games

EXPERIMENTS = [id for id, found in load_experiments().items() if found.runner.run is run_curves]
SETTINGS: dict[str, Any] = {
    "seed": 3,
    "games": 30,
    "rated": [10, 30],
    "reference": "alpha 0.1",
    "anchors": [10, 30],
    "pairing_games": 2,
    "openings": 1,
    "train": {"size": 3},
    "run": [
        {"label": "alpha {alpha}", "vary": {"td.alpha": [0.1, 1.0]}},
        {"label": "linear", "changes": {"td.head": "linear", "td.alpha": 100.0}},
    ],
    "opponent": [{"player": "random", "games": 2, "chunk": 2}],
    "duel": [{"first": "alpha 1", "second": "random", "games": 4}],
    "chunk": 2,
}


def changed(**changes: Any) -> dict[str, Any]:  # noqa: ANN401
    return {**SETTINGS, **changes}


class Watched(InProcess):
    """Remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def run(self, function: str, arguments: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        works = list(arguments)
        self.asked += works
        return super().run(function, works)


def run(path: Path, settings: Mapping[str, Any] = SETTINGS) -> Watched:
    executor = Watched()
    run_curves(settings, path, executor, lambda _done, _text: None)
    return executor


def untimed(rows: Iterable[Row]) -> list[Row]:
    """Without what the clock said, in one order."""
    return sorted(({key: row[key] for key in row if key != "seconds"} for row in rows), key=json.dumps)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run to its end, for tests that only read."""
    path = tmp_path_factory.mktemp("curves") / "rows.jsonl"
    run(path)
    return path


class TestSettings:
    def test_runs(self) -> None:
        table = {"label": "{head} {alpha} {sizes}", "seeds": [1, 2], "vary": {
            "td.head": ["logistic", "linear"], "td.alpha": [0.01, 1.0], "sizes": [["1x1", "2x2"]],
        }}  # fmt: skip
        settings = changed(run=[table], reference="linear 1 1x1+2x2 #2", duel=[])
        runs = CurvesSettings.from_mapping(settings).runs()
        assert [run.number for run in runs] == list(range(8))
        assert runs[0].label == "logistic 0.01 1x1+2x2 #1"
        last = runs[-1]
        assert (last.label, last.settings.td.head, last.settings.td.alpha) == ("linear 1 1x1+2x2 #2", "linear", 1.0)
        assert (last.settings.sizes, last.settings.size) == (("1x1", "2x2"), 3)
        # The seed depends on the number alone: runs of one number have equal games as long as they choose alike.
        assert len({run.settings.seed for run in runs}) == 2
        assert len({run.folder for run in runs}) == 8

    def test_pairings(self) -> None:
        pairings = CurvesSettings.from_mapping(SETTINGS).pairings()
        keys = [frozenset((pairing.first, pairing.second)) for pairing in pairings]
        assert len(set(keys)) == len(keys)
        assert all(len(key) == 2 for key in keys)
        games = {(pairing.first, pairing.second): pairing.games for pairing in pairings}
        assert games["alpha 1@10", "alpha 0.1@30"] == 2
        assert games["alpha 1@10", "random"] == 2
        assert games["alpha 1@30", "random"] == 4  # a duel adds to the pool
        assert games["alpha 0.1@10", "alpha 0.1@30"] == 2
        # 6 snapshots against 2 anchors and random; anchors do not meet themselves, nor each other twice.
        assert len(pairings) == 6 * 3 - 3
        assert count_rows(SETTINGS) == 3 + len(pairings) + 1

    def test_some_meet_the_end_of_the_reference_only(self) -> None:
        opponents = [*SETTINGS["opponent"], {"player": "flat-mc:sims=1", "games": 2, "against": "reference"}]
        pairings = CurvesSettings.from_mapping(changed(opponent=opponents)).pairings()
        assert [pairing.first for pairing in pairings if pairing.second == "flat-mc:sims=1"] == ["alpha 0.1@30"]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"gmes": 3}, "no setting 'gmes': did you mean 'games'"),
            ({"rated": [30, 10]}, r"rated ascends from 1 on, unlike \[30, 10\]"),
            ({"rated": [10, 20]}, r"the last of \[10, 20\] is not 30"),
            ({"anchors": [20]}, r"anchors are rated: \[20\]"),
            ({"reference": "alpha 0.2"}, "no run 'alpha 0.2': did you mean 'alpha 0.1'"),
            ({"duel": [{"first": "alhpa 1", "second": "random", "games": 2}]}, "did you mean 'alpha 1'"),
            ({"run": [*SETTINGS["run"], {"label": "Linear"}]}, "a label of its own, unlike .*linear, Linear"),
            ({"run": [*SETTINGS["run"], {"label": "b", "changes": {"size": 5}}]}, "one board"),
            ({"run": [{"label": "a", "changes": {"sise": 5}}]}, "run 'a': .*'sise': did you mean 'size'"),
            ({"run": [{"label": "a", "changes": {"td.alhpa": 1.0}}]}, "run 'a': .*did you mean 'alpha'"),
            ({"run": [{"label": "a", "changes": {"seed": 5}}]}, "run 'a': its seed is the experiment's"),
            ({"run": [{"label": "{beta}"}]}, "'{beta}' needs 'beta'"),
            ({"run": [{"lable": "a"}]}, "did you mean 'label'"),
            ({"pairing_games": 3}, "pairing_games"),
            ({"opponent": []}, "opponent"),
        ],
    )
    def test_mistakes_are_named(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            count_rows(changed(**changes))


class TestTraining:
    def work(self, folder: Path, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
        table = {"label": "a", "changes": changes}
        settings = changed(run=[table], reference="a", duel=[])
        settings = CurvesSettings.from_mapping(settings).runs()[0].settings.to_json()
        told = {"run": "a", "number": 0, "reference": True, "changes": changes, "games": 30, "rated": [10, 30]}
        return {**told, "folder": str(folder), "settings": settings}

    def test_a_run(self, tmp_path: Path) -> None:
        row = train_run(self.work(tmp_path / "a"))
        assert row["diverged"] is None
        assert all(len(row[name]) == 2 for name in ("largest", "cross_entropy", "rms_to_outcome", "moves_per_game"))
        assert 0 < row["largest"][0] < 1
        assert snapshot_path(tmp_path / "a", 30).exists()
        assert row["seconds"] > 0
        assert str(tmp_path) not in json.dumps(row)

    def test_goes_on(self, tmp_path: Path) -> None:
        """With its first games there, without its last snapshot, without its first: always the same row."""
        whole = train_run(self.work(tmp_path / "a"))
        train_run({**self.work(tmp_path / "b"), "games": 10, "rated": [10]})
        for lost in (None, 30, 10):
            if lost is not None:
                snapshot_path(tmp_path / "b", lost).unlink()
            assert untimed([train_run(self.work(tmp_path / "b"))]) == untimed([whole])
            files = [snapshot_path(tmp_path / name, 30).read_bytes() for name in ("a", "b")]
            assert files[0] == files[1]

    @pytest.mark.parametrize("alpha", [100.0, 1e9])
    def test_divergence_is_a_result(self, tmp_path: Path, alpha: float) -> None:
        row = train_run(self.work(tmp_path / "a", **{"td.head": "linear", "td.alpha": alpha}))
        assert row["diverged"] == 10
        assert row["largest"] == row["cross_entropy"] == []
        again = train_run(self.work(tmp_path / "a", **{"td.head": "linear", "td.alpha": alpha}))
        assert untimed([again]) == untimed([row])


class TestRun:
    def test_rows(self, whole: Path) -> None:
        rows = read_rows(whole)
        assert len(rows) == count_rows(SETTINGS)
        assert str(whole.parent) not in whole.read_text()
        gone = [row for row in rows if "chunk" in row and "linear" in row["first"]]
        assert gone
        assert all(row["games"] == 0 for row in gone)
        played = [row for row in rows if "chunk" in row and row not in gone]
        assert all(row["wins"] + row["draws"] + row["losses"] == row["games"] == 2 for row in played)
        curves = LearningCurves(rows)
        assert curves.told("linear") == "linear: diverged by game 10"
        assert ["linear", "30", "diverged", "", "", "", "", ""] in curves.table()

    @pytest.mark.parametrize("kept", [1, 3, 9])
    def test_goes_on_from_some_of_the_rows(self, whole: Path, tmp_path: Path, kept: int) -> None:
        """In a copy that has the rows alone: weights that are needed are learnt again."""
        rows = read_rows(whole)
        path = tmp_path / "rows.jsonl"
        for row in rows[:kept]:
            append_row(path, row)
        run(path)
        again = read_rows(path)
        assert again[:kept] == rows[:kept]
        assert untimed(again) == untimed(rows)

    def test_goes_on_in_the_middle_of_a_run(self, whole: Path, tmp_path: Path) -> None:
        """What was learnt stays where it is."""
        path = tmp_path / "rows.jsonl"
        shutil.copytree(whole.parent / "training", tmp_path / "training")
        (tmp_path / "training" / "alpha-1" / "rated" / "games_0000000030.safetensors").unlink()
        run(path)
        assert untimed(read_rows(path)) == untimed(read_rows(whole))

    def test_nothing_to_do(self, whole: Path, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        shutil.copy(whole, path)
        assert run(path).asked == []
        assert not (tmp_path / "training").exists()

    def test_other_rows_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        append_row(path, {"fish": 1})
        with pytest.raises(StoreError, match=r"line 1 is no row of a learning curve: {'fish': 1}"):
            run(path)

    def test_an_engine_that_is_missing_is_told_before_anything_is_learnt(self, tmp_path: Path) -> None:
        opponents = [{"player": "gtp:no-such-engine", "games": 2}]
        with pytest.raises(KatachiError, match="no-such-engine"):
            run(tmp_path / "rows.jsonl", changed(opponent=opponents, duel=[]))
        assert not (tmp_path / "training").exists()


# ---- rows made by hand ----------------------------------------------------------------------------------------------


def trained(number: int, label: str, line: Mapping[int, float], reference: str, games: int, **told: Any) -> Row:  # noqa: ANN401
    row = {
        "run": label, "number": number, "reference": label == reference, "changes": {}, "games": games,
        "rated": list(line), "seed": 1, "weights": 9, "diverged": None, "largest": [1.0] * len(line), "seconds": 1.0,
    }  # fmt: skip
    means = {name: [0.5] * len(line) for name in ("cross_entropy", "rms_error", "rms_to_outcome", "moves_per_game")}
    return {**row, **means, **told}


def match(first: str, second: str, gap: float, games: int) -> Row:
    """As many wins as a difference in Elo makes likely; the same with both colours."""
    half = games // 2
    wins = round(half / (1 + 10 ** (-gap / 400)))
    won = [wins, 0, half - wins]
    counts = {"games": 2 * half, "wins": 2 * wins, "draws": 0, "losses": 2 * (half - wins), "black": won, "white": won}
    return {"first": first, "second": second, "seed": 1, "chunk": 0, **counts, "moves": 99, "seconds": 1.0}


def pool(
    curves: Curves,
    reference: str,
    *,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    diverged: Mapping[str, int] | None = None,
    duels: Sequence[tuple[str, str, float]] = (),
    games: int = 4000,
) -> list[Row]:
    """Rows of runs that are rated so: each snapshot has met those of the reference, and random (Elo 0).

    A duel is two players and the win rate of the first in per cent.
    """
    end = max(curves[reference])
    rows = []
    for number, (label, line) in enumerate(curves.items()):
        gone = {"diverged": (diverged or {}).get(label), "changes": dict((changes or {}).get(label, {}))}
        rows.append(trained(number, label, line, reference, end, **gone))
    known = {f"{label}@{at}": elo for label, line in curves.items() for at, elo in line.items()}
    known = {name: elo for name, elo in known.items() if name.partition("@")[0] not in (diverged or {})}
    met = set()
    for name, elo in known.items():
        for anchor in [*(f"{reference}@{at}" for at in curves[reference]), "random"]:
            key = frozenset((name, anchor))
            if len(key) == 2 and key not in met:
                met.add(key)
                rows.append(match(name, anchor, elo - known.get(anchor, 0.0), games))
    for first, second, rate in duels:
        own = match(first, second, 0.0, 400)
        won = round(4 * rate)
        split = [won // 2, 0, 200 - won // 2]
        rows.append({**own, "chunk": 1, "wins": won, "losses": 400 - won, "black": split, "white": split})
    return rows


def verdict(id: str, row: str, rows: Sequence[Row]) -> str:
    found = experiment(id)
    mixed = list(rows)
    random.Random(1).shuffle(mixed)
    summary = found.runner.summarise(mixed, found.claim)
    assert summary.to_json() == found.runner.summarise(rows, found.claim).to_json()
    assert all(len(line) == len(summary.columns) for line in summary.table)
    return summary.answers[row].verdict if row in summary.answers else summary.verdict


class TestRatings:
    rows = pool({"a": {100: 300, 1000: 500, 10000: 600}, "b": {100: 200, 1000: 400, 10000: 650}}, "a")
    curves = LearningCurves(rows)

    def test_what_was_put_in(self) -> None:
        for name, elo in (("a@100", 300), ("b@1000", 400), ("random", 0)):
            assert self.curves.rating(name).elo == pytest.approx(elo, abs=12)
        assert self.curves.is_stronger("b@10000", "a@10000")
        assert not self.curves.is_stronger("b@10000", "a@10000", by=45)
        assert self.curves.is_equal("b@10000", "a@10000")
        assert self.curves.last("b") == "b@10000"
        assert self.curves.scale == "Elo above random"
        assert self.curves.score("random", "a@100").win_rate == pytest.approx(0.15, abs=0.01)

    def test_games_to_a_level(self) -> None:
        assert self.curves.games_to("a", 250) == 100
        halfway = self.curves.games_to("a", 400)
        assert halfway == pytest.approx(316, rel=0.2)
        assert self.curves.games_to("a", 700) is None
        earliest, latest = (self.curves.games_to("a", 400, edge) for edge in (1, -1))
        assert earliest is not None
        assert halfway is not None
        assert latest is not None
        assert earliest < halfway < latest
        assert [shown_games(games) for games in (None, 31.4, 123456)] == ["never", "31", "120,000"]

    def test_gnugo_holds_the_scale(self) -> None:
        rows = [*self.rows, match("a@10000", "gnugo:level=10", -500, 40)]
        curves = LearningCurves(rows)
        assert curves.rating("gnugo:level=10").elo == 1800
        assert curves.rating("a@10000").elo == pytest.approx(1300, abs=60)
        # What few games leave open about the level does not blur the curves.
        assert curves.level_error > 80
        line = curves.rating("b@10000")
        assert line.high - line.low < 40

    def test_nothing_was_played(self) -> None:
        for id in EXPERIMENTS:
            with pytest.raises(InvalidArgumentError, match="there are no games"):
                experiment(id).runner.summarise([], experiment(id).claim)
        alone = [row for row in self.rows if "chunk" in row]
        with pytest.raises(InvalidArgumentError, match="the reference is not trained"):
            LearningCurves(alone)

    def test_a_part_says_what_is_missing(self) -> None:
        with pytest.raises(InvalidArgumentError, match="b@10000 has not been rated yet"):
            LearningCurves([row for row in self.rows if row.get("first") != "b@10000"]).last("b")


SIZES: Curves = {
    "1x1": {1000: 150, 3000: 180, 10_000: 190, 100_000: 200},
    "2x2": {1000: 500, 3000: 600, 10_000: 600, 100_000: 610},
    "3x3": {1000: 200, 3000: 300, 10_000: 450, 100_000: 680},
    "1x1+2x2": {1000: 500, 3000: 600, 10_000: 620, 100_000: 640},
    "2x2+3x3": {1000: 480, 3000: 580, 10_000: 650, 100_000: 750},
    "1x1+2x2+3x3": {1000: 500, 3000: 690, 10_000: 720, 100_000: 800},
}


class TestSizes:
    id = "shape-sizes"
    all_sizes = "1x1+2x2+3x3"

    def with_curve(self, label: str, **line: float) -> Curves:
        return {**SIZES, label: {**SIZES[label], **{int(at[1:]): elo for at, elo in line.items()}}}

    def verdict(self, row: str, curves: Curves, duels: Sequence[tuple[str, str, float]] = ()) -> str:
        return verdict(self.id, f"silver-{row}", pool(curves, self.all_sizes, duels=duels))

    @pytest.mark.parametrize("row", ["fig-5-6", "fig-5-7a", "fig-5-7b"])
    def test_as_printed(self, row: str) -> None:
        assert self.verdict(row, SIZES) == "reproduced"

    def test_otherwise(self) -> None:
        assert self.verdict("fig-5-6", self.with_curve("3x3", _100000=550)) == "partly"  # is not overtaken
        assert self.verdict("fig-5-6", self.with_curve("2x2", _100000=670)) == "partly"  # is not done early
        flat = {label: {at: 300.0 + at / 1000 * 2 for at in line} for label, line in SIZES.items()}
        assert self.verdict("fig-5-6", flat) == "not"
        assert self.verdict("fig-5-7b", flat) == "not"
        assert self.verdict("fig-5-7a", self.with_curve(self.all_sizes, _100000=640)) == "partly"
        slow = self.with_curve(self.all_sizes, _1000=250, _3000=400, _10000=600)
        assert self.verdict("fig-5-7b", slow) == "partly"  # faster, but not ten times

    @pytest.mark.parametrize(
        ("three", "two", "expected"), [(60, 70, "reproduced"), (51, 70, "partly"), (40, 30, "not")]
    )
    def test_headline(self, three: float, two: float, expected: str) -> None:
        end = f"{self.all_sizes}@100000"
        # Without the games of the pool: 3x3 and 2x2 are as strong as the duel says.
        duels = [(end, "3x3@100000", three), (end, "2x2@100000", two)]
        rows = pool(SIZES, self.all_sizes, duels=duels)
        pairs = {(end, "3x3@100000"), (end, "2x2@100000")}
        rows = [row for row in rows if row.get("chunk") != 0 or not {(row["first"], row["second"]),
                (row["second"], row["first"])} & pairs]  # fmt: skip
        assert verdict(self.id, "silver-h3", rows) == expected


class TestStepSize:
    id = "shape-step-size"

    def rows(
        self, logistic: Sequence[float], gone: Sequence[str] = ("linear 0.1", "linear 1"), rate: float = 99
    ) -> list[Row]:
        alphas = (0.001, 0.01, 0.1, 1.0)
        curves: dict[str, dict[int, float]] = {}
        changes = {}
        for head in ("logistic", "non-linear", "linear"):
            for place, alpha in enumerate(alphas):
                label = f"{head} {alpha:g}"
                curves[label] = {20_000: {"logistic": logistic[place], "non-linear": 690, "linear": 400}[head]}
                changes[label] = {"td.head": head, "td.alpha": alpha}
        duels = [(f"logistic {alpha}@20000", "random", rate) for alpha in ("0.01", "0.1", "1")]
        rows = pool(curves, "logistic 0.1", changes=changes, diverged=dict.fromkeys(gone, 1000), duels=duels, games=400)
        return [row for row in rows if row.get("chunk") != 0 or row["second"] != "random" or rate > 95]

    def test_figure(self) -> None:
        row = "silver-fig-5-11"
        assert verdict(self.id, row, self.rows((550, 650, 700, 690))) == "reproduced"
        assert verdict(self.id, row, self.rows((300, 650, 700, 690))) == "partly"
        assert verdict(self.id, row, self.rows((100, 150, 400, 100), ())) == "not"

    def test_headline(self) -> None:
        assert verdict(self.id, "silver-h5", self.rows((700, 700, 700, 700))) == "reproduced"
        assert verdict(self.id, "silver-h5", self.rows((700, 700, 700, 700), ("linear 1",))) == "not"
        assert verdict(self.id, "silver-h5", self.rows((700, 700, 700, 700), rate=80)) == "not"
        gone = ("linear 0.1", "linear 1", "logistic 1")
        assert verdict(self.id, "silver-h5", self.rows((700, 700, 700, 700), gone)[:-1]) == "not"


class TestOthers:
    """One set of curves as printed, one in between, one the other way round."""

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, "reproduced"),
            ({"ld+li": {1000: 500, 10_000: 600, 100_000: 760}}, "partly"),  # together they gain
            ({"ld": {1000: 100, 10_000: 200, 100_000: 480}, "li": {1000: 50, 10_000: 150, 100_000: 400},
              "ld+li": {1000: 50, 10_000: 200, 100_000: 600}}, "not"),
        ],
    )  # fmt: skip
    def test_sharing(self, changes: Curves, expected: str) -> None:
        curves = {
            "none": {1000: 100, 10_000: 250, 100_000: 500},
            "ld": {1000: 200, 10_000: 450, 100_000: 640},
            "li": {1000: 450, 10_000: 600, 100_000: 650},
            "ld+li": {1000: 450, 10_000: 600, 100_000: 660},
        }
        assert verdict("shape-sharing", "silver-fig-5-8", pool({**curves, **changes}, "ld+li")) == expected

    @pytest.mark.parametrize(
        ("ends", "expected"),
        [((500, 600), "reproduced"), ((500, 680), "partly"), ((750, 800), "not")],
    )
    def test_runs(self, ends: tuple[float, float], expected: str) -> None:
        curves: Curves = {
            "run #1": {1000: 400, 50_000: 600},
            "run #2": {1000: 420, 50_000: 640},
            "run #3": {1000: ends[0], 50_000: ends[1]},
        }
        assert verdict("shape-runs", "silver-fig-5-4", pool(curves, "run #1")) == expected

    @pytest.mark.parametrize(
        ("line", "expected"),
        [((50, 100, 80), "reproduced"), ((300, 450, 550), "partly"), ((500, 600, 700), "not")],
    )
    def test_plies(self, line: Sequence[float], expected: str) -> None:
        counts = (1000, 5000, 50_000)
        curves: Curves = {
            "1-ply": dict(zip(counts, line, strict=True)),
            "2-ply": dict(zip(counts, (400, 500, 600), strict=True)),
        }
        assert verdict("shape-plies", "silver-fig-5-12", pool(curves, "2-ply")) == expected

    @pytest.mark.parametrize(("end", "games", "expected"), [
        (100, 50_000, "reproduced"), (300, 50_000, "not"), (100, 20_000, "partly"),
    ])  # fmt: skip
    def test_headline_4(self, end: float, games: int, expected: str) -> None:
        rows = pool({"1-ply": {1000: 50, games: end}, "2-ply": {1000: 400, games: 600}}, "2-ply")
        assert verdict("shape-plies", "silver-h4", rows) == expected

    @pytest.mark.parametrize(
        ("none", "most", "expected"),
        [((600, 300, 500), 400, "reproduced"), ((500, 550, 600), 400, "partly"), ((500, 550, 600), 700, "not")],
    )
    def test_exploration(self, none: Sequence[float], most: float, expected: str) -> None:
        counts = (10_000, 30_000, 50_000)
        lines = {0.0: none, 0.1: (500, 550, 600), 0.5: (300, 350, most)}
        curves = {f"epsilon {epsilon:g}": dict(zip(counts, line, strict=True)) for epsilon, line in lines.items()}
        changes = {f"epsilon {epsilon:g}": {"epsilon": epsilon} for epsilon in lines}
        rows = pool(curves, "epsilon 0.1", changes=changes)
        assert verdict("shape-exploration", "silver-fig-5-13", rows) == expected

    @pytest.mark.parametrize(
        ("accumulating", "replacing", "expected"),
        [
            ((300, 200), (500, 450), "reproduced"),
            ((300, 200), (300, 650), "partly"),
            ((600, 650), (300, 700), "partly"),
        ],
    )
    def test_traces(self, accumulating: Sequence[float], replacing: Sequence[float], expected: str) -> None:
        """Elo of lambda 0.9 and 1 at the end; of high lambda with replacing traces early and at the end."""
        counts = (1000, 30_000)
        lines = {
            "lambda 0": (400, 600), "accumulating 0.4": (400, 610), "replacing 0.4": (400, 590),
            "accumulating 0.9": (300, accumulating[0]), "accumulating 1": (200, accumulating[1]),
            "replacing 0.9": replacing, "replacing 1": replacing,
        }  # fmt: skip
        changes = {}
        for label in lines:
            kind, _, value = label.partition(" ")
            if kind != "lambda":
                changes[label] = {"td.traces": kind, "td.lambda": float(value)}
        curves = {label: dict(zip(counts, line, strict=True)) for label, line in lines.items()}
        assert verdict("shape-traces", "silver-fig-5-14", pool(curves, "lambda 0", changes=changes)) == expected

    @pytest.mark.parametrize(("ends", "expected"), [
        ((600, 620), "reproduced"), ((600, 680), "partly"), ((700, 800), "not"),
    ])  # fmt: skip
    def test_turns(self, ends: tuple[float, float], expected: str) -> None:
        curves: Curves = {"both": {1000: 400, 100_000: 600}, "each": {1000: 400, 100_000: ends[0]},
                  "each+both": {1000: 400, 100_000: ends[1]}}  # fmt: skip
        assert verdict("shape-turns", "silver-fig-5-15", pool(curves, "both")) == expected

    @pytest.mark.parametrize(
        ("ends", "expected"),
        [((560, 500, 440), "reproduced"), ((600, 500, 440), "partly"), ((650, 700, 800), "not")],
    )
    def test_stages(self, ends: Sequence[float], expected: str) -> None:
        curves = {"one stage": {1000: 300.0, 50_000: 600.0}}
        changes = {}
        for length, end in zip((64, 32, 8), ends, strict=True):
            curves[f"stages of {length}"] = {1000: end - 300, 50_000: end}
            changes[f"stages of {length}"] = {"stage_length": length}
        rows = pool(curves, "one stage", changes=changes)
        assert verdict("shape-stages", "silver-fig-5-16", rows) == expected

    @pytest.mark.parametrize(
        ("adaptive", "gone", "expected"),
        [((560, 600), (), "reproduced"), ((300, 600), (), "partly"), ((100, 400), (), "not"),
         ((560, 600), ("counts 0.1", "kalman 0.1", "idbd 0.1"), "partly")],
    )  # fmt: skip
    def test_adaptive_steps(self, adaptive: Sequence[float], gone: Sequence[str], expected: str) -> None:
        curves, changes = {}, {}
        for name, rule in (("fixed", "constant"), ("counts", "counts"), ("kalman", "kalman"), ("idbd", "idbd")):
            number = "td.variance" if rule == "kalman" else "td.alpha"
            ends = (400, 600) if rule == "constant" else adaptive
            for value, end in zip((0.1, 1.0), ends, strict=True):
                curves[f"{name} {value:g}"] = {1000: end - 200.0, 30_000: float(end)}
                changes[f"{name} {value:g}"] = {"td.step_rule": rule, number: value}
        rows = pool(curves, "fixed 1", changes=changes, diverged=dict.fromkeys(gone, 100))
        assert verdict("shape-adaptive-steps", "", rows) == expected


class TestExperiments:
    @pytest.mark.parametrize("id", EXPERIMENTS)
    def test_smoke(self, id: str, tmp_path: Path) -> None:
        check_smoke(id, tmp_path)

    @pytest.mark.parametrize("scale", ["quick", "full"])
    def test_scales(self, scale: str) -> None:
        """All sizes have the same runs, GNU Go holds the scale, and the bars have at least 200 games."""
        for id in EXPERIMENTS:
            found = experiment(id)
            small, large = (CurvesSettings.from_mapping(found.settings(name, 1)) for name in ("smoke", scale))
            assert {run.label for run in small.runs()} <= {run.label for run in large.runs()}
            assert all(run.settings.size == 9 for run in large.runs())
            assert {"random", "gnugo:level=0", "gnugo:level=10"} == {opponent.player for opponent in large.opponent}
            assert all(duel.games >= 200 for duel in large.duel)
            assert large.openings >= 2
            if scale == "full":
                assert large.games == 1_000_000
                assert len(large.anchors) * large.pairing_games >= 1000

    def test_the_learning_curves_of_the_chapter_have_their_experiments(self) -> None:
        answered = [row for id in EXPERIMENTS for row in experiment(id).description.rows]
        assert len(answered) == len(set(answered))
        figures = ("4", "6", "7a", "7b", "8", "11", "12", "13", "14", "15", "16")
        assert {*(f"silver-fig-5-{number}" for number in figures), "silver-h3", "silver-h4", "silver-h5"} <= set(
            answered
        )
