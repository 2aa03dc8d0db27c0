"""Duels: cells from TOML, games in chunks, what rows add up to, and bars."""

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from katachi.arena.executor import InProcess, LocalWorkers
from katachi.arena.match import MatchSettings, run_match
from katachi.arena.statistics import Score
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, StoreError
from katachi.experiments.duel_plots import new_figure, plot_scores
from katachi.experiments.duels import (
    DuelsSettings,
    at_least,
    below,
    best_of,
    between,
    both,
    count_rows,
    difference,
    duels_of,
    find,
    is_above,
    near_best,
    only,
    play_chunk,
    run_duels,
)
from katachi.experiments.experiment import Row, append_row, read_rows
from katachi.features.local_shapes import LocalShapes
from katachi.values.shape_value import ShapeValue
from katachi.values.weights_file import WeightsHeader, save_weights

DUEL: dict[str, Any] = {
    "game": "tic-tac-toe",
    "first": "sarsa-uct:steps={steps},lambda={lambda},c_p=0.2",
    "second": "uct:steps={steps},c_p=0.2",
    "games": 10,
    "chunk": 4,
    "labels": {"steps": 20, "lambda": [0.5, 1]},
}
SETTINGS: dict[str, Any] = {"seed": 3, "duel": [DUEL]}


def run(path: Path, executor: Any = None) -> list[Row]:  # noqa: ANN401
    run_duels(SETTINGS, path, executor or InProcess(), lambda _done, _text: None)
    return read_rows(path)


def untimed(rows: Iterable[Row]) -> list[Row]:
    """Without what the clock said, in one order."""
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
    return sorted(rows, key=json.dumps)


