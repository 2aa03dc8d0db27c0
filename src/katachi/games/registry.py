"""Games by name. A user's own game joins with `register_game`."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from katachi.core.arguments import as_text
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


def _openspiel(name: str, /, key: str = "none") -> Game[Any]:
    from katachi.games.openspiel_game import openspiel

    return openspiel(name, key=key)


def _gridworld(
    map: str = "corner",
    slip: float = 0.2,
    step_reward: float = -0.04,
    goal_reward: float = 1.0,
    pit_reward: float = -1.0,
    max_length: int | None = None,
) -> Game[Any]:
    from katachi.games.gridworld import Gridworld

    return Gridworld(
        map,
        slip=slip,
        step_reward=step_reward,
        goal_reward=goal_reward,
        pit_reward=pit_reward,
        max_length=max_length,
    )


def _gymnasium(name: str, /, **options: Any) -> Game[Any]:  # noqa: ANN401
    from katachi.games.gymnasium_game import gymnasium

    return gymnasium(name, **options)


def _connect_four() -> Game[Any]:
    from katachi.games.grid import ConnectFour

    return ConnectFour()


def _gomoku(size: int = 9, line: int = 5) -> Game[Any]:
    from katachi.games.grid import Gomoku

    return Gomoku(size, line)


def _hex(size: int = 11) -> Game[Any]:
    from katachi.games.grid import Hex

    return Hex(size)


def _random_walk(size: int = 11, cap: int = 10_000) -> Game[Any]:
    from katachi.games.walks import RandomWalk

    return RandomWalk(size, cap)


def _shortest_walk(size: int = 11, cap: int = 10_000) -> Game[Any]:
    from katachi.games.walks import ShortestWalk

    return ShortestWalk(size, cap)


_FACTORIES: dict[str, GameFactory] = {
    "connect-four": _connect_four,
    "go": _go,
    "gomoku": _gomoku,
    "gridworld": _gridworld,
    "hex": _hex,
    "pig": _pig,
    "random-walk": _random_walk,
    "shortest-walk": _shortest_walk,
    "tic-tac-toe": _tic_tac_toe,
}
# Games of other libraries: "openspiel:hex(board_size=5)".
_LIBRARIES: dict[str, GameFactory] = {"gymnasium": _gymnasium, "openspiel": _openspiel}
# Defaults that a record of games must state.
_STATED: dict[str, dict[str, Any]] = {
    "go": {"size": 9, "rules": "cgos", "komi": 7.5},
    "gomoku": {"size": 9},
    "hex": {"size": 11},
}


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
    """A game by name: `make_game("go", size=9, rules="cgos")`, or `make_game("openspiel:hex(board_size=5)")`."""
    library, colon, member = as_text("the name of a game", name).partition(":")
    if name in _FACTORIES:
        factory = _FACTORIES[name]
    elif colon and library in _LIBRARIES:
        factory = partial(_LIBRARIES[library], member)
    else:
        names = (*_FACTORIES, *(f"{library}:NAME" for library in _LIBRARIES))
        raise UnknownNameError(f"there is no game called {name!r}: {did_you_mean(name, names)}")
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
