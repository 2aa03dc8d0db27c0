"""A person against a player: the table, the picture, what is kept, and the conversation, without a terminal."""

import errno
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from katachi._core import Rng
from katachi.core.errors import EngineError, IllegalMoveError, InvalidArgumentError, KatachiError
from katachi.core.settings import Settings
from katachi.core.types import Action, Player
from katachi.games.contract import Game
from katachi.games.go import Position, Rules
from katachi.games.go.record import Record
from katachi.play.autosave import Autosave, save_with_backup, state_folder
from katachi.play.board_text import ASCII, UNICODE, can_encode, draw_board
from katachi.play.dialogue import COMMANDS, HELP, Dialogue
from katachi.play.table import PROPERTY, Table, load_position, starting_position
from katachi.players.player import Decision
from katachi.players.registry import make_player
from katachi.search.searches import Progress

CHINESE = Rules.named("chinese")


class Scripted:
    """A player whose moves are known; an exception is raised, None resigns."""

    name = "scripted"
    settings = Settings()

    def __init__(self, *moves: str | BaseException | None) -> None:
        self.moves = list(moves)

    def choose(self, game: Game[Any], state: Any, rng: Rng, progress: Progress | None = None) -> Decision:  # noqa: ANN401
        move = self.moves.pop(0)
        if isinstance(move, BaseException):
            raise move
        return Decision(None if move is None else state.action(move), 0.75)


def table(*moves: str | BaseException | None, size: int = 5, person: Player = Player.BLACK, handicap: int = 0) -> Table:
    return Table(Scripted(*moves), starting_position((size, size), CHINESE, handicap), person=person, seed=7)


def play_all(game: Table, *vertices: str) -> Table:
    for vertex in vertices:
        game.play(vertex)
        game.reply()
    return game


def keep(folder: Path, game: Table) -> Autosave:
    """What a session does that is over at once."""
    with Autosave(folder) as autosave:
        assert autosave.save(game), autosave.failure
    return autosave


def flat(seed: int = 3) -> Table:
    return Table(make_player("flat-mc:sims=5"), Position(5, 5, CHINESE), person=Player.BLACK, seed=seed)


# -- the table


def test_moves_in_turn() -> None:
    game = table("D4")
    game.play("c3")
    with pytest.raises(IllegalMoveError, match="turn of scripted"):
        game.play("a1")
    with pytest.raises(IllegalMoveError, match="turn of scripted"):
        game.hint()
    assert game.reply().action == game.position.action("D4")
    with pytest.raises(InvalidArgumentError, match="not the turn of scripted"):
        game.reply()
    with pytest.raises(IllegalMoveError, match="C3 is not possible: point is occupied"):
        game.play("C3")
    assert game.move_number == 3


def test_undo_takes_back_the_move_and_the_reply() -> None:
    game = play_all(table("D4", "A1"), "C3", "B2")
    game.undo()
    assert [game.position.vertex(m) for m in game.position.moves] == ["C3", "D4"]
    assert game.is_persons_turn
    game.play("E5")
    game.undo()  # before the reply: the move alone
    assert game.move_number == 3
    game.undo()
    with pytest.raises(InvalidArgumentError, match="nothing to take back"):
        game.undo()


def test_undo_does_not_take_back_the_first_move_of_the_player() -> None:
    game = table("A1", person=Player.WHITE)
    game.reply()
    with pytest.raises(InvalidArgumentError, match="nothing to take back"):
        game.undo()
    assert game.move_number == 2


def test_undo_of_passes_reopens_the_game() -> None:
    game = play_all(table("A1", "pass"), "C3", "pass")
    assert game.needs_counting
    game.undo()
    assert not game.position.is_over
    assert game.is_persons_turn


@pytest.mark.parametrize(("person", "result"), [(Player.BLACK, "W+R"), (Player.WHITE, "B+R")])
def test_resignation(person: Player, result: str) -> None:
    game = table(person=person)
    game.resign()
    assert game.is_over
    assert game.result == game.record().result == result
    with pytest.raises(InvalidArgumentError, match="the game is over"):
        game.resign()


def test_the_player_may_resign() -> None:
    game = table(None)
    game.play("c3")
    assert game.reply().action is None
    assert game.result == "B+R"


