"""The command line: `katachi COMMAND`. Each command is a module of this package; they translate, they do not think."""

import sys

__all__ = ["main"]


def main() -> None:
    """Runs a command. An error that Katachi raises on purpose is one message and status 2; Ctrl-C is status 130."""
    from katachi.cli.app import app
    from katachi.core.errors import KatachiError

    try:
        app(prog_name="katachi")
    except KatachiError as error:
        print(f"katachi: {error}", file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
