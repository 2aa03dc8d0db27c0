"""Simulation balancing on small games that are enumerated: definitions, every gradient, the need for two samples."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from katachi._core import GameFacts, Player, Rng
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import BaseGame
from katachi.planning.error_game import ErrorGame
from katachi.planning.policy_gradient import SoftmaxPolicy
from katachi.planning.simulation_balancing import (
    balancing_step,
    bias,
    full_imbalance,
    imbalance,
    imbalance_gradient,
    log_likelihood,
    log_likelihood_gradient,
    lookahead,
    minimax,
    regression_step,
    simulate,
    strength,
    two_step_step,
)

Vector = NDArray[np.float64]
Path = tuple[int, ...]

# Outcomes of player 0; players move in turn, and lines have different lengths.
TREE = [[[1.0, 0.0, 1.0], [0.0, [1.0, 0.0]]], [1.0, [[0.0, 1.0], 0.0, 1.0]], [[0.0, [0.0, 1.0]], [1.0, 0.0, 0.0]]]
SIZE = 4


class TreeGame(BaseGame[Path]):
    """A state is the way to it."""

    name = "tree"
    facts = GameFacts(players=2, action_space=3, return_bounds=(0, 1), deterministic=True, final_reward=True)

    def at(self, state: Path) -> list | float:  # type: ignore[type-arg]
        node: list | float = TREE  # type: ignore[type-arg]
        for step in state:
            assert isinstance(node, list)
            node = node[step]
        return node

    def initial_state(self) -> Path:
        return ()

    def is_terminal(self, state: Path) -> bool:
        return isinstance(self.at(state), float)

    def legal_actions(self, state: Path) -> Sequence[Action]:
        node = self.at(state)
        return [Action(i) for i in range(len(node))] if isinstance(node, list) else []

    def to_play(self, state: Path) -> Player:
        return Player.BLACK if len(state) % 2 == 0 else Player.WHITE

    def play(self, state: Path, action: Action) -> tuple[Path, float]:
        following = (*state, int(action))
        node = self.at(following)
        return following, node if isinstance(node, float) else 0.0


def features(state: Path, action: Action) -> Vector:
    rng = Rng(sum((step + 1) * 7**i for i, step in enumerate((*state, int(action)))))
    return np.array([rng.normal() for _ in range(SIZE)])


def some_policy(seed: int = 3) -> SoftmaxPolicy:
    policy = SoftmaxPolicy(TreeGame(), features, SIZE)
    rng = Rng(seed)
    policy.weights = np.array([0.5 * rng.normal() for _ in range(SIZE)])
    return policy


STATES: list[Path] = [(), (0,), (1,), (2,), (0, 1), (1, 1), (1, 1, 0)]


def slope(policy: SoftmaxPolicy, value: Callable[[], float], small: float = 1e-5) -> Vector:
    """By central differences."""
    weights, result = policy.weights.copy(), np.zeros(SIZE)
    for i in range(SIZE):
        for sign in (1, -1):
            policy.weights = weights + sign * small * np.eye(SIZE)[i]
            result[i] += sign * value() / (2 * small)
    policy.weights = weights
    return result


def same(found: Vector, expected: Vector) -> None:
    assert np.abs(expected).max() > 1e-3
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6 * float(np.abs(expected).max()))


# --- the policy


def test_the_vector_of_the_specification() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    policy = SoftmaxPolicy(TreeGame(), lambda _state, action: rows[action], 2)
    policy.weights = np.array([0.5, -0.2])
    assert list(policy.probabilities(()).values()) == pytest.approx([0.431906, 0.214478, 0.353615], abs=1e-6)
    assert policy.score((), Action(0)) == pytest.approx([0.214478, -0.568094], abs=1e-6)


@pytest.mark.parametrize("state", STATES)
def test_scores_have_mean_0_and_are_slopes_of_log_pi(state: Path) -> None:
    policy = some_policy()
    chances = policy.probabilities(state)
    mean = sum(chance * policy.score(state, action) for action, chance in chances.items())
    assert mean == pytest.approx(np.zeros(SIZE), abs=1e-12)
    for action in chances:
        same(
            policy.score(state, action),
            slope(policy, lambda action=action: float(np.log(policy.probabilities(state)[action]))),  # type: ignore[misc]
        )


def test_no_weights_are_uniform_and_a_constant_changes_nothing() -> None:
    policy = SoftmaxPolicy(TreeGame(), features, SIZE)
    assert list(policy.probabilities(()).values()) == pytest.approx([1 / 3] * 3, abs=1e-15)
    policy = some_policy()
    moved = SoftmaxPolicy(TreeGame(), lambda state, action: features(state, action) + 5.0, SIZE)
    moved.weights = policy.weights.copy()
    assert list(moved.probabilities(()).values()) == pytest.approx(list(policy.probabilities(()).values()), abs=1e-12)
    assert moved.score((), Action(1)) == pytest.approx(policy.score((), Action(1)), abs=1e-12)


# --- definitions


def test_minimax_strength_and_imbalance_by_hand() -> None:
    policy = SoftmaxPolicy(TreeGame(), features, SIZE)  # uniform
    values = minimax(policy.game)
    # (1, 1, 0) is White's: 0 or 1.  (1, 1) is Black's: best is 1; (0, 1) is Black's: 0, or White's choice of 1 and 0.
    assert [values(state) for state in ((1, 1, 0), (1, 1), (0, 1))] == [0.0, 1.0, 0.0]
    # From (1, 1): three moves, worth 0 (after White's best), 0 and 1; V* is 1.
    assert strength(policy, [(1, 1)], values) == pytest.approx((1 + 1 + 0) / 3)
    assert imbalance(policy, [(1, 1)], values, 1) == pytest.approx((1 - 1 / 3) ** 2)
    # To the end: 1/2, 0 and 1.
    assert bias(policy, (1, 1), values) == pytest.approx(1 - 0.5)
    assert full_imbalance(policy, [(1, 1), (1, 1, 0)], values) == pytest.approx((0.5**2 + 0.5**2) / 2)
    with pytest.raises(InvalidArgumentError, match="at least one"):
        strength(policy, [], values)


def test_imbalance_after_all_plies_is_the_full_one_and_0_plies_have_none() -> None:
    policy = some_policy()
    values = minimax(policy.game)
    assert imbalance(policy, STATES, values, 0) == 0
    assert imbalance(policy, STATES, values, 9) == pytest.approx(full_imbalance(policy, STATES, values), abs=1e-15)
    assert full_imbalance(policy, STATES, values) > 1e-3
    assert imbalance(policy, STATES, values, 1) != pytest.approx(imbalance(policy, STATES, values, 2))


def test_a_perfect_player_is_strong_and_balanced() -> None:
    game = TreeGame()
    values = minimax(game)

    def best(state: Path, action: Action) -> Vector:
        following, reward = game.play(state, action)
        sign = 1 if game.to_play(state) == Player.BLACK else -1
        return np.array([sign * (reward + values(following))])

    policy = SoftmaxPolicy(game, best, 1)
    policy.weights = np.array([200.0])
    assert strength(policy, STATES, values) == pytest.approx(0, abs=1e-12)
    assert full_imbalance(policy, STATES, values) == pytest.approx(0, abs=1e-12)


# --- gradients


def test_the_gradient_of_the_likelihood() -> None:
    policy = some_policy()
    examples = [((), Action(2)), ((0,), Action(1)), ((1, 1), Action(0))]
    same(log_likelihood_gradient(policy, examples), slope(policy, lambda: log_likelihood(policy, examples)))
    before = policy.weights.copy()
    expected = policy.score((), Action(2))
    regression_step(policy, (), Action(2), alpha=0.3)
    assert policy.weights - before == pytest.approx(0.3 * expected, abs=1e-12)


@pytest.mark.parametrize("plies", [1, 2, 3, None])
@pytest.mark.parametrize("state", [(), (0,), (1, 1)])
def test_the_gradient_of_expected_values(state: Path, plies: int | None) -> None:
    policy = some_policy()
    values = minimax(policy.game)
    found = lookahead(policy, state, values, plies)[1]
    numeric = slope(policy, lambda: lookahead(policy, state, values, plies)[0])
    assert found == pytest.approx(numeric, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("plies", [1, 2, None])
def test_the_gradient_of_imbalance(plies: int | None) -> None:
    policy = some_policy()
    values = minimax(policy.game)
    same(
        imbalance_gradient(policy, STATES, values, plies),
        slope(policy, lambda: imbalance(policy, STATES, values, plies)),
    )


def test_a_two_step_step_goes_down_half_the_gradient() -> None:
    policy = some_policy()
    values = minimax(policy.game)
    expected = slope(policy, lambda: imbalance(policy, [()], values, 2)) / -2
    before = policy.weights.copy()
    same(two_step_step(policy, (), values, alpha=0.1), expected)
    same((policy.weights - before) / 0.1, expected)


# --- samples


def sampled_changes(one_sample: bool, repeats: int = 4000) -> NDArray[np.float64]:
    policy = some_policy()
    rng = Rng(17)
    return np.array(
        [
            balancing_step(
                policy, (), 0.9, rng, alpha=0.0, bias_simulations=2, gradient_simulations=2, length_normalise=False,
                one_sample=one_sample,
            )
            for _ in range(repeats)
        ]
    )  # fmt: skip


def test_sampled_gradients_are_right_on_average() -> None:
    policy, rng, count = some_policy(), Rng(5), 6000
    samples = np.array([s.outcome * s.score for s in (simulate(policy, (), rng) for _ in range(count))])
    errors = samples.mean(axis=0) - lookahead(policy, ())[1]
    assert np.abs(errors / (samples.std(axis=0) / np.sqrt(count))).max() < 4


def test_two_samples_are_right_and_one_is_wrong_by_the_covariance() -> None:
    policy = some_policy()
    expected, gradient = lookahead(policy, ())
    exact = (0.9 - expected) * gradient
    apart, together = sampled_changes(False), sampled_changes(True)
    errors = np.sqrt(len(apart))
    assert np.abs((apart.mean(axis=0) - exact) / (apart.std(axis=0) / errors)).max() < 4
    wrong = (together.mean(axis=0) - exact) / (together.std(axis=0) / errors)
    assert np.abs(wrong).max() > 8
    # -Cov(mean z, mean z psi) = -E[(z - E z) z psi] / N
    rng = Rng(23)
    samples = [simulate(policy, (), rng) for _ in range(20_000)]
    products = np.array([(s.outcome - expected) * s.outcome * s.score for s in samples])
    covariance = -products.mean(axis=0) / 2
    assert together.mean(axis=0) - exact == pytest.approx(covariance, abs=0.02)


def test_balancing_removes_the_bias() -> None:
    policy = SoftmaxPolicy(TreeGame(), features, SIZE)
    start = lookahead(policy, ())[0]
    rng = Rng(2)
    for _ in range(300):
        balancing_step(policy, (), 0.8, rng, alpha=1.0, bias_simulations=30, gradient_simulations=30)
    assert abs(0.8 - start) > 0.2
    assert abs(0.8 - lookahead(policy, ())[0]) < 0.05


# --- the game of errors


def test_balanced_weak_players_are_more_accurate() -> None:
    strong, weak = ErrorGame(10, 5), ErrorGame(2, 2)
    found = {game: float(np.sqrt((game.values(2000, Rng(1)) ** 2).mean())) for game in (strong, weak)}
    assert found[strong] > 4.8
    assert found[weak] < 1.1
    for game in (strong, weak):
        assert found[game] == pytest.approx(game.rms_error, rel=0.05)
    assert (strong.mean, weak.mean) == (pytest.approx(5.0), pytest.approx(0.0))
    assert strong.deviation * np.sqrt(30) == pytest.approx(1.5811, abs=1e-4)
    assert weak.deviation * np.sqrt(30) == pytest.approx(5.0)
    with pytest.raises(InvalidArgumentError, match="rates are above 0"):
        ErrorGame(0, 1)


def test_two_step_balancing_finds_the_policy_whose_games_its_values_are_of() -> None:
    """E_π[z | s] does not change on average while π plays: it has no imbalance, whatever the number of plies."""
    teacher, learner = some_policy(), some_policy(seed=9)

    def values(state: Path) -> float:
        return lookahead(teacher, state)[0]

    for plies in (1, 2, 3, None):
        assert imbalance(teacher, STATES, values, plies) == pytest.approx(0, abs=1e-20)
    assert full_imbalance(learner, STATES, values) > 1e-3
    for _ in range(3000):
        for state in STATES:
            two_step_step(learner, state, values, alpha=1.0)
    assert imbalance(learner, STATES, values, 2) < 1e-6
    assert full_imbalance(learner, STATES, values) < 1e-5


def test_leaves_valued_by_the_policy_itself_make_the_two_step_bias_the_whole_one() -> None:
    """What the iterated cycle learns from: b₂ is that of whole games, g₂ what two plies have of their gradient."""
    policy = some_policy()
    for state in STATES:
        whole, gradient = lookahead(policy, state)
        expected, first = lookahead(policy, state, own_values(policy), 2)
        assert expected == pytest.approx(whole, rel=1e-12)
        assert first + slopes_behind(policy, state, 2) == pytest.approx(gradient, rel=1e-12)


def test_the_cycle_removes_the_whole_bias() -> None:
    """Values are known of positions only; what is behind two plies is what the policy of the last round makes of it."""
    teacher, policy = some_policy(), some_policy(seed=9)
    values = {state: lookahead(teacher, state)[0] for state in STATES}
    start = full_imbalance(policy, STATES, values.__getitem__)
    for _ in range(600):
        leaves = own_values(policy)
        for state in STATES:
            expected, gradient = lookahead(policy, state, leaves, 2)
            policy.weights += 1.0 * (values[state] - expected) * gradient
    assert start > 1e-3
    assert full_imbalance(policy, STATES, values.__getitem__) < 0.01 * start


def own_values(policy: SoftmaxPolicy) -> Callable[[Path], float]:
    """E_π[z | s] of the policy as it is now."""
    now = SoftmaxPolicy(TreeGame(), features, SIZE)
    now.weights = policy.weights.copy()
    return cache(lambda state: lookahead(now, state)[0])


def slopes_behind(policy: SoftmaxPolicy, state: Path, plies: int) -> Vector:
    """E_π of ∇E_π[z | s] of the state after so many plies."""
    if policy.game.is_terminal(state):
        return np.zeros(SIZE)
    if plies == 0:
        return lookahead(policy, state)[1]
    chances = policy.probabilities(state).items()
    parts = [
        chance * slopes_behind(policy, policy.game.play(state, action)[0], plies - 1) for action, chance in chances
    ]
    return np.asarray(sum(parts))
