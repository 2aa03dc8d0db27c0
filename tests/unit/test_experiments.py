"""Experiments: what is found, what a verdict depends on, and that a run which stopped goes on."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from katachi.arena.executor import InProcess
from katachi.core.errors import (
    InvalidArgumentError,
    KatachiError,
    ParseError,
    SettingsError,
    StoreError,
    UnknownNameError,
)
from katachi.experiments import results
from katachi.experiments.experiment import OURS, SCALES, Row, append_row, read_rows
from katachi.experiments.ladder import runner as ladder
from katachi.experiments.ledger import load_ledger
from katachi.experiments.registry import experiment, load_experiments, read_description
from katachi.experiments.report import listing, report_json, write_report
from katachi.experiments.results import COMMITTED, begin_run, estimate, find_results, run_experiment, save_text

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


def told_of(id: str, report: dict[str, Any]) -> dict[str, Any]:
    """What a report says about an experiment."""
    found: dict[str, Any] = next(entry for entry in report["experiments"] if entry["id"] == id)
    return found


def listed(id: str, out: Path) -> dict[str, Any]:
    """What the list says about one of our own."""
    return next(entry for entry in listing(out, OURS) if entry["id"] == id)


def run_ladder(path: Path) -> list[Row]:
    ladder.run(SETTINGS, path, InProcess(), lambda _done, _text: None)
    return read_rows(path)


class Watched(InProcess):
    """Remembers which games were asked for."""

    def __init__(self) -> None:
        self.indices: list[int] = []

    def run(self, function: str, arguments: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
        tasks = list(arguments)
        self.indices += [task.get("index", -1) for task in tasks]
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
            ("vodopivec-table-7-1", "a row of the ledger, no experiment; it is pending"),
            ("silver-table-5-1", "a row of the ledger, no experiment; it is answered by experiment 'shape-counts'"),
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
            ('5-1"]', '5-1", "balancing-k12"]', "no ledger row 'balancing-k12': did you mean 'balancing-k"),
            ("silver-table-5-1", "ekker-h1", "Silver 2009 has no ledger row 'ekker-h1'"),
            ("[scale.full]", "[scale.huge]", "some_thing/experiment.toml"),
            ("[scale.full]\ncore_seconds = 1\nsettings = {}", "", "no settings for full"),
            ('where = "w"', "", "needs a value for 'where'"),
        ],
    )
    def test_bad_descriptions(self, before: str, after: str, message: str) -> None:
        assert read_description("some_thing", DESCRIPTION).claim.text == "c"
        # A claim may stand in several sources.
        also = DESCRIPTION.replace('5-1"]', '5-1", "balancing-k10"]')
        assert read_description("some_thing", also).rows[1] == "balancing-k10"
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
        with pytest.raises(InvalidArgumentError, match="seed: 1 there, 2 now"):
            run_experiment("ladder", "smoke", 2, tmp_path, InProcess())

    def test_an_engine_is_asked_for_only_if_it_is_to_play(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        board = {"size": 3, "openings": 0, "games": 2, "players": ["random", "gtp:no-such-engine"]}
        settings = {"seed": 3, "board": [board]}
        with pytest.raises(KatachiError, match="no-such-engine"):
            ladder.run(settings, path, InProcess(), lambda _done, _text: None)
        for row in games("random", "gtp:no-such-engine", 1, 1, size=3):
            append_row(path, row)
        ladder.run(settings, path, InProcess(), lambda _done, _text: None)

    def test_rows_of_something_else_are_named(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.jsonl"
        append_row(path, {"fish": 1})
        with pytest.raises(StoreError, match=r"rows\.jsonl, line 1 is no game of the ladder: {'fish': 1}"):
            run_ladder(path)


class TestFolder:
    """What a folder holds was made with the same settings, by one run at a time."""

    def change(self, monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
        """Other settings of the first board of smoke, from now on."""
        found = experiment("ladder").at("smoke")
        board = {**found.settings["board"][0], **changes}
        monkeypatch.setitem(found.settings, "board", [board])

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"games": 6}, r"settings\.board\[0\]\.games: 4 there, 6 now$"),
            ({"openings": 0}, r"settings\.board\[0\]\.openings: 2 there, 0 now$"),
            (
                {"players": ["random", "flat-mc:sims=5"]},
                r"players\[1\]: 'flat-mc:sims=4' there, 'flat-mc:sims=5' now\n"
                r".*players\[2\]: 'flat-mc:sims=16' there, nothing now$",
            ),
        ],
    )
    def test_other_settings_are_refused_with_the_difference(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], message: str
    ) -> None:
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
        self.change(monkeypatch, **changes)
        with pytest.raises(InvalidArgumentError, match=r"other settings: choose another --out\n") as error:
            run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        assert re.search(message, str(error.value))
        assert "seed" not in str(error.value)
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == before

    def test_another_scale_is_refused(self, tmp_path: Path) -> None:
        with begin_run("ladder", "smoke", 1, tmp_path):
            pass
        refused = pytest.raises(InvalidArgumentError, match="scale: 'smoke' there, 'quick' now")
        with refused, begin_run("ladder", "quick", 1, tmp_path):
            pass

    def test_what_it_costs_is_no_setting(self, tmp_path: Path) -> None:
        with begin_run("ladder", "smoke", 1, tmp_path):
            pass
        assert "core_seconds" not in (tmp_path / "settings.json").read_text()

    def test_rows_without_settings_are_refused(self, tmp_path: Path) -> None:
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        (tmp_path / "settings.json").unlink()
        with pytest.raises(StoreError, match=r"settings\.json is missing"):
            run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        (tmp_path / "rows.jsonl").unlink()
        assert run_experiment("ladder", "smoke", 1, tmp_path, InProcess()).is_complete

    @pytest.mark.parametrize("text", ["", '{"seed', "[]", '{"seed": "x"}'])
    def test_damaged_settings_are_named(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "settings.json").write_text(text)
        with pytest.raises(StoreError, match=r"settings\.json"):
            run_experiment("ladder", "smoke", 1, tmp_path, InProcess())

    def test_one_run_at_a_time(self, tmp_path: Path) -> None:
        with begin_run("ladder", "smoke", 1, tmp_path):
            with pytest.raises(StoreError, match="in use by another run"):
                run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
            assert not (tmp_path / "rows.jsonl").exists()
        assert run_experiment("ladder", "smoke", 1, tmp_path, InProcess()).is_complete

    def test_a_row_that_was_cut_is_made_again(self, tmp_path: Path) -> None:
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        path = tmp_path / "rows.jsonl"
        whole = path.read_bytes()
        for cut in (1, 10, len(whole.splitlines()[-1])):  # the end of the line, half of it, all but a byte
            path.write_bytes(whole[:-cut])
            for games_folder in tmp_path.glob("games-*"):
                shutil.rmtree(games_folder)
            assert run_experiment("ladder", "smoke", 1, tmp_path, InProcess()).is_complete
            assert path.read_bytes() == whole

    def test_what_a_kill_left_of_a_file_is_removed(self, tmp_path: Path) -> None:
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        (tmp_path / ".katachi-1-ab.tmp").write_text("{")
        (tmp_path / ".katachi-abc").mkdir()
        (tmp_path / ".katachi-abc" / "figure.png").write_bytes(b"")
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        assert not list(tmp_path.glob(".*"))

    def test_files_are_replaced_only_when_all_is_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        before = {name: (tmp_path / name).read_bytes() for name in ("figure.png", "figure.svg", "summary.json")}

        def stop(rows: object, claim: object, path: Path) -> None:
            path.with_suffix(".png").write_bytes(b"half")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(ladder, "draw", stop)
        with pytest.raises(StoreError, match="figure: No space left"):
            run_experiment("ladder", "smoke", 1, tmp_path, InProcess())
        assert {name: (tmp_path / name).read_bytes() for name in before} == before
        with pytest.raises(StoreError, match="no-folder"):
            save_text(tmp_path / "no-folder" / "a.txt", "a")
        (tmp_path / "folder" / "inner").mkdir(parents=True)
        with pytest.raises(StoreError, match="folder"):
            save_text(tmp_path / "folder", "a")
        assert not list(tmp_path.glob(".*"))

    def test_committed_results_can_be_continued(self, tmp_path: Path) -> None:
        for folder in COMMITTED.iterdir() if COMMITTED.is_dir() else ():
            told = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
            copy = tmp_path / folder.name
            shutil.copytree(folder, copy)
            executor = Watched()
            assert run_experiment(folder.name, told["scale"], told["seed"], copy, executor).is_complete
            assert executor.indices == []
            assert json.loads((copy / "summary.json").read_text(encoding="utf-8")) == told
            for name in ("rows.jsonl", "settings.json"):
                assert (copy / name).read_bytes() == (folder / name).read_bytes()


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
        assert [entry["id"] for entry in told[len(load_ledger()) :]] == list(load_experiments())

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
        assert told_of("ladder", report_json(find_results(tmp_path)))["scale"] == "quick"

    def test_a_run_that_was_stopped_is_shown_and_does_not_count_before_a_finished_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(results, "COMMITTED", tmp_path / "committed")
        run_experiment("ladder", "smoke", 1, tmp_path / "ladder" / "smoke", InProcess())
        part = tmp_path / "ladder" / "full"
        part.mkdir()
        assert [result.scale for result in find_results(tmp_path)["ladder"]] == ["smoke"]
        with begin_run("ladder", "full", 7, part):
            pass
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

    @pytest.mark.parametrize(
        ("file", "text", "message"),
        [
            ("summary.json", '{"id": "lad', "summary.json is not JSON"),
            ("summary.json", b"\xff\xfe\xfa", "summary.json is not JSON"),
            ("summary.json", "{}", "summary.json is no summary"),
            ("summary.json", '{"id":"ladder","scale":"quick","verdict":"not","seed":-1,"is_complete":true}', "seed"),
            ("summary.json", None, "settings.json: No such file"),
            ("rows.jsonl", "", "rows.jsonl: no rows"),
            ("rows.jsonl", None, "rows.jsonl: no rows"),
            ("rows.jsonl", '{"size":5,"ga\n{"size":5}\n', "rows.jsonl, line 1 is not JSON"),
            ("rows.jsonl", '{"fish":1}\n', "rows.jsonl holds other rows"),
            ("rows.jsonl", '{"size":5,"black":1,"white":"b","total":"c"}\n', "rows.jsonl holds other rows"),
        ],
    )
    def test_a_damaged_result_is_told_and_the_others_are_shown(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str | bytes | None, message: str
    ) -> None:
        monkeypatch.setattr(results, "COMMITTED", tmp_path / "committed")
        smoke, quick = (tmp_path / "ladder" / scale for scale in ("smoke", "quick"))
        run_experiment("ladder", "smoke", 1, smoke, InProcess())
        quick.mkdir()
        for name in ("rows.jsonl", "summary.json"):
            shutil.copy(smoke / name, quick / name)
        if text is None:
            (quick / file).unlink()
        else:
            (quick / file).write_bytes(text if isinstance(text, bytes) else text.encode())

        entry = listed("ladder", tmp_path)
        assert entry["status"] == "done"
        (told,) = entry["damaged"]
        assert message in told
        assert str(quick) in told
        assert "run `katachi reproduce ladder --scale quick" in told
        page, markdown, report = write_report(tmp_path)
        assert [result.scale for result in find_results(tmp_path, lambda _id, _text: None)["ladder"]] == ["smoke"]
        assert told_of("ladder", report)["scale"] == "smoke"
        assert "Damaged, and left out:" in page.read_text(encoding="utf-8")
        assert told in markdown.read_text(encoding="utf-8")

        shutil.rmtree(smoke)
        entry = listed("ladder", tmp_path)
        assert (entry["status"], entry["damaged"]) == ("pending", [told])
        assert told_of("ladder", write_report(tmp_path)[2])["verdict"] == "pending"

    def test_a_damaged_committed_result(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(results, "COMMITTED", tmp_path / "committed")
        (tmp_path / "committed" / "ladder").mkdir(parents=True)
        (tmp_path / "committed" / "ladder" / "summary.json").write_text("{")
        (told,) = listed("ladder", tmp_path)["damaged"]
        assert "restore it" in told

    def test_a_place_that_is_no_folder(self, tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.write_text("")
        for out in (file, file / "inner" / "more"):
            for call in (listing, find_results, write_report):
                with pytest.raises(InvalidArgumentError, match="file is not a folder"):
                    call(out)
        assert listing(tmp_path / "not" / "there")
        assert not (tmp_path / "not").exists()

    def test_committed_results_are_small_and_say_what_their_rows_say(self) -> None:
        for folder in COMMITTED.iterdir() if COMMITTED.is_dir() else ():
            found = experiment(folder.name)
            assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000
            told = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
            summary = found.runner.summarise(read_rows(folder / "rows.jsonl"), found.claim)
            assert (told["verdict"], told["result"]) == (summary.verdict, summary.result)
            assert told["is_complete"]
