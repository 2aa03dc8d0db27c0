"""Finding external programs, and saying what to install when there is none."""

import os
import shutil

from katachi.core.errors import EngineError

__all__ = ["find_program", "need_program"]

# Where Debian's games, GNU Go among them, are installed: often not on PATH, and never for services.
_GAMES = ("/usr/games", "/usr/local/games")

_DEBIAN_PACKAGES = {"gnugo": "gnugo", "leelaz": "leela-zero"}


def find_program(name: str) -> str | None:
    """The path of a program: on PATH, or in a folder for games; a name with a slash is a path (`~` is the home)."""
    name = os.path.expanduser(name)
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(_GAMES))


def need_program(name: str) -> str:
    """Like `find_program`, but a missing program is an EngineError that says what to do."""
    found = find_program(name)
    if found is not None:
        return found
    if os.sep in name:
        raise EngineError(f"there is no program {name!r}: no such file, or it cannot be executed")
    if name in _DEBIAN_PACKAGES:
        raise EngineError(
            f"there is no program {name!r}: install Debian package {_DEBIAN_PACKAGES[name]}, or give its path"
        )
    raise EngineError(f"there is no program {name!r}: is it on PATH?")
