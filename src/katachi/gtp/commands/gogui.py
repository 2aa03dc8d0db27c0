"""What GoGui asks: its menu of analyze commands, and the rules of games other than Go."""

from katachi.core.types import Player
from katachi.gtp.go_session import GoSession
from katachi.gtp.registry import command, find_command
from katachi.gtp.session import Session

# GoGui's menu: type, label, command. Entries whose command this session does not know are left out.
_ANALYZE = (
    ("gfx", "Search %c", "katachi-search_gfx %c"),
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


@command("katachi-search_gfx", thinks=True)
def search_gfx(session: Session, player: Player) -> str:
    """What a search under the player's own budget finds, as graphics for GoGui.

    Its line of play, on each tried move what it is worth (Black's side is positive) and its share of the visits in
    per cent, and the winning chance of the best one. Nothing is played.
    """
    thinking = session.begin(player)
    thinking.run(session.limit_for(player, 0.0), lambda _: not (session.is_interrupted() or session.is_stopped()))
    state = session.state_for(player)
    moves = [(session.vertex(c.action, state), c) for c in thinking.candidates() if c.value is not None]
    if not moves:
        return "TEXT nothing was found"
    low, high = session.game.facts.return_bounds or (0.0, 1.0)
    visits = max(1, sum(candidate.visits for _, candidate in moves))
    points = [(vertex, candidate) for vertex, candidate in moves if vertex != "pass"]
    influence = [
        f"{vertex} {2 * (c.value - low) / (high - low) - 1:.2f}" for vertex, c in points if c.value is not None
    ]
    labels = [f"{vertex} {round(100 * c.visits / visits)}" for vertex, c in points if 100 * c.visits >= visits]
    colors = ("b", "w") if player is Player.BLACK else ("w", "b")
    line = session.format_moves(state, moves[0][1].line)
    variation = [f"{colors[i % 2]} {vertex}" for i, vertex in enumerate(line)]
    best = session.game.facts.value_for(player, moves[0][1].value or 0.0)
    lines = [
        *([f"VAR {' '.join(variation)}"] if variation else []),
        *([f"INFLUENCE {' '.join(influence)}"] if influence else []),
        *([f"LABEL {' '.join(labels)}"] if labels else []),
        f"TEXT {moves[0][0]} {100 * (best - low) / (high - low):.1f} %, {visits} visits",
    ]
    return "\n".join(lines)


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
