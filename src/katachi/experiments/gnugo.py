"""GNU Go by a short name: `gnugo:level=N` is that engine with the rules of the games that experiments play."""

import re

__all__ = ["spec_of"]

_COMMAND = (
    "gtp:gnugo --mode gtp --level {level} --chinese-rules --positional-superko --capture-all-dead --never-resign"
    " --seed {{seed}}"
)


def spec_of(player: str) -> str:
    """What the registry of players understands: other players' specs are that already."""
    level = re.fullmatch(r"gnugo:level=(\d+)", player)
    return player if level is None else _COMMAND.format(level=level[1])
