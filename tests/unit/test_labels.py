"""Labels: whose they are, that they depend on nothing but the settings, how a run goes on, and who is refused."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from katachi._core import Rng
from katachi.arena.executor import InProcess, Json, LocalWorkers
from katachi.core.errors import EngineError, InvalidArgumentError, SettingsError, StoreError
from katachi.games.go.game import GoGame
from katachi.players.registry import make_player
from katachi.training.data_set import DataSet
from katachi.training.label_report import check_labels, compare_komis, recommended_komi, summarise
from katachi.training.labels import LabelProgress, LabelSettings, check_expert, judge, label, label_here, random_game
from tests.programs import require_program

FEW = LabelSettings(width=3, height=3, games=4, player="uct:sims=20", seed=7)
TREES = FEW.replace(width=2, height=2, komi=0.5, per_game="all", trees=2, leaf_sims=5)


class Stops:
    """Gives up after so many pieces of work."""

    def __init__(self, pieces: int) -> None:
        self.pieces = pieces

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        for number, result in InProcess().run(function, arguments):
            if number == self.pieces:
                raise KeyboardInterrupt
            yield number, result


class Idle:
    """Has nothing to do."""

    def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
        raise AssertionError(f"{function} is to be done again")


def test_random_games_are_uniform_over_what_the_rules_allow() -> None:
    game, lengths, broken = GoGame(2, komi=0.5), set(), 0
    for seed in range(200):
        moves = random_game(game, Rng(seed))
        position = game.initial_state()
        for move in moves:
            assert move in game.candidates(position)
            position = position.play(move)
        assert position.is_over or len(moves) == 8 * 4  # broken off
        lengths.add(len(moves))
        playout = [int(move) for move in game.initial_state().playout_moves(Rng(seed))]
        broken += moves != playout  # by superko, or by the cap on playouts
    assert len(lengths) > 3
    assert broken > 5


def test_labels_do_not_depend_on_the_workers() -> None:
    here = label_here(TREES, InProcess())
    assert here == label_here(TREES, LocalWorkers(2))
    assert here.positions != label_here(TREES.replace(seed=8), InProcess()).positions
    assert {position.group for position in here.positions} == {0, 1, 2, 3}
    assert all(position.simulations == 20 for position in here.positions)


def test_labels_of_a_game_do_not_depend_on_the_number_of_games() -> None:
    many, few = label_here(FEW, InProcess()), label_here(FEW.replace(games=2), InProcess())
    assert many.positions[:2] == few.positions


def test_trees_hold_all_candidates_and_outcomes() -> None:
    data = label_here(TREES, InProcess())
    trees = [position for position in data.positions if position.tree is not None]
    assert [position.group for position in trees] == [0, 1]
    for position in trees:
        assert position.tree is not None
        state = data.state(position)
        assert list(position.tree.first) == data.game.candidates(state)
        for first, second in zip(position.tree.first, position.tree.second, strict=True):
            assert list(second) == data.game.candidates(state.play(first))
    data.check()


def test_leaves_have_values_of_their_own() -> None:
    """Outcomes where the game is over, what the expert thinks of that very position where it is not."""
    data = label_here(TREES.replace(games=60, trees=60, player="uct:sims=2"), InProcess())
    expert, over, judged = make_player("uct:sims=5"), set[int](), 0
    for position in data.positions:
        if position.tree is None:
            continue
        rng = Rng(TREES.seed).split("label", position.group).split("ply", len(position.moves))
        for first, second, values in zip(position.tree.first, position.tree.second, position.tree.values, strict=True):
            after = data.state(position).play(first)
            leaves = [after.play(move) for move in second] or [after]
            for i, (leaf, value) in enumerate(zip(leaves, values, strict=True)):
                if leaf.is_over:
                    assert value == (1.0 if leaf.score() > 0 else 0.0)
                    over.add(len(leaf.moves) - len(position.moves))
                else:
                    draws = rng.split("first", first).split("second", second[i])
                    assert value == judge(expert, data.game, leaf, draws).value
                    judged += 1
    assert over == {1, 2}  # after how many moves
    assert judged > 10


def test_the_value_of_several_searches_is_their_mean() -> None:
    one, few = (label_here(TREES.replace(searches=searches), InProcess()) for searches in (1, 5))
    player, seen = make_player(TREES.player), list[float]()
    for single, position in zip(one.positions, few.positions, strict=True):
        assert (position.moves, position.tree) == (single.moves, single.tree)  # leaves are searched once
        assert position.simulations == 5 * 20
        rng = Rng(TREES.seed).split("label", position.group).split("ply", len(position.moves))
        splits = [rng.split("search"), *(rng.split("search", i) for i in range(1, 5))]
        found = [judge(player, few.game, few.state(position), split) for split in splits]
        assert single.value == found[0].value
        values = [each.value for each in found if each.value is not None]
        assert position.value == pytest.approx(sum(values) / 5, abs=1e-12)
        moves = [int(each.action) for each in found if each.action is not None]
        assert len(values) == len(moves) == 5
        assert moves.count(position.best) == max(map(moves.count, moves))
        seen.append(abs(position.value - single.value))
    assert max(seen) > 0.01


def test_one_search_is_not_told_by_a_file() -> None:
    """So files from before there were several go on."""
    assert "searches" not in TREES.to_header()
    assert TREES.replace(searches=2).to_header()["searches"] == 2


def test_progress_counts_all_searches() -> None:
    told = list[LabelProgress]()
    label_here(FEW.replace(searches=3), InProcess(), told.append)
    assert [one.done for one in told] == [60, 120, 180, 240]
    assert {one.total for one in told} == {240}


def test_how_many_positions_of_a_game() -> None:
    everything = label_here(FEW.replace(per_game="all", games=1, player="uct:sims=1"), InProcess())
    length = len(everything.positions)
    assert [len(position.moves) for position in everything.positions] == list(range(length))
    three = label_here(FEW.replace(per_game=3, games=1, player="uct:sims=1"), InProcess())
    assert len({position.moves for position in three.positions}) == 3
    assert {position.moves for position in three.positions} < {position.moves for position in everything.positions}
    one = [label_here(FEW.replace(games=40, player="uct:sims=1"), InProcess())]
    assert len({len(position.moves) for position in one[0].positions}) > 5


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    path, told = tmp_path / "labels.parquet", list[LabelProgress]()
    for pieces in (0, 1, 5):
        with pytest.raises(KeyboardInterrupt):
            label(TREES, path=path, executor=Stops(pieces))
    lines = (tmp_path / "labels.parquet.part").read_bytes().splitlines()
    assert len(lines) == 1 + 6
    with open(tmp_path / "labels.parquet.part", "ab") as part:
        part.write(b'{"game": 3, "pl')  # cut by a kill
    data = label(TREES, path=path, executor=InProcess(), on_progress=told.append)
    assert data == label_here(TREES, InProcess()) == DataSet.load(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["labels.parquet"]
    assert told[-1].done == told[-1].total
    assert told[-1].unit == "simulations"
    label(TREES, path=tmp_path / "whole.parquet", executor=InProcess())
    assert path.read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    before = path.stat().st_mtime_ns
    assert label(TREES, path=path, executor=Stops(0)) == data  # nothing is left to do
    assert path.stat().st_mtime_ns == before


def test_other_settings_are_refused_with_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    with pytest.raises(KeyboardInterrupt):
        label(FEW, path=path, executor=Stops(1))
    other = FEW.replace(komi=3.5, player="uct:sims=21")
    difference = "komi: 7.5 there, 3.5 now\n  player: 'uct:sims=20' there, 'uct:sims=21' now"
    with pytest.raises(
        InvalidArgumentError, match=rf"labels.parquet.part holds labels with other settings.*\n  {difference}"
    ):
        label(other, path=path, executor=InProcess())
    label(FEW, path=path, executor=InProcess())
    with pytest.raises(
        InvalidArgumentError, match=rf"labels.parquet holds labels with other settings.*\n  {difference}"
    ):
        label(other, path=path, executor=InProcess())


def test_part_files_that_make_no_sense(tmp_path: Path) -> None:
    path, part = tmp_path / "labels.parquet", tmp_path / "labels.parquet.part"
    part.write_text('{"a": 1}\n')
    with pytest.raises(StoreError, match=r"does not begin with the settings of labels: {'a': 1}"):
        label(FEW, path=path, executor=InProcess())
    part.write_text(json.dumps({"settings": FEW.to_header()}) + '\n{"b": 2}\n')
    with pytest.raises(StoreError, match=r"line 2 is no label: {'b': 2}"):
        label(FEW, path=path, executor=InProcess())
    good = {"game": 0, "ply": 1, "value": 0.5, "best": 2, "simulations": 20}
    leaf = {"game": 0, "ply": 1, "first": 3, "second": [4], "values": [0.5], "simulations": 20}
    for wrong in ({**good, "value": "x"}, {**good, "ply": None}, {**leaf, "values": 0.5}, {**leaf, "second": ["a"]}):
        part.write_text("\n".join(map(json.dumps, ({"settings": FEW.to_header()}, good, leaf, wrong))) + "\n")
        with pytest.raises(StoreError, match=r"line 4 is no label: {'game': 0"):
            label(FEW, path=path, executor=InProcess())
    with pytest.raises(StoreError, match="No such file"):
        label(FEW, path=tmp_path / "nowhere" / "labels.parquet", executor=InProcess())


def test_only_one_run_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"

    class Nested(Stops):
        def run(self, function: str, arguments: Iterable[Json]) -> Iterator[tuple[int, Json]]:
            with pytest.raises(StoreError, match=r"labels.parquet.part is in use by another run"):
                label(FEW, path=path, executor=InProcess())
            return super().run(function, arguments)

    label(FEW, path=path, executor=Nested(1000))


def test_a_run_that_finds_the_work_done_by_another_one_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one ends while this one still plans."""
    from katachi.training import labels as module

    path, original, planned = tmp_path / "labels.parquet", module._plan, list[LabelSettings]()

    def plan(settings: LabelSettings) -> object:
        planned.append(settings)
        if len(planned) == 1:
            label(FEW, path=path, executor=InProcess())
        return original(settings)

    monkeypatch.setattr(module, "_plan", plan)
    data = label(FEW, path=path, executor=Idle())
    assert data == DataSet.load(path)
    assert len(planned) == 2
    planned.clear()
    path.unlink()
    with pytest.raises(InvalidArgumentError, match="games: 4 there, 5 now"):
        label(FEW.replace(games=5), path=path, executor=Idle())
    assert [entry.name for entry in tmp_path.iterdir()] == ["labels.parquet"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"per_game": 0}, "all, or at least 1, not 0"),
        ({"trees": 5}, "5 trees, 4 games"),
        ({"searches": 0}, "LabelSettings.searches"),
        ({"width": 20}, "LabelSettings.width"),
        ({"nonsense": 1}, "has no setting 'nonsense'"),
    ],
)
def test_settings_are_checked(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        FEW.replace(**changes)


@pytest.mark.parametrize(
    ("player", "message"),
    [
        ("random", "random does not tell what a position is worth"),
        ("policy:name=uniform", r"policy:name=uniform says what a position is worth by playouts.* \(sims=100\)"),
    ],
)
def test_players_without_an_opinion_are_refused(player: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        label_here(FEW.replace(player=player), InProcess())


def test_a_policy_values_positions_by_its_own_playouts() -> None:
    """Two stones against none on 3x3, komi 7.5; uniform play from there on, both sides."""
    game = TREES.game
    state = game.initial_state().play("B2").play("pass").play("A2").play("pass")
    player = make_player("policy:name=uniform,sims=4000")
    found = judge(player, game, state, Rng(3))
    flat = judge(make_player("flat-mc:sims=4000"), game, state, Rng(3))
    assert found.simulations == 4000
    assert found.value is not None
    assert flat.value is not None
    batch = state.search_state().playouts(4000, Rng(3).split("playouts"), "uniform")
    batch.run()
    assert found.value == batch.total / 4000
    assert (
        0.1 < found.value == pytest.approx(flat.value, abs=0.04)
    )  # a mean over first moves, too, if all are as likely
    many = TREES.replace(games=30, trees=30, player="policy:name=uniform,sims=40", leaf_sims=8)
    data = label_here(many, InProcess())
    assert {position.simulations for position in data.positions} == {40}
    values = [value for position in data.positions if position.tree for row in position.tree.values for value in row]
    assert len(set(values)) > 3
    assert all(16 * value == int(16 * value) for value in values)  # games that are cut count a half


def test_leaves_need_a_player_that_counts() -> None:
    engine = f"gtp:{sys.executable} -m katachi.cli gtp uct:sims=9"
    with pytest.raises(InvalidArgumentError, match=r"cannot be told a number of simulations .*--leaf-player"):
        label_here(TREES.replace(player=engine), InProcess())


@pytest.mark.parametrize("command", ["", " --no-such"])
def test_an_engine_that_tells_win_rates_is_an_expert(command: str) -> None:
    engine = f"gtp:{sys.executable} -m katachi.cli gtp uct:sims=30{command}"
    settings = FEW.replace(games=2, player=engine)
    if command:
        with pytest.raises(EngineError):
            label_here(settings, InProcess())
        return
    data = label_here(settings, InProcess())
    data.check()
    assert all(position.simulations >= 20 for position in data.positions)
    assert all(0 <= position.value <= 1 for position in data.positions)


def test_gnu_go_cannot_tell_a_value() -> None:
    program = require_program("gnugo", "gnugo")
    with pytest.raises(EngineError, match="cannot tell what a position is worth: it knows neither of kata-genmove_"):
        check_expert(make_player(f"gtp:{program} --mode gtp"), GoGame(5))


def test_what_labels_say() -> None:
    data = label_here(TREES, InProcess())
    summary = summarise(data, Rng(1), playouts=20)
    assert summary.positions == len(data.positions) == sum(summary.histogram)
    assert (summary.games, summary.trees) == (4, 2)
    assert summary.leaves == sum(len(leaf) for each in data.positions if each.tree for leaf in each.tree.values)
    assert summary.uniform_mse_corrected < summary.uniform_mse < 1
    assert summary.uniform_mse - summary.uniform_mse_corrected <= 0.25 / 19
    assert summary.below + summary.above <= 1
    assert summary == summarise(data, Rng(1), playouts=20)


def test_komi_decides_on_which_side_labels_are() -> None:
    komis = (-20.0, 0.5, 20.0)
    summaries = compare_komis(FEW.replace(games=12, per_game=2, player="uct:sims=200"), komis, InProcess())
    assert [summary.below for summary in summaries[::2]] == [0, 1]
    assert recommended_komi(summaries) == 0.5


def test_labels_are_compared_with_solved_endings() -> None:
    settings = LabelSettings(width=3, height=3, komi=0.5, games=20, per_game="all", player="uct:sims=300")
    data = label_here(settings, InProcess())
    found = check_labels(data, nodes=20_000, most_empty=4)
    assert found.solved + found.nodes + found.superko == found.tried
    assert found.solved > 10
    assert found.mean_error is not None
    wrong = DataSet(3, 3, 0.5, "cgos", [replace(each, value=1 - each.value) for each in data.positions])
    worse = check_labels(wrong, nodes=20_000, most_empty=4)
    assert worse.mean_error == pytest.approx(1 - found.mean_error)
    assert found.wrong < found.solved / 4 < worse.wrong
    assert not worse.is_passed
    nothing = check_labels(data, nodes=20_000, most_empty=0)
    assert (nothing.solved, nothing.mean_error, nothing.is_passed) == (0, None, False)