def chunk(wins: int, draws: int, losses: int, number: int = 0, **labels: Any) -> Row:  # noqa: ANN401
    """A row made by hand; half of everything with each colour."""
    assert all(count % 2 == 0 for count in (wins, draws, losses))
    half = [wins // 2, draws // 2, losses // 2]
    return {
        "game": "tic-tac-toe", "options": {}, "first": "a", "second": "b", "seed": 1, "chunk": number,
        "labels": {name.rstrip("_"): value for name, value in labels.items()}, "games": wins + draws + losses,
        "wins": wins, "draws": draws, "losses": losses, "black": half, "white": half, "moves": 9, "seconds": 1.0,
    }  # fmt: skip


class Watched(InProcess):
    """Remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, int]] = []

    def run(self, function: str, arguments: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        works = list(arguments)
        self.asked += [(work["labels"]["lambda"], work["chunk"]) for work in works]
        return super().run(function, works)


class TestSettings:
    def test_labels_make_cells(self) -> None:
        first, second = DuelsSettings.from_mapping(SETTINGS).cells()
        assert first.first == "sarsa-uct:steps=20,lambda=0.5,c_p=0.2"
        assert second.first == "sarsa-uct:steps=20,lambda=1,c_p=0.2"
        assert first.second == second.second == "uct:steps=20,c_p=0.2"
        assert first.seed != second.seed
        assert count_rows(SETTINGS) == 6

    def test_variants_go_together(self) -> None:
        labels = {"lambda": [0.5, 1]}
        variants: list[dict[str, Any]] = [{"steps": 20}, {"steps": 40, "games": 2, "chunk": 2}]
        duel = {**DUEL, "labels": labels, "variants": variants}
        cells = DuelsSettings.from_mapping({"seed": 3, "duel": [duel]}).cells()
        told = [(cell.labels["steps"], cell.labels["lambda"], cell.games, cell.chunk) for cell in cells]
        assert told == [(20, 0.5, 10, 4), (20, 1, 10, 4), (40, 0.5, 2, 2), (40, 1, 2, 2)]

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"labels": {"lambda": 1}}, "needs the labels steps; there are lambda"),
            ({"games": 3}, "multiple of 2"),
            ({"variants": []}, "variants"),
            ({"variants": [{"games": 5}]}, "multiple of 2"),
            ({"labels": {"steps": [20, 20], "lambda": 1}}, "a cell stands once"),
            ({"gmae": "hex"}, "did you mean 'game'"),
        ],
    )
    def test_what_is_refused(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            DuelsSettings.from_mapping({"seed": 3, "duel": [{**DUEL, **changes}]})

    def test_a_larger_run_has_the_games_of_a_smaller_one(self) -> None:
        small, large = (
            DuelsSettings.from_mapping({"seed": 3, "duel": [{**DUEL, "games": games}]}).cells()[0] for games in (8, 80)
        )
        assert [small.work(number) for number in range(2)] == [large.work(number) for number in range(2)]


class TestRun:
    def test_a_chunk_is_a_part_of_a_match(self) -> None:
        """What `katachi match` plays with the row's specs and seed."""
        cell = DuelsSettings.from_mapping(SETTINGS).cells()[0]
        rows = [play_chunk(cell.work(number)) for number in range(cell.chunks)]
        assert [row["games"] for row in rows] == [4, 4, 2]
        match = run_match(
            MatchSettings(first=cell.first, second=cell.second, games=10, seed=cell.seed, game="tic-tac-toe")
        )
        for name in ("wins", "draws", "losses"):
            assert sum(row[name] for row in rows) == getattr(match, name)
        assert sum(row["moves"] for row in rows) == sum(len(outcome.moves) for outcome in match.outcomes)
        (duel,) = duels_of(rows)
        command = f"katachi match {cell.first} {cell.second} --game tic-tac-toe --resign --seed {cell.seed} --games 10"
        assert duel.command == command

    def test_openings_are_those_of_a_match(self, tmp_path: Path) -> None:
        """Both games of a pair begin with the same random plies; the row says how many, so that equal cells differ."""
        duel = {**DUEL, "first": "random", "second": "random", "labels": {}, "games": 4}
        plain, opened = (
            DuelsSettings.from_mapping({"seed": 3, "duel": [{**duel, **more}]}).cells()[0]
            for more in ({}, {"openings": 3})
        )
        assert plain.key != opened.key
        row = play_chunk(opened.work(0))
        assert row["openings"] == 3
        assert "openings" not in play_chunk(plain.work(0))
        (found,) = duels_of([row])
        match = run_match(
            MatchSettings(
                first="random", second="random", games=4, seed=opened.seed, game="tic-tac-toe", opening_plies=3
            )
        )
        assert (found.score, found.moves) == (match.score, sum(len(outcome.moves) for outcome in match.outcomes))
        assert found.command.endswith(f"--openings 3 --resign --seed {opened.seed} --games 4")
        path = tmp_path / "rows.jsonl"
        append_row(path, row)
        executor = Watched()
        run_duels({"seed": 3, "duel": [{**duel, "openings": 3}]}, path, executor, lambda _done, _text: None)
        assert executor.asked == []

    def test_players_may_resign(self) -> None:
        """Who gives up has lost, and the game is shorter."""
        duel = {"game": "go", "options": {"size": 5}, "second": "uct:sims=300", "games": 4, "chunk": 4}
        specs = ("uct:sims=50,resign=0.45", "uct:sims=50")
        cells = [
            DuelsSettings.from_mapping({"seed": 3, "duel": [{**duel, "first": spec}]}).cells()[0] for spec in specs
        ]
        quitter, fighter = (play_chunk(cell.work(0)) for cell in cells)
        assert quitter["losses"] == 4
        assert quitter["moves"] < fighter["moves"]

    def test_files_are_named_in_rows(self, tmp_path: Path) -> None:
        """Where a file is, is nobody's business but the worker's, whatever its folder is called."""
        folder = tmp_path / 'a "b", c\\d'
        folder.mkdir()
        shapes = LocalShapes(5)
        save_weights(folder / "w", ShapeValue(shapes), WeightsHeader(board_size=5))
        duel = {**DUEL, "game": "go", "options": {"size": 5}, "first": "shapes:weights=@learnt", "second": "random"}
        settings: dict[str, Any] = {"seed": 3, "duel": [{**duel, "labels": {}, "games": 2, "chunk": 2}]}
        path = tmp_path / "rows.jsonl"
        run_duels(settings, path, InProcess(), lambda _done, _text: None, files={"learnt": folder / "w"})
        assert str(tmp_path) not in path.read_text(encoding="utf-8")
        (row,) = read_rows(path)
        assert (row["first"], row["games"]) == ("shapes:weights=@learnt", 2)
        with pytest.raises(KatachiError, match="no such file"):
            run_duels(settings, tmp_path / "more.jsonl", InProcess(), lambda _done, _text: None)

    def test_players_of_finished_cells_need_not_be_there(self, tmp_path: Path) -> None:
        """Committed rows can be continued where an engine is missing."""
        duel = {**DUEL, "first": "random", "second": "gtp:no-such-program", "labels": {}, "games": 4}
        settings: dict[str, Any] = {"seed": 3, "duel": [duel]}
        cell = DuelsSettings.from_mapping(settings).cells()[0]
        path = tmp_path / "rows.jsonl"
        with pytest.raises(KatachiError, match="no-such-program"):
            run_duels(settings, path, InProcess(), lambda _done, _text: None)
        append_row(path, {**chunk(4, 0, 0), "first": cell.first, "second": cell.second})
        run_duels(settings, path, InProcess(), lambda _done, _text: None)
        assert len(read_rows(path)) == 1

    def test_goes_on_from_half_of_the_rows(self, tmp_path: Path) -> None:
        whole = run(tmp_path / "whole.jsonl")
        assert [(row["labels"]["lambda"], row["chunk"]) for row in whole] == [
            (0.5, 0), (1, 0), (0.5, 1), (1, 1), (0.5, 2), (1, 2)
        ]  # fmt: skip
        half = tmp_path / "half.jsonl"
        for row in whole[::2]:
            append_row(half, row)
        executor = Watched()
        assert untimed(run(half, executor)) == untimed(whole)
        assert executor.asked == [(1, 0), (1, 1), (1, 2)]
        executor = Watched()
        run(half, executor)
        assert executor.asked == []

    def test_workers_give_the_same_rows(self, tmp_path: Path) -> None:
        here = run(tmp_path / "here.jsonl")
        there = run(tmp_path / "there.jsonl", LocalWorkers(2))
        assert untimed(here) == untimed(there)

    def test_progress_tells_the_cell_and_its_win_rate(self, tmp_path: Path) -> None:
        told: list[tuple[int, str]] = []
        run_duels(SETTINGS, tmp_path / "rows.jsonl", InProcess(), lambda done, text: told.append((done, text)))
        assert [done for done, _ in told] == [1, 2, 3, 4, 5, 6]
        assert all(text.startswith("tic-tac-toe, steps 20, lambda ") and " % (" in text for _, text in told)

    def test_other_rows_are_named(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        append_row(path, {"chunk": 1, "fish": 2})
        with pytest.raises(StoreError, match=r"no chunk of games: .*fish"):
            run(path)

    def test_a_player_that_fails_is_told_with_its_match(self) -> None:
        cell = DuelsSettings.from_mapping(SETTINGS).cells()[0]
        work = {**cell.work(0), "first": "gtp:gnugo --mode gtp"}  # it plays go only
        with pytest.raises(InvalidArgumentError, match=r"katachi match 'gtp:gnugo.*--seed \d+\ngame 0: "):
            play_chunk(work)


class TestRows:
    def test_the_order_of_rows_does_not_matter(self) -> None:
        rows = [chunk(4, 2, 2, number, lambda_=x) for number in range(3) for x in (0.5, 1.0)]
        shuffled = [*rows, rows[0]]  # and a row that is there twice counts once
        random.Random(1).shuffle(shuffled)
        assert duels_of(shuffled) == duels_of(rows)
        assert [(duel["lambda"], duel.games, duel.score) for duel in duels_of(rows)] == [
            (0.5, 24, Score(15, 24)),
            (1.0, 24, Score(15, 24)),
        ]

    def test_rows_of_something_else_are_left_out(self) -> None:
        assert duels_of([{"toy": 7}]) == []

    def test_finding(self) -> None:
        duels = duels_of([chunk(4, 2, 2, steps=n, lambda_=x) for n in (100, 20) for x in (1.0, 0.5)])
        assert [(duel["steps"], duel["lambda"]) for duel in find(duels, steps=20)] == [(20, 0.5), (20, 1.0)]
        one = only(duels, steps=100, lambda_=1.0)
        assert one is not None
        assert (one["steps"], one["lambda"]) == (100, 1.0)
        assert only(duels, steps=7) is None

    def test_the_best_and_those_near_it(self) -> None:
        duels = duels_of(
            [chunk(n, 0, 1000 - n, lambda_=x) for x, n in ((0.0, 300), (0.6, 550), (0.8, 560), (1.0, 500))]
        )
        assert best_of(duels)["lambda"] == 0.8
        assert {duel["lambda"] for duel in near_best(duels)} == {0.6, 0.8}


class TestBars:
    @pytest.mark.parametrize(
        ("points", "games", "verdict"),
        [(560, 1000, "reproduced"), (550, 1000, "reproduced"), (540, 1000, "partly"), (500, 1000, "not")],
    )
    def test_at_least(self, points: float, games: int, verdict: str) -> None:
        assert at_least(Score(points, games), 55) == verdict
        assert below(Score(games - points, games), 45) == verdict

    def test_between(self) -> None:
        assert between(Score(770, 1000), 74, 82) == "reproduced"
        assert between(Score(730, 1000), 74, 82) == "partly"
        assert between(Score(830, 1000), 74, 82) == "partly"
        assert between(Score(900, 1000), 74, 82) == "not"

    def test_the_worst_counts(self) -> None:
        assert both("reproduced", "partly", "not") == "not"
        assert both("reproduced", "partly") == "partly"
        assert both() == "not"

    def test_the_best_of_many_needs_more(self) -> None:
        score = Score(535, 1000)
        assert is_above(score, 50)
        assert not is_above(score, 50, cells=20)

    def test_difference(self) -> None:
        gap, low, high = difference(Score(560, 1000), Score(500, 1000))
        assert gap == pytest.approx(6)
        assert low == pytest.approx(1.6, abs=0.1)
        assert high == pytest.approx(10.3, abs=0.1)
        assert difference(Score(500, 1000), Score(560, 1000)) == pytest.approx((-gap, -high, -low))


@pytest.mark.parametrize("games", [2, 7, 300, 350, 8000])
def test_intervals_at_the_ends_can_be_drawn(games: int) -> None:
    _, (axes,) = new_figure(1)
    plot_scores(axes, [0, 1], [Score(0, games), Score(games, games)], "ends")
