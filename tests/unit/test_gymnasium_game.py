"""Environments of Gymnasium as games: snapshots come back, chance is ours, and what cannot work is refused by name."""

import sys
import threading
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from katachi import (
    Action,
    FlatMonteCarlo,
    GameContractError,
    IllegalMoveError,
    InvalidArgumentError,
    Limit,
    Rng,
    TreeSearch,
    UnknownNameError,
    check_game,
    make_game,
)
from katachi.games import gymnasium
from katachi.games.gymnasium_game import GymnasiumGame
from tests.programs import require

if find_spec("gymnasium") is not None:
    import gymnasium as gym
    from gymnasium.spaces import Box, Discrete

    class Walk(gym.Env[int, int]):  # type: ignore[misc]
        """Left or right on a line from 0; the ends at -3 and 3 pay -1 and 1."""

        def __init__(self, start: int = 0) -> None:
            self.action_space = Discrete(2, start=start)
            self.observation_space = Discrete(7, start=-3)
            self.place = 0

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:  # noqa: ANN401
            super().reset(seed=seed)
            self.place = 0
            return self.place, {}

        def move(self, action: int) -> int:
            return 2 * int(action - self.action_space.start) - 1

        def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
            self.place += self.move(action)
            return self.place, self.place / 3 if abs(self.place) == 3 else 0.0, abs(self.place) == 3, False, {}

    class Saving(Walk):
        """One that cannot be copied, but restored."""

        def __init__(self) -> None:
            super().__init__()
            self.handle = threading.Lock()

        def get_state(self) -> int:
            return self.place

        def set_state(self, place: int) -> None:
            self.place = place

    class Forgetful(Saving):
        def set_state(self, place: int) -> None:
            pass

    class Failing(Saving):
        def set_state(self, place: int) -> None:
            raise OSError("no disk")

    class Stuck(Walk):
        """Neither copied nor restored."""

        def __init__(self) -> None:
            super().__init__()
            self.handle = threading.Lock()

    class Windy(Walk):
        """The wind turns a move round in a quarter of the steps."""

        def move(self, action: int) -> int:
            return super().move(action) * (-1 if self.np_random.random() < 0.25 else 1)

    class Sudden(Walk):
        """Long without chance, and then not."""

        def __init__(self) -> None:
            super().__init__()
            self.moves = 0

        def move(self, action: int) -> int:
            self.moves += 1
            if self.moves > 500:
                self.np_random.random()
            return 1 if self.moves % 2 else -1

    class Masked(Walk):
        def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
            *rest, _ = super().step(action)
            return *rest, {"action_mask": np.array([0, 1], dtype=np.int8)}  # type: ignore[return-value]

    class Shown(Walk):
        render_mode = "human"

    class Smooth(Walk):
        def __init__(self) -> None:
            super().__init__()
            self.action_space = Box(-1.0, 1.0)


@pytest.fixture(autouse=True)
def _gymnasium() -> None:
    require(find_spec("gymnasium"), "Gymnasium is not installed (pip install 'katachi[gymnasium]')")


TOYS: list[tuple[str, dict[str, Any]]] = [
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("CliffWalking-v1", {"max_length": 60}),
    ("Taxi-v4", {"max_episode_steps": 50}),
    ("Blackjack-v1", {}),
]


@pytest.mark.parametrize(("name", "options"), TOYS)
def test_the_contract_is_kept(name: str, options: dict[str, Any]) -> None:
    report = check_game(gymnasium(name, **options), games=6, seed=1)
    assert report.games == 6
    assert report.cut == 0


@pytest.mark.parametrize(("name", "options"), TOYS)
@pytest.mark.parametrize("make", [FlatMonteCarlo, TreeSearch])
def test_searches_run_and_repeat_themselves(
    name: str, options: dict[str, Any], make: type[FlatMonteCarlo] | type[TreeSearch]
) -> None:
    game = gymnasium(name, **options)
    seen = []
    for _ in range(2):
        search = make(game, game.initial_state(), rng=Rng(3))
        search.run(Limit(simulations=40))
        seen.append([(root.action, root.visits, root.value) for root in search.root_actions()])
    assert seen[0] == seen[1]
    assert sum(row[1] for row in seen[0]) == 40


@pytest.mark.parametrize(("name", "options"), [TOYS[1], TOYS[2], TOYS[3], ("CartPole-v1", {})])
def test_steps_are_the_environments_own(name: str, options: dict[str, Any]) -> None:
    game = gymnasium(name, seed=7, **options)
    env = gym.make(name, **{key: value for key, value in options.items() if key != "max_length"})
    for seed in range(5):
        rng = Rng(seed)
        observation, _ = env.reset(seed=7)
        state, over = game.initial_state(), False
        assert np.array_equal(state.observation, observation)
        while not over:
            action = rng.choice(game.legal_actions(state))
            state, reward = game.play(state, action)
            observation, expected, terminated, truncated, _ = env.step(int(action))
            over = terminated or truncated or state.steps == options.get("max_length")
            assert np.array_equal(state.observation, observation)
            assert (reward, game.is_terminal(state)) == (expected, over)


