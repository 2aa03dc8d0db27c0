"""The command line: `katachi COMMAND`. Each command is a module of this package; they translate, they do not think."""

import errno
import sys

__all__ = ["main"]


def main() -> None:
    """Runs a command. An error that Katachi raises on purpose is one message and status 2; Ctrl-C is status 130."""
    from katachi.cli.app import app
    from katachi.core.errors import KatachiError

    try:
        try:
            app(prog_name="katachi")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except KatachiError as error:
        print(f"katachi: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except MemoryError:
        print("katachi: there is not enough memory for this", file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:  # not of what is printed
            raise
        print(f"katachi: the output cannot be written: {error.strerror}", file=sys.stderr)
        sys.stdout = None  # Python would try again at its end
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