def test_an_interrupted_thought_changes_nothing() -> None:
    game = table(KeyboardInterrupt(), EngineError("gone"), "A1")
    game.play("C3")
    for error in (KeyboardInterrupt, EngineError):
        with pytest.raises(error):
            game.reply()
        assert game.move_number == 2
    game.reply()
    assert game.move_number == 3


def test_values_change_sides() -> None:
    game = table("A1")
    decision = game.hint()
    assert game.value_for(Player.BLACK, decision) == 0.75
    assert game.value_for(Player.WHITE, decision) == 0.25
    assert game.value_for(Player.WHITE, Decision(Action(0))) is None


def test_handicap_and_a_new_game() -> None:
    game = table("E5", size=9, handicap=4)
    assert not game.is_persons_turn
    assert game.position.stones().count("X") == 4
    game.reply()
    record = game.record()
    assert record.handicap == 4
    assert record.position(rules=CHINESE) == game.position
    game.start_again()
    assert (game.move_number, game.seed, game.position.handicap) == (1, 8, 4)
    assert not game.is_persons_turn
    with pytest.raises(InvalidArgumentError, match="not 1"):
        starting_position((9, 9), CHINESE, 1)


def test_counting() -> None:
    game = Table(
        Scripted("pass"),
        Position.from_diagram(
            """
            . X . O .
            X X . O O
            X X X O O
            . X X O O
            O X X O .
            """,
            rules=CHINESE.replace(komi=0.5),
        ),
        person=Player.BLACK,
    )
    with pytest.raises(InvalidArgumentError, match="both players have to pass"):
        game.count([])
    play_all(game, "pass")
    dead = game.dead_stones()
    assert [game.position.vertex(point) for point in dead] == ["A1"]
    assert (game.margin(dead), game.margin([])) == (2.5, -0.5)
    game.count(dead)
    assert game.result == "B+2.5"
    assert game.record().result == "B+2.5"


def test_no_stone_is_dead_where_all_count() -> None:
    game = Table(Scripted(), Position.from_diagram("X X . \nX . O \nX X .", rules="tromp-taylor"), person=Player.BLACK)
    assert game.dead_stones() == []


# -- records


@pytest.mark.parametrize("stop", range(5))
def test_a_resumed_game_goes_on_like_one_that_was_not_interrupted(tmp_path: Path, stop: int) -> None:
    whole, first = flat(), flat()
    for number, vertex in enumerate(["C3", "B2", "D2", "D4", "A5"]):
        legal = vertex if whole.position.is_legal(vertex) else "pass"
        whole.play(legal)
        first.play(legal)
        if number == stop:  # with the reply still to come
            first.record().save(tmp_path / "game.sgf")
            first = Table.resume(tmp_path / "game.sgf")
        assert whole.reply() == first.reply()
    assert whole.position == first.position
    assert whole.position.rules == first.position.rules


