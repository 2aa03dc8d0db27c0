"""`katachi play`: the options and the real terminal; the conversation is katachi.play.dialogue's."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from katachi.cli.console import progress_bar, raise_on_hangup

if TYPE_CHECKING:
    from rich.text import Text

    from katachi.play.table import Table
    from katachi.search.searches import Progress

__all__ = ["play"]

_PLAYER = "flat-mc:sims=200"
_SIZE = "9"
_RULES = "chinese"
_SEED = 1
_LONGEST_LINE = 4096  # as long as a terminal allows; the rest of a longer line of a pipe is not read into memory
_PATIENCE = 2.0  # seconds of thinking before a progress bar appears


class Colour(StrEnum):
    """Whom the person plays."""

    BLACK = "black"
    WHITE = "white"
    RANDOM = "random"


def play(
    player: Annotated[
        str | None, typer.Argument(help="The opponent: a player spec, or gtp:COMMAND.", show_default=_PLAYER)
    ] = None,
    size: Annotated[str | None, typer.Option(help="Board size: N or WIDTHxHEIGHT.", show_default=_SIZE)] = None,
    rules: Annotated[
        str | None,
        typer.Option(help="Rule set: cgos, tromp-taylor, chinese, chinese-ogs, aga, new-zealand.", show_default=_RULES),
    ] = None,
    komi: Annotated[float | None, typer.Option(help="Points for White; otherwise those of the rules.")] = None,
    color: Annotated[
        Colour | None,
        typer.Option(help="Your colour; with --load, the one to move.", show_default=Colour.BLACK.value),
    ] = None,
    handicap: Annotated[
        int | None, typer.Option(min=0, help="Black's stones on the fixed points; White begins.", show_default="0")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed and same moves, same replies.", show_default=str(_SEED))
    ] = None,
    load: Annotated[Path | None, typer.Option(help="Play on from this SGF record.")] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Charset of the records to load, whatever they say, such as gb18030.")
    ] = None,
    move: Annotated[int | None, typer.Option(min=1, help="With --load: from the position before move N.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the record there at the end; a file that is there is kept as FILE~.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the game that was left.")] = False,
    ascii_only: Annotated[
        bool | None, typer.Option("--ascii/--unicode", help="Stones as X and O; otherwise if the terminal needs it.")
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours.")] = False,
) -> None:
    """Play Go against a player in the terminal.

    Type a point such as E5, or pass, undo, hint, score, save, load, resign, quit; help lists them all. Ctrl-C stops a
    player that thinks. The game is kept after every move, in $XDG_STATE_HOME/katachi or ~/.local/state/katachi:
    whichever way you leave, --resume goes on; so it does after the terminal was closed (SIGHUP) or SIGTERM.

    \b
    Examples:
      katachi play
      katachi play flat-mc:sims=1000 --size 13 --color white
      katachi play "gtp:gnugo --mode gtp" --handicap 4 --komi 0.5
      katachi play --load game.sgf --move 31 --save mine.sgf
      katachi play --resume
      printf 'c3\\npass\\nscore\\n' | katachi play random --size 5 --ascii
    """
    from katachi.core.errors import InvalidArgumentError
    from katachi.play.autosave import Autosave, state_folder
    from katachi.play.board_text import ASCII, UNICODE, can_encode
    from katachi.play.dialogue import Dialogue
    from katachi.players.player import close_player

    raise_on_hangup()
    given = {
        "PLAYER": player, "--size": size, "--rules": rules, "--komi": komi, "--color": color, "--handicap": handicap,
        "--seed": seed, "--load": load, "--move": move,
    }  # fmt: skip
    what, fixed = ("the game that was left", tuple(given)) if resume else ("the record", ("--size", "--handicap"))
    for name in fixed:
        if given[name] is not None and (resume or load is not None):
            raise InvalidArgumentError(f"{what} has its own: leave out {name} ({given[name]})")
    if move is not None and load is None:
        raise InvalidArgumentError(f"--move {move} needs --load FILE: it is a move of that record")
    save_to = None if save is None else Path(os.path.expanduser(save))
    if save_to is not None:
        if not save_to.parent.is_dir():
            raise InvalidArgumentError(f"--save {save}: there is no folder {save_to.parent}")
        if save_to.exists() and not save_to.is_file():
            raise InvalidArgumentError(f"--save {save}: it is there, and it is no regular file")
    if encoding is not None:
        _check_encoding(encoding)

    terminal = _Terminal(no_color=no_color)
    with Autosave(state_folder()) as autosave:
        table = (
            autosave.resume()
            if resume
            else _make_table(
                player or _PLAYER,
                size=size or _SIZE,
                rules=rules,
                komi=komi,
                color=color,
                handicap=handicap or 0,
                seed=_SEED if seed is None else seed,
                load=load,
                move=move,
                encoding=encoding,
            )
        )
        plain = not can_encode(getattr(sys.stdout, "encoding", None)) if ascii_only is None else ascii_only
        try:
            status = Dialogue(table, terminal, autosave, ASCII if plain else UNICODE, save_to, encoding).run()
        except OSError as error:
            # Nothing can be shown any more; what was played is kept.
            terminal.warn(f"stdout cannot be written: {error.strerror or error}; katachi play --resume goes on")
            status = 1
        except SystemExit as error:
            status = int(error.code or 0)
        finally:
            close_player(table.player)
    _flush_or_drop_output()
    raise typer.Exit(status)


def _make_table(
    player: str,
    *,
    size: str,
    rules: str | None,
    komi: float | None,
    color: Colour | None,
    handicap: int,
    seed: int,
    load: Path | None,
    move: int | None,
    encoding: str | None,
) -> "Table":
    """A table for a new game, or for one that goes on from a record."""
    from katachi._core import Rng
    from katachi.core.errors import InvalidArgumentError
    from katachi.core.types import Player
    from katachi.games.go.rules import Rules
    from katachi.games.go.vertex import parse_size
    from katachi.play.table import Table, load_position, starting_position
    from katachi.players.player import check_player
    from katachi.players.registry import make_player

    opponent = make_player(player)
    if load is None:
        rule_set = Rules.named(_RULES if rules is None else rules, komi)
        position = starting_position(parse_size(size), rule_set, handicap)
    else:
        try:
            position = load_position(
                load,
                move,
                Rules.named(_RULES),
                rules=None if rules is None else Rules.named(rules),
                komi=komi,
                encoding=encoding,
            )
        except OSError as error:
            raise InvalidArgumentError(f"--load {load} cannot be read: {error.strerror or error}") from None
    if color is None:
        person = Player.BLACK if load is None else position.to_play
    elif color is Colour.RANDOM:
        person = Rng(seed).split("colour").choice([Player.BLACK, Player.WHITE])
    else:
        person = Player.BLACK if color is Colour.BLACK else Player.WHITE
    table = Table(opponent, position, person=person, seed=seed)
    check_player(opponent, table.game)
    return table


def _check_encoding(name: str) -> None:
    """Refuses a charset that the first record would be refused for."""
    from katachi.games.go.record import Record

    Record.parse(b"(;)", name)


def _flush_or_drop_output() -> None:
    """What cannot be written is forgotten: the interpreter would try again, and end with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        except ValueError:  # closed
            pass


