"""Learning playout policies: steps against what the equations say, runs, files, and what is refused."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from katachi import Rng, make_game, make_player
from katachi.core.errors import InvalidArgumentError, KatachiError, SettingsError, StoreError, WeightsError
from katachi.core.types import Action
from katachi.games.go import GoGame, Position, Rules
from katachi.policies.playout_policies import PlayoutPolicy, lasting_policy
from katachi.policies.policy_weights import (
    load_policy_weights,
    policy_representation,
    save_policy_weights,
    shipped_policy,
)
from katachi.reference.softmax_shapes import move_features
from katachi.training.accuracy import playout_accuracy
from katachi.training.data_set import DataSet, LabelledPosition, LabelledTree
from katachi.training.policy_learning import (
    PolicyLearningSettings,
    PolicySchedule,
    learn_policy,
    policy_learning,
)

Vector = NDArray[np.float64]
SIMPLE = Rules(ko="simple", suicide=False)
GAME = GoGame(3, rules=SIMPLE, komi=0.5)


def settings(learner: str, **changes: object) -> PolicyLearningSettings:
    values = {"learner": learner, "size": 3, "alpha": 0.1, "komi": 0.5, **changes}
    return PolicyLearningSettings.from_mapping(values)


def labelled(count: int = 12, seed: int = 1, with_tree: bool = False) -> list[LabelledPosition]:
    """Positions of random games with invented labels."""
    found, rng = [], Rng(seed)
    for group in range(count):
        state = GAME.initial_state()
        for _ in range(rng.below(6)):
            state = state.play(rng.choice(GAME.native_state(state).candidates()))
        actions = [int(action) for action in GAME.native_state(state).candidates()]
        tree = None
        if with_tree:
            second, values = [], []
            for action in actions:
                after = state.play(Action(action))
                answers = [] if after.is_over else [int(a) for a in GAME.native_state(after).candidates()]
                second.append(tuple(answers))
                values.append(tuple(rng.uniform() for _ in range(max(1, len(answers)))))
            tree = LabelledTree(tuple(actions), tuple(second), tuple(values))
        moves = tuple(int(move) for move in state.moves)
        found.append(LabelledPosition(moves, rng.uniform(), int(rng.choice(actions)), 10, group, tree))
    return found


def data_of(positions: list[LabelledPosition]) -> DataSet:
    return DataSet(3, 3, 0.5, "tromp-taylor", positions)


def some_theta(size: int = 3, scale: float = 0.4) -> Vector:
    return np.random.default_rng(5).normal(0, scale, policy_representation(size).weights)


@pytest.mark.parametrize(("side", "count"), [(5, 107), (6, 155), (7, 217), (9, 368)])
def test_numbers_of_weights(side: int, count: int) -> None:
    assert policy_representation(side).weights == count


# --- single steps


def test_a_step_of_regression() -> None:
    position = labelled(1)[0]
    job = policy_learning(settings("regression"), [position])
    job.weights = some_theta()
    actions, chances, flat = job.scores(list(position.moves))
    row = flat.reshape(len(actions), -1)[actions.index(position.best)]
    job.run(1)
    assert job.weights - some_theta() == pytest.approx(0.1 * row, abs=1e-12)
    assert np.abs(row).max() > 0.1
    assert job.take_tally().log_likelihood == pytest.approx(np.log(chances[actions.index(position.best)]))


def test_an_expert_that_does_what_the_policy_never_does_is_passed_by() -> None:
    position = replace(labelled(1)[0], best=9)  # a pass, where there are moves
    job = policy_learning(settings("regression"), [position])
    job.run(3)
    assert job.take_tally().skipped == 3
    assert not job.weights.any()


def two_step_change(job: object, position: LabelledPosition) -> Vector:
    """b₂ g₂ as Algorithm 2 has it, sum by sum."""
    tree = position.tree
    assert tree is not None
    value, gradient = 0.0, np.zeros_like(some_theta())

    def policy(moves: tuple[int, ...]) -> dict[int, tuple[float, Vector]]:
        actions, chances, flat = job.scores(list(moves))  # type: ignore[attr-defined]
        rows = flat.reshape(len(actions), -1)
        return {action: (chances[i], rows[i]) for i, action in enumerate(actions)}

    for i, (first, (chance, score)) in enumerate(policy(position.moves).items()):
        assert tree.first[i] == first
        if not tree.second[i]:
            value += chance * tree.values[i][0]
            gradient += chance * tree.values[i][0] * score
            continue
        for j, (answer, (share, other)) in enumerate(policy((*position.moves, first)).items()):
            assert tree.second[i][j] == answer
            value += chance * share * tree.values[i][j]
            gradient += chance * share * tree.values[i][j] * (score + other)
    return (position.value - value) * gradient


def test_a_step_of_two_step_balancing() -> None:
    seen = 0.0
    for position in labelled(6, with_tree=True):
        job = policy_learning(settings("two-step"), [position])
        job.weights = some_theta()
        expected = two_step_change(job, position)
        job.run(1)
        assert job.weights - some_theta() == pytest.approx(0.1 * expected, abs=1e-12)
        seen = max(seen, float(np.abs(expected).max()))
    assert seen > 0.01


def expected_outcome(job: object, state: Position, plies: int) -> tuple[float, Vector, Vector]:
    """E[z], its gradient, and E[Σ ±(2z - 1) ψ] with the sign of who moves, by enumeration."""
    zero = np.zeros_like(some_theta(2))
    if state.is_over or plies == 0:
        outcome = 0.5 if not state.is_over else 1.0 if state.score() > 0 else 0.0
        return outcome, zero, zero
    actions, chances, flat = job.scores([int(move) for move in state.moves])  # type: ignore[attr-defined]
    value, gradient, strength = 0.0, zero.copy(), zero.copy()
    sign = 1 if state.to_play == 0 else -1
    for action, chance, row in zip(actions, chances, flat.reshape(len(actions), -1), strict=True):
        later, slope, stronger = expected_outcome(job, state.play(Action(action)), plies - 1)
        value += chance * later
        gradient += chance * (later * row + slope)
        strength += chance * (sign * (2 * later - 1) * row + stronger)
    return value, gradient, strength


PLIES = 5


def tiny(learner: str, **changes: object) -> PolicyLearningSettings:
    """On 2x2 with passes at any time: without them games are hardly over in so few plies, and White never has a choice
    between moves that differ."""
    small = {"size": 2, "komi": -0.5, "longest_simulation": PLIES, "length_normalise": False, "eye_rule": "none"}
    return settings(learner, **{**small, **changes})


def tiny_state() -> Position:
    return GoGame(2, rules=SIMPLE, komi=-0.5).initial_state()


@pytest.mark.parametrize("baseline", ["none", "mean", "critic"])
def test_balancing_climbs_the_product_of_bias_and_gradient(baseline: str) -> None:
    position = LabelledPosition((), 1.0, 0, 10, 0)
    job = policy_learning(
        tiny("balancing", bias_simulations=40_000, gradient_simulations=40_000, baseline=baseline), [position]
    )
    theta = some_theta(2)
    job.weights = theta
    value, gradient, _ = expected_outcome(job, tiny_state(), PLIES)
    job.run(1)
    assert 0.1 < value < 0.9
    assert np.abs(gradient).max() > 0.05
    assert (job.weights - theta) / 0.1 == pytest.approx((1 - value) * gradient, abs=0.003)
    assert job.critic.any() == (baseline == "critic")


@pytest.mark.parametrize("baseline", ["none", "critic"])
@pytest.mark.parametrize("reward", ["mover_pm1", "literal"])
def test_reinforcement_climbs_what_it_should(reward: str, baseline: str) -> None:
    """With tiny steps many of them are one of their mean."""
    steps, alpha = 40_000, 1e-7
    job = policy_learning(tiny("reinforcement", rl_reward=reward, baseline=baseline, alpha=alpha), [])
    theta = some_theta(2)
    job.weights = theta
    _, gradient, strength = expected_outcome(job, tiny_state(), PLIES)
    expected = gradient if reward == "literal" else strength
    job.run(steps)
    assert np.abs(gradient - strength).max() > 0.05
    assert (job.weights - theta) / (alpha * steps) == pytest.approx(expected, abs=0.01)


def paths(job: object, state: Position, plies: int) -> Iterator[tuple[float, float, list[tuple[Position, Vector]]]]:
    """(probability, z, states with the scores of what was played there) of all games by the policy."""
    if state.is_over or plies == 0:
        yield 1.0, 0.5 if not state.is_over else 1.0 if state.score() > 0 else 0.0, []
        return
    actions, chances, flat = job.scores([int(move) for move in state.moves])  # type: ignore[attr-defined]
    for action, chance, row in zip(actions, chances, flat.reshape(len(actions), -1), strict=True):
        for later, z, steps in paths(job, state.play(Action(action)), plies - 1):
            yield chance * later, z, [(state, row), *steps]


def is_told_apart(job: object) -> bool:
    """Do scores of both players count, and does komi?"""
    of_players, lengths, outcomes = [np.zeros_like(some_theta(2)) for _ in range(2)], set(), set()
    for chance, z, line in paths(job, tiny_state(), PLIES):
        lengths.add(len(line))
        outcomes.add(z)
        for state, row in line:
            of_players[state.to_play] += chance * z * row
    return all(np.abs(each).max() > 0.03 for each in of_players) and len(lengths) > 2 and len(outcomes) == 3


@pytest.mark.parametrize("reward", ["mover_pm1", "literal"])
def test_reinforcement_divides_by_the_length(reward: str) -> None:
    steps, alpha = 100_000, 1e-7
    chosen = tiny("reinforcement", rl_reward=reward, alpha=alpha, length_normalise=True)
    job, theta = policy_learning(chosen, []), some_theta(2)
    job.weights = theta
    assert is_told_apart(job)
    expected = np.zeros_like(theta)
    for chance, z, line in paths(job, tiny_state(), PLIES):
        for state, row in line:
            sign = z if reward == "literal" else (2 * z - 1) * (1 if state.to_play == 0 else -1)
            expected += chance / len(line) * sign * row
    job.run(steps)
    assert np.abs(expected).max() > 0.01
    assert (job.weights - theta) / (alpha * steps) == pytest.approx(expected, abs=0.003)


def test_balancing_divides_by_the_length() -> None:
    simulations = {"bias_simulations": 1, "gradient_simulations": 40_000}
    chosen = tiny("balancing", length_normalise=True, **simulations)
    job, theta = policy_learning(chosen, [LabelledPosition((0,), 0.3, 1, 10, 0)]), some_theta(2)
    job.weights = theta
    expected = np.zeros_like(theta)
    for chance, z, line in paths(job, tiny_state().play(Action(0)), PLIES):  # White is to move
        expected += chance * z / len(line) * sum(row for _, row in line)
    job.run(1)
    square = job.take_tally().squared_bias
    (bias,) = (0.3 - z for z in (0.0, 0.5, 1.0) if (0.3 - z) ** 2 == pytest.approx(square))
    assert np.abs(expected).max() > 0.01
    assert (job.weights - theta) / (0.1 * bias) == pytest.approx(expected, abs=0.003)


def test_bias_and_gradient_are_of_different_simulations() -> None:
    """With few of them in a step the mean of b̂ ĝ tells: if simulations were shared, it would be off by a covariance."""
    steps, alpha = 200_000, 1e-7
    chosen = tiny("balancing", alpha=alpha, bias_simulations=2, gradient_simulations=1)
    job, theta = policy_learning(chosen, [LabelledPosition((), 1.0, 0, 10, 0)]), some_theta(2)
    job.weights = theta
    value, gradient, shared = 0.0, np.zeros_like(theta), np.zeros_like(theta)
    for chance, z, line in paths(job, tiny_state(), PLIES):
        score = sum(row for _, row in line)
        value += chance * z
        gradient += chance * z * score
        shared += chance * z * z * score
    job.run(steps)
    assert np.abs((shared - value * gradient) / 2).max() > 0.03  # what it would be off by
    assert (job.weights - theta) / (alpha * steps) == pytest.approx((1 - value) * gradient, abs=0.006)


def test_a_critic_learns_the_mean_outcome() -> None:
    """Its step is α/n Σ_t (z - V(s_t)) φ(s_t) / T, the mean over simulations; White is to move in the first state."""
    chosen = tiny(
        "balancing", baseline="critic", critic_alpha=0.5, alpha=1e-9, bias_simulations=1, gradient_simulations=40_000
    )
    job, theta = policy_learning(chosen, [LabelledPosition((0,), 0.3, 1, 10, 0)]), some_theta(2)
    job.weights = theta
    critic = np.random.default_rng(8).normal(0, 0.7, len(theta))
    expected = np.zeros_like(theta)
    features: dict[str, Vector] = {}
    for chance, z, line in paths(job, tiny_state().play(Action(0)), PLIES):
        for state, _ in line:
            sign = 1 if state.to_play == 0 else -1
            if state.stones() not in features:  # a pass changes nothing
                features[state.stones()] = sign * np.array(move_features(state, Action(4)))
            phi = features[state.stones()]
            expected += chance / len(line) * (z - 1 / (1 + np.exp(-phi @ critic))) * phi
    job.critic = critic
    job.run(1)
    windows, tables = 4 + 1, 2
    assert np.abs(expected).max() > 0.1
    assert (job.critic - critic) * windows * tables / 0.5 == pytest.approx(expected, abs=0.01)


def test_a_baseline_makes_gradients_less_noisy() -> None:
    """It leaves their mean alone: what is wrong with one shows in the spread."""
    theta = some_theta(2)
    spreads = {}
    for baseline in ("none", "mean", "critic"):
        changes = []
        for seed in range(400):
            chosen = tiny("balancing", baseline=baseline, bias_simulations=50, gradient_simulations=4, seed=seed)
            job = policy_learning(chosen, [LabelledPosition((), 0.0, 0, 10, 0)])
            job.weights = theta
            job.run(1)
            changes.append(job.weights - theta)
        spreads[baseline] = float(np.var(changes, axis=0).sum())
    assert spreads["mean"] < 0.8 * spreads["none"]
    assert spreads["critic"] < 0.8 * spreads["none"]  # one that knows nothing says 0.5


def test_every_round_has_an_order_of_its_own() -> None:
    positions = labelled(9)
    job = policy_learning(settings("regression", alpha=1e-9), positions)
    rows = []
    for position in positions:
        actions, _, flat = job.scores(list(position.moves))
        rows.append(1e-9 * flat.reshape(len(actions), -1)[actions.index(position.best)])
    orders = []
    for _ in range(3):
        order = []
        for _ in positions:
            before = job.weights
            job.run(job.steps + 1)
            order.append(int(np.argmin([np.abs(job.weights - before - row).max() for row in rows])))
        orders.append(tuple(order))
    assert len(set(orders)) == 3
    assert tuple(range(len(positions))) not in orders


@pytest.mark.parametrize("learner", ["regression", "reinforcement", "balancing", "two-step"])
def test_decay_takes_a_share_of_the_weights_in_each_step(learner: str) -> None:
    changes = []
    for decay in (0.0, 0.5):
        job = policy_learning(
            settings(learner, weight_decay=decay, bias_simulations=50, gradient_simulations=50),
            labelled(4, with_tree=True),
        )
        job.weights = some_theta()
        job.run(1)
        changes.append(job.weights - some_theta())
    assert changes[1] - changes[0] == pytest.approx(-0.1 * 0.5 * some_theta(), abs=1e-12)
    assert np.abs(changes[0]).max() > 1e-4


@pytest.mark.parametrize("learner", ["balancing", "two-step"])
def test_large_biases_count_as_the_bound(learner: str) -> None:
    """A step is as it was if its bias is within the bound, otherwise it is shorter by bound / bias."""
    shares = []
    for position in labelled(8, with_tree=True):
        changes, biases = [], []
        for bound in (1.0, 0.2):
            job = policy_learning(
                settings(learner, largest_bias=bound, bias_simulations=60, gradient_simulations=60), [position]
            )
            job.weights = some_theta()
            job.run(1)
            changes.append(job.weights - some_theta())
            biases.append(job.take_tally().squared_bias ** 0.5)
        assert biases[0] == biases[1]  # what is measured is not held
        shares.append(min(1.0, 0.2 / biases[0]))
        assert changes[1] == pytest.approx(shares[-1] * changes[0], abs=1e-12)
    assert min(shares) < 0.6
    assert max(shares) == 1.0


def test_two_step_balancing_with_decay_ends_where_the_penalised_imbalance_is_least() -> None:
    """At the minimum of B₂ + λ |θ|² the mean of b₂ g₂ is λ θ; without decay the run ends elsewhere."""
    positions, decay = labelled(6, with_tree=True), 0.02
    ends = []
    for alpha, chosen in ((0.05, decay), (0.05, 0.0)):
        job = policy_learning(settings("two-step", alpha=alpha, weight_decay=chosen), positions)
        job.run(30_000)
        ends.append(job.weights)
        force = np.mean([two_step_change(job, position) for position in positions], axis=0)
        slope = force - decay * job.weights
        assert (np.abs(slope).max() < 1e-3) == (chosen == decay)
    assert np.linalg.norm(ends[0]) < 0.7 * np.linalg.norm(ends[1])


def test_weights_are_held() -> None:
    job = policy_learning(settings("regression", alpha=1000.0, largest_weight=0.7), labelled(3))
    job.run(5)
    assert np.abs(job.weights).max() == 0.7


# --- runs


@pytest.mark.parametrize("learner", ["regression", "reinforcement", "balancing", "two-step"])
@pytest.mark.parametrize("baseline", ["none", "critic"])
def test_where_a_run_is_left_and_how_many_threads_it_has_change_nothing(learner: str, baseline: str) -> None:
    if baseline == "critic" and learner not in ("reinforcement", "balancing"):
        return
    positions = labelled(5, with_tree=True)
    chosen = settings(learner, bias_simulations=7, gradient_simulations=5, baseline=baseline)
    whole = policy_learning(chosen, positions)
    whole.run(13)
    parts = policy_learning(chosen, positions, threads=3)
    parts.run(4)
    again = policy_learning(chosen, positions, threads=2)
    again.weights, again.critic, again.steps = parts.weights, parts.critic, parts.steps
    again.run(13)
    assert again.weights.tolist() == whole.weights.tolist()
    assert again.critic.tolist() == whole.critic.tolist()
    assert whole.weights.any()


def test_all_positions_come_once_in_each_round() -> None:
    """Steps that are too small to matter: their sum is that of the data, whatever the order."""
    positions = labelled(9)
    alpha = 1e-9
    job = policy_learning(settings("regression", alpha=alpha), positions)
    expected = np.zeros_like(job.weights)
    for position in positions:
        actions, _, flat = job.scores(list(position.moves))
        expected += flat.reshape(len(actions), -1)[actions.index(position.best)]
    for _ in range(2):
        before = job.weights
        job.run(job.steps + len(positions))
        assert (job.weights - before) / alpha == pytest.approx(expected, abs=1e-5)


SCHEDULE = PolicySchedule(metrics_steps=4, checkpoint_steps=3, snapshot_steps=5, test_positions=4, test_simulations=8)


def test_a_run_in_a_folder_goes_on_exactly(tmp_path: Path) -> None:
    train, test = data_of(labelled(20)).split(0.3, Rng(1))
    assert {p.group for p in train.positions}.isdisjoint(p.group for p in test.positions)
    assert len(train.positions) + len(test.positions) == 20
    assert test.positions
    chosen = settings("balancing", bias_simulations=4, gradient_simulations=4)
    whole = learn_policy(chosen, train, steps=10, folder=tmp_path / "a", test=test, schedule=SCHEDULE)
    for steps in (4, 7, 10):
        parts = learn_policy(chosen, train, steps=steps, folder=tmp_path / "b", test=test, schedule=SCHEDULE)
    files = [load_policy_weights(tmp_path / name / "checkpoint.safetensors", board_size=3) for name in "ab"]
    assert files[0].theta.tolist() == files[1].theta.tolist()
    assert files[0].header.games == 10
    rows = [json.loads(line) for line in (tmp_path / "a" / "metrics.jsonl").read_text().splitlines()]
    assert [row["steps"] for row in rows] == [0, 4, 8, 10]
    others = [json.loads(line) for line in (tmp_path / "b" / "metrics.jsonl").read_text().splitlines()]
    assert {row["steps"]: row["mse"] for row in others}.items() >= {row["steps"]: row["mse"] for row in rows}.items()
    assert sorted(path.name for path in (tmp_path / "a" / "snapshots").iterdir()) == [
        "steps_0000000005.safetensors",
        "steps_0000000010.safetensors",
    ]
    assert whole.first is not None
    assert whole.first.mse is not None
    assert parts.to_json()["steps"] == 10
    with pytest.raises(InvalidArgumentError, match=r"alpha: 0\.1 there, 0\.2 now"):
        learn_policy(chosen.replace(alpha=0.2), train, steps=11, folder=tmp_path / "a", test=test, schedule=SCHEDULE)
    with pytest.raises(InvalidArgumentError, match="data: "):
        learn_policy(chosen, test, steps=11, folder=tmp_path / "a", test=test, schedule=SCHEDULE)


def told(folder: Path) -> tuple[list[dict[str, object]], dict[str, bytes]]:
    """(the rows of metrics without speed, all files of weights)."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    kept = [{name: row[name] for name in row if "cpu_second" not in name} for row in rows]
    return kept, {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.safetensors")}


@pytest.mark.parametrize("learner", ["regression", "balancing"])
def test_an_interruption_loses_no_row_no_snapshot_and_no_sum(
    learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it comes while something is measured, while a snapshot is written, or between two rows."""
    from katachi.training import policy_learning as module

    train, test = data_of(labelled(20)).split(0.3, Rng(1))
    chosen = settings(learner, bias_simulations=4, gradient_simulations=4)

    def run(folder: str) -> None:
        learn_policy(chosen, train, steps=12, folder=tmp_path / folder, test=test, schedule=SCHEDULE)

    run("whole")
    interrupted = 0
    for name, of in (("playout_accuracy", module), ("_at", module._Run), ("_write", module._Run)):
        for first in range(2, 6):
            calls, original = 0, getattr(of, name)

            def stop(*arguments: object, original: object = original, first: int = first, **named: object) -> object:
                nonlocal calls, interrupted
                calls += 1
                if calls == first:
                    interrupted += 1
                    raise KeyboardInterrupt
                return original(*arguments, **named)  # type: ignore[operator]

            folder = f"{name}{first}"
            with monkeypatch.context() as patch:
                patch.setattr(of, name, stop)
                try:
                    run(folder)
                except KeyboardInterrupt:
                    run(folder)
            assert told(tmp_path / folder) == told(tmp_path / "whole")
    assert interrupted > 8


def test_rows_of_metrics_that_are_none(tmp_path: Path) -> None:
    chosen, data = settings("regression"), data_of(labelled(3))
    learn_policy(chosen, data, steps=2, folder=tmp_path)
    (tmp_path / "metrics.jsonl").write_text('{"steps": 0}\n')
    with pytest.raises(StoreError, match=r"metrics.jsonl: a row of metrics that is none of a policy: {'steps': 0}"):
        learn_policy(chosen, data, steps=3, folder=tmp_path)


def test_a_run_from_before_there_was_decay_goes_on(tmp_path: Path) -> None:
    chosen, data = settings("regression"), data_of(labelled(5))
    whole = learn_policy(chosen, data, steps=4, folder=tmp_path / "whole")
    half = learn_policy(chosen, data, steps=2, folder=tmp_path / "half")
    found, new = load_policy_weights(half.weights_file), ("policy", "weight_decay", "largest_bias")
    told = {name: value for name, value in found.header.configuration.items() if name not in new}
    assert len(told) == len(found.header.configuration) - 3
    save_policy_weights(half.weights_file, 3, found.theta, steps=2, seed=1, configuration=told, arrays=found.arrays)
    with pytest.raises(InvalidArgumentError, match=r"weight_decay: 0\.0 there, 0\.25 now"):
        learn_policy(chosen.replace(weight_decay=0.25), data, steps=4, folder=tmp_path / "half")
    again = learn_policy(chosen, data, steps=4, folder=tmp_path / "half")
    ends = [load_policy_weights(result.weights_file).theta.tolist() for result in (whole, again)]
    assert ends[0] == ends[1]


def test_a_run_may_start_from_weights(tmp_path: Path) -> None:
    file = tmp_path / "start.safetensors"
    save_policy_weights(file, 3, some_theta())
    chosen = settings("regression", alpha=1e-12)
    result = learn_policy(chosen, data_of(labelled(3)), steps=2, folder=tmp_path / "run", start=file)
    found = load_policy_weights(result.weights_file).theta
    assert found == pytest.approx(some_theta(), abs=1e-9)


def test_accuracy_is_the_mean_squared_error() -> None:
    data = data_of(labelled(6))
    found = playout_accuracy(data, "uniform", Rng(3), simulations=4000)
    again = playout_accuracy(data, "uniform", Rng(3), simulations=4000)
    assert found == again
    assert found.positions == 6
    assert 0 < found.mse - found.corrected_mse < 0.25 / 3999
    few = [playout_accuracy(data, "uniform", Rng(seed), simulations=5) for seed in range(300)]
    assert np.mean([each.corrected_mse for each in few]) == pytest.approx(found.corrected_mse, abs=0.02)
    assert np.mean([each.mse for each in few]) > found.mse + 0.02
    assert playout_accuracy(data, "uniform", Rng(3), positions=2, simulations=5).positions == 2


def test_accuracy_by_its_formulas() -> None:
    """One position tells what its playouts said; a second one what the spread is."""
    data = data_of(labelled(2))
    one = playout_accuracy(data_of(data.positions[:1]), "uniform", Rng(3), simulations=6)
    value = data.positions[0].value + one.mean_bias
    assert 6 * value == pytest.approx(round(6 * value))
    assert 0 < value < 1
    assert one.mse == pytest.approx(one.mean_bias**2)
    assert one.mse - one.corrected_mse == pytest.approx(value * (1 - value) / 5)
    both = playout_accuracy(data, "uniform", Rng(3), simulations=6)
    other = 2 * both.mse - one.mse
    assert both.mse_error == pytest.approx(abs(one.mse - other) / 2)
    assert both.mse_error > 0.01


def test_rows_of_metrics_are_means(tmp_path: Path) -> None:
    """Steps too small to matter: every one is about the same policy."""
    good = labelled(1, with_tree=True)[0]
    chosen = settings("two-step", alpha=1e-12)
    job = policy_learning(chosen, [good])
    job.run(1)
    last = learn_policy(chosen, data_of([good]), steps=5, folder=tmp_path / "a").last
    assert last is not None
    assert last.squared_bias == pytest.approx(job.take_tally().squared_bias)
    chosen = settings("regression", alpha=1e-12)
    job = policy_learning(chosen, [good])
    job.run(1)
    passed = replace(good, best=9)
    last = learn_policy(chosen, data_of([good, passed]), steps=6, folder=tmp_path / "b").last
    assert last is not None
    assert last.skipped == 3
    assert last.log_likelihood == pytest.approx(job.take_tally().log_likelihood)


# --- files and names


def test_files_and_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "policy.safetensors"
    save_policy_weights(file, 5, some_theta(5), steps=7, seed=3, configuration={"learner": "by hand"})
    found = load_policy_weights(file, board_size=5)
    assert found.theta.tolist() == some_theta(5).tolist()
    assert (found.header.games, found.header.configuration["learner"]) == (7, "by hand")
    game = make_game("go", size=5)
    policy = PlayoutPolicy(f"mix(0.5*uniform+0.5*softmax-shapes({file}))")
    assert policy.fingerprint(game) == found.fingerprint
    state = game.initial_state()
    for spec in (
        f"policy:name=softmax-shapes({file})",
        f"flat-mc:sims=2,policy=switch(3;softmax-shapes({file});uniform)",
        f"uct:sims=20,playout_policy=softmax-shapes({file})",
        f"mc-rave:sims=20,playout_policy=softmax-shapes({file})",
        f"td-search:sims=5,policy=softmax-shapes({file})",
    ):
        player = make_player(spec)
        assert player.choose(game, state, Rng(1)).action in game.legal_actions(state)
        assert found.fingerprint in str(player.fingerprint(game))  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)
    assert lasting_policy("switch(2;mogo;softmax-shapes(policy.safetensors))") == (
        f"switch(2;mogo;softmax-shapes({tmp_path / 'policy.safetensors'}))"
    )
    assert lasting_policy("heuristic") == "heuristic"
    assert lasting_policy("softmax-shapes(shipped)") == "softmax-shapes(shipped)"
    assert lasting_policy("softmax-shapes(shipped-regression)") == "softmax-shapes(shipped-regression)"
    assert str(tmp_path) in make_player("policy:name=softmax-shapes(policy.safetensors)").lasting_name  # type: ignore[attr-defined]


def test_what_files_are_refused(tmp_path: Path) -> None:
    from katachi.values.shipped import shipped_weights

    file = tmp_path / "policy.safetensors"
    save_policy_weights(file, 5, some_theta(5))
    with pytest.raises(WeightsError, match="for boards of 5x5, not of 6x6"):
        load_policy_weights(file, board_size=6)
    with pytest.raises(WeightsError, match="not those of a playout policy"):
        load_policy_weights(shipped_weights(5))
    with pytest.raises(WeightsError, match="no playout policy comes with the package for 13x13"):
        shipped_policy(13)
    with pytest.raises(WeightsError, match="no playout policy comes with the package for 9x9 by two-step, only 5x5, "):
        shipped_policy(9, "two-step")
    with pytest.raises(InvalidArgumentError, match="107 weights on 5x5"):
        save_policy_weights(file, 5, np.zeros(3))
    with pytest.raises(InvalidArgumentError, match="do not fit on a board of 1x1"):
        policy_representation(1)
    save_policy_weights(file, 5, np.full(107, 11.0))
    with pytest.raises(WeightsError, match="from -10 to 10"):
        load_policy_weights(file)
    with pytest.raises(KatachiError, match="square boards"):
        PlayoutPolicy(f"softmax-shapes({file})").native(make_game("go", size="5x7"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learner": "reinforcement", "baseline": "mean"}, "reinforcement takes none or critic"),
        ({"learner": "two-step", "baseline": "critic"}, "for learners that simulate"),
        ({"learner": "imitation"}, "learner"),
        ({"learner": "balancing", "largest_weight": 11.0}, "largest_weight"),
        ({"learner": "balancing", "bias_simulations": 99_999_999_999}, "bias_simulations"),
        ({"learner": "balancing", "gradient_simulations": 99_999_999_999}, "gradient_simulations"),
        ({"weight_decay": -0.1}, "weight_decay"),
        ({"largest_bias": 0.0}, "largest_bias"),
        ({"largest_bias": 1.5}, "largest_bias"),
        ({"weight_decay": 11.0}, r"alpha=0\.1 times weight_decay=11 is above 1"),
    ],
)
def test_settings_that_do_not_fit(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        settings(**{"learner": "balancing", **changes})  # type: ignore[arg-type]


def test_data_that_do_not_fit(tmp_path: Path) -> None:
    good = labelled(1, with_tree=True)[0]
    tree = good.tree
    assert tree is not None
    for position, learner, message in (
        (replace(good, moves=(0, 0)), "regression", "position 0 of the data cannot be played to: action 0 .* move 2"),
        (replace(good, moves=(9, 9)), "regression", "the game is over"),
        (replace(good, value=1.5), "balancing", "value 1.5"),
        (replace(good, tree=None), "two-step", "has no tree"),
        (replace(good, tree=LabelledTree(tree.first, tree.second[1:], tree.values)), "two-step", "answers to"),
        (replace(good, tree=LabelledTree((77,), ((),), ((0.5,),))), "two-step", "action 77"),
    ):
        with pytest.raises(InvalidArgumentError, match=message):
            policy_learning(settings(learner), [position])
    with pytest.raises(InvalidArgumentError, match="no positions"):
        policy_learning(settings("balancing"), [])
    with pytest.raises(InvalidArgumentError, match=r"komi 0\.5, the run has komi 7\.5"):
        learn_policy(settings("regression", komi=7.5), data_of([good]), steps=1, folder=tmp_path / "x")
    with pytest.raises(InvalidArgumentError, match="boards of 3x3"):
        learn_policy(settings("regression", size=5), data_of([good]), steps=1, folder=tmp_path / "x")


def test_two_step_learns_from_what_has_trees(tmp_path: Path) -> None:
    """`katachi label --trees 300` of 1,000 games: 700 positions have none."""
    chosen, trees = settings("two-step"), labelled(4, with_tree=True)
    some = learn_policy(chosen, data_of([*labelled(5, seed=2), *trees]), steps=9, folder=tmp_path / "some")
    only = learn_policy(chosen, data_of(trees), steps=9, folder=tmp_path / "only")
    assert some.weights_file.read_bytes() == only.weights_file.read_bytes()
    assert load_policy_weights(some.weights_file).theta.any()
    with pytest.raises(InvalidArgumentError, match=r"none of 5 has one: katachi label --trees N makes some"):
        learn_policy(chosen, data_of(labelled(5)), steps=9, folder=tmp_path / "none")


def test_data_sets_are_kept_in_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    data = data_of([*labelled(2, with_tree=True), *labelled(2)])
    data.save(tmp_path / "data.parquet")
    found = DataSet.load(tmp_path / "data.parquet")
    assert (found.width, found.height, found.komi, found.rules) == (3, 3, 0.5, "tromp-taylor")
    assert list(found.positions) == list(data.positions)


def test_settings_are_those_of_native_code() -> None:
    from katachi import _core

    native = {name for name in dir(_core.PolicyLearningOptions) if not name.startswith("_")}
    assert set(PolicyLearningSettings.model_fields) - {"size", "seed"} | {"threads"} == native
    options, given = _core.PolicyLearningOptions(), settings("balancing", komi=7.5, alpha=1.0).to_native()
    assert {name: getattr(options, name) for name in native} == {name: getattr(given, name) for name in native}