def test_resume_brings_everything_back(tmp_path: Path) -> None:
    rules = Rules(ko="simple", suicide=True, komi=-1.25, friendly_pass=True)  # no rule set by name
    game = Table(make_player("random"), Position(5, 3, rules), person=Player.WHITE, seed=2**64 - 1)
    game.reply()
    game.record().save(tmp_path / "a.sgf")
    again = Table.resume(tmp_path / "a.sgf")
    assert (again.player.name, again.person, again.seed) == ("random", Player.WHITE, 2**64 - 1)
    assert again.position == game.position
    assert again.record().format() == game.record().format()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[5])", "was not saved by katachi play"),
        ("nonsense", "no game found"),
        ("", "no game found"),
        ("(;SZ[5]KATACHI[{])", "KATACHI is damaged: '{'"),
        ("(;SZ[5]KATACHI[3])", "KATACHI is damaged"),
        (f"(;SZ[5]KATACHI[{'{' * 50_000}])", "KATACHI is damaged"),
        ('(;SZ[5]KATACHI[{"player": "random"}])', "needs a value for 'person'"),
        ('(;SZ[5]KATACHI[{"player": "rndom", "person": "black", "seed": 1, "rules": {}}])', "did you mean 'random'"),
        ('(;SZ[5]KATACHI[{"player": "random", "person": "red", "seed": 1, "rules": {}}])', "'red'"),
        ('(;SZ[5]KATACHI[{"player": "random", "person": "black", "seed": -1, "rules": {}}])', "-1"),
        ('(;SZ[5]KATACHI[{"player": "random", "person": "black", "seed": 1, "rules": {"ko": 3}}])', "ko"),
        ('(;SZ[5];B[aa];W[aa]KATACHI[])', "katachi play"),
    ],
)  # fmt: skip
def test_what_cannot_be_resumed(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(text)
    with pytest.raises(KatachiError, match=message.replace("{", r"\{")) as caught:
        Table.resume(path)
    assert str(path) in str(caught.value)
    assert path.read_text() == text


def test_load_begins_a_new_game_and_leaves_the_file_alone(tmp_path: Path) -> None:
    text = '(;SZ[5]KM[0.5]RU[AGA]KATACHI[{"player": "gtp:rm -rf"}];B[cc](;W[dd];B[bb])(;W[aa]))'
    path = tmp_path / "a.sgf"
    path.write_text(text)
    game = table(size=9)
    game.load(path)
    assert (game.position.width, game.position.rules.name, game.position.rules.komi) == (5, "aga", 0.5)
    assert game.player.name == "scripted"
    assert game.move_number == 4
    game.load(path, 2)
    assert game.move_number == 2
    game.undo()
    assert game.move_number == 1
    assert path.read_text() == text
    ours = load_position(path, None, CHINESE, rules=Rules.named("cgos"), komi=3.0).rules
    assert (ours.name, ours.komi) == ("cgos", 3.0)


def test_a_given_komi_saves_a_record_with_an_absurd_one(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[9]KM[375]RU[AGA];B[cc])")
    with pytest.raises(KatachiError, match=r"a\.sgf: .*KM.*375"):
        load_position(path, None, CHINESE)
    for rules, name in ((None, "aga"), (Rules.named("cgos"), "cgos")):
        chosen = load_position(path, None, CHINESE, rules=rules, komi=3.5).rules
        assert (chosen.name, chosen.komi) == (name, 3.5)


def test_load_of_a_game_that_is_over_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[5];B[cc];W[];B[])")
    game = table()
    with pytest.raises(InvalidArgumentError, match="ended with two passes; begin earlier, before move 2"):
        game.load(path)
    path.write_text("(;SZ[5];B[cc];W[cc])")
    with pytest.raises(KatachiError, match=r"a\.sgf: SGF, node 2 of the main line"):
        game.load(path)
    assert game.position == Position(5, 5, CHINESE)


# -- what is kept


def test_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "katachi"
    monkeypatch.setenv("HOME", "/home/somebody")
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_STATE_HOME", ignored)
        assert state_folder() == Path("/home/somebody/.local/state/katachi")


def test_a_new_game_sets_an_unfinished_one_aside(tmp_path: Path) -> None:
    old = flat()
    play_all(old, "C3")
    keep(tmp_path, old)
    os.utime(tmp_path / "game.sgf", (1_700_000_000, 1_700_000_000))  # 14 November 2023, in some places the 15th
    with Autosave(tmp_path) as fresh:
        assert fresh.save(flat())  # an empty board replaces nothing
        assert fresh.resume().move_number == 3
    new = play_all(flat(4), "B2")
    with Autosave(tmp_path) as another:
        assert another.save(new)
        assert another.set_aside is not None
        assert re.fullmatch(r"unfinished-2023-11-1[45]-1\.sgf", another.set_aside.name)
        assert Table.resume(another.set_aside).position == old.position
        new.resign()
        assert another.save(new)
        with pytest.raises(InvalidArgumentError, match=r"no game to resume: the last one is over \(W\+R\)"):
            another.resume()
    assert keep(tmp_path, old).set_aside is None  # a finished game has been seen to its end


def test_no_unfinished_game_is_ever_overwritten(tmp_path: Path) -> None:
    asides = [keep(tmp_path, play_all(flat(seed), "C3")).set_aside for seed in range(25)]
    assert asides[0] is None
    kept = [*(path for path in asides if path is not None), tmp_path / "game.sgf"]
    assert [Table.resume(path).seed for path in kept] == list(range(25))


