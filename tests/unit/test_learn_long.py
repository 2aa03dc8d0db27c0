"""A long-term memory that learns from the games that are played (Silver 2009, Algorithm 6)."""

from pathlib import Path

import numpy as np
import pytest

from katachi import Rng, _core, play_match
from katachi.core.errors import InvalidArgumentError, SettingsError
from katachi.features.local_shapes import LocalShapes
from katachi.games.go import GoGame, Position, Rules
from katachi.gtp.go_session import GoSession
from katachi.gtp.server import Engine
from katachi.learning.real_games import learn_from_game, positions_of
from katachi.learning.td_settings import TdSettings
from katachi.players.registry import make_player
from katachi.players.td_player import TdPlayer
from katachi.reference.shape_learning import ShapeLearningTwin
from katachi.values.shape_value import ShapeValue, logistic
from katachi.values.shipped import shipped_weights
from katachi.values.weights_file import load_weights, read_file

GAME = GoGame(5)
MOVES = ("C3", "B3", "B2", "C2", "pass", "D2")
SHIPPED = load_weights(shipped_weights(5), board_size=5)[0]


def played(*moves: str) -> Position:
    state = Position(5)
    for move in moves:
        state = state.play(move)
    return state


def learner(spec: str = "dyna2:sims=5,learn_long=0.3") -> TdPlayer:
    player = make_player(spec)
    assert isinstance(player, TdPlayer)
    return player


def long_term(player: TdPlayer, path: Path) -> np.ndarray:
    """What it would write."""
    player.save_long_term(GAME, path)
    return read_file(path).weights


def play_a_game(player: TdPlayer, outcome: float | None = 1.0) -> None:
    player.new_game()
    player.choose(GAME, played(*MOVES[:2]), Rng(1))
    player.choose(GAME, played(*MOVES[:4]), Rng(2))
    player.end_game(GAME, played(*MOVES), outcome)


class TestRule:
    def test_positions_of_a_game(self) -> None:
        end = played("C3", "pass", "pass")
        assert positions_of(end) == [Position(5), played("C3"), played("C3", "pass")], "the end has no value"
        assert positions_of(played("C3")) == [Position(5), played("C3")]
        assert positions_of(Position(5)) == [Position(5)]

    @pytest.mark.parametrize("outcome", [1.0, 0.0, 0.5])
    def test_it_is_that_of_the_slow_twin(self, outcome: float) -> None:
        value = ShapeValue(SHIPPED.shapes, SHIPPED.weights)
        learn_from_game(value, played(*MOVES), outcome, 0.3)
        twin = ShapeLearningTwin(TdSettings(alpha=0.3, update_mode="online"), SHIPPED.shapes.weights)
        twin.theta = [float(weight) for weight in SHIPPED.weights]
        twin.learn_game([value.shapes.active(state).tolist() for state in positions_of(played(*MOVES))], outcome)
        np.testing.assert_allclose(value.weights, twin.theta, atol=1e-6)
        assert np.abs(value.weights - SHIPPED.weights).max() > 1e-4

    def test_the_last_two_states_of_a_game_without_outcome_learn_nothing(self) -> None:
        """By hand: a stone is worth 1, the first of two learns from both, and the empty board has nothing to learn."""
        shapes = LocalShapes(5)
        value = ShapeValue(shapes)
        value.native.set(shapes.parse_weight("1x1 X")[0], 1.0)
        expected = value.weights
        learn_from_game(value, played("C3", "pass"), None, 0.1)
        np.testing.assert_array_equal(value.weights, expected)
        learn_from_game(value, played("C3", "pass", "B2"), None, 0.1)
        active = shapes.active(played("C3")).tolist()
        for entry in active:
            expected[abs(entry) - 1] += np.sign(entry) * 0.1 / len(active) * (logistic(2.0) - logistic(1.0))
        np.testing.assert_allclose(value.weights, expected, atol=1e-7)

    def test_steps_need_online_learning(self) -> None:
        native = _core.TdLearner(TdSettings().to_native(), 3)
        with pytest.raises(InvalidArgumentError, match="online"):
            native.learn_steps([[1], [2]])


