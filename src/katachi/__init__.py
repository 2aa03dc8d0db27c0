"""Katachi: reinforcement learning and simulation-based search for Go and other games.

    >>> import katachi
    >>> game = katachi.make_game("go", size=9)
    >>> search = katachi.TreeSearch(game, game.initial_state(), rng=katachi.Rng(1))
    >>> finished = search.run(katachi.Limit(simulations=100))
    >>> search.simulations
    100

Names are loaded when they are first used, so that `import katachi` stays fast. ARCHITECTURE.md has the map.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from katachi._core import GameFacts as GameFacts
    from katachi._core import KeyKind as KeyKind
    from katachi._core import Player as Player
    from katachi._core import Rng as Rng
    from katachi.arena.match import play_match as play_match
    from katachi.core.errors import EngineError as EngineError
    from katachi.core.errors import GameContractError as GameContractError
    from katachi.core.errors import IllegalMoveError as IllegalMoveError
    from katachi.core.errors import InvalidArgumentError as InvalidArgumentError
    from katachi.core.errors import KatachiError as KatachiError
    from katachi.core.errors import ParseError as ParseError
    from katachi.core.errors import SettingsError as SettingsError
    from katachi.core.errors import UnknownNameError as UnknownNameError
    from katachi.core.errors import UnsupportedRulesError as UnsupportedRulesError
    from katachi.core.limit import Limit as Limit
    from katachi.core.types import Action as Action
    from katachi.core.types import Point as Point
    from katachi.games.check import check_game as check_game
    from katachi.games.contract import BaseGame as BaseGame
    from katachi.games.contract import Game as Game
    from katachi.games.registry import make_game as make_game
    from katachi.players.registry import make_player as make_player
    from katachi.search.searches import FlatMonteCarlo as FlatMonteCarlo
    from katachi.search.searches import TreeSearch as TreeSearch

__version__ = "0.1.0"

_HOMES = {
    "katachi._core": ("GameFacts", "KeyKind", "Player", "Rng"),
    "katachi.arena.match": ("play_match",),
    "katachi.core.errors": (
        "EngineError",
        "GameContractError",
        "IllegalMoveError",
        "InvalidArgumentError",
        "KatachiError",
        "ParseError",
        "SettingsError",
        "UnknownNameError",
        "UnsupportedRulesError",
    ),
    "katachi.core.limit": ("Limit",),
    "katachi.core.types": ("Action", "Point"),
    "katachi.games.check": ("check_game",),
    "katachi.games.contract": ("BaseGame", "Game"),
    "katachi.games.registry": ("make_game",),
    "katachi.players.registry": ("make_player",),
    "katachi.search.searches": ("FlatMonteCarlo", "TreeSearch"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_HOME_OF)]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOME_OF:
        raise AttributeError(f"module 'katachi' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
