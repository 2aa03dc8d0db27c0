"""Trainers of networks: vectors of the specification, slow twins, equalities between trainers (Ekker, 3.3)."""

from collections.abc import Sequence

import numpy
import pytest

from katachi import InvalidArgumentError
from katachi._core import Network, NetworkTrainer, NetworkTrainerOptions, Rng, adaptive_mix
from katachi.core.errors import DivergenceError, SettingsError
from katachi.learning.network_trainers import TRAINERS, NetworkTrainerSettings, trainer_settings
from katachi.reference import network_trainers as twin
from katachi.reference.network import network_gradient

LAYERS = (5, 4, 3, 1)
Floats = numpy.typing.NDArray[numpy.float64]
Game = tuple[Sequence[Floats | None], Floats]  # None: not valued by the network


def network(seed: int = 1) -> Network:
    found = Network(list(LAYERS))
    found.randomise(Rng(seed), 1.0)
    return found


def games(count: int, seed: int = 1) -> list[tuple[list[Floats], Floats]]:
    rng = numpy.random.default_rng(seed)
    found = []
    for _ in range(count):
        length = int(rng.integers(1, 7))
        states = [numpy.where(rng.random(5) < 0.4, 0.0, rng.normal(size=5)) for _ in range(length)]
        found.append((states, rng.normal(size=length)))
    return found


def with_strange_values(played: Sequence[Game]) -> list[Game]:
    """One state of three is not valued by the network, and has no error."""
    found: list[Game] = []
    for states, errors in played:
        known = [i % 3 != 1 for i in range(len(states))]
        kept = [state if is_known else None for state, is_known in zip(states, known, strict=True)]
        found.append((kept, numpy.where(known, errors, 0.0)))
    return found


def trained(settings: NetworkTrainerSettings, played: Sequence[Game], seed: int = 1) -> Floats:
    one = network(seed)
    trainer = NetworkTrainer(settings.to_native(), len(one.weights))
    for states, errors in played:
        trainer.add_game(one, states, errors)
    return one.weights


def gradients(weights: Floats, states: Sequence[Floats | None], of: str = "output") -> list[Floats]:
    one = network()
    one.weights = weights
    found = []
    for state in states:
        if state is None:
            found.append(numpy.zeros(len(weights)))
            continue
        output = one.value(state)[1]
        found.append(network_gradient(LAYERS, weights, state) * (output * (1 - output) if of == "output" else 1.0))
    return found


def twin_trained(settings: NetworkTrainerSettings, played: Sequence[Game]) -> Floats:
    """Batch after batch, by the equations."""
    weights = network().weights
    rprop = twin.Rprop(len(weights))
    for start in range(0, len(played) - settings.batch_games + 1, settings.batch_games):
        direct, rg, mixed = (numpy.zeros(len(weights)) for _ in range(3))
        for states, errors in played[start : start + settings.batch_games]:
            rows = gradients(weights, states, settings.gradient_of)
            ones = twin.direct(rows, errors)
            others = twin.residual_gradient(rows, errors, settings.residual_pair)
            direct, rg = direct + sum(ones), rg + sum(others)
            for one, other in zip(ones, others, strict=True):
                phi = settings.mix
                if phi is None:
                    phi = twin.adaptive_mix(one, other, settings.phi_rule, settings.phi_margin)
                mixed = mixed + twin.residual(one, other, phi)
        if settings.phi_per == "batch":
            phi = settings.mix
            if phi is None:
                phi = twin.adaptive_mix(direct, rg, settings.phi_rule, settings.phi_margin)
            mixed = twin.residual(direct, rg, phi)
        weights = rprop.step(weights, -mixed) if settings.step == "rprop" else weights + settings.eta * mixed
    return weights


