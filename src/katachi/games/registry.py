"""Games by name. A user's own game joins with `register_game`."""

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any

from katachi.core.errors import InvalidArgumentError, UnknownNameError
from katachi.core.settings import did_you_mean
from katachi.games.contract import Game

if TYPE_CHECKING:
    from katachi.games.go.rules import Rules

__all__ = ["full_options", "game_names", "make_game", "register_game"]

GameFactory = Callable[..., Game[Any]]


def _go(
    size: int | tuple[int, int] | str = 9,
    rules: "Rules | str" = "cgos",
    komi: float | None = None,
    eye_rule: str = "simple",
) -> Game[Any]:
    from katachi.games.go.game import GoGame

    return GoGame(size, rules, komi, eye_rule)


def _tic_tac_toe() -> Game[Any]:
    from katachi.games.native import TicTacToe

    return TicTacToe()


def _pig(target: int = 20) -> Game[Any]:
    from katachi.games.native import Pig

    return Pig(target)


def _gridworld(
    map: str = "corner",
    slip: float = 0.2,
    step_reward: float = -0.04,
    goal_reward: float = 1.0,
    pit_reward: float = -1.0,
) -> Game[Any]:
    from katachi.games.gridworld import Gridworld

    return Gridworld(map, slip=slip, step_reward=step_reward, goal_reward=goal_reward, pit_reward=pit_reward)


_FACTORIES: dict[str, GameFactory] = {
    "go": _go,
    "gridworld": _gridworld,
    "pig": _pig,
    "tic-tac-toe": _tic_tac_toe,
}


_STATED: dict[str, dict[str, Any]] = {"go": {"size": 9, "rules": "cgos", "komi": 7.5}}


def register_game(name: str, factory: GameFactory) -> None:
    """Adds a game; its factory's keyword arguments become its options. A name is given once."""
    if name in _FACTORIES:
        raise InvalidArgumentError(f"there is already a game called {name!r}")
    _FACTORIES[name] = factory


def game_names() -> list[str]:
    """Every registered name."""
    return sorted(_FACTORIES)


def full_options(name: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401
    """Options without those that are None, and with the defaults that a record of games must state.

    A size is a number, or text such as "9x7".
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    size = chosen.get("size")
    if isinstance(size, str) and size.isdecimal():
        chosen["size"] = int(size)
    return _STATED.get(name, {}) | chosen


def make_game(name: str, **options: Any) -> Game[Any]:  # noqa: ANN401
    """A game by name: `make_game("go", size=9, rules="cgos")`."""
    if name not in _FACTORIES:
        raise UnknownNameError(f"there is no game called {name!r}: {did_you_mean(name, _FACTORIES)}")
    factory = _FACTORIES[name]
    try:
        signature(factory).bind(**options)
    except ValueError:  # a factory that tells nothing of its parameters
        pass
    except TypeError as error:
        known = did_you_mean(next(iter(options), ""), signature(factory).parameters)
        raise InvalidArgumentError(
            f"game {name!r} does not take these options: {options!r} ({error}); {known}"
        ) from None
    return factory(**options)
