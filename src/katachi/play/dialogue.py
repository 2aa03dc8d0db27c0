"""The conversation at the table: what the person types, and what they are told. No terminal is touched here.

`Terminal` is what the dialogue needs of one; katachi.cli.play has the real one, the tests have a script. A mistake is
one line that says what to do next.

Ctrl-C while the player thinks gives the prompt back, and it is still the player's turn. Ctrl-C at the prompt leaves.
SystemExit, which is what signals that end the program raise (katachi.cli.console), keeps the game wherever it comes.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from katachi.core.errors import EngineError, KatachiError
from katachi.core.types import Player
from katachi.games.go.record import format_result, parse_result
from katachi.play.autosave import Autosave, save_with_backup
from katachi.play.board_text import Signs, draw_board
from katachi.play.table import Table
from katachi.players.gtp_process import LAST_WORDS
from katachi.players.player import Decision
from katachi.search.searches import Progress

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["COMMANDS", "HELP", "INTERRUPTED", "Dialogue", "Terminal"]

INTERRUPTED = 130
"""The exit status of a program that Ctrl-C has ended."""

COMMANDS = ("board", "go", "help", "hint", "load", "new", "pass", "quit", "resign", "save", "score", "undo")
_ALIASES = {"?": "help", "h": "hint", "exit": "quit", "bye": "quit"}
_WITH_FILE = ("load", "save")
_IN_FULL = ("new", "resign")  # one letter should not end a game

HELP = """\
E5            play there: column and row, upper or lower case
pass          two in a row end the game; some players pass only at the very end
resign        give the game up
undo          take back your last move and the reply
hint          what the other side would play in your place
score         what the board is worth as it stands, and what looks dead
save FILE     write the game as SGF; a file that is there is kept as FILE~
load FILE N   play on from a record, from its end or from before move N
new           another game with the same player; an unfinished one is kept
board         draw the board again
go            let the other side think after Ctrl-C; so does an empty line
quit          leave, as do Ctrl-C and Ctrl-D; katachi play --resume goes on
The first letters will do, except for resign and new; h is hint, ? is help."""

_POINT = re.compile(r"[A-Za-z]\d{1,9}")
_MOST_SHOWN = 40


class Terminal(Protocol):
    """A way to talk to a person."""

    @property
    def columns(self) -> int:
        """How wide the window is."""

    def show(self, text: "str | Text") -> None:
        """Writes lines."""

    def warn(self, text: str) -> None:
        """Writes a line that is not part of the game."""

    def ask(self, prompt: str) -> str:
        """Reads a line; raises EOFError or KeyboardInterrupt."""

    def thinking(self, title: str) -> AbstractContextManager[Progress]:
        """Around a long thought."""


class _LeavingError(Exception):
    """The person wants to go."""


class Dialogue:
    """Reads, obeys and shows, until the game is over or the person leaves."""

    def __init__(
        self,
        table: Table,
        terminal: Terminal,
        autosave: Autosave,
        signs: Signs,
        save_to: Path | None = None,
        encoding: str | None = None,
    ) -> None:
        self.table = table
        self._terminal = terminal
        self._autosave = autosave
        self._signs = signs
        self._save_to = save_to
        self._encoding = encoding  # of the files to load, whatever they say themselves
        self._backed_up: set[Path] = set()
        self._is_paused = False  # Ctrl-C has stopped the player, or it failed: it waits for `go`
        self._has_warned = False
        self._answers: dict[str, Callable[[str], None]] = {
            "board": lambda _: self._draw(),
            "go": lambda _: self._go(),
            "help": lambda _: terminal.show(HELP),
            "hint": lambda _: self._hint(),
            "load": self._load,
            "new": lambda _: self._new(),
            "pass": lambda _: self._play("pass"),
            "quit": lambda _: self._quit(),
            "resign": lambda _: self._resign(),
            "save": self._save,
            "score": lambda _: self._score(),
            "undo": lambda _: self._undo(),
        }

    def run(self) -> int:
        """The whole conversation; returns the exit status."""
        try:
            return self._converse()
        except SystemExit:
            self._keep_in_silence()  # first, since the terminal may be gone
            with suppress(OSError):
                self._terminal.show("")
                if not self.table.is_over:
                    self._leave(0)
            raise
        except OSError:  # nothing can be shown any more
            self._keep_in_silence()
            raise

    def _converse(self) -> int:
        try:
            self._keep()
            self._draw()
            while not self.table.is_over:
                if self.table.needs_counting:
                    self._count()
                elif self.table.is_persons_turn or self._is_paused:
                    self._obey(self._terminal.ask(self._prompt()))
                else:
                    self._reply()
        except (_LeavingError, EOFError):
            return self._leave(0)
        except KeyboardInterrupt:
            return self._leave(INTERRUPTED)
        return self._finish()

    # -- commands

    def _prompt(self) -> str:
        colour = self.table.position.to_play.name.capitalize()
        return f"{colour}, your move> " if self.table.is_persons_turn else f"{colour} waits (go)> "

    def _obey(self, line: str) -> None:
        words = line.strip()
        if not words.isprintable():
            self._terminal.show(f"There are control characters in {_shown(words)}: type a point such as E5, or help.")
            return
        first, _, rest = words.partition(" ")
        try:
            if not words:
                self._go()
            elif _POINT.fullmatch(words):
                self._play(words)
            elif (command := self._command(first)) is not None:
                if rest.strip() and command not in _WITH_FILE:
                    self._terminal.show(f"{command} takes nothing after it: type {command} alone, or help.")
                else:
                    self._answers[command](rest.strip())
        except (KatachiError, OSError) as error:
            self._terminal.show(_sentence(error))

    def _command(self, word: str) -> str | None:
        name = word.lower()
        if name in _ALIASES:
            return _ALIASES[name]
        matches = [command for command in COMMANDS if command.startswith(name)]
        if name in matches:
            return name
        if len(matches) == 1 and matches[0] not in _IN_FULL:
            return matches[0]
        if not matches:
            self._terminal.show(f"{_shown(word)} is no point and no command: type a point such as E5, or help.")
        elif len(matches) == 1:
            self._terminal.show(f"Type {matches[0]} in full if you mean it.")
        else:
            self._terminal.show(f"{_shown(word)} could be {' or '.join(matches)}: type more of it.")
        return None

    def _play(self, vertex: str) -> None:
        if not self.table.is_persons_turn:
            self._terminal.show("It is not your turn: type go to let the other side think, or undo.")
            return
        self.table.play(vertex)
        self._keep()
        self._draw()

    def _undo(self) -> None:
        self.table.undo()
        self._is_paused = False
        self._keep()
        self._draw()

    def _go(self) -> None:
        if self.table.is_persons_turn:
            self._terminal.show("It is your turn: type a point such as E5, pass, or help.")
        self._is_paused = False

    def _resign(self) -> None:
        self.table.resign()
        self._keep()

    def _hint(self) -> None:
        if not self.table.is_persons_turn:
            self._terminal.show("It is not your turn: type go to let the other side think, or undo.")
            return
        try:
            with self._terminal.thinking("thinking about your move") as progress:
                decision = self.table.hint(progress)
        except KeyboardInterrupt:
            self._terminal.show("\nStopped.")
            return
        action = "resign" if decision.action is None else self.table.position.vertex(decision.action)
        self._terminal.show(f"Hint: {action}{self._chances(self.table.person, decision)}")

    def _score(self) -> None:
        dead = self.table.dead_stones()
        stones = f"these look dead: {self._vertices(dead)}" if dead else "all stones alive"
        self._terminal.show(f"As it stands: {format_result(self.table.margin(dead))}, {stones}.")

    def _save(self, name: str) -> None:
        path = _path(name) if name else self._save_to
        if path is None:
            self._terminal.show("Where to? Type save and the name of a file, such as save game.sgf.")
            return
        self._write(path)

    def _load(self, words: str) -> None:
        if not words:
            self._terminal.show("Which one? Type load and the name of a file, such as load game.sgf.")
            return
        name, _, number = words.rpartition(" ")
        has_number = number.isdecimal() and len(number) < 10 and bool(name) and not _path(words).exists()
        path = _path(name.strip() if has_number else words)
        try:
            self.table.load(path, int(number) if has_number else None, encoding=self._encoding)
        except OSError as error:
            self._terminal.show(f"{path} cannot be read: {error.strerror or error}.")
            return
        self._begin_another()

    def _new(self) -> None:
        self.table.start_again()
        self._begin_another()

    def _begin_another(self) -> None:
        self._autosave.forget()
        self._is_paused = False
        self._keep()
        self._draw()

    def _quit(self) -> None:
        raise _LeavingError

    # -- the player

    def _reply(self) -> None:
        colour = self.table.position.to_play
        name = f"{colour.name.capitalize()} ({self.table.player.name})"
        try:
            with self._terminal.thinking(f"{colour.name.capitalize()} thinks") as progress:
                decision = self.table.reply(progress)
        except KeyboardInterrupt:
            self._is_paused = True
            self._terminal.show(
                f"\nStopped; it is still {colour.name.capitalize()}'s turn: go lets it think again, undo takes your "
                "move back, quit leaves."
            )
            return
        except (KatachiError, OSError) as error:
            self._is_paused = True
            self._terminal.warn(_sentence(error))
            self._terminal.show("The other side cannot move: go tries again, save and quit keep the game.")
            return
        self._keep()
        if decision.action is not None:
            self._draw(self._chances(colour, decision))
        else:
            self._terminal.show(f"{name} resigns.")

    def _chances(self, player: Player, decision: Decision) -> str:
        value = self.table.value_for(player, decision)
        return "" if value is None else f" ({value:.0%} for {player.name.capitalize()})"

    # -- the end

    def _count(self) -> None:
        """After two passes: which stones are dead? `n` counts all as alive, `undo` plays on instead."""
        dead = self.table.dead_stones()
        while dead:
            prompt = f"Are these dead: {self._vertices(dead)}? [Y/n] (n: all stones count; undo: play on) "
            answer = self._terminal.ask(prompt).strip().lower()
            if answer in ("", "y", "yes"):
                break
            if answer in ("n", "no"):
                dead = []
            elif answer in ("u", "undo"):
                self._undo()
                return
            elif answer in ("q", "quit", "exit"):
                raise _LeavingError
            else:
                self._terminal.show(f"{_shown(answer)} is no answer: type y, n, undo or quit.")
        self.table.count(dead)
        self._keep()

    def _finish(self) -> int:
        winner, margin, how = parse_result(self.table.result)
        if winner is None:
            told = "A draw"
        else:
            who = "You win" if winner is self.table.person else f"{self.table.player.name} wins"
            told = f"{who} by {how}" if margin is None else f"{who} by {margin:g} points"
        self._terminal.show(f"{told}: {self.table.result}")
        if self._save_to is not None:
            return 0 if self._write_at_end(self._save_to) else 2
        if self._autosave.failure is None:
            self._terminal.show(f"The record is in {self._autosave.path}; a later game may replace it.")
        return 0

    def _leave(self, status: int) -> int:
        self._keep()
        written = self._save_to is None or self._write_at_end(self._save_to)
        if self.table.is_untouched:
            self._terminal.show("Nothing was played, so there is nothing to keep.")
        elif self._autosave.failure is None:
            self._terminal.show(f"The game is kept in {self._autosave.path}.\nGo on with: katachi play --resume")
        return status if written else status or 2

    # -- what is written and shown

    def _keep(self) -> None:
        if not self._autosave.save(self.table) and not self._has_warned:
            self._has_warned = True
            failure = self._autosave.failure
            self._terminal.warn(f"the game is not kept: {self._autosave.path}: {_first_line(failure)}")
        for path in self._autosave.occupied:
            self._terminal.show(f"{path} is being played by another katachi play: this game is {self._autosave.path}.")
        self._autosave.occupied = []
        if self._autosave.set_aside is not None:
            self._terminal.show(f"The last game was not finished: it is now {self._autosave.set_aside}.")
            self._autosave.set_aside = None

    def _keep_in_silence(self) -> None:
        self._autosave.save(self.table)
        if self._save_to is not None:
            with suppress(OSError, KatachiError):
                save_with_backup(self.table, self._save_to, self._backed_up)

    def _write(self, path: Path) -> None:
        try:
            backup = save_with_backup(self.table, path, self._backed_up)
        except OSError as error:
            self._terminal.show(f"{path} cannot be written: {_first_line(error)}. Try save with another name.")
            return
        self._terminal.show(f"Saved to {path}" + (f"; what was there is now {backup}." if backup else "."))

    def _write_at_end(self, path: Path) -> bool:
        try:
            backup = save_with_backup(self.table, path, self._backed_up)
        except (OSError, KatachiError) as error:
            self._terminal.warn(f"{path} cannot be written: {_first_line(error)}")
            return False
        self._terminal.show(f"The record is in {path}" + (f"; what was there is now {backup}." if backup else "."))
        return True

    def _vertices(self, points: Sequence[int]) -> str:
        return " ".join(self.table.position.vertex(point) for point in points)

    def _draw(self, thought: str = "") -> None:
        self._terminal.show("")
        self._terminal.show(draw_board(self.table.position, self._signs, self._notes(thought), self._terminal.columns))

    def _notes(self, thought: str) -> list[str]:
        """Who is who, what is captured, the rules, the last move, whose turn it is."""
        table, position = self.table, self.table.position
        notes = []
        for player, sign in ((Player.BLACK, self._signs.black), (Player.WHITE, self._signs.white)):
            who = "you" if player is table.person else table.player.name
            notes.append(f"{sign} {player.name.capitalize()}: {who}, {position.captured(player.opponent)} captured")
        handicap = f", handicap {position.handicap}" if position.handicap else ""
        notes.append(f"{position.rules.name} rules, komi {position.rules.komi:g}{handicap}")
        if position.moves:
            mover = position.movers[-1].name.capitalize()
            notes.append(f"move {len(position.moves)}: {mover} {position.vertex(position.moves[-1])}{thought}")
        if position.ko is not None:
            notes.append(f"ko at {position.vertex(position.ko)} {self._signs.ko}")
        over = "both have passed" if position.is_over else f"{position.to_play.name.capitalize()} to play"
        notes.append(f"{over}{' (you)' if table.is_persons_turn and not position.is_over else ''}")
        return notes


def _path(name: str) -> Path:
    return Path(os.path.expanduser(name))


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}...")


def _first_line(error: BaseException | None) -> str:
    """The board that some messages end with is on the screen already."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return _printable(str(error).partition("\n")[0].rstrip(".:"))


def _sentence(error: BaseException) -> str:
    """One line with a full stop, if it ends with a word; then an engine's last words, if it had any."""
    line = _first_line(error)
    told = f"{line}." if line[-1:].isalnum() else line
    if isinstance(error, EngineError) and LAST_WORDS in str(error):
        told += "".join(f"\n{_printable(rest)}" for rest in str(error).split("\n")[1:])
    return told


def _printable(text: str) -> str:
    """Without what an engine could do to a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
