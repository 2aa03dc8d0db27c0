"""Environments of Gymnasium as games for one player (extra `katachi[gymnasium]`): the environment is the model.

`gymnasium("FrozenLake-v1", is_slippery=False)` is a Python game whose states are snapshots of the environment: its own
saved states where it has a pair of methods for them, otherwise copies. What cannot be done so is refused by name.

Chance is not part of a snapshot: a search that copied the generator, too, would know what the dice will show. Before
every step the environment's `np_random` is seeded from the `rng` of `play`, so that one Rng gives one step. An
environment with chance from elsewhere (its own generator, the clock) cannot be told apart: docs/adapters.md.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import inf
from threading import Lock
from typing import Any, Protocol

import numpy as np

from katachi._core import GameFacts, Player, Rng
from katachi.core.arguments import as_whole_number
from katachi.core.errors import GameContractError, IllegalMoveError, InvalidArgumentError, UnknownNameError
from katachi.core.types import Action
from katachi.games.contract import BaseGame

__all__ = ["EnvState", "GymnasiumGame", "gymnasium"]

_LONGEST_PLAYOUT = 100_000  # without a max_length, as in native code
_PROBE_STEPS = 200
# Methods of environments that save and restore all there is to them.
_PAIRS = (("clone_state", "restore_state"), ("get_state", "set_state"))
# Tables of the toy-text environments, shared by their copies.
_TOY_TABLES = ("P", "desc", "initial_state_distrib")


@dataclass(frozen=True, eq=False)
class EnvState:
    """A snapshot between two steps."""

    saved: Any
    observation: Any
    steps: int
    over: bool
    offered: tuple[Action, ...] | None = None  # by the info's action_mask, if there is one


def gymnasium(
    env: Any,  # noqa: ANN401
    *,
    seed: int = 0,
    deterministic: bool | None = None,
    max_length: int | None = None,
    return_bounds: tuple[float, float] | None = None,
    shared: Sequence[str] = (),
    **options: Any,  # noqa: ANN401
) -> "GymnasiumGame":
    """A game of an environment, or of its name with the options of `gymnasium.make`.

    The game begins as `env.reset(seed=seed)` says. It is `deterministic` if no step draws from `np_random`: some
    random steps tell, or the transition table of a toy-text environment. `max_length` is the environment's own limit
    unless given; `return_bounds` help searches to scale. `shared` names attributes of the environment that never
    change and need not be copied.
    """
    try:
        import gymnasium as gym
    except ImportError:
        raise InvalidArgumentError(
            "environments of Gymnasium need the extra: pip install 'katachi[gymnasium]'"
        ) from None
    if isinstance(env, str):
        env = _made(env, options)
    elif options:
        raise InvalidArgumentError(f"options are for an environment by name, and {env} is made already: {options!r}")
    if not isinstance(env, gym.Env):
        raise InvalidArgumentError(f"{env!r} is no environment of Gymnasium, nor the name of one")
    return GymnasiumGame(
        env,
        seed=seed,
        deterministic=deterministic,
        max_length=max_length,
        return_bounds=return_bounds,
        shared=shared,
    )


class GymnasiumGame(BaseGame[EnvState]):
    """An environment with discrete actions that can be copied or restored.

    It is reset; one that restores itself belongs to the game from now on, and of another one a copy is taken.
    """

    def __init__(
        self,
        env: Any,  # noqa: ANN401
        *,
        seed: int = 0,
        deterministic: bool | None = None,
        max_length: int | None = None,
        return_bounds: tuple[float, float] | None = None,
        shared: Sequence[str] = (),
    ) -> None:
        self.name = f"gymnasium:{env.spec.id if env.spec is not None else type(env.unwrapped).__name__}"
        self._first_action = _first_action(self.name, env)
        self._actions = tuple(Action(a) for a in range(int(env.action_space.n)))
        if env.render_mode == "human":
            raise InvalidArgumentError(f"{self.name} has the render mode human: a search would show all that it thinks")
        observation, info = env.reset(seed=seed)
        self._shelf = _shelf_for(self.name, env, shared)
        self._initial = EnvState(self._shelf.put_copy(env), observation, 0, over=False, offered=self._offered(info))
        if max_length is not None:
            max_length = as_whole_number(f"{self.name}: max_length", max_length)
        elif env.spec is not None:
            max_length = env.spec.max_episode_steps
        self._lock = Lock()  # of an environment that is restored, there is one
        self._watched = False
        if deterministic is None:
            deterministic = _table_says(env.unwrapped)
            if deterministic is None:
                deterministic = self._watched = not self._probe_draws()
        self.facts = GameFacts(
            players=1,
            action_space=len(self._actions),
            return_bounds=return_bounds,
            max_length=max_length,
            deterministic=deterministic,
        )
        self._check_snapshots()

    def initial_state(self) -> EnvState:
        """After the reset."""
        return self._initial

    def state_of(self, env: Any, observation: Any = None, steps: int = 0) -> EnvState:  # noqa: ANN401
        """Where another environment of the same kind stands now, to plan from there; `steps` it has made."""
        self._shelf.check_same(env)
        return EnvState(self._shelf.put_copy(env), observation, steps, over=steps >= (self.facts.max_length or inf))

    def legal_actions(self, state: EnvState) -> Sequence[Action]:
        """All, until the end."""
        return () if state.over else self._actions

    def candidates(self, state: EnvState) -> Sequence[Action]:
        """Those of the info's `action_mask` where the environment gives one, as Taxi does; else all."""
        return () if state.over else state.offered or self._actions

    def is_terminal(self, state: EnvState) -> bool:
        """Terminated, truncated, or cut at max_length."""
        return state.over

    def to_play(self, state: EnvState) -> Player:
        """The only player."""
        return Player.BLACK

    def uniform_playout(self, state: EnvState, rng: Rng) -> tuple[float, int]:
        """To the end in one copy, with one seed for all its chance."""
        total, length = 0.0, 0
        cap = _LONGEST_PLAYOUT if self.facts.max_length is None else self.facts.max_length - state.steps
        with self._lock:
            env = self._shelf.take(state.saved)
            over, offered = state.over, state.offered
            before = self._prepare(env, rng)
            while not over and length < cap:
                actions = offered or self._actions
                action = actions[rng.below(len(actions))]
                _, reward, terminated, truncated, info = env.step(self._first_action + action)
                total += float(reward)
                length += 1
                over, offered = bool(terminated or truncated), self._offered(info)
            self._check_draws(env, before)
        return total, length

    def format_state(self, state: EnvState) -> str:
        """The observation."""
        return f"step {state.steps}{', over' if state.over else ''}: {state.observation}"

    def play(self, state: EnvState, action: Action, rng: Rng | None = None) -> tuple[EnvState, float]:
        """One step. An environment without chance needs no rng."""
        if action not in self.legal_actions(state):
            raise IllegalMoveError(f"illegal action {action!r} in {self.name}: {self.format_state(state)}")
        with self._lock:
            env = self._shelf.take(state.saved)
            before = self._prepare(env, rng)
            observation, reward, terminated, truncated, info = env.step(self._first_action + action)
            self._check_draws(env, before)
            saved = self._shelf.put(env)
        steps = state.steps + 1
        over = bool(terminated or truncated) or steps >= (self.facts.max_length or inf)
        return EnvState(saved, observation, steps, over, self._offered(info)), float(reward)

    def _prepare(self, env: Any, rng: Rng | None) -> Any:  # noqa: ANN401
        """Seeds the chance of what comes; what to compare with afterwards where none should come."""
        if not self.facts.deterministic:
            if rng is None:
                raise InvalidArgumentError(f"{self.name} is a game of chance: play needs an Rng")
            env.unwrapped.np_random = np.random.Generator(np.random.PCG64(rng.next()))
        return _generator_state(env) if self._watched else None

    def _check_draws(self, env: Any, before: Any) -> None:  # noqa: ANN401
        if self._watched and not _same(_generator_state(env), before):
            raise GameContractError(
                f"{self.name} drew random numbers after {_PROBE_STEPS} steps without: say deterministic=False"
            )

    def _offered(self, info: dict[str, Any]) -> tuple[Action, ...] | None:
        mask = info.get("action_mask")
        if mask is None or len(mask) != len(self._actions):
            return None
        return tuple(action for action, allowed in zip(self._actions, mask, strict=True) if allowed) or None

    def _probe_draws(self) -> bool:
        """Does a random walk from the beginning draw random numbers?"""
        rng = Rng(0)
        env, over = self._shelf.take(self._initial.saved), False
        before = _generator_state(env)
        for _ in range(_PROBE_STEPS):
            if over:
                env, over = self._shelf.take(self._initial.saved), False
            _, _, terminated, truncated, _ = env.step(self._first_action + rng.choice(self._actions))
            over = terminated or truncated
            if not _same(_generator_state(env), before):
                return True
        return False

    def _check_snapshots(self) -> None:
        """The same step from the same snapshot shows the same, whatever happened in between."""
        (one, reward), (two, again) = (self.play(self._initial, self._actions[0], Rng(1)) for _ in range(2))
        if not _same((one.observation, reward, one.over), (two.observation, again, two.over)):
            raise InvalidArgumentError(
                f"{self.name} does not come back to a saved state: action 0 from the beginning showed "
                f"{one.observation} with reward {reward}, then {two.observation} with reward {again}"
            )