def test_a_damaged_file_is_set_aside_too(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("damaged")
    aside = keep(tmp_path, play_all(flat(), "C3")).set_aside
    assert aside is not None
    assert aside.read_text() == "damaged"


def test_two_sessions_at_once_have_a_file_each(tmp_path: Path) -> None:
    with Autosave(tmp_path) as first, Autosave(tmp_path) as second:
        assert first.save(play_all(flat(1), "C3"))
        assert second.save(play_all(flat(2), "C3"))
        assert second.path == tmp_path / "game-2.sgf"
        assert second.occupied == [first.path]
        assert second.set_aside is None
        names = f"{first.path} and {second.path}|{second.path} and {first.path}"
        with pytest.raises(InvalidArgumentError, match=rf"({names}) are being played by another katachi play"):
            Autosave(tmp_path).resume()
        assert first.save(play_all(flat(1), "C3", "B2"))
        assert (first.path, first.set_aside) == (tmp_path / "game.sgf", None)
    assert [Table.resume(tmp_path / name).seed for name in ("game.sgf", "game-2.sgf")] == [1, 2]


def test_resume_takes_the_latest_game_that_nobody_plays(tmp_path: Path) -> None:
    with Autosave(tmp_path) as first, Autosave(tmp_path) as second:
        assert first.save(play_all(flat(1), "C3"))
        assert second.save(play_all(flat(2), "C3"))
    for age, name in enumerate(("game-2.sgf", "game.sgf")):
        os.utime(tmp_path / name, (1_700_000_000 - age, 1_700_000_000 - age))
    with Autosave(tmp_path) as one, Autosave(tmp_path) as other:
        table = one.resume()
        assert (table.seed, one.path) == (2, tmp_path / "game-2.sgf")
        assert (other.resume().seed, other.path) == (1, tmp_path / "game.sgf")
        assert other.occupied == [one.path]
        table.resign()
        assert one.save(table)
    with Autosave(tmp_path) as last:
        assert last.resume().seed == 1, "the latest one is over"


def test_without_locks_everybody_writes_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoLocks:
        LOCK_EX = LOCK_NB = 0

        @staticmethod
        def flock(descriptor: int, operation: int) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

    for locks in (None, NoLocks):
        monkeypatch.setattr("katachi.play.autosave.fcntl", locks)
        with Autosave(tmp_path) as first, Autosave(tmp_path) as second:
            for autosave in (first, second):
                assert autosave.save(play_all(flat(), "C3"))
                assert autosave.path == tmp_path / "game.sgf"


def test_a_game_whose_engine_is_missing_is_not_resumed(tmp_path: Path) -> None:
    game = table()
    game.play("C3")
    game.player = make_player("gtp:katachi-no-such --mode gtp")
    keep(tmp_path, game)
    with pytest.raises(
        InvalidArgumentError, match=r"game\.sgf cannot be resumed: there is no program 'katachi-no-such'"
    ):
        Autosave(tmp_path).resume()


def test_an_engine_in_this_folder_is_found_from_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "engine").write_text("#!/bin/sh\n")
    (tmp_path / "engine").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    game = table()
    game.play("C3")
    game.player = make_player("gtp:./engine --level 1")
    keep(tmp_path, game)
    assert Record.load(tmp_path / "game.sgf").players[1] == "gtp:./engine --level 1"
    monkeypatch.chdir("/")
    with Autosave(tmp_path) as autosave:
        assert autosave.resume().player.name == f"gtp:{os.path.realpath(tmp_path)}/engine --level 1"


def test_names_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "a\udcffb")
    game = table()
    game.player = make_player(f"gtp:{sys.executable} \udcfe")
    game.play("C3")
    keep(tmp_path, game)
    assert Record.load(tmp_path / "game.sgf").players == ("a?b", f"gtp:{sys.executable} ?")
    assert Table.resume(tmp_path / "game.sgf").player.name == game.player.name


def test_a_record_that_cannot_be_made_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Record:
        raise InvalidArgumentError("SGF cannot say that")

    keep(tmp_path, play_all(flat(1), "C3"))
    monkeypatch.setattr(Record, "from_position", refuse)
    status, text = talk(table("A1", "B1"), tmp_path, "c3", "d4", save_to=tmp_path / "mine.sgf")
    assert status == 2
    assert text.count("the game is not kept: ") == 1
    assert text.count("cannot be written: SGF cannot say that") == 1
    assert "--resume" not in text
    monkeypatch.undo()
    with Autosave(tmp_path) as autosave:
        assert autosave.resume().seed == 1, "nothing was set aside for it"


