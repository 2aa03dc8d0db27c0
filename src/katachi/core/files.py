"""Files that are written whole or not at all."""

import errno
import os
import stat
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], content: bytes, *, mode: int | None = None) -> None:
    """Whoever looks at `path`, also after a crash, sees the old content or the new one. Raises OSError.

    A file that is replaced keeps its permissions, unless `mode` gives others, and a link to it stays one. What is left
    of a crash is called `.katachi-*.tmp` and lies beside it.
    """
    found = _mode_of_file(path)
    mode = found if mode is None else mode
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".katachi-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            if mode is not None:
                os.chmod(temporary, mode)  # before there is anything to read
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode_of_file(path: str | os.PathLike[str]) -> int | None:
    """The permissions of a file that exists; refuses to replace a device, a pipe or a folder."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file, which could be replaced", os.fspath(path))
    return mode & 0o777
