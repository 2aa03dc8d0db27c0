"""Players by name: a settings model and a class for each."""

from collections.abc import Callable, Mapping
from typing import Any

from katachi.core.errors import InvalidArgumentError, UnknownNameError
from katachi.core.settings import Settings, did_you_mean
from katachi.players.alpha_beta import AlphaBetaPlayer
from katachi.players.basic import FlatMcPlayer, FlatMcSettings, RandomPlayer, RandomSettings
from katachi.players.gtp_player import GtpPlayer, GtpSettings
from katachi.players.player import GamePlayer
from katachi.players.spec import PlayerSpec, parse_spec
from katachi.search.alpha_beta import AlphaBetaSettings

__all__ = ["change_settings", "make_player", "player_names"]

_PLAYERS: dict[str, tuple[type[Settings], Callable[[Any], GamePlayer]]] = {
    "alpha-beta": (AlphaBetaSettings, AlphaBetaPlayer),
    "flat-mc": (FlatMcSettings, FlatMcPlayer),
    "random": (RandomSettings, RandomPlayer),
}


def player_names() -> list[str]:
    """Every known name; `gtp:COMMAND` is not among them, since it is no player without its command."""
    return sorted(_PLAYERS)


def make_player(spec: str | PlayerSpec | Mapping[str, Any]) -> GamePlayer:
    """A player from a spec, its text, or a TOML table. An external engine is not started before its first move.

    Whether its program is there is for `katachi.players.player.check_player`.
    """
    if isinstance(spec, str):
        spec = parse_spec(spec)
    elif isinstance(spec, Mapping):
        spec = PlayerSpec.from_table(spec)
    elif not isinstance(spec, PlayerSpec):
        raise InvalidArgumentError(f"a player is named by a spec, its text or a table, not {spec!r}")
    if spec.command is not None:
        settings = GtpSettings.from_mapping(spec.options)
        return GtpPlayer(spec.command, settings.seed, timeout=settings.timeout)
    if spec.name not in _PLAYERS:
        raise UnknownNameError(f"there is no player called {spec.name!r}: {did_you_mean(spec.name, _PLAYERS)}")
    model, make = _PLAYERS[spec.name]
    return make(model.from_mapping(spec.options))


def change_settings(player: GamePlayer, changes: Mapping[str, Any]) -> GamePlayer:
    """Another player of the same kind: settings that are not named stay."""
    if isinstance(player, GtpPlayer):
        return player.with_settings(player.settings.replace(**changes))
    _, make = _PLAYERS[player.name.partition(":")[0]]
    return make(player.settings.replace(**changes))