def test_facts() -> None:
    frozen = gymnasium("FrozenLake-v1").facts
    assert (frozen.players, frozen.action_space, frozen.max_length, frozen.deterministic) == (1, 4, 100, False)
    assert gymnasium("FrozenLake-v1", is_slippery=False).facts.deterministic, "as its transition table says"
    assert gymnasium("CartPole-v1").facts.deterministic, "as its steps show"
    assert not gymnasium("Blackjack-v1").facts.deterministic
    assert gymnasium("Taxi-v4").facts.deterministic
    assert not gymnasium("Taxi-v4", fickle_passenger=True).facts.deterministic
    assert not gymnasium("Taxi-v4", is_rainy=True).facts.deterministic
    assert gymnasium("CliffWalking-v1").facts.max_length is None
    assert gymnasium("CartPole-v1", max_length=30, return_bounds=(0, 30)).facts.return_bounds == (0, 30)


def test_chance_is_drawn_by_its_probabilities_from_our_generator() -> None:
    game = gymnasium("FrozenLake-v1")
    counts: dict[int, int] = {}
    rng = Rng(1)
    for _ in range(900):
        state, _ = game.play(game.initial_state(), Action(1), rng)
        counts[int(state.observation)] = counts.get(int(state.observation), 0) + 1
    assert sorted(counts) == [0, 1, 4], "down, or slipping to either side"
    assert all(abs(count - 300) < 5 * 15 for count in counts.values()), counts
    again = {int(game.play(game.initial_state(), Action(1), Rng(5))[0].observation) for _ in range(5)}
    assert len(again) == 1, "one Rng, one step"
    with pytest.raises(InvalidArgumentError, match="game of chance: play needs an Rng"):
        game.play(game.initial_state(), Action(1))


def test_a_search_walks_over_the_frozen_lake() -> None:
    game, rng = gymnasium("FrozenLake-v1", is_slippery=False, return_bounds=(0, 1), max_length=20), Rng(2)
    state, total = game.initial_state(), 0.0
    while not game.is_terminal(state):
        search = TreeSearch(game, state, rng=rng.split("move", state.steps))
        search.run(Limit(simulations=800))
        state, reward = game.play(state, search.best_by_value(rng))
        total += reward
    assert total == 1


def test_the_cliff() -> None:
    game = gymnasium("CliffWalking-v1", max_length=100)
    state, total = game.initial_state(), 0.0
    for action in [0, *[1] * 11, 2]:
        assert not game.is_terminal(state)
        state, reward = game.play(state, Action(action))
        total += reward
    assert game.is_terminal(state)
    assert total == -13


def test_masks_are_candidates() -> None:
    game = GymnasiumGame(Masked(), max_length=10)
    state, _ = game.play(game.initial_state(), Action(0))
    assert list(game.legal_actions(state)) == [0, 1]
    assert list(game.candidates(state)) == [1]
    assert len(gymnasium("Taxi-v4").candidates(gymnasium("Taxi-v4").initial_state())) < 6


def test_numbers_of_actions_begin_anywhere() -> None:
    game = GymnasiumGame(Walk(start=5), max_length=20)
    check_game(game, games=5)
    state = game.initial_state()
    for _ in range(3):
        state, reward = game.play(state, Action(1))
    assert (state.observation, reward, state.over) == (3, 1.0, True)


def test_the_longest_game_counts_the_steps_of_others() -> None:
    game = GymnasiumGame(Walk(), max_length=5)
    env = Walk()
    env.reset()
    assert not game.is_terminal(game.state_of(env, steps=4))
    assert game.is_terminal(game.state_of(env, steps=5))
    with pytest.raises(InvalidArgumentError, match="max_length is a whole number, not '5'"):
        GymnasiumGame(Walk(), max_length="5")  # type: ignore[arg-type]


def test_an_environment_that_restores_itself() -> None:
    env = gym.wrappers.TimeLimit(gym.wrappers.TransformReward(Saving(), lambda reward: 2 * reward), 5)
    game = gymnasium(env, max_length=5)
    check_game(game, games=10)
    state = game.initial_state()
    for _ in range(3):
        state, reward = game.play(state, Action(0))
    assert (state.observation, reward) == (-3, -2.0)
    state = game.initial_state()
    for action in (0, 1, 0, 1, 0):
        assert not state.over
        state, _ = game.play(state, Action(action))
    assert state.over, "the wrapper's count came back, too"


