"""The engine itself: what it is, its parameters, its speed, and small talk on a server."""

import json
import time
from pathlib import Path
from typing import Any, Literal

import katachi
from katachi.core.errors import ParseError
from katachi.core.settings import did_you_mean
from katachi.core.types import Action
from katachi.games.contract import native_state
from katachi.gtp.commands.basics import refuse_unless
from katachi.gtp.protocol import GtpError
from katachi.gtp.registry import Json, command
from katachi.gtp.session import Session

_MOST_PLAYOUTS = 1_000_000


@command("katachi-describe_engine")
def describe_engine(session: Session) -> str:
    """Player, settings, seed and version: what it takes to play the same game again."""
    lines = {
        "name": "Katachi",
        "version": katachi.__version__,
        "player": session.player.name,
        "settings": json.dumps(_parameters(session), sort_keys=True),
        "seed": session.seed,
        **session.describe(),
        "clock": session.clock,
    }
    return "\n".join(f"{key}: {value}" for key, value in lines.items())


command("gomill-describe_engine")(describe_engine)


@command("kata-list-params")
def list_params(session: Session) -> str:
    """The names of the player's settings."""
    return " ".join(_parameters(session))


@command("kata-get-param")
def get_param(session: Session, name: str) -> str:
    """One setting."""
    return json.dumps(_parameters(session)[_known(session, name)])


@command("kata-get-params")
def get_params(session: Session) -> str:
    """All settings, as JSON."""
    return json.dumps(_parameters(session), sort_keys=True)


@command("kata-set-param")
def set_param(session: Session, name: str, value: Json) -> None:
    """One setting; the player is made anew."""
    session.change_settings(**{_known(session, name): value})


@command("kata-set-params")
def set_params(session: Session, values: Json) -> None:
    """Several settings, as JSON; all of them or none."""
    if not isinstance(values, dict):
        raise ParseError(f"settings are a JSON object, not {values!r}")
    session.change_settings(**{_known(session, name): value for name, value in values.items()})


@command("katachi-param")
def param(session: Session, name: str | None = None, value: Json | None = None) -> str:
    """The settings as GoGui's dialogs want them; with a name and a value, changes one."""
    if name is None:
        return "\n".join(f"[string] {key} {json.dumps(value)}" for key, value in _parameters(session).items())
    refuse_unless(value is not None, "syntax error")
    session.change_settings(**{_known(session, name): value})
    return ""


@command("katachi-ponder", thinks=True)
def ponder(session: Session, value: Literal["true", "false"] | None = None) -> str:
    """Does the player think on in the opponent's time? With a word, from now on or no more."""
    if value is not None:
        session.ponders = value == "true"
    return "true" if session.ponders else "false"


@command("katachi-why")
def why(session: Session, action: Action, most: int | None = None) -> str:
    """The reasons for a move's value, by a player that can tell them: its memory as it is now."""
    explain = getattr(session.player, "why", None)
    if explain is None:
        raise GtpError(f"{session.player.name} cannot tell why")
    refuse_unless(most is None or most >= 1, "syntax error")
    refuse_unless(action in session.game.legal_actions(session.state), "illegal move")
    return str(explain(session.game, session.state, action, 10 if most is None else most))


@command("katachi-save_weights")
def save_weights(session: Session, path: Path) -> str:
    """Writes the long-term memory of a player that has one; answers how many games played here have taught it."""
    save = getattr(session.player, "save_long_term", None)
    if save is None:
        raise GtpError(f"{session.player.name} has no long-term memory")
    return str(save(session.game, path))


@command("kata-benchmark")
def benchmark(session: Session, playouts: int) -> str:
    """The speed of uniform playouts from this position; anything said meanwhile cuts it short."""
    refuse_unless(1 <= playouts <= _MOST_PLAYOUTS, f"playouts must be from 1 to {_MOST_PLAYOUTS}, not {playouts}")
    refuse_unless(not session.is_over, "the game is over")
    state = native_state(session.game, session.state)
    batch = state.playouts(playouts, session.status_rng())
    started = time.process_time()
    batch.run(lambda _: not session.is_interrupted())
    seconds = max(time.process_time() - started, 1e-6)
    return f"{batch.done} playouts in {seconds:.3f} CPU seconds, {batch.done / seconds:.0f} a second"


@command("kgs-game_over")
def game_over(session: Session) -> None:
    """The server says that the game is over: whoever learns from it does."""
    session.end_game()


@command("kgs-chat")
def chat(session: Session, kind: Literal["game", "private"], name: str, words: tuple[str, ...]) -> str:
    """Somebody on the server says something."""
    return f"I am Katachi {katachi.__version__}, playing as {session.player.name}."


def _parameters(session: Session) -> dict[str, Any]:
    return session.player.settings.model_dump()


def _known(session: Session, name: str) -> str:
    known = _parameters(session)
    if name not in known:
        raise GtpError(f"there is no setting {name!r}: {did_you_mean(name, known)}")
    return name
