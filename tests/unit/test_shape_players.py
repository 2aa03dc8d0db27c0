"""Players on local shapes: what they choose, which weights they take, and what they refuse."""

from pathlib import Path

import numpy as np
import pytest

from katachi._core import Player, Rng
from katachi.arena.executor import LocalWorkers
from katachi.arena.match import MatchSettings, run_match
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, WeightsError
from katachi.core.types import Action
from katachi.features.local_shapes import LocalShapes, ShapeSettings
from katachi.games.go import GoGame, Position
from katachi.games.registry import make_game
from katachi.players.player import check_player, fingerprint, lasting_name
from katachi.players.registry import change_settings, make_player
from katachi.values.shape_value import ShapeValue, logistic
from katachi.values.shipped import shipped_sizes, shipped_weights
from katachi.values.weights_file import WeightsHeader, load_weights, save_weights

STONES = ShapeSettings(sizes=("1x1",), sharing="ld")


@pytest.fixture
def corner_lover(tmp_path: Path) -> Path:
    """Weights for 5x5 by which corners are worth most and the rest nothing."""
    shapes = LocalShapes(5, STONES)
    value = ShapeValue(shapes, np.zeros(shapes.weights, dtype=np.float32))
    weights = value.weights
    weights[shapes.parse_weight("A1 1x1 X")[0]] = 0.25
    value.assign(weights)
    save_weights(tmp_path / "corners.safetensors", value, WeightsHeader(5, STONES))
    return tmp_path / "corners.safetensors"


def test_the_best_afterstate_is_chosen_and_ties_are_broken_at_random(corner_lover: Path) -> None:
    game, player = GoGame(5), make_player(f"shapes:weights={corner_lover}")
    chosen = {player.choose(game, Position(5), Rng(seed)).action for seed in range(60)}
    assert chosen == {Action(0), Action(4), Action(20), Action(24)}
    decision = player.choose(game, Position(5), Rng(1))
    assert decision.value == logistic(0.25)
    position = Position(5).play("A1").play("E5").play("A5").play("E1")
    assert position.to_play == Player.BLACK
    assert player.choose(game, position, Rng(2)).value == 0.5, "nothing is left to gain"
    white = player.choose(game, Position(5).play("A1"), Rng(3))
    assert white.action in chosen
    assert white.value == 0.5


def test_alpha_beta_breaks_ties_at_random_too(corner_lover: Path) -> None:
    game, player = GoGame(5), make_player(f"alpha-beta:weights={corner_lover},depth=2")
    decisions = [player.choose(game, Position(5), Rng(seed)) for seed in range(40)]
    assert {decision.action for decision in decisions} == {Action(0), Action(4), Action(20), Action(24)}
    assert {decision.value for decision in decisions} == {0.5}


def test_epsilon_is_the_share_of_random_moves(corner_lover: Path) -> None:
    game, player = GoGame(5), make_player(f"shapes:weights={corner_lover},epsilon=0.5")
    corners = sum(player.choose(game, Position(5), Rng(seed)).action in (0, 4, 20, 24) for seed in range(400))
    assert 0.5 < corners / 400 < 0.66  # 0.5 + 0.5 * 4 / 25


def test_weights_come_with_the_package() -> None:
    assert shipped_sizes() == [5, 7, 9]
    for side in shipped_sizes():
        value, header = load_weights(shipped_weights(side), board_size=side)
        assert (header.games, header.seed, header.state) == (1_000_000, 1, {})
        assert value.shapes.settings == ShapeSettings()
        for spec in ("shapes", "alpha-beta"):
            check_player(make_player(spec), GoGame(side))


def test_what_there_are_no_weights_for(tmp_path: Path) -> None:
    for spec in ("shapes", "alpha-beta"):
        with pytest.raises(WeightsError, match="for 13x13, only for 5x5, 7x7, 9x9: learn some"):
            check_player(make_player(spec), GoGame(13))
        with pytest.raises(InvalidArgumentError, match="square boards, not for 9x5"):
            check_player(make_player(spec), GoGame((9, 5)))
    with pytest.raises(InvalidArgumentError, match="are for Go, not for tic-tac-toe"):
        check_player(make_player("shapes"), make_game("tic-tac-toe"))
    with pytest.raises(InvalidArgumentError, match="are for Go, not for tic-tac-toe"):
        check_player(make_player(f"alpha-beta:weights={shipped_weights(9)}"), make_game("tic-tac-toe"))
    check_player(make_player("alpha-beta"), make_game("tic-tac-toe"))
    check_player(make_player("alpha-beta:weights=none"), GoGame(13))
    with pytest.raises(WeightsError, match="for boards of 9x9, not of 7x7"):
        check_player(make_player(f"shapes:weights={shipped_weights(9)}"), GoGame(7))
    (tmp_path / "cut.safetensors").write_bytes(shipped_weights(5).read_bytes()[:-100])
    for name, words in (("cut.safetensors", "damaged"), ("nothing", "no such file"), (".", "is a folder")):
        with pytest.raises(WeightsError, match=words):
            check_player(make_player(f"shapes:weights={tmp_path / name}"), GoGame(5))
    for spec in ("shapes:weights=''", "shapes:epsilon=2", "alpha-beta:depth=0", "alpha-beta:iterative=false,nodes=9"):
        with pytest.raises(SettingsError):
            make_player(spec)