def test_a_position_that_cannot_be_kept_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Record:
        raise InvalidArgumentError("SGF cannot say that")

    (tmp_path / "a.sgf").write_text("(;SZ[5];B[cc])")
    game = play_all(table("A1"), "C3")
    position = game.position
    monkeypatch.setattr(Record, "from_position", refuse)
    with pytest.raises(InvalidArgumentError, match=r"a\.sgf: a game from there cannot be kept: SGF cannot say that"):
        game.load(tmp_path / "a.sgf")
    assert game.position == position


def test_nothing_to_resume(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"no game to resume: .*game\.sgf does not exist"):
        Autosave(tmp_path).resume()
    (tmp_path / "game.sgf").mkdir()
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        Autosave(tmp_path).resume()


def test_a_file_that_is_replaced_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[5](;B[aa])(;B[bb]))")
    seen: set[Path] = set()
    assert save_with_backup(flat(), path, seen) == Path(os.path.realpath(tmp_path / "a.sgf~"))
    assert save_with_backup(flat(), path, seen) is None
    assert [name.name for name in tmp_path.iterdir() if name.name not in ("a.sgf", "a.sgf~")] == []
    assert (tmp_path / "a.sgf~").read_text() == "(;SZ[5](;B[aa])(;B[bb]))"
    assert Record.load(path).size == (5, 5)


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o400])
def test_a_backup_has_the_permissions_of_what_it_was(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.sgf"
    path.write_text("precious")
    path.chmod(mode)
    backup = save_with_backup(flat(), path, set())
    assert backup is not None
    assert stat.S_IMODE(backup.stat().st_mode) == mode
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        _, text = talk(table("A1"), tmp_path / "state", "c3", f"save {path}")
        assert f"{path} cannot be written: not a regular file" in text
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    _, text = talk(table("A1"), tmp_path / "state", "c3", f"save {tmp_path}")
    assert f"{tmp_path} cannot be written: Is a directory. Try save with another name." in text


# -- the picture


def test_the_board_as_text() -> None:
    position = Position(7, 7, CHINESE).play("D4").play("G7")
    assert draw_board(position, ASCII, ["one", "two"]).plain.splitlines() == [
        "    A B C D E F G",
        " 7  . . . . . .(O) 7   one",
        " 6  . . . . . . .  6   two",
        " 5  . . + . + . .  5",
        " 4  . . . X . . .  4",
        " 3  . . + . + . .  3",
        " 2  . . . . . . .  2",
        " 1  . . . . . . .  1",
        "    A B C D E F G",
    ]
    assert "[○]" in draw_board(position, UNICODE, []).plain
    below = draw_board(position, ASCII, ["one", "two"], columns=22).plain.splitlines()
    assert below[-2:] == ["one", "two"]


def test_ko_and_narrow_windows() -> None:
    ko = Position.from_diagram(". X O .\nX . X O\n. X O .\n. . . .", rules=CHINESE, to_play=Player.WHITE).play("B3")
    assert ko.ko is not None
    assert "k" in draw_board(ko, ASCII, []).plain
    assert "□" in draw_board(ko, UNICODE, []).plain
    for size in range(1, 20):
        for columns in (25, 40, 60):
            lines = draw_board(Position(size), ASCII, [], columns).plain.splitlines()
            assert max(map(len, lines)) <= columns
            assert len(lines) == size + 2


def test_encodings() -> None:
    assert can_encode("utf-8")
    assert not any(map(can_encode, ("ascii", "latin-1", "nonsense", None)))


# -- the conversation


class Script:
    """A terminal with a person who types these lines; an exception is what a key does."""

    columns = 80

    def __init__(self, *lines: str | BaseException) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []
        self.warnings: list[str] = []

    def show(self, text: str | Text) -> None:
        self.shown.append(text if isinstance(text, str) else text.plain)

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def ask(self, prompt: str) -> str:
        self.shown.append(prompt)
        line = self.lines.pop(0) if self.lines else EOFError()
        if isinstance(line, BaseException):
            raise line
        return line

    @contextmanager
    def thinking(self, title: str) -> Iterator[Progress]:
        yield lambda _share: None

    @property
    def text(self) -> str:
        return "\n".join(self.shown)


def talk(game: Table, folder: Path, *lines: str | BaseException, save_to: Path | None = None) -> tuple[int, str]:
    script = Script(*lines)
    with Autosave(folder) as autosave:
        status = Dialogue(game, script, autosave, ASCII, save_to).run()
    return status, script.text + "".join(f"\nwarning: {warning}" for warning in script.warnings)


def test_a_whole_game(tmp_path: Path) -> None:
    status, text = talk(table("pass", "pass"), tmp_path, "c3", "PASS")
    assert status == 0
    assert "(X)" in text
    assert "move 1: Black C3" in text
    assert "move 2: White pass (25% for White)" in text
    assert "You win by 17.5 points: B+17.5" in text
    assert str(tmp_path / "game.sgf") in text
    record = Record.load(tmp_path / "game.sgf")
    assert record.result == "B+17.5"
    assert record.players[1] == "scripted"
    assert len(record.moves()) == 3


DEAD = """
. X . O .
X X . O O
X X X O O
. X X O O
O X X O .
"""


@pytest.mark.parametrize(
    ("answers", "result"),
    [
        (("",), "B+2.5"),
        (("y",), "B+2.5"),
        (("n",), "W+0.5"),
        (("what", "NO"), "W+0.5"),
        (("undo", "c5", "n"), None),
        (("quit",), None),
        ((KeyboardInterrupt(),), None),
    ],
)
def test_the_question_about_dead_stones(
    tmp_path: Path, answers: tuple[str | BaseException, ...], result: str | None
) -> None:
    position = Position.from_diagram(DEAD, rules=CHINESE.replace(komi=0.5))
    game = Table(Scripted("pass", "pass", "pass"), position, person=Player.BLACK)
    status, text = talk(game, tmp_path, "pass", *answers)
    assert "Are these dead: A1? [Y/n]" in text
    assert Record.load(tmp_path / "game.sgf").result == (result or "")
    assert status == (130 if isinstance(answers[0], KeyboardInterrupt) else 0)
    assert ("--resume" in text) == (result is None)
    assert ("'what' is no answer: type y, n, undo or quit." in text) == (answers[0] == "what")


def test_a_game_left_at_the_question_is_asked_again(tmp_path: Path) -> None:
    position = Position.from_diagram(DEAD, rules=CHINESE.replace(komi=0.5))
    game = Table(make_player("random"), position.play("pass").play("pass"), person=Player.BLACK)
    talk(game, tmp_path, "quit")
    script = Script("y")
    with Autosave(tmp_path) as again:
        assert Dialogue(again.resume(), script, again, ASCII).run() == 0
    assert "B+2.5" in script.text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("e9", "'e9' is not on a board of 5x5"),
        ("i3", "'i3' is not a vertex"),
        ("foo", "'foo' is no point and no command: type a point such as E5, or help."),
        ("s", "'s' could be save or score"),
        ("n", "Type new in full if you mean it."),
        ("res", "Type resign in full if you mean it."),
        ("undo", "nothing to take back"),
        ("undo 3", "undo takes nothing after it"),
        ("save", "Where to? Type save and the name of a file"),
        ("load", "Which one? Type load"),
        ("load /nowhere/at.sgf", "/nowhere/at.sgf cannot be read: No such file or directory."),
        ("load /nowhere/at.sgf 3", "/nowhere/at.sgf cannot be read: No such file or directory."),
        ("load ~nobody-at-all/x", "cannot be read"),
        ("load " + "x" * 5000, "File name too long"),
        ("save /nowhere/at.sgf", "/nowhere/at.sgf cannot be written: No such file"),
        ("", "It is your turn"),
        ("go", "It is your turn"),
        ("\x1b[A\x07", "There are control characters in '\\x1b[A\\x07'"),
        ("save \0", "control characters"),
        ("\ufffd\ufffd", "is no point and no command"),
        ("x" * 100_000, f"'{'x' * 40}...'"),
        ("?", HELP),
        ("he", HELP),
        ("h", "Hint: B2 (75% for Black)"),
        ("sc", "As it stands: W+7.5, all stones alive."),
    ],
)
def test_lines_that_change_nothing(tmp_path: Path, line: str, message: str) -> None:
    game = table("B2")
    status, text = talk(game, tmp_path, line)
    assert message in text
    assert status == 0
    assert game.is_untouched
    assert not (tmp_path / "game.sgf").exists()


