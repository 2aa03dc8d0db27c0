"""Names of local shapes, values, files of weights and what may happen to them, and `katachi weights`."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save
from typer.testing import CliRunner

from katachi._core import LookupKind, Rng, ShapeWeights, audit_shapes, shape_sum
from katachi.cli.app import app
from katachi.core.errors import InvalidArgumentError, KatachiError, ParseError, SettingsError, WeightsError
from katachi.core.types import Action
from katachi.features.local_shapes import LocalShapes, Shape, ShapeSettings, format_shape, parse_shape
from katachi.games.go import EyeRule, Position
from katachi.values.shape_value import ShapeValue, logistic
from katachi.values.weights_file import WeightsHeader, load_weights, read_file, save_weights
from katachi.values.weights_summary import differences, largest_weights

SMALL = ShapeSettings(sizes=("1x1", "2x2"))


def filled(side: int, settings: ShapeSettings = SMALL, seed: int = 1) -> ShapeValue:
    shapes = LocalShapes(side, settings)
    return ShapeValue(shapes, np.random.default_rng(seed).normal(0, 0.1, shapes.weights).astype(np.float32))


# -- settings and names


def test_rectangles_and_other_boards_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="square boards, not for 9x13"):
        LocalShapes.on_board(9, 13)
    assert LocalShapes.on_board(5, 5, SMALL).weights == 107
    with pytest.raises(InvalidArgumentError, match="not of side 20"):
        ShapeSettings().to_native(20)
    with pytest.raises(InvalidArgumentError, match="3x3 do not fit on a board of side 2"):
        ShapeSettings().to_native(2)
    value = filled(5)
    for position in (Position(5, 7), Position(9)):
        with pytest.raises(InvalidArgumentError, match="boards of 5x5"):
            value.value(position)
        with pytest.raises(InvalidArgumentError, match="boards of 5x5"):
            shape_sum(value.shapes.native, value.native, position.native)


@pytest.mark.parametrize(
    "values", [{"sizes": ("4x4",)}, {"sizes": ()}, {"sizes": ("1x1", "1x1")}, {"sharing": "ldli"}, {"stage_length": -1}]
)
def test_wrong_settings(values: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        ShapeSettings(**values)


def test_names_as_in_the_source() -> None:
    shapes = LocalShapes(9)
    feature = shapes.parse_feature("E5 3x3 .X./XO./...")
    assert shapes.feature_name(feature) == "E5 3x3 .X./XO./..."
    position = Position.set_up(9, 9, black=["F5", "E4"], white=["F4"])
    weight, sign = shapes.parse_weight("E5 3x3 .X./XO./...")
    assert sign * (weight + 1) in shapes.active(position)
    # Black's corner stone is White's with the sign turned, wherever the corner is.
    assert shapes.parse_weight("A1 1x1 X") == (1, 1)
    assert shapes.parse_weight("J9 1x1 O") == (1, -1)
    assert shapes.weight_name(0) == "1x1 X"
    assert shapes.weight_name(1) == "A9 1x1 X"
    # In a corner the board has no symmetry that exchanges these colours; anywhere there is one.
    assert shapes.parse_weight("A9 2x2 XO/OX")[1] == 1
    assert shapes.parse_weight("2x2 XX/.O")[0] == shapes.parse_weight("2x2 .X/OX")[0]


@pytest.mark.parametrize(
    "settings",
    [
        ShapeSettings(),
        ShapeSettings(sizes=("2x1", "3x2")),
        ShapeSettings(sizes=("1x1", "2x2"), turns="each+both", stage_length=20),
        ShapeSettings(sizes=("1x1", "2x2"), sharing="none"),
    ],
)
def test_all_names_of_weights_can_be_read(settings: ShapeSettings) -> None:
    shapes = LocalShapes(5, settings)
    names = [shapes.weight_name(weight) for weight in range(shapes.weights)]
    assert len(set(names)) == shapes.weights
    assert [shapes.parse_weight(name) for name in names] == [(weight, 1) for weight in range(shapes.weights)]


def test_names_on_a_large_board() -> None:
    shapes = LocalShapes(9)
    rng = np.random.default_rng(1)
    for weight in rng.integers(shapes.weights, size=2000).tolist():
        assert shapes.parse_weight(shapes.weight_name(weight)) == (weight, 1)
    for feature in rng.integers(shapes.features, size=2000).tolist():
        assert shapes.parse_feature(shapes.feature_name(feature)) == feature


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a local shape"),
        ("E5", "not a local shape"),
        ("E5 2x2 X./", "not a local shape"),
        ("E5 2x2 X./...", "not a local shape"),
        ("E5 2x2 X./.Z", "not a local shape"),
        ("E1 2x2 X./..", "does not fit"),
        ("K5 2x2 X./..", "not on a board"),
        ("A5 3x3 X../.../...", "another size"),
        ("A5 2x2 ../..", "has no weight"),
        ("2x2 XO/OX", "has no weight"),
        ("A5 1x1 X to-play:X", "to-play:X"),
        ("A5 1x1 X stage:0", "of no stage"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        LocalShapes(5, SMALL).parse_weight(text)


def test_shapes_print_and_parse() -> None:
    shape = Shape(("X.", "O.", ".."), (1, 2), True, 3)
    assert format_shape(shape, 5) == "C4 2x3 X./O./.. to-play:X stage:3"
    assert parse_shape("C4 2x3 X./O./.. to-play:X stage:3", 5) == shape


# -- values


def test_weights_in_and_out() -> None:
    weights = ShapeWeights(4)
    assert weights.values().tolist() == [0, 0, 0, 0]
    weights.set(2, 0.5)
    taken = weights.values()
    taken[0] = 9
    assert weights.values().tolist() == [0, 0, 0.5, 0]
    with pytest.raises(InvalidArgumentError, match="no weight 4"):
        weights.set(4, 1.0)
    with pytest.raises(InvalidArgumentError, match="4 weights, not 3"):
        weights.assign(np.zeros(3, dtype=np.float32))
    with pytest.raises(InvalidArgumentError, match="finite"):
        weights.assign(np.array([0, np.nan, 0, 0], dtype=np.float32))
    with pytest.raises(InvalidArgumentError, match="13135 weights, not 4"):
        audit_shapes(LocalShapes(5).native, weights, Rng(1), 10)


def test_a_sum_by_hand() -> None:
    shapes = LocalShapes(5, SMALL)
    value = ShapeValue(shapes)
    assert value.value(Position(5)) == 0.5
    value.native.set(0, 0.25)  # a stone anywhere
    value.native.set(shapes.parse_weight("A5 1x1 X")[0], -1.0)  # in a corner
    assert value.sum(Position(5).play("A1")) == -0.75
    assert value.sum(Position(5).play("C3").play("E5")) == 1.0
    assert value.value(Position(5).play("C3")) == logistic(0.25)


@pytest.mark.parametrize("settings", [ShapeSettings(), ShapeSettings(turns="each"), ShapeSettings(stage_length=3)])
def test_afterstates_are_what_moves_lead_to(settings: ShapeSettings) -> None:
    value = filled(5, settings)
    rng = Rng(4)
    captures = 0
    position = Position(5)
    for move in position.native.playout_moves(rng, EyeRule.SIMPLE)[:60]:
        if position.native.illegality(move) is not None or position.is_over:
            break
        sums = value.afterstate_sums(position)
        assert set(sums) == set(position.legal_actions())
        for kind in (LookupKind.FROZEN, LookupKind.FUSED):
            assert value.afterstate_sums(position, kind) == pytest.approx(sums, abs=1e-5)
        for action, total in sums.items():
            after = position.play(action)
            captures += len(after.last_removed)
            assert total == pytest.approx(value.sum(after), abs=1e-5)
        assert value.afterstates(position)[Action(move)] == pytest.approx(value.value(position.play(move)), abs=1e-6)
        position = position.play(move)
    assert captures > 0


def test_stages() -> None:
    shapes = LocalShapes(5, ShapeSettings(sizes=("1x1",), sharing="li", stage_length=2))
    assert (shapes.stages, shapes.weights) == (25, 25)
    value = ShapeValue(shapes, np.arange(25))
    moves = ["A1", "pass", "B2", "pass", "C3"]
    position, sums = Position(5), []
    for move in moves:
        position = position.play(move)
        sums.append(value.sum(position))
    assert sums == [0.0, 1.0, 2.0, 4.0, 6.0]


# -- files


def test_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    for settings in (SMALL, ShapeSettings(sizes=("1x1", "3x2"), turns="each", stage_length=30)):
        value = filled(5, settings)
        header = WeightsHeader(5, settings, games=12, seed=3, configuration={"alpha": 0.1, "nested": {"a": [1, 2]}})
        save_weights(path, value, header)
        again, same = load_weights(path, board_size=5)
        assert same == header
        assert read_file(path).header == header
        assert again.shapes.settings == settings
        assert np.array_equal(again.weights, value.weights)
    first = path.read_bytes()
    save_weights(path, value, header)
    assert path.read_bytes() == first
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_run_may_keep_more_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    value, memory = filled(5), np.arange(107, dtype=np.float64)
    header = WeightsHeader(5, SMALL, state={"rng": [2**64 - 1, 1, 2, 3]})
    save_weights(path, value, header, {"memory": memory})
    file = read_file(path)
    assert file.header == header
    assert np.array_equal(file.arrays["memory"], memory)
    assert np.array_equal(load_weights(path)[0].weights, value.weights)
    content = bytearray(path.read_bytes())
    place = bytes(content).rindex(memory.tobytes()) + 80
    content[place] ^= 1
    path.write_bytes(bytes(content))
    refused(path, "checksum")
    with pytest.raises(InvalidArgumentError, match="cannot be called 'weights'"):
        save_weights(path, value, header, {"weights": memory})


def test_headers_of_other_shapes_and_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="other local shapes"):
        save_weights(tmp_path / "x", filled(5), WeightsHeader(7, SMALL))
    for wrong in (float("nan"), object()):
        with pytest.raises(InvalidArgumentError, match="cannot be written as JSON"):
            save_weights(tmp_path / "x", filled(5), WeightsHeader(5, SMALL, configuration={"alpha": wrong}))
    with pytest.raises(WeightsError, match="cannot be written"):
        save_weights(tmp_path / "missing" / "x", filled(5), WeightsHeader(5, SMALL))


def written(path: Path, weights: np.ndarray, **changes: object) -> Path:
    """A file whose checksum is right and whose content may be wrong."""
    from katachi.values.tensor_file import _canonical, _digest

    header = {**WeightsHeader(5, SMALL).to_json(), **changes}
    text = _canonical({**header, "checksum": _digest(header, {"weights": weights})})
    path.write_bytes(save({"weights": weights}, metadata={"katachi": text}))
    return path


def refused(path: Path, message: str) -> None:
    with pytest.raises(WeightsError, match=message) as caught:
        load_weights(path, board_size=5)
    assert str(path) in str(caught.value)


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    refused(path, "no such file")
    refused(tmp_path, "is a folder")
    path.write_bytes(b"")
    refused(path, "damaged or no file")
    path.write_bytes(b"no weights at all, but some text")
    refused(path, "damaged or no file")
    path.write_bytes(struct.pack("<Q", 2**40) + b"{}")
    refused(path, "damaged or no file")
    path.write_bytes(save({"weights": np.zeros(107, dtype=np.float32)}))
    refused(path, "not a file of Katachi's weights")
    good = np.zeros(107, dtype=np.float32)
    load_weights(written(path, good))
    refused(written(path, np.zeros(106, dtype=np.float32)), "106 weights where its features have 107")
    refused(written(path, good.astype(np.float64)), "float64")
    refused(written(path, good.reshape(1, 107)), "shape")
    for wrong in (np.nan, np.inf):
        bad = good.copy()
        bad[17] = wrong
        refused(written(path, bad), "weight 17 is")
    refused(written(path, good, format=2), "format is 2")
    refused(written(path, good, features={"sizes": ["9x9"]}), "features are unknown")
    refused(written(path, good, features=None), "header is incomplete")
    refused(written(path, good, board_size="5"), "header is wrong")
    refused(written(path, good, games=1.5), "header is wrong")
    refused(written(path, good, seed=-1), "header is wrong")
    refused(written(path, good, configuration=[]), "header is wrong")
    refused(written(path, good, board_size=7), "boards of 7x7, not of 5x5")
    with pytest.raises(WeightsError, match="107 weights where its features have 217"):
        load_weights(path)
    with pytest.raises(WeightsError, match="not of side 50"):
        load_weights(written(path, good, board_size=50))


def test_damage_anywhere_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    save_weights(path, filled(5), WeightsHeader(5, SMALL, games=100, configuration={"alpha": 0.25}))
    content = path.read_bytes()
    for end in (*range(0, len(content), 29), len(content) - 1):
        path.write_bytes(content[:end])
        refused(path, "damaged")
    for place in range(0, len(content), 3):
        broken = bytearray(content)
        broken[place] ^= 1 << place % 7
        path.write_bytes(bytes(broken))
        try:
            _value, header = load_weights(path)
        except WeightsError:
            continue
        # A blank of the container may be another blank.
        assert header == WeightsHeader(5, SMALL, games=100, configuration={"alpha": 0.25})


# -- looking at them


def test_largest_weights_and_differences() -> None:
    value = ShapeValue(LocalShapes(5, SMALL))
    value.native.set(value.shapes.parse_weight("2x2 XX/X.")[0], -0.5)
    value.native.set(value.shapes.parse_weight("2x2 XX/XX")[0], 0.25)
    family = next(each for each in value.shapes.families if each.name == "2x2 li")
    assert [row.value for row in largest_weights(value, family, 3)] == [-0.5, 0.25, 0.0]
    change = differences(value, ShapeValue(value.shapes))
    assert largest_weights(change, family, 1)[0].value == 0.5
    with pytest.raises(WeightsError, match="same shapes"):
        differences(value, filled(7))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "weights.safetensors"
    save_weights(path, filled(5, ShapeSettings()), WeightsHeader(5, games=10, seed=1, configuration={"alpha": 0.1}))
    return path


def run(*arguments: str | int | Path) -> str:
    result = CliRunner().invoke(app, ["weights", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_help_has_examples() -> None:
    for command in ("show", "top", "diff"):
        assert f"katachi weights {command} " in run(command, "--help").partition("Examples:")[2]


def test_weights_show(file: Path) -> None:
    text = run("show", file)
    assert "games                        10" in text
    assert "configuration.alpha          0.1" in text
    answer = json.loads(run("show", file, "--json"))
    assert (answer["board_size"], answer["games"], answer["weights"]) == (5, 10, 13_135)
    assert [row["weights"] for row in answer["families"]] == [1, 6, 8, 92, 1418, 11_610]


def test_weights_top(file: Path, tmp_path: Path) -> None:
    value, _header = load_weights(file)
    pictures = [tmp_path / "a.png", tmp_path / "b.svg"]
    answer = json.loads(run("top", file, "--count", 12, "--png", pictures[0], "--svg", pictures[1], "--json"))
    assert {name: len(rows) for name, rows in answer.items()} == {
        "1x1 li": 1, "1x1 ld": 6, "2x2 li": 8, "2x2 ld": 12, "3x3 li": 12, "3x3 ld": 12
    }  # fmt: skip
    largest = answer["3x3 ld"][0]
    family = value.weights[-11_610:]
    assert abs(largest["value"]) == pytest.approx(float(np.abs(family).max()))
    assert value.weights[value.shapes.parse_weight(largest["name"])[0]] == np.float32(largest["value"])
    assert pictures[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in pictures[1].read_bytes()
    assert "3x3 li" in run("top", file, "--family", "3x3 LI")
    with pytest.raises(KatachiError, match="no family '4x4'"):
        run("top", file, "--family", "4x4")


def test_weights_diff(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    save_weights(other, filled(5, ShapeSettings(), seed=2), WeightsHeader(5, games=20))
    assert "(10 games) to" in run("diff", file, other)
    answer = json.loads(run("diff", file, other, "--family", "1x1 li", "--json"))
    assert answer["games"] == [10, 20]
    first, second = (load_weights(path)[0].weights[0] for path in (file, other))
    assert answer["largest"]["1x1 li"][0]["value"] == pytest.approx(float(second - first))
