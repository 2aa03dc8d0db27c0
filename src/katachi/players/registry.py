"""Players by name: what reads the options of a spec, and what makes the player."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from katachi.core.errors import InvalidArgumentError, UnknownNameError
from katachi.core.settings import Settings, did_you_mean
from katachi.players.basic import (
    FlatMcPlayer,
    FlatMcSettings,
    PolicyPlayer,
    PolicySettings,
    RandomPlayer,
    RandomSettings,
)
from katachi.players.gtp_player import GtpPlayer, GtpSettings
from katachi.players.net import NetPlayer, NetSettings, WallyPlayer, WallySettings
from katachi.players.player import GamePlayer
from katachi.players.shapes import AlphaBetaPlayer, AlphaBetaPlayerSettings, ShapesPlayer, ShapesSettings
from katachi.players.spec import PlayerSpec, parse_spec
from katachi.players.td_player import TD_PRESETS, TdPlayer, TdPlayerSettings
from katachi.players.td_rave_player import TD_RAVE, TdRavePlayer, TdRaveSettings
from katachi.players.tree_player import TreePlayer, TreePlayerSettings
from katachi.search.tree_settings import PRESETS

__all__ = ["change_settings", "make_player", "player_names"]


class _Kind(NamedTuple):
    read: Callable[[Mapping[str, Any]], Settings]
    make: Callable[[Any], GamePlayer]


def _tree_kind(name: str) -> _Kind:
    def read(options: Mapping[str, Any]) -> Settings:
        return TreePlayerSettings.from_mapping({**PRESETS[name], **options})

    return _Kind(read, lambda settings: TreePlayer(name, settings))


def _td_kind(name: str) -> _Kind:
    def read(options: Mapping[str, Any]) -> Settings:
        return TdPlayerSettings.from_mapping({**TD_PRESETS[name], **options})

    return _Kind(read, lambda settings: TdPlayer(name, settings))


_PLAYERS: dict[str, _Kind] = {
    "alpha-beta": _Kind(AlphaBetaPlayerSettings.from_mapping, AlphaBetaPlayer),
    "flat-mc": _Kind(FlatMcSettings.from_mapping, FlatMcPlayer),
    "net": _Kind(NetSettings.from_mapping, NetPlayer),
    "policy": _Kind(PolicySettings.from_mapping, PolicyPlayer),
    "random": _Kind(RandomSettings.from_mapping, RandomPlayer),
    "shapes": _Kind(ShapesSettings.from_mapping, ShapesPlayer),
    TD_RAVE: _Kind(lambda options: TdRaveSettings.usual(**options), TdRavePlayer),
    "wally": _Kind(WallySettings.from_mapping, WallyPlayer),
    **{name: _td_kind(name) for name in TD_PRESETS},
    **{name: _tree_kind(name) for name in PRESETS},
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
    kind = _PLAYERS[spec.name]
    return kind.make(kind.read(spec.options))


def change_settings(player: GamePlayer, changes: Mapping[str, Any]) -> GamePlayer:
    """Another player of the same kind: settings that are not named stay."""
    if isinstance(player, GtpPlayer):
        return player.with_settings(player.settings.replace(**changes))
    return _PLAYERS[player.name.partition(":")[0]].make(player.settings.replace(**changes))