def test_a_player_keeps_its_weights_and_a_run_does_not_go_on_with_others(corner_lover: Path, tmp_path: Path) -> None:
    game, player = GoGame(5), make_player(f"shapes:weights={corner_lover}")
    before = fingerprint(player, game)
    settings = MatchSettings(first=player.name, second="random", games=2, seed=1, options={"size": 5})
    run_match(settings, folder=tmp_path / "run")
    value, header = load_weights(corner_lover)
    value.assign(value.weights * 2)
    save_weights(corner_lover, value, header)
    again = make_player(player.name)
    assert player.choose(game, Position(5), Rng(1)).value == logistic(0.25)
    assert again.choose(game, Position(5), Rng(1)).value == logistic(0.5)
    assert before == fingerprint(player, game) != fingerprint(again, game)
    assert fingerprint(make_player("random"), game) is None
    with pytest.raises(InvalidArgumentError, match=r"other settings.*\n.*files: "):
        run_match(settings.replace(games=4), folder=tmp_path / "run")


def test_linear_weights_have_linear_values(tmp_path: Path) -> None:
    shapes = LocalShapes(5, STONES)
    value = ShapeValue(shapes, np.full(shapes.weights, 0.125, dtype=np.float32))
    header = WeightsHeader(5, STONES, configuration={"td": {"head": "linear", "linear_offset": 0.5}})
    save_weights(tmp_path / "linear.safetensors", value, header)
    read, _ = load_weights(tmp_path / "linear.safetensors")
    assert read.value(Position(5).play("A1")) == 0.625
    assert read.chance(-3.0) == 0.0
    for spec in ("shapes", "alpha-beta"):
        player = make_player(f"{spec}:weights={tmp_path / 'linear.safetensors'}")
        if spec == "alpha-beta":
            player = change_settings(player, {"depth": 1})
        assert player.choose(GoGame(5), Position(5), Rng(1)).value == 0.625


def test_names(corner_lover: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corner_lover.parent)
    for spec in ("shapes:weights=corners.safetensors,epsilon=0.1", "alpha-beta:weights=corners.safetensors,depth=3"):
        player = make_player(spec)
        assert player.name == spec
        assert str(corner_lover) in lasting_name(player)
        assert lasting_name(make_player(lasting_name(player))) == lasting_name(player)
    assert make_player("shapes").name == lasting_name(make_player("shapes")) == "shapes"
    changed = change_settings(make_player("alpha-beta"), {"depth": 6, "null_move": 2, "killers": False})
    assert changed.name == "alpha-beta:depth=6,killers=false,null_move=2"


@pytest.mark.parametrize("budget", ["nodes=500", "seconds=0.05"])
def test_budgets_end_a_deep_search(budget: str) -> None:
    game, player = GoGame(9), make_player(f"alpha-beta:depth=40,{budget}")
    decision = player.choose(game, Position(9), Rng(1))
    assert decision.action in game.candidates(Position(9))
    if budget.startswith("nodes"):
        assert 500 <= decision.simulations <= 508


def test_the_shipped_weights_beat_random_and_each_other(tmp_path: Path) -> None:
    for spec, other, bar in (("shapes", "random", 0.9), ("alpha-beta:depth=3", "shapes", 0.6)):
        settings = MatchSettings(
            first=spec,
            second=other,
            games=40,
            seed=3,
            options={"size": 7, "komi": 7.5, "rules": "cgos"},
            opening_plies=2,
        )
        result = run_match(settings, executor=LocalWorkers(2))
        assert result.score.win_rate >= bar
        assert result.fouls[spec] == {}


def test_a_damaged_file_is_an_error_of_the_match_and_not_a_lost_game(tmp_path: Path) -> None:
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"not weights")
    settings = MatchSettings(first=f"shapes:weights={bad}", second="random", games=2, seed=1)
    with pytest.raises(KatachiError, match=r"bad\.safetensors"):
        run_match(settings)
