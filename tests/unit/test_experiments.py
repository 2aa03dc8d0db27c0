"""Experiments: what is found, what a verdict depends on, and that a run which stopped goes on."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from katachi.arena.executor import InProcess
from katachi.core.errors import InvalidArgumentError, ParseError, SettingsError, StoreError, UnknownNameError
from katachi.experiments import results
from katachi.experiments.experiment import OURS, SCALES, Row, append_row, read_rows
from katachi.experiments.ladder import runner as ladder
from katachi.experiments.ledger import load_ledger
from katachi.experiments.registry import experiment, load_experiments, read_description
from katachi.experiments.report import listing, report_json
from katachi.experiments.results import COMMITTED, estimate, find_results, run_experiment

SETTINGS: dict[str, Any] = {
    "seed": 3,
    "board": [{"size": 3, "openings": 1, "games": 2, "players": ["random", "flat-mc:sims=1", "flat-mc:sims=2"]}],
}
DESCRIPTION = """
id = "some-thing"
title = "t"
source = "Silver 2009"
where = "w"
rows = ["silver-table-5-1"]
[claim]
text = "c"
[scale.smoke]
core_seconds = 1
settings = {}
[scale.quick]
core_seconds = 1
settings = {}
[scale.full]
core_seconds = 1
settings = {}
"""


def games(weak: str, strong: str, lost: int, won: int, size: int = 5) -> list[Row]:
    """Rows in which the strong player won so many games and lost so many, with both colours in turn."""
    rows: list[Row] = []
    for number in range(lost + won):
        black, white = (weak, strong) if number % 2 else (strong, weak)
        total = float((black == strong) == (number >= lost))
        rows.append({"size": size, "game": number, "black": black, "white": white, "total": total})
    return rows


def run_ladder(path: Path) -> list[Row]:
    ladder.run(SETTINGS, path, InProcess(), lambda _done, _text: None)
    return read_rows(path)


class Watched(InProcess):
    """Remembers which games were asked for."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def run(self, function: str, arguments: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        tasks = list(arguments)
        self.indices += [task["index"] for task in tasks]
        return super().run(function, tasks)


class TestRegistry:
    def test_every_experiment_has_what_it_needs(self) -> None:
        for id, found in load_experiments().items():
            assert found.id == id
            for scale in SCALES:
                assert found.runner.total(found.settings(scale, 1)) > 0
            for name in ("run", "summarise", "draw"):
                assert callable(getattr(found.runner, name))

    def test_quick_stays_below_twenty_minutes_on_two_workers(self, tmp_path: Path) -> None:
        for id in load_experiments():
            assert estimate(id, "quick", 1, tmp_path, 2) <= 20 * 60

    def test_ledger_and_experiments_name_each_other(self) -> None:
        answered = {row.id: row.experiment for row in load_ledger() if row.experiment is not None}
        named = {row: found.id for found in load_experiments().values() for row in found.description.rows}
        assert answered == {row: id for row, id in named.items() if row in answered}
        assert set(answered.values()) <= set(load_experiments())

    @pytest.mark.parametrize(
        ("id", "message"),
        [
            ("lader", "'lader': did you mean 'ladder'"),
            ("lits", "did you mean 'list'"),
            ("silver-tabel-5-1", "did you mean 'silver-table-5-1'"),
            ("silver-table-5-1", "a row of the ledger, no experiment; it is pending"),
            ("silver-table-4-1", "it is not reproducible: context only"),
        ],
    )
    def test_unknown_ids(self, id: str, message: str) -> None:
        with pytest.raises(UnknownNameError, match=message):
            experiment(id)

    def test_unknown_scale(self) -> None:
        with pytest.raises(UnknownNameError, match="no scale 'quik': did you mean 'quick'"):
            experiment("ladder").settings("quik", 1)

    @pytest.mark.parametrize(
        ("before", "after", "message"),
        [
            ("some-thing", "other-thing", "must be called 'other_thing'"),
            ("silver-table-5-1", "silver-table-5-9", "no ledger row 'silver-table-5-9': did you mean"),
            ("silver-table-5-1", "ekker-h1", "Silver 2009 has no ledger row 'ekker-h1'"),
            ("[scale.full]", "[scale.huge]", "some_thing/experiment.toml"),
            ("[scale.full]\ncore_seconds = 1\nsettings = {}", "", "no settings for full"),
            ('where = "w"', "", "needs a value for 'where'"),
        ],
    )
    def test_bad_descriptions(self, before: str, after: str, message: str) -> None:
        assert read_description("some_thing", DESCRIPTION).claim.text == "c"
        assert before in DESCRIPTION
        with pytest.raises(SettingsError, match=message):
            read_description("some_thing", DESCRIPTION.replace(before, after))

    def test_not_toml(self) -> None:
        with pytest.raises(ParseError, match=r"some_thing/experiment\.toml is not TOML"):
            read_description("some_thing", "id =")