class _Terminal:
    """Stdin and stdout, be they a terminal, a pipe, or not there at all."""

    def __init__(self, *, no_color: bool) -> None:
        from rich.console import Console

        # Bytes that are no text, and signs that the encoding lacks, are shown as question marks.
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="replace")
        self._is_interactive = _is_terminal(sys.stdin) and _is_terminal(sys.stdout)
        if self._is_interactive:
            _enable_line_editing()
        # None: as rich finds out, from the terminal and from NO_COLOR.
        self._console = Console(no_color=no_color or None, markup=False, highlight=False, emoji=False)

    @property
    def columns(self) -> int:
        """How wide the window is; 80 without one."""
        return self._console.width if self._console.is_terminal else 80

    def show(self, text: "str | Text") -> None:
        """Writes lines as they are: where the window ends is the terminal's business, so that paths can be copied."""
        if sys.stdout is not None:
            self._console.print(text, soft_wrap=True)
            sys.stdout.flush()

    def warn(self, text: str) -> None:
        """Writes a line to stderr."""
        if sys.stderr is not None:
            with suppress(OSError):  # nobody is there to be warned
                print(f"katachi: {text}", file=sys.stderr, flush=True)

    def ask(self, prompt: str) -> str:
        """Reads a line. The end of the input, however it comes about, is an EOFError."""
        try:
            return input(prompt) if self._is_interactive else self._ask_pipe(prompt)
        except KeyboardInterrupt:
            self.show("")
            raise
        except (EOFError, OSError, ValueError):  # ended, hung up, closed
            self.show("")
            raise EOFError from None

    def _ask_pipe(self, prompt: str) -> str:
        if sys.stdout is not None:
            print(prompt, end="", flush=True)
        line = "" if sys.stdin is None else sys.stdin.readline(_LONGEST_LINE)
        if not line:
            raise EOFError
        rest = line
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(_LONGEST_LINE)
        if not _is_terminal(sys.stdin):
            # Nobody has typed it, so nobody has seen it.
            self.show("".join(letter if letter.isprintable() else "?" for letter in line.rstrip("\r\n")))
        return line

    @contextmanager
    def thinking(self, title: str) -> "Iterator[Progress]":
        """A progress bar, if it takes long."""
        started = time.monotonic()
        with ExitStack() as stack:
            bars: list[Progress] = []

            def progress(share: float) -> None:
                if not bars and time.monotonic() - started >= _PATIENCE:
                    bars.append(stack.enter_context(progress_bar(title)))
                if bars and share >= 0:  # an external engine does not know how far it is
                    bars[0](share)

            try:
                yield progress
            except SystemExit:
                with suppress(OSError):  # of a bar in a terminal that is gone
                    stack.close()
                raise


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:  # closed
        return False


def _enable_line_editing() -> None:
    try:
        import readline
    except ImportError:  # some builds of Python have none: the terminal's own editing will do
        return
    # Bracketed paste writes escape sequences around every prompt.
    readline.parse_and_bind("set enable-bracketed-paste off")