class TestPlayer:
    @pytest.mark.parametrize("outcome", [1.0, 0.0, None])
    @pytest.mark.parametrize("spec", ["dyna2:sims=5,learn_long=0.3", "hybrid:sims=5,learn_long=0.3,memories=separate"])
    def test_a_game_teaches_what_the_learner_would(self, spec: str, outcome: float | None, tmp_path: Path) -> None:
        player = learner(spec)
        play_a_game(player, outcome)
        options = TdSettings(alpha=0.3, update_mode="online").to_native()
        native = _core.TdLearner(options, SHIPPED.shapes.weights)
        native.weights = SHIPPED.weights
        states = [SHIPPED.shapes.active(played(*MOVES[:count])).tolist() for count in range(len(MOVES) + 1)]
        if outcome is None:
            native.learn_steps(states)
        else:
            native.learn_game(states, outcome)
        np.testing.assert_array_equal(long_term(player, tmp_path / "w.safetensors"), native.weights)

    def test_without_a_step_nothing_is_learnt(self, tmp_path: Path) -> None:
        player = learner("dyna2:sims=5")
        memory = player.memory(GAME)
        play_a_game(player)
        np.testing.assert_array_equal(long_term(player, tmp_path / "w.safetensors"), SHIPPED.weights)
        assert player.memory(GAME) is memory

    def test_the_game_that_goes_on_keeps_its_long_term_memory(self) -> None:
        """By simulations and moves of a player that does not learn from real games."""
        player, frozen = learner(), learner("dyna2:sims=5")
        for count in (2, 4):
            state = played(*MOVES[:count])
            assert player.choose(GAME, state, Rng(count)) == frozen.choose(GAME, state, Rng(count))

    @pytest.mark.parametrize("memories", ["one-table", "separate"])
    def test_the_next_game_begins_with_what_was_learnt(self, memories: str) -> None:
        player = learner(f"dyna2:sims=5,learn_long=0.3,memories={memories}")
        play_a_game(player)
        value = ShapeValue(SHIPPED.shapes, SHIPPED.weights)
        learn_from_game(value, played(*MOVES), 1.0, 0.3)
        state = played("C3")
        long = player.memory(GAME).long_term
        assert long is not None
        assert long.sum(state.native) == value.frozen().sum(state.native) != SHIPPED.frozen().sum(state.native)
        assert player.memory(GAME).evaluator().sum(state.native) == pytest.approx(long.sum(state.native), abs=1e-4)

    def test_a_game_that_it_has_not_thought_in_teaches_nothing(self, tmp_path: Path) -> None:
        player = learner()
        player.end_game(GAME, played(*MOVES), 1.0)
        player.choose(GAME, played("C3"), Rng(1))
        player.new_game()
        player.end_game(GAME, played(*MOVES), 1.0)
        np.testing.assert_array_equal(long_term(player, tmp_path / "w.safetensors"), SHIPPED.weights)

    def test_an_end_is_told_once(self, tmp_path: Path) -> None:
        once, twice = learner(), learner()
        for player in (once, twice):
            play_a_game(player)
        twice.end_game(GAME, played(*MOVES), 1.0)
        assert twice.save_long_term(GAME, tmp_path / "w.safetensors") == 1

    def test_boards_have_memories_of_their_own(self, tmp_path: Path) -> None:
        player = learner()
        play_a_game(player)
        assert player.save_long_term(GoGame(7), tmp_path / "seven.safetensors") == 0
        assert player.save_long_term(GAME, tmp_path / "five.safetensors") == 1

    @pytest.mark.parametrize("spec", ["td-search:sims=5,learn_long=0.1", "dyna2:sims=5,learn_long=-0.1"])
    def test_what_makes_no_sense_is_refused(self, spec: str) -> None:
        with pytest.raises(SettingsError, match="learn_long"):
            make_player(spec)