class TestRows:
    def test_a_line_that_was_cut_is_left_out_and_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        assert read_rows(path) == []
        append_row(path, {"a": 1})
        path.write_bytes(path.read_bytes() + b'{"a": 2')
        assert read_rows(path) == [{"a": 1}]
        append_row(path, {"a": 3})
        assert path.read_text() == '{"a":1}\n{"a":3}\n'

    @pytest.mark.parametrize("line", ["fish", "[1]"])
    def test_other_lines_are_refused_with_their_number(self, tmp_path: Path, line: str) -> None:
        path = tmp_path / "rows.jsonl"
        path.write_text(f'{{"a":1}}\n{line}\n{{"a":2}}\n')
        with pytest.raises(StoreError, match="line 2"):
            read_rows(path)


class TestLadderRun:
    def test_goes_on_from_half_of_the_rows(self, tmp_path: Path) -> None:
        whole = run_ladder(tmp_path / "whole.jsonl")
        assert len(whole) == ladder.total(SETTINGS) == 6
        # Another folder, so that there is no store to help: the rows alone say what is missing.
        half = tmp_path / "half" / "rows.jsonl"
        half.parent.mkdir()
        for row in whole[1::2]:
            append_row(half, row)
        executor = Watched()
        ladder.run(SETTINGS, half, executor, lambda _done, _text: None)
        assert executor.indices == [row["game"] for row in whole[::2]]
        again = read_rows(half)
        assert again[:3] == whole[1::2]
        assert sorted(again, key=lambda row: row["game"]) == whole

    def test_rows_that_are_lost_come_back_from_the_games(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        whole = run_ladder(path)
        path.unlink()
        assert run_ladder(path) == whole

    def test_nothing_to_do(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        run_ladder(path)
        before = path.read_bytes()
        run_ladder(path)
        assert path.read_bytes() == before

    def test_other_players_in_the_same_folder_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        run_ladder(path)
        board = {**SETTINGS["board"][0], "openings": 0, "games": 4}
        with pytest.raises(InvalidArgumentError, match="openings: 1 there, 0 now"):
            ladder.run({"seed": 3, "board": [board]}, path, InProcess(), lambda _done, _text: None)

    def test_one_size_twice_is_refused(self) -> None:
        with pytest.raises(SettingsError, match=r"\[3, 3\]"):
            ladder.total({"seed": 1, "board": SETTINGS["board"] * 2})

    def test_another_seed_in_the_same_folder_is_refused(self, tmp_path: Path) -> None:
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        assert estimate("ladder", "smoke", 1, tmp_path, 1) == 0
        with pytest.raises(InvalidArgumentError, match="seed 1, not 2"):
            run_experiment("ladder", "smoke", 2, tmp_path, InProcess())


class TestLadderSummary:
    claim = experiment("ladder").claim

    def test_steps_that_are_sure(self) -> None:
        rows = games("random", "flat-mc:sims=10", 5, 45) + games("flat-mc:sims=10", "flat-mc:sims=30", 10, 40)
        summary = ladder.summarise(rows, self.claim)
        assert summary.verdict == "reproduced"
        assert [line[1] for line in summary.table] == ["flat-mc:sims=30", "flat-mc:sims=10", "random"]
        assert summary.table[-1][2] == "0"  # the anchor
        assert all(len(line) == len(summary.columns) for line in summary.table)

    def test_gnugo_is_the_anchor_and_no_step(self) -> None:
        rows = games("random", "flat-mc:sims=10", 5, 45) + games("flat-mc:sims=10", "gnugo:level=10", 10, 40)
        summary = ladder.summarise(rows, self.claim)
        assert summary.verdict == "reproduced"
        assert summary.table[0][1:4] == ["gnugo:level=10", "1800", "1800 to 1800"]
        assert summary.result.startswith("1 of 1 steps")

    def test_a_step_that_is_not_sure(self) -> None:
        rows = games("random", "flat-mc:sims=10", 5, 45) + games("flat-mc:sims=10", "flat-mc:sims=30", 25, 27)
        summary = ladder.summarise(rows, self.claim)
        assert summary.verdict == "partly"
        assert "flat-mc:sims=10 to flat-mc:sims=30 on 5x5" in summary.reason

    def test_a_step_down(self) -> None:
        rows = games("random", "flat-mc:sims=10", 5, 45)
        rows += games("random", "flat-mc:sims=10", 45, 5, size=9)
        summary = ladder.summarise(rows, self.claim)
        assert summary.verdict == "not"
        assert "on 9x9" in summary.reason
        assert "on 5x5" not in summary.reason

    def test_no_games(self) -> None:
        with pytest.raises(InvalidArgumentError, match="not 0 games"):
            ladder.summarise([], self.claim)

    def test_the_same_rows_give_the_same_figure(self, tmp_path: Path) -> None:
        rows = games("random", "flat-mc:sims=10", 5, 45) + games("flat-mc:sims=10", "gnugo:level=10", 10, 40)
        for name in ("a", "b"):
            ladder.draw(rows, self.claim, tmp_path / name)
        for suffix in (".png", ".svg"):
            assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


class TestResults:
    def test_the_list_has_the_ledger_and_our_own(self, tmp_path: Path) -> None:
        entries = listing(tmp_path)
        ours = [found.id for found in load_experiments().values() if found.description.source == OURS]
        assert [entry["id"] for entry in entries] == [*(row.id for row in load_ledger()), *ours]
        assert {entry["source"] for entry in listing(tmp_path, "Ekker 2003")} == {"Ekker 2003"}
        assert [entry["id"] for entry in listing(tmp_path, OURS)] == ours
        with pytest.raises(UnknownNameError, match="'Eker 2003': did you mean 'Ekker 2003'"):
            listing(tmp_path, "Eker 2003")

    def test_nothing_was_run(self) -> None:
        told = report_json({})["experiments"]
        assert {entry["verdict"] for entry in told} == {"pending", "not"}
        for entry in told:
            assert (entry["verdict"] == "not") == (entry["status"] == "not reproducible")
        assert told[-1]["id"] == "ladder"

    def test_the_largest_scale_counts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        committed = tmp_path / "committed"
        monkeypatch.setattr(results, "COMMITTED", committed)
        assert find_results(tmp_path) == {}
        run_experiment("ladder", "smoke", 1, tmp_path / "ladder" / "smoke", InProcess())
        assert [result.scale for result in find_results(tmp_path)["ladder"]] == ["smoke"]
        own = committed / "ladder"
        own.mkdir(parents=True)
        told = json.loads((tmp_path / "ladder" / "smoke" / "summary.json").read_text())
        (own / "summary.json").write_text(json.dumps({**told, "scale": "quick"}))
        (own / "rows.jsonl").write_bytes((tmp_path / "ladder" / "smoke" / "rows.jsonl").read_bytes())
        found = find_results(tmp_path)["ladder"]
        assert [(result.scale, result.is_complete) for result in found] == [("smoke", True), ("quick", False)]
        monkeypatch.setattr(load_experiments()["ladder"].runner, "total", lambda _settings: len(found))
        assert [result.scale for result in find_results(tmp_path)["ladder"]] == ["quick", "smoke"]
        assert report_json(find_results(tmp_path))["experiments"][-1]["scale"] == "quick"

    def test_a_run_that_was_stopped_is_shown_and_does_not_count_before_a_finished_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(results, "COMMITTED", tmp_path / "committed")
        run_experiment("ladder", "smoke", 1, tmp_path / "ladder" / "smoke", InProcess())
        part = tmp_path / "ladder" / "full"
        part.mkdir()
        assert [result.scale for result in find_results(tmp_path)["ladder"]] == ["smoke"]
        (part / "seed.json").write_text('{"seed": 7}')
        for row in games("random", "flat-mc:sims=10", 5, 45):
            append_row(part / "rows.jsonl", row)
        best, other = find_results(tmp_path)["ladder"]
        assert (best.scale, best.is_complete) == ("smoke", True)
        assert (other.scale, other.is_complete, other.seed) == ("full", False, 7)
        assert other.sentence.endswith("(full, not finished)")

    @pytest.mark.parametrize("text", ["fish", "[]", '{"id": "other"}'])
    def test_a_damaged_summary_is_named(self, tmp_path: Path, text: str) -> None:
        folder = tmp_path / "ladder" / "smoke"
        folder.mkdir(parents=True)
        (folder / "summary.json").write_text(text)
        with pytest.raises(StoreError, match=r"summary\.json"):
            find_results(tmp_path)

    def test_committed_results_are_small_and_say_what_their_rows_say(self) -> None:
        for folder in COMMITTED.iterdir() if COMMITTED.is_dir() else ():
            found = experiment(folder.name)
            assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000
            told = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
            summary = found.runner.summarise(read_rows(folder / "rows.jsonl"), found.claim)
            assert (told["verdict"], told["result"]) == (summary.verdict, summary.result)
            assert told["is_complete"]
