"""Finding external programs."""

import os
import shutil

__all__ = ["find_program"]


def find_program(name: str) -> str | None:
    """The path of a program: on PATH, or in Debian's folder for games, which often is not."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(("/usr/games", "/usr/local/games")))