class _Shelf(Protocol):
    """Where snapshots come from and go to."""

    def put(self, env: Any) -> Any:  # noqa: ANN401
        """A snapshot of an environment that was taken from here."""

    def put_copy(self, env: Any) -> Any:  # noqa: ANN401
        """A snapshot of somebody else's environment."""

    def take(self, saved: Any) -> Any:  # noqa: ANN401
        """An environment that stands where the snapshot says."""

    def check_same(self, env: Any) -> None:  # noqa: ANN401
        """Raises for an environment of another kind."""


class _Copies:
    """A snapshot is a whole environment, copied before it is stepped; what never changes is shared."""

    def __init__(self, name: str, env: Any, shared: Sequence[str]) -> None:  # noqa: ANN401
        self._name, self._kind, self._names = name, type(env.unwrapped), shared

    def put(self, env: Any) -> Any:  # noqa: ANN401
        return env

    def put_copy(self, env: Any) -> Any:  # noqa: ANN401
        return deepcopy(env, self._unchanging(env))

    def take(self, saved: Any) -> Any:  # noqa: ANN401
        generator = saved.unwrapped.np_random  # seeded before every step that needs it
        return deepcopy(saved, self._unchanging(saved) | {id(generator): generator})

    def check_same(self, env: Any) -> None:  # noqa: ANN401
        _check_same(self._name, self._kind, env)

    def _unchanging(self, env: Any) -> dict[int, Any]:  # noqa: ANN401
        """As the memo of deepcopy takes it."""
        inner = env.unwrapped
        parts = [env.spec, inner.spec, inner.action_space, inner.observation_space]
        parts += [getattr(inner, name) for name in self._names]
        return {id(part): part for part in parts if part is not None}