def test_help_names_every_command() -> None:
    words = [line.split()[0] for line in HELP.splitlines()]
    assert set(COMMANDS) - {"help"} <= set(words)
    assert max(map(len, HELP.splitlines())) < 80


def test_ctrl_c_while_the_player_thinks(tmp_path: Path) -> None:
    game = table(KeyboardInterrupt(), KeyboardInterrupt(), "A1")
    status, text = talk(game, tmp_path, "c3", "d4", "hint", "", "go", KeyboardInterrupt())
    assert status == 130
    assert text.count("Stopped; it is still White's turn") == 2
    assert text.count("It is not your turn") == 2
    assert "move 2: White A1" in text
    assert "Go on with: katachi play --resume" in text
    assert len(Record.load(tmp_path / "game.sgf").moves()) == 2


def test_undo_instead_of_letting_it_think(tmp_path: Path) -> None:
    game = table(KeyboardInterrupt(), "A1")
    talk(game, tmp_path, "c3", "undo", "d4")
    assert [game.position.vertex(m) for m in game.position.moves] == ["D4", "A1"]


def test_an_engine_that_fails_leaves_the_game_alone(tmp_path: Path) -> None:
    status, text = talk(table(EngineError("it is gone\nboard"), "A1"), tmp_path, "c3", "go", "quit")
    assert status == 0
    assert "warning: it is gone." in text
    assert "board" not in text
    assert "move 2: White A1" in text


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("gnugo ended (status 3)\nlast lines of its stderr:\n    no weights\n    \x1b[2Jbye", None),
        ("there is no program 'x': is it on PATH?", "there is no program 'x': is it on PATH?"),
        ("gnugo refused 'play b c3': no\x07\nin the position\nboard", "gnugo refused 'play b c3': no?"),
        ("it is gone", "it is gone."),
        ("it is gone.", "it is gone."),
    ],
)
def test_the_last_words_of_an_engine(tmp_path: Path, message: str, told: str | None) -> None:
    if told is None:
        told = "gnugo ended (status 3)\nlast lines of its stderr:\n    no weights\n    ?[2Jbye"
    for script in (Script("c3", "quit"), Script("hint", "quit")):
        with Autosave(tmp_path) as autosave:
            Dialogue(table(EngineError(message)), script, autosave, ASCII).run()
        assert told in [*script.warnings, *script.shown]