def test_vector_of_phi() -> None:
    direct, rg = numpy.array([1.0, 0.0]), numpy.array([-0.5, 1.0])
    for mix in (adaptive_mix, twin.adaptive_mix):
        assert mix(direct, rg, "safe", 0.0) == pytest.approx(0.285714, abs=1e-6)
        assert mix(direct, rg, "literal", 0.01) == pytest.approx(0.295714, abs=1e-6)
        assert mix(numpy.array([3.0, 0.0]), numpy.array([1.0, 0.0]), "literal", 0.0) == 1.0
        assert mix(numpy.array([3.0, 0.0]), numpy.array([1.0, 0.0]), "safe", 0.0) == 0.0
        assert mix(direct, numpy.zeros(2), "literal", 0.01) == 0.0
    step = twin.residual(direct, rg, 2 / 7)
    assert step == pytest.approx([0.571429, 0.285714], abs=1e-6)
    assert step @ rg == pytest.approx(0)


def test_vector_of_rprop() -> None:
    """One weight; what is wanted is minus the gradient, and the derivative of x by a weight is its input."""
    one = Network([1, 1], bias=False)
    trainer = NetworkTrainer(trainer_settings("rprop", batch_games=1, gradient_of="sum").to_native(), 1)
    weights, steps = [], []
    slow, by_twin = twin.Rprop(1), numpy.zeros(1)
    for gradient in (1.0, 0.5, -0.2, -0.3):
        assert trainer.add_game(one, [numpy.ones(1)], numpy.array([-gradient]))
        by_twin = slow.step(by_twin, numpy.array([gradient]))
        weights.append(float(one.weights[0]))
        steps.append(float(trainer.memories[2][0]))
        assert weights[-1] == pytest.approx(by_twin[0])
    assert weights == pytest.approx([-0.1, -0.22, -0.10, -0.04])
    assert steps == pytest.approx([0.1, 0.12, 0.06, 0.06])


def test_steps_of_rprop_have_bounds() -> None:
    one = Network([1, 1], bias=False)
    options = trainer_settings("rprop", batch_games=1, gradient_of="sum", rprop_largest=0.15, rprop_smallest=0.09)
    trainer = NetworkTrainer(options.to_native(), 1)
    seen = []
    for wanted in (1.0, 1.0, 1.0, -1.0, -1.0, 1.0):
        trainer.add_game(one, [numpy.ones(1)], numpy.array([wanted]))
        seen.append(float(trainer.memories[2][0]))
    assert seen == pytest.approx([0.1, 0.12, 0.144, 0.09, 0.09, 0.09])


@pytest.mark.parametrize("name", TRAINERS)
@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"residual_pair": "previous"},
        {"phi_per": "step"},
        {"phi_per": "step", "residual_pair": "previous", "phi_rule": "literal"},
        {"gradient_of": "sum"},
        {"phi_rule": "literal", "phi_margin": 0.1, "eta": 0.05},
    ],
)
def test_trainers_are_those_of_the_twin(name: str, batch: int, changes: dict[str, object]) -> None:
    settings = trainer_settings(name, batch_games=batch, **changes)  # type: ignore[arg-type]
    played = games(9)
    assert trained(settings, played) == pytest.approx(twin_trained(settings, played), abs=1e-10)
    strange = with_strange_values(played)
    assert trained(settings, strange) == pytest.approx(twin_trained(settings, strange), abs=1e-10)


@pytest.mark.parametrize("pair", ["next", "previous"])
@pytest.mark.parametrize("per", ["batch", "step"])
def test_mixes_of_0_and_1_are_direct_and_residual_gradient(pair: str, per: str) -> None:
    played = games(6, seed=4)
    parts = {"residual_pair": pair, "phi_per": per, "batch_games": 2}
    none = trained(trainer_settings("residual", mix=0.0, **parts), played)
    assert none == pytest.approx(trained(trainer_settings("direct", batch_games=2), played), abs=1e-12)
    all_ = trained(trainer_settings("residual", mix=1.0, **parts), played)
    expected = trained(trainer_settings("residual-gradient", residual_pair=pair, batch_games=2), played)
    assert all_ == pytest.approx(expected, abs=1e-12)
    assert not numpy.allclose(none, all_)


def test_back_propagation_is_the_direct_algorithm_and_descends_the_squared_error() -> None:
    """A small step along E g lowers (t - y)^2 for E = t - y."""
    played = games(5, seed=2)
    assert (
        trained(trainer_settings("backpropagation"), played).tobytes()
        == trained(trainer_settings("direct"), played).tobytes()
    )
    one, state, target = network(), played[0][0][0], 0.9
    trainer = NetworkTrainer(trainer_settings("backpropagation", batch_games=1, eta=0.01).to_native(), len(one.weights))
    before = one.value(state)[1]
    trainer.add_game(one, [state], numpy.array([target - before]))
    assert abs(target - one.value(state)[1]) < abs(target - before)