class _SavedStates:
    """A snapshot is what the environment itself saved, with what its wrappers remember; one environment serves all."""

    def __init__(self, name: str, env: Any, pair: tuple[str, str]) -> None:  # noqa: ANN401
        self._name, self._env, self._pair = name, env, pair

    def put(self, env: Any) -> Any:  # noqa: ANN401
        memories = [_memory(wrapper, vars(wrapper)) for wrapper in _wrappers(env)]
        return getattr(env.unwrapped, self._pair[0])(), memories

    put_copy = put

    def take(self, saved: Any) -> Any:  # noqa: ANN401
        inner, memories = saved
        getattr(self._env.unwrapped, self._pair[1])(inner)
        for wrapper, memory in zip(_wrappers(self._env), memories, strict=True):
            vars(wrapper).update(_memory(wrapper, memory))
        return self._env

    def check_same(self, env: Any) -> None:  # noqa: ANN401
        _check_same(self._name, type(self._env.unwrapped), env)
        if [type(wrapper) for wrapper in _wrappers(env)] != [type(wrapper) for wrapper in _wrappers(self._env)]:
            raise InvalidArgumentError(f"{env} is wrapped otherwise than {self._name}: {self._env}")


def _shelf_for(name: str, env: Any, shared: Sequence[str]) -> _Shelf:  # noqa: ANN401
    inner = env.unwrapped
    for save, restore in _PAIRS:
        if callable(getattr(inner, save, None)) and callable(getattr(inner, restore, None)):
            try:
                getattr(inner, restore)(getattr(inner, save)())
            except Exception as error:
                raise InvalidArgumentError(f"{name} cannot restore what it saved: {error!r}") from error
            return _SavedStates(name, env, (save, restore))
    missing = [attribute for attribute in shared if not hasattr(inner, attribute)]
    if missing:
        raise InvalidArgumentError(f"{name} has no attribute {missing[0]!r} to share")
    if _is_toy_text(inner):
        shared = (*shared, *(table for table in _TOY_TABLES if hasattr(inner, table)))
    shelf = _Copies(name, env, shared)
    try:
        shelf.take(env)
    except Exception as error:
        raise InvalidArgumentError(
            f"{name} can be neither copied ({type(error).__name__}: {error}) nor restored: it has none of "
            + ", ".join("/".join(pair) for pair in _PAIRS)
        ) from error
    return shelf