def test_where_another_environment_stands() -> None:
    env = gym.make("FrozenLake-v1", is_slippery=False)
    game = gymnasium("FrozenLake-v1", is_slippery=False)
    env.reset(seed=1)
    for action in (2, 2, 1):
        env.step(action)
    state = game.state_of(env, observation=6, steps=3)
    following, _ = game.play(state, Action(1))
    assert following.observation == 10
    assert env.unwrapped.s == 6, "the environment itself has not moved"
    before = env.unwrapped.np_random.bit_generator.state
    game.uniform_playout(state, Rng(1))
    assert env.unwrapped.np_random.bit_generator.state == before, "nor drawn a number"
    with pytest.raises(InvalidArgumentError, match="is no environment of gymnasium:FrozenLake-v1"):
        game.state_of(gym.make("CartPole-v1"))


def test_an_environment_may_go_on_after_the_game_was_made_of_it() -> None:
    env = Walk()
    game = GymnasiumGame(env, max_length=20)
    for action in (1, 1):
        env.step(action)
    assert game.play(game.initial_state(), Action(0))[0].observation == -1
    assert game.play(game.state_of(env), Action(1))[1] == 1


def test_other_wrappers_remember_other_things() -> None:
    game = GymnasiumGame(gym.wrappers.TimeLimit(Saving(), 5), max_length=5)
    with pytest.raises(InvalidArgumentError, match="is wrapped otherwise than gymnasium:Saving"):
        game.state_of(Saving())


def test_chance_that_comes_late_is_noticed() -> None:
    game = GymnasiumGame(Sudden(), max_length=1000)
    assert game.facts.deterministic
    with pytest.raises(GameContractError, match="drew random numbers after 200 steps without: say deterministic=False"):
        game.uniform_playout(game.initial_state(), Rng(1))
    check_game(GymnasiumGame(Sudden(), max_length=600, deterministic=False), games=2)


def test_wind_is_noticed_at_once() -> None:
    game = GymnasiumGame(Windy(), max_length=50)
    assert not game.facts.deterministic
    check_game(game, games=10)


def test_illegal_actions() -> None:
    game = gymnasium("FrozenLake-v1", is_slippery=False)
    with pytest.raises(IllegalMoveError, match="illegal action 4 in gymnasium:FrozenLake-v1: step 0: 0"):
        game.play(game.initial_state(), Action(4))
    state = game.initial_state()
    for action in (1, 2):
        state, _ = game.play(state, Action(action))
    assert game.is_terminal(state)
    with pytest.raises(IllegalMoveError, match="step 2, over: 5"):
        game.play(state, Action(0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        ("Pendulum-v1", r"has the action space Box.*: only Discrete ones"),
        (lambda: Smooth(), r"gymnasium:Smooth has the action space Box"),
        (lambda: Stuck(), r"neither copied \(TypeError.*\) nor restored: it has none of clone_state/restore_state"),
        (lambda: Failing(), r"cannot restore what it saved: OSError\('no disk'\)"),
        (lambda: Forgetful(), r"does not come back to a saved state"),
        (lambda: 3, r"3 is no environment"),
        (lambda: Shown(), r"gymnasium:Shown has the render mode human"),
    ],
)
def test_what_cannot_work_is_refused(make: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InvalidArgumentError, match=message):
        gymnasium(make if isinstance(make, str) else make())


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("FrozenLak-v1", {}, UnknownNameError, "no environment called 'FrozenLak-v1': .*FrozenLake"),
        ("FrozenLake-v99", {}, UnknownNameError, "no environment called 'FrozenLake-v99'"),
        ("FrozenLake-v1", {"slippery": False}, InvalidArgumentError, "cannot make 'FrozenLake-v1' with .*slippery"),
        ("FrozenLake-v1", {"shared": ["Q"]}, InvalidArgumentError, "no attribute 'Q' to share"),
    ],
)
def test_bad_names(name: str, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gymnasium(name, **options)


def test_options_are_for_names() -> None:
    with pytest.raises(InvalidArgumentError, match="options are for an environment by name"):
        gymnasium(Walk(), is_slippery=True)


def test_by_name_in_the_registry() -> None:
    game = make_game("gymnasium:FrozenLake-v1", is_slippery=False, max_length=30)
    assert game.name == "gymnasium:FrozenLake-v1"
    assert (game.facts.deterministic, game.facts.max_length) == (True, 30)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(InvalidArgumentError, match=r"pip install 'katachi\[gymnasium\]'"):
        gymnasium("FrozenLake-v1")