@pytest.mark.parametrize("number", [129, 143])
def test_a_signal_that_ends_the_program_keeps_the_game(tmp_path: Path, number: int) -> None:
    for thinking in (False, True):
        game = table(SystemExit(number) if thinking else "A1")
        script = Script("c3") if thinking else Script("c3", SystemExit(number))
        wanted = tmp_path / f"{thinking}.sgf"
        with Autosave(tmp_path / "state") as autosave, pytest.raises(SystemExit) as caught:
            Dialogue(game, script, autosave, ASCII, wanted).run()
        assert caught.value.code == number
        assert len(Record.load(wanted).moves()) == len(Record.load(autosave.path).moves()) == 2 - thinking
        assert "Go on with: katachi play --resume" in script.text


@pytest.mark.parametrize("ending", [EOFError(), SystemExit(129), None])
def test_a_terminal_that_is_gone_loses_nothing(tmp_path: Path, ending: BaseException | None) -> None:
    class Gone(Script):
        def show(self, text: str | Text) -> None:
            if not self.lines:
                raise OSError(errno.EIO, "Input/output error")

    script = Gone("c3", "d4") if ending is None else Gone("c3", "d4", ending)
    wanted = tmp_path / "mine.sgf"
    kind = SystemExit if isinstance(ending, SystemExit) else OSError
    with Autosave(tmp_path / "state") as autosave, pytest.raises(kind):
        Dialogue(table("A1", "B1"), script, autosave, ASCII, wanted).run()
    assert Record.load(wanted).moves() == Record.load(autosave.path).moves()
    assert len(Record.load(wanted).moves()) >= 3