def _made(name: str, options: dict[str, Any]) -> Any:  # noqa: ANN401
    """By name. Its checker is left out: it looks at every step, and the environment is somebody else's business."""
    import gymnasium as gym

    try:
        return gym.make(name, disable_env_checker=True, **options)
    except gym.error.UnregisteredEnv as error:
        raise UnknownNameError(f"Gymnasium has no environment called {name!r}: {error}") from None
    except (gym.error.Error, ImportError, TypeError, ValueError) as error:
        shown = f" with {options!r}" if options else ""
        raise InvalidArgumentError(f"Gymnasium cannot make {name!r}{shown}: {error}") from None


def _first_action(name: str, env: Any) -> int:  # noqa: ANN401
    from gymnasium.spaces import Discrete

    if not isinstance(env.action_space, Discrete):
        raise InvalidArgumentError(
            f"{name} has the action space {env.action_space}: only Discrete ones have actions to search over"
        )
    return int(env.action_space.start)


def _is_toy_text(inner: Any) -> bool:  # noqa: ANN401
    return type(inner).__module__.startswith("gymnasium.envs.toy_text.")


def _table_says(inner: Any) -> bool | None:  # noqa: ANN401
    """Does the transition table P[state][action] of a toy-text environment leave nothing to chance? None: no table.

    They draw a number for every step, needed or not. A fickle passenger of Taxi is not in the table.
    """
    if not _is_toy_text(inner) or not hasattr(inner, "P"):
        return None
    if getattr(inner, "fickle_passenger", False):
        return False
    return all(sum(row[0] > 0 for row in rows) == 1 for actions in inner.P.values() for rows in actions.values())


def _check_same(name: str, kind: type, env: Any) -> None:  # noqa: ANN401
    if type(getattr(env, "unwrapped", None)) is not kind:
        raise InvalidArgumentError(f"{env} is no environment of {name}")


def _wrappers(env: Any) -> Iterator[Any]:  # noqa: ANN401
    while env is not env.unwrapped:
        yield env
        env = env.env


def _memory(wrapper: Any, memory: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    """What a wrapper remembers, copied: all but what it wraps and its spaces."""
    fixed = {id(part): part for part in (wrapper.action_space, wrapper.observation_space, wrapper.spec)}
    return deepcopy({key: value for key, value in memory.items() if key != "env"}, fixed)


def _generator_state(env: Any) -> Any:  # noqa: ANN401
    return env.unwrapped.np_random.bit_generator.state


def _same(one: Any, two: Any) -> bool:  # noqa: ANN401
    """Equal observations, whatever they are made of."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(_same(one[key], two[key]) for key in one)
    if isinstance(one, (tuple, list)) and isinstance(two, (tuple, list)):
        return len(one) == len(two) and all(_same(a, b) for a, b in zip(one, two, strict=True))
    return bool(np.array_equal(one, two))