def test_an_adaptive_step_has_an_acute_angle_with_the_residual_gradient() -> None:
    mixes, is_obtuse = [], 0
    for seed in range(30):
        (states, errors), weights = games(1, seed)[0], network().weights
        rows = gradients(weights, states)
        direct = numpy.sum(twin.direct(rows, errors), axis=0)
        rg = numpy.sum(twin.residual_gradient(rows, errors), axis=0)
        one = network()
        trainer = NetworkTrainer(trainer_settings("residual", batch_games=1).to_native(), len(weights))
        trainer.add_game(one, states, errors)
        assert trainer.last_mix is not None
        mixes.append(trainer.last_mix)
        assert (one.weights - weights) @ rg > 0
        is_obtuse += bool(direct @ rg < 0)
    assert is_obtuse  # the rare event: somewhere the direct step would have climbed
    assert min(mixes) == 0.0 < max(mixes)


def test_weights_move_with_the_last_game_of_a_batch() -> None:
    one, played = network(), games(7)
    trainer = NetworkTrainer(trainer_settings("residual-rprop", batch_games=3).to_native(), len(one.weights))
    start = one.weights
    moved = []
    for states, errors in played:
        moved.append(trainer.add_game(one, states, errors))
    assert moved == [False, False, True, False, False, True, False]
    assert trainer.games_in_batch == 1
    assert (one.weights != start).any()


@pytest.mark.parametrize("name", TRAINERS)
def test_a_trainer_goes_on_from_its_memories(name: str) -> None:
    settings = trainer_settings(name, batch_games=3)  # type: ignore[arg-type]
    played = games(11, seed=9)
    one = network()
    trainer = NetworkTrainer(settings.to_native(), len(one.weights))
    for states, errors in played[:5]:
        trainer.add_game(one, states, errors)
    other = network()
    other.weights = one.weights
    again = NetworkTrainer(settings.to_native(), len(one.weights))
    again.memories, again.games_in_batch = trainer.memories, trainer.games_in_batch
    for states, errors in played[5:]:
        assert trainer.add_game(one, states, errors) == again.add_game(other, states, errors)
    assert one.weights.tobytes() == other.weights.tobytes() == trained(settings, played).tobytes()


def test_settings_on_both_sides() -> None:
    native = {name for name in dir(NetworkTrainerOptions) if not name.startswith("_")}
    assert set(NetworkTrainerSettings.model_fields) == native
    options = NetworkTrainerSettings().to_native()
    for name in native:
        assert getattr(options, name) == getattr(NetworkTrainerOptions(), name), name


def test_what_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"rprop_first=0\.0001 is not between rprop_smallest=0\.001"):
        trainer_settings("rprop", rprop_first=0.0001)
    with pytest.raises(SettingsError, match="mix"):
        NetworkTrainerSettings(mix=1.5)
    one = network()
    trainer = NetworkTrainer(NetworkTrainerSettings().to_native(), len(one.weights))
    with pytest.raises(InvalidArgumentError, match="2 states have 1 errors"):
        trainer.add_game(one, [numpy.zeros(5), numpy.zeros(5)], numpy.zeros(1))
    with pytest.raises(InvalidArgumentError, match="5 memories, not 1"):
        trainer.memories = [numpy.zeros(3)]
    with pytest.raises(InvalidArgumentError, match=f"for {len(one.weights)} weights, not for 3"):
        trainer.add_game(Network([2, 1]), [numpy.zeros(2)], numpy.zeros(1))


def test_weights_that_leave_all_bounds_are_an_error() -> None:
    one = Network([1, 1])
    trainer = NetworkTrainer(trainer_settings("direct", batch_games=1, eta=1e308).to_native(), 2)
    with pytest.raises(DivergenceError, match="a smaller eta may help"):
        trainer.add_game(one, [numpy.full(1, 1e10)], numpy.ones(1))
