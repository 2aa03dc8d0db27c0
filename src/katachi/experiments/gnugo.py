"""GNU Go by a short name: `gnugo:level=N` is that engine with the rules of the games that experiments play.

`gnugo:level=N,resign` gives up games that it takes for lost, which makes games shorter.
"""

import re

__all__ = ["shown", "spec_of"]

_COMMAND = (
    "gtp:gnugo --mode gtp --level {level} --chinese-rules --positional-superko --capture-all-dead {resign}"
    " --seed {{seed}}"
)


def spec_of(player: str) -> str:
    """What the registry of players understands: other players' specs are that already."""
    found = re.fullmatch(r"gnugo:level=(\d+)(,resign)?", player)
    if found is None:
        return player
    return _COMMAND.format(level=found[1], resign="--resign-allowed" if found[2] else "--never-resign")


def shown(spec: str) -> str:
    """A spec as the settings have it: GNU Go by its short name."""
    level = re.match(r"gtp:gnugo .*--level (\d+)", spec)
    if level is None:
        return spec
    return f"gnugo:level={level[1]}{',resign' if '--resign-allowed' in spec else ''}"
