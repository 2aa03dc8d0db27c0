"""Learning curves: what is measured, that chunks merge, and that a run which stopped goes on."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from katachi import _core
from katachi._core import Rng, RootAction, Snapshot
from katachi.arena.executor import InProcess, LocalWorkers
from katachi.core.errors import InvalidArgumentError, SettingsError, StoreError
from katachi.experiments.curves import (
    Curves,
    CurvesSettings,
    Metric,
    Sweep,
    cell_key,
    format_number,
    is_better,
    judge,
    measure,
    run_curves,
    total_rows,
)
from katachi.experiments.experiment import Row, append_row, read_rows
from katachi.experiments.registry import experiment, load_experiments
from katachi.experiments.results import run_experiment
from katachi.experiments.walk_metrics import (
    Reference,
    Walk,
    afterstate_values,
    arrivals,
    choice,
    learnt_values,
    root_value,
    squared_error,
)
from katachi.games.contract import native_state
from katachi.games.registry import make_game
from katachi.search.tree_settings import TreeSearchSettings

TOYS = [id for id in load_experiments() if id.startswith("walk-") or id == "analytic-example"]
BASE: dict[str, Any] = {
    "size": 5,
    "learner": "td",
    "control": "epsilon-greedy",
    "v_init": 0.0,
    "step_size": "episodes",
    "visit_mode": "replacing",
}
SWEEP: dict[str, Any] = {
    "name": "some",
    "game": "shortest-walk",
    "metrics": ["steps", "choice", "value"],
    "checkpoints": [50, 200],
    "grid": {"structure": ["tree", "graph"], "lambda": [0.5, 1.0]},
}
ERRORS: dict[str, Any] = {**SWEEP, "name": "errors", "metrics": ["error"]}


def settings(repeats: int = 6, chunk: int = 2, sweeps: Sequence[dict[str, Any]] = (SWEEP, ERRORS)) -> dict[str, Any]:
    return {"seed": 3, "repeats": repeats, "chunk": chunk, "settings": BASE, "sweep": list(sweeps)}


def run(path: Path, given: dict[str, Any], executor: InProcess | LocalWorkers | None = None) -> list[Row]:
    run_curves(given, path, executor or InProcess(), lambda _done, _text: None)
    return read_rows(path)


def by_key(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (row["sweep"], cell_key(row["cell"]), row["chunk"]))


class Watched(InProcess):
    """Remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, int]] = []

    def run(self, function: str, arguments: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        pieces = list(arguments)
        self.asked += [(piece["sweep"], cell_key(piece["cell"]), piece["chunk"]) for piece in pieces]
        return super().run(function, pieces)


class TestMetrics:
    @pytest.mark.parametrize("size", [5, 7, 11])
    @pytest.mark.parametrize("reference", ["optimal", "random"])
    @pytest.mark.parametrize("walk", ["random-walk", "shortest-walk"])
    def test_references_are_what_value_iteration_finds(self, walk: Walk, reference: Reference, size: int) -> None:
        last = size - 1
        entering = {s: float(s == last) if walk == "random-walk" else float(s == last) - 1 for s in range(size)}
        values = dict.fromkeys(range(size), 0.0)
        for _ in range(20 * size * size):
            for s in range(1, last):
                sides = [entering[n] + values[n] for n in (s - 1, s + 1)]
                values[s] = max(sides) if reference == "optimal" else sum(sides) / 2
        found = afterstate_values(walk, size, reference)
        assert found == pytest.approx({s: entering[s] + values[s] for s in range(size)}, abs=1e-6)
        assert root_value(walk, size, reference) == pytest.approx(values[size // 2], abs=1e-6)

    @pytest.mark.parametrize(
        ("left", "right", "expected"), [(-5.0, -4.0, 1.0), (-4.0, -5.0, 0.0), (-4.0, -4.0 + 1e-10, 0.5)]
    )
    def test_choice(self, left: float, right: float, expected: float) -> None:
        actions = [SimpleNamespace(action=0, value=left), SimpleNamespace(action=1, value=right)]
        assert choice(cast(list[RootAction], actions)) == expected

    def test_nothing_is_chosen_before_the_first_episode(self) -> None:
        assert choice([]) == 0.5

    def test_arrivals(self) -> None:
        before, after = (cast(Snapshot, SimpleNamespace(steps=s, gain=g)) for s, g in ((90, -80.0), (100, -88.0)))
        assert arrivals("shortest-walk", before, after) == 2  # eight of ten steps cost 1
        before, after = (cast(Snapshot, SimpleNamespace(steps=s, gain=g)) for s, g in ((90, 4.0), (100, 5.0)))
        assert arrivals("random-walk", before, after) == 1
        with pytest.raises(InvalidArgumentError, match="no step"):
            arrivals("random-walk", after, after)

    def test_error(self) -> None:
        assert squared_error({1: 2.0, 2: 0.0}, {1: 1.0, 2: 3.0, 3: 9.0}) == 5.0

    @pytest.mark.parametrize("structure", ["tree", "graph"])
    def test_learnt_values(self, structure: str) -> None:
        game = make_game("random-walk", size=5)
        root = native_state(game, game.initial_state())
        given = {**BASE, "structure": structure, "control": "random", "new_nodes": "all", "v_init": 0.25}
        del given["size"]
        search = _core.tree_search(root, TreeSearchSettings(**given).to_native(root.facts), Rng(1))
        is_graph = structure == "graph"
        places = [1, 2, 3]
        search.run(simulations=1)
        found = learnt_values(search, 5, is_graph, 0.25)
        assert sorted(found) == places
        search.run(simulations=5000)
        truth = afterstate_values("random-walk", 5, "random")
        assert learnt_values(search, 5, is_graph, 0.25) == pytest.approx({s: truth[s] for s in places}, abs=0.05)


class TestEstimates:
    def test_hand_made_rows(self) -> None:
        cell = {"lambda": 0.5}
        rows: list[Row] = [
            {
                "sweep": "a",
                "cell": cell,
                "chunk": c,
                "repeats": 2,
                "at": [100],
                "steps": [[s], [q]],
                "error": [[8], [40]],
            }
            for c, s, q in ((0, 3, 5), (1, 1, 1))
        ]
        found = Curves(rows).at("steps", "a", 100, lambda_=0.5)
        error = math.sqrt((6 / 4 - 1) * 4 / 3 / 4)
        assert (found.value, found.mean, found.error) == (10.0, 1.0, pytest.approx(error))
        assert (found.low, found.high) == pytest.approx((10 / (1 + 1.96 * error), 10 / (1 - 1.96 * error)), rel=1e-4)
        assert Curves(rows).at("error", "a", 100, lambda_=0.5).value == 2.0
        assert Curves(rows).repeats("a") == 4
        assert Curves(rows).best("steps", "a", 100, "lambda")[0] == 0.5

    def test_nobody_arrived(self) -> None:
        rows = [{"sweep": "a", "cell": {}, "chunk": 0, "repeats": 2, "at": [100], "steps": [[0], [0]]}]
        found = Curves(rows).at("steps", "a", 100)
        assert (found.value, found.high, str(found)) == (math.inf, math.inf, "never")

    def test_what_is_not_measured_is_named(self) -> None:
        curves = Curves([])
        for ask in (
            lambda: curves.at("steps", "a", 100, lambda_=0.5),
            lambda: curves.checkpoints("a"),
            lambda: curves.best("steps", "a", 100, "lambda"),
        ):
            with pytest.raises(InvalidArgumentError, match=r"a.* measured yet"):
                ask()

    def test_sure_or_not(self) -> None:
        def estimate(total: int, squares: int, metric: str) -> Any:  # noqa: ANN401
            row = {"sweep": "a", "cell": {}, "chunk": 0, "repeats": 100, "at": [100], metric: [[total], [squares]]}
            return Curves([row]).at(cast(Any, metric), "a", 100)

        many, few = estimate(150, 300, "steps"), estimate(50, 100, "steps")
        assert many.value < few.value
        assert is_better(many, few)
        assert not is_better(few, many)
        assert not is_better(many, many)
        large, small = estimate(150, 300, "error"), estimate(50, 100, "error")
        assert is_better(small, large, "error")
        assert not is_better(large, small, "error")

    def test_judge(self) -> None:
        assert judge({"a": True, "b": True}, "s").verdict == "reproduced"
        assert judge({"a": False, "b": False}, "s").verdict == "not"
        partly = judge({"a": True, "b": False}, "s")
        assert (partly.verdict, partly.result) == ("partly", "s; does not hold: b")

    @pytest.mark.parametrize(("x", "text"), [(16.34, "16.3"), (5.0, "5"), (0.0512, "0.0512"), (1e6, "1000000")])
    def test_numbers(self, x: float, text: str) -> None:
        assert format_number(x) == text


class TestRun:
    def test_chunks_merge_to_what_one_run_gives(self, tmp_path: Path) -> None:
        parts, whole = (run(tmp_path / f"{chunk}.jsonl", settings(chunk=chunk)) for chunk in (4, 6))
        assert (len(parts), len(whole)) == (total_rows(settings(chunk=4)), total_rows(settings(chunk=6))) == (16, 8)
        one, other = Curves(parts), Curves(whole)
        metrics: list[tuple[str, Metric]] = [
            ("some", "steps"),
            ("some", "choice"),
            ("some", "value"),
            ("errors", "error"),
        ]
        for (sweep, metric), cell in product(
            metrics, Sweep.from_mapping({**SWEEP, "repeats": 1, "chunk": 1, "settings": BASE}).cells()
        ):
            mine, its = (curves.curve(metric, sweep, **cell) for curves in (one, other))
            assert [e.value for e in mine] == pytest.approx([e.value for e in its], rel=1e-9)
            assert [e.error for e in mine] == pytest.approx([e.error for e in its], rel=1e-6, abs=1e-9)

    def test_the_same_rows_wherever_they_are_made(self, tmp_path: Path) -> None:
        here = run(tmp_path / "here.jsonl", settings())
        there = run(tmp_path / "there.jsonl", settings(), LocalWorkers(2))
        assert by_key(here) == by_key(there)
        other_seed = run(tmp_path / "other.jsonl", {**settings(), "seed": 4})
        assert by_key(here) != by_key(other_seed)

    def test_more_repeats_have_those_that_were_made(self, tmp_path: Path) -> None:
        few, many = (run(tmp_path / f"{n}.jsonl", settings(repeats=n)) for n in (2, 4))
        assert all(row in many for row in few)

    def test_goes_on_after_a_line_that_was_cut(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        whole = run(path, settings())
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:9]) + lines[9][:20])
        executor = Watched()
        again = run(path, settings(), executor)
        assert executor.asked == [(row["sweep"], cell_key(row["cell"]), row["chunk"]) for row in whole[9:]]
        assert again == whole
        before = path.read_bytes()
        idle = Watched()
        run(path, settings(), idle)
        assert (idle.asked, path.read_bytes()) == ([], before)

    def test_rows_of_something_else_are_named(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        append_row(path, {"fish": 1})
        with pytest.raises(StoreError, match=r"rows\.jsonl, line 1 is no chunk of a curve: {'fish': 1}"):
            run(path, settings())

    def test_common_random_numbers(self) -> None:
        grid = {"v_init": [-5.0, 5.0]}
        given = {**SWEEP, "metrics": ["value"], "common": True, "grid": grid, "repeats": 3, "chunk": 3}
        sweep = Sweep.from_mapping({**given, "settings": {**BASE, "control": "random"}})
        one, other = (measure(piece) for piece in sweep.pieces(1))
        assert one["value"][0][1] == pytest.approx(other["value"][0][1])  # at lambda = 1 V_init is forgotten

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"checkpoints": [200, 50]}, "checkpoints ascend"),
            ({"checkpoints": [10, 50]}, "later than 10 steps"),
            ({"unit": "episodes"}, "in steps only"),
            ({"metrics": ["error", "steps"]}, "a sweep of their own"),
            ({"grid": {"lambda": []}}, "is empty"),
            ({"grid": {"lambdda": [1.0]}}, "did you mean 'lambda'"),
            ({"metrics": ["error"], "settings": {"epsilon_decay": "linear"}}, "no epsilon that falls"),
            ({"metrics": ["speed"]}, "not 'speed'"),
        ],
    )
    def test_bad_sweeps(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            CurvesSettings.from_mapping(settings(sweeps=[{**SWEEP, **changes}]))

    def test_a_name_stands_once(self) -> None:
        with pytest.raises(SettingsError, match="unlike"):
            CurvesSettings.from_mapping(settings(sweeps=[SWEEP, SWEEP]))


class TestExperiments:
    def test_they_answer_the_rows_of_chapter_six(self) -> None:
        rows = [row for id in TOYS for row in experiment(id).description.rows]
        assert len(rows) == len(set(rows)) == 23
        assert {row for row in rows if "-fig-" in row} == {f"vodopivec-fig-6-{n}" for n in range(2, 14)}

    @pytest.mark.parametrize("id", TOYS)
    def test_smoke(self, id: str, tmp_path: Path) -> None:
        found = experiment(id)
        with pytest.raises(InvalidArgumentError, match="yet"):
            found.runner.summarise([], found.claim)
        result = run_experiment(id, "smoke", 1, tmp_path, InProcess())
        assert result.is_complete
        assert list(result.summary.answers) == found.description.rows
        assert all(len(line) == len(result.summary.columns) for line in result.summary.table)
        rows = read_rows(tmp_path / "rows.jsonl")
        for count in (1, len(rows) // 4, len(rows) // 2, len(rows) - 1):  # what a run that is stopped leaves
            with suppress(InvalidArgumentError):
                found.runner.summarise(rows[:count], found.claim)
        assert (tmp_path / "figure.png").stat().st_size > 10_000
        assert "<svg" in (tmp_path / "figure.svg").read_text(encoding="utf-8")

    def test_the_analytic_example_is_exact(self, tmp_path: Path) -> None:
        result = run_experiment("analytic-example", "smoke", 5, tmp_path, InProcess())
        assert result.summary.verdict == "reproduced"
        rows = read_rows(tmp_path / "rows.jsonl")
        claim = experiment("analytic-example").claim
        spoilt = [{**row, "B": row["B"] + 0.01} if row["sweep"] == "episode" else row for row in rows]
        summary = experiment("analytic-example").runner.summarise(spoilt, claim)
        assert summary.verdict == "partly"
        assert "the printed values" in summary.reason

    def test_the_same_rows_give_the_same_figure(self, tmp_path: Path) -> None:
        found = experiment("walk-nodes")
        found.runner.run(found.settings("smoke", 1), tmp_path / "rows.jsonl", InProcess(), lambda _done, _text: None)
        rows = read_rows(tmp_path / "rows.jsonl")
        for name, some in (("a", rows), ("b", rows[::-1])):
            found.runner.draw(some, found.claim, tmp_path / name)
        for suffix in (".png", ".svg"):
            assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()

    def test_bars_are_judged_by_their_numbers(self) -> None:
        found = experiment("walk-nodes")

        def rows(tree: Sequence[int], graph: Sequence[int]) -> list[Row]:
            at = [1000, 2000, 5000, 10_000]
            return [
                {"sweep": "nodes", "cell": {"structure": structure, "new_nodes": nodes}, "chunk": 0, "repeats": 100,
                 "at": at, "steps": [[arrived] * 4, [arrived * 2] * 4]}
                for structure, counts in (("tree", tree), ("graph", graph))
                for nodes, arrived in zip((1, 5, 10, "all"), counts, strict=True)
            ]  # fmt: skip

        assert found.runner.summarise(rows((60, 70, 75, 75), (100, 100, 103, 105)), found.claim).verdict == "reproduced"
        assert found.runner.summarise(rows((60, 90, 150, 150), (61, 63, 65, 65)), found.claim).verdict == "partly"
