"""What GoGui asks: its menu of analyze commands, and the rules of games other than Go."""

from katachi.core.types import Player
from katachi.gtp.go_session import GoSession
from katachi.gtp.registry import command, find_command
from katachi.gtp.session import Session

# GoGui's menu: type, label, command. Entries whose command this session does not know are left out.
_ANALYZE = (
    ("dboard", "Ownership", "katachi-ownership"),
    ("plist", "Dead Stones", "final_status_list dead"),
    ("plist", "Legal Moves", "gogui-rules_legal_moves"),
    ("string", "Final Score", "final_score"),
    ("string", "Best Move %c", "reg_genmove %c"),
    ("hstring", "Rules", "kata-get-rules"),
    ("hstring", "Describe Engine", "katachi-describe_engine"),
    ("param", "Settings", "katachi-param"),
)


@command("gogui-analyze_commands")
def analyze_commands(session: Session) -> str:
    """GoGui's menu."""
    known = [entry for entry in _ANALYZE if find_command(session, entry[2].split()[0]) is not None]
    return "\n".join("/".join(entry) for entry in known)


@command("gogui-title")
def title(session: Session) -> str:
    """The title of GoGui's window."""
    return f"Katachi {session.player.name}"


@command("gogui-version")
def gogui_version(session: Session, version: str) -> None:
    """GoGui says which one it is."""


@command("katachi-ownership")
def ownership(session: GoSession) -> str:
    """By point, how much more often Black than White holds it at the end of a playout: -1 to 1."""
    return _rows([f"{share:.2f}" for share in session.ownership()], session.shape[0])


@command("gogui-rules_game_id")
def game_id(session: Session) -> str:
    """The name of the game."""
    return "Go" if session.game.name == "go" else session.game.name


@command("gogui-rules_board")
def board(session: Session) -> str:
    """The stones, one line a row."""
    return _rows(list(session.stones()), session.shape[0])


@command("gogui-rules_board_size")
def board_size(session: Session) -> str:
    """One number, or two for a rectangle."""
    width, height = session.shape
    return str(width) if width == height else f"{width} {height}"


@command("gogui-rules_legal_moves")
def legal_moves(session: Session) -> str:
    """What the player to move may play; nothing when the game is over."""
    return " ".join(session.legal_moves())


@command("gogui-rules_side_to_move")
def side_to_move(session: Session) -> str:
    """`black` or `white`."""
    return session.to_play.name.lower()


@command("gogui-rules_final_result")
def final_result(session: Session) -> str:
    """Who has won; empty while the game goes on."""
    return session.result()


@command("gogui-rules_captured_count")
def captured_count(session: GoSession) -> str:
    """How many white stones and how many black ones have been taken, in GoGui's order."""
    return " ".join(str(session.position.captured(player)) for player in (Player.WHITE, Player.BLACK))


def _rows(words: list[str], width: int) -> str:
    return "\n".join(" ".join(words[start : start + width]) for start in range(0, len(words), width))