def test_the_other_session_is_named(tmp_path: Path) -> None:
    with Autosave(tmp_path) as other:
        assert other.save(play_all(flat(), "C3"))
        _, text = talk(table("A1", "B1"), tmp_path, "c3", "d4")
        told = f"{tmp_path}/game.sgf is being played by another katachi play: this game is {tmp_path}/game-2.sgf."
        assert text.count(told) == 1
        assert f"The game is kept in {tmp_path}/game-2.sgf." in text


def test_the_encoding_of_what_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_bytes("(;SZ[5]CA[nonsense]PB[古力];B[cc])".encode("gb18030"))
    with pytest.raises(KatachiError, match="CA"):
        load_position(path, None, CHINESE)
    assert len(load_position(path, None, CHINESE, encoding="gb18030").moves) == 1
    for encoding, moves in (("gb18030", 1), (None, 0)):
        game = table("A1", person=Player.BLACK)
        script = Script(f"load {path} 2", "quit")
        with Autosave(tmp_path / "state") as autosave:
            Dialogue(game, script, autosave, ASCII, encoding=encoding).run()
        assert len(game.position.moves) >= moves
        assert ("CA" in script.text) == (encoding is None)


def test_save_load_and_new(tmp_path: Path) -> None:
    kept, file = tmp_path / "state", tmp_path / "a file 2"
    game = table("A1", "B1", "C1", "D1")
    _, text = talk(game, kept, "c3", f"save {file}", "d4", f"load {file}", "new", "e5", f"load {file} 2")
    assert f"Saved to {file}." in text
    asides = re.findall(r"The last game was not finished: it is now (.*)\.\n", text)
    assert len(set(asides)) == 3
    for aside in asides:
        assert Path(aside).parent == kept
        assert not Record.load(aside).result
    assert [game.position.vertex(m) for m in game.position.moves] == ["C3", "D1"]  # from before move 2


def test_the_record_goes_where_it_is_wanted(tmp_path: Path) -> None:
    wanted = tmp_path / "mine.sgf"
    wanted.write_text("precious")
    status, text = talk(table(), tmp_path / "state", "resign", save_to=wanted)
    assert status == 0
    assert f"The record is in {wanted}; what was there is now {wanted}~." in text
    assert "scripted wins by resignation: W+R" in text
    assert Record.load(wanted).result == "W+R"
    status, text = talk(table(), tmp_path / "state", "resign", save_to=tmp_path / "no" / "where")
    assert status == 2
    assert "cannot be written" in text


def test_a_state_folder_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    status, text = talk(table("A1", "B1"), tmp_path / "file", "c3", "d4")
    assert status == 0
    assert text.count("warning: the game is not kept") == 1
    assert "--resume" not in text
    assert "move 4: White B1" in text


def test_the_property_is_json() -> None:
    terms = json.loads(flat().record().root.text(PROPERTY) or "")
    assert terms["player"] == "flat-mc:sims=5"
    assert terms["person"] == "black"
    assert terms["rules"]["ko"] == "simple"


def test_a_damaged_game_does_not_hide_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with Autosave(folder) as autosave:
        assert autosave.save(play_all(table("D4"), "C3"))
    (folder / "game-2.sgf").write_text("damaged")
    os.utime(folder / "game.sgf", (1, 1))
    with Autosave(folder) as autosave, pytest.raises(KatachiError, match=r"game-2\.sgf: SGF, byte 0"):
        autosave.resume()  # nor can the other one: nobody knows its player
    record = folder / "game.sgf"
    record.write_text(record.read_text().replace('"scripted"', '"random"'))
    with Autosave(folder) as autosave:
        assert len(autosave.resume().position.moves) == 2


def test_a_game_is_as_long_as_a_record() -> None:
    position = Position(5, rules="chinese")
    while len(position.moves) < 5000:
        position = position.play_all([(Player.BLACK, "pass"), (Player.BLACK, "pass")])
    game = Table(make_player("random"), position.turned_to(Player.BLACK), person=Player.BLACK)
    with pytest.raises(InvalidArgumentError, match="at most 5000 moves"):
        game.play("C3")
    game = Table(make_player("random"), position.turned_to(Player.WHITE), person=Player.BLACK)
    with pytest.raises(InvalidArgumentError, match="at most 5000 moves"):
        game.reply()
