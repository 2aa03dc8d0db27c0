"""Weights of local shapes for the prior of a tree search."""

from typing import Any

from katachi._core import ShapeEvaluator
from katachi.core.errors import InvalidArgumentError
from katachi.games.contract import Game
from katachi.games.go.game import GoGame
from katachi.search.tree_settings import BY_SHAPES
from katachi.values.weights_reader import SHIPPED, WeightsReader

__all__ = ["prior_fingerprint", "prior_shapes"]

_OF_GO = ("handcrafted", *BY_SHAPES)


def prior_shapes(prior: str, reader: WeightsReader, game: Game[Any]) -> ShapeEvaluator | None:
    """What the setting `prior` needs for a game, if anything; an error if the game cannot have it."""
    if prior in _OF_GO and not isinstance(game, GoGame):
        raise InvalidArgumentError(f"prior={prior} is for Go, not for {game.name}")
    return reader.evaluation(game).evaluator if _has_shapes(prior, reader, game) else None


def prior_fingerprint(prior: str, reader: WeightsReader, game: Game[Any]) -> str | None:
    """Of the weights; None: it has none."""
    return reader.evaluation(game).fingerprint if _has_shapes(prior, reader, game) else None


def _has_shapes(prior: str, reader: WeightsReader, game: Game[Any]) -> bool:
    if prior != "shapes-or-handcrafted" or reader.weights != SHIPPED:
        return prior in BY_SHAPES
    # Here, since they need numpy, which is long to load and starts threads.
    from katachi.values.shipped import shipped_sizes

    return isinstance(game, GoGame) and game.width == game.height and game.width in shipped_sizes()