class TestFile:
    def test_it_says_where_weights_come_from_and_can_be_played_with(self, tmp_path: Path) -> None:
        first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
        player = learner()
        play_a_game(player)
        play_a_game(player, 0.0)
        assert player.save_long_term(GAME, first) == 2
        header = read_file(first).header
        base = read_file(shipped_weights(5)).header
        assert header.games == base.games + 2
        assert [entry["games"] for entry in header.configuration["real_games"]] == [2]
        later = learner(f"dyna2:sims=5,learn_long=0.3,weights={first}")
        play_a_game(later)
        assert later.save_long_term(GAME, second) == 1
        header = read_file(second).header
        assert header.games == base.games + 3
        assert [entry["games"] for entry in header.configuration["real_games"]] == [2, 1]
        play_a_game(player)
        np.testing.assert_array_equal(
            long_term(player, tmp_path / "w.safetensors"), read_file(second).weights
        )  # fmt: skip

    def test_who_has_none(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidArgumentError, match="no long-term memory"):
            learner("td-search:sims=1").save_long_term(GAME, tmp_path / "w.safetensors")


def answer(engine: Engine, line: str) -> str:
    return (engine.answer(line) or b"").decode().strip()


class TestOverGtp:
    def engine(self, spec: str = "dyna2:sims=5,learn_long=0.3") -> Engine:
        return Engine(GoSession(make_player(spec), 1, size=(5, 5), rules=Rules.named("cgos")))

    def test_games_are_learnt_from_and_written(self, tmp_path: Path) -> None:
        engine, path = self.engine(), tmp_path / "learnt.safetensors"
        for line in ("play b C3", "genmove w", "play b pass", "play w pass"):
            assert answer(engine, line).startswith("=")
        assert answer(engine, f"katachi-save_weights {path}") == "= 0", "the game is not closed yet"
        end = engine.session.position  # type: ignore[attr-defined]
        assert answer(engine, "clear_board").startswith("=")
        assert answer(engine, f"katachi-save_weights {path}") == "= 1"
        value = ShapeValue(SHIPPED.shapes, SHIPPED.weights)
        learn_from_game(value, end, float(end.score() > 0), 0.3)
        np.testing.assert_array_equal(read_file(path).weights, value.weights)

    def test_a_server_says_when_a_game_is_over(self, tmp_path: Path) -> None:
        engine, path = self.engine(), tmp_path / "learnt.safetensors"
        for line in ("genmove b", "kgs-game_over"):
            assert answer(engine, line).startswith("=")
        assert answer(engine, f"katachi-save_weights {path}") == "= 1"
        assert answer(engine, "clear_board") == "="
        assert answer(engine, f"katachi-save_weights {path}") == "= 1", "it is learnt from once"

    def test_other_settings_keep_what_was_learnt(self, tmp_path: Path) -> None:
        engine, path = self.engine(), tmp_path / "learnt.safetensors"
        for line in ("genmove b", "clear_board", "kata-set-param sims 7", "clear_cache"):
            assert answer(engine, line).startswith("=")
        assert answer(engine, f"katachi-save_weights {path}") == "= 1"
        assert answer(engine, "kata-set-param weights none").startswith("?"), "learn_long needs them"
        assert answer(engine, 'kata-set-params {"weights": "none", "learn_long": 0}').startswith("=")
        assert "no long-term memory" in answer(engine, f"katachi-save_weights {path}")

    def test_a_regular_thought_knows_nothing_of_it(self) -> None:
        engine = self.engine()
        before = answer(engine, "reg_genmove b")
        for line in ("genmove b", "clear_board"):
            answer(engine, line)
        assert answer(engine, "reg_genmove b") == before

    def test_mistakes(self, tmp_path: Path) -> None:
        assert "no long-term memory" in answer(self.engine("random"), f"katachi-save_weights {tmp_path / 'w'}")
        assert "cannot be written" in answer(self.engine(), f"katachi-save_weights {tmp_path / 'no' / 'folder' / 'w'}")


class TestArena:
    def test_games_of_a_match_teach_only_if_asked(self, tmp_path: Path) -> None:
        player = learner()
        play_match(GAME, player, make_player("random"), 2, 1, max_length=6)
        np.testing.assert_array_equal(long_term(player, tmp_path / "w.safetensors"), SHIPPED.weights)
        play_match(GAME, player, make_player("random"), 2, 1, max_length=6, teaches=True)
        assert player.save_long_term(GAME, tmp_path / "w.safetensors") == 2
