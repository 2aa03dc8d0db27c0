"""`katachi analyze`: what a player thinks of the moves in a position, or in those that queries on stdin ask for."""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from katachi.analysis import USUAL_PLAYER
from katachi.cli.console import print_json, progress_bar, protocol_streams, raise_on_hangup
from katachi.cli.options import AsJson, Komi, RulesName, Seed, Size

if TYPE_CHECKING:
    from katachi.core.limit import Limit
    from katachi.core.types import Action
    from katachi.games.contract import Game
    from katachi.players.thinking import ThinkingPlayer

__all__ = ["analyze"]


_USUAL_POSITION = "uct:sims=1000"


def analyze(
    record: Annotated[Path | None, typer.Argument(help="An SGF record; otherwise the start of a game.")] = None,
    player: Annotated[
        str | None,
        typer.Option(help=f"Who thinks: a player that searches; {_USUAL_POSITION}, for queries {USUAL_PLAYER}."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long, instead of the player's own budget; less if nothing is left.")
    ] = None,
    before: Annotated[
        int | None, typer.Option("--move", min=1, help="Of a record: the position before move N.")
    ] = None,
    moves: Annotated[str | None, typer.Option(help="Moves that are played first, such as 'E5 D4 pass'.")] = None,
    game: Annotated[
        str | None, typer.Option(help="Any game for two of the registry, go if not given; see katachi info.")
    ] = None,
    size: Size = None,
    komi: Komi = None,
    rules: RulesName = None,
    top: Annotated[int, typer.Option(min=1, help="How many moves of a position are shown.")] = 10,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Show what a player thinks of the moves in a position: visits, values, and the line behind each.

    Values are what the player to move may expect between the worst result and the best one: its winning chance in Go.

    Without a record, --moves, --move, --size and --game it answers queries of Go on stdin, one object of JSON a line,
    as KataGo's analysis engine does (docs/analysis.md).

    \b
    Examples:
      katachi analyze --size 9 --moves "E5 D4" --player uct:sims=20000
      katachi analyze game.sgf --move 31 --player uct:sims=1,playout_policy=mogo --seconds 10
      katachi analyze game.sgf --player alpha-beta:depth=4,root_values=all --json
      katachi analyze --game connect-four --moves "d d c" --player sarsa-uct:sims=5000
      echo '{"id":"a","moves":[["B","E5"]],"rules":"chinese","boardXSize":9,"boardYSize":9}' | katachi analyze
      katachi analyze --player mc-rave:sims=5000 < queries.jsonl > answers.jsonl
    """
    from katachi._core import Rng
    from katachi.analysis.engine import checked_thinker
    from katachi.core.errors import IllegalMoveError, InvalidArgumentError
    from katachi.core.limit import Limit
    from katachi.games.registry import full_options, make_game
    from katachi.players.player import check_player
    from katachi.players.registry import make_player
    from katachi.players.thinking import ENDLESS, analyse

    named = (record, before, moves, game, size)
    asks_for_queries = all(each is None for each in named)
    chosen = checked_thinker(make_player(player or (USUAL_PLAYER if asks_for_queries else _USUAL_POSITION)))
    if asks_for_queries:
        if rules is not None or komi is not None:
            raise InvalidArgumentError("queries have rules and komi of their own: leave them out, or name a --size")
        _answer_queries(chosen, None if seconds is None else Limit(seconds=seconds), seed)
        return
    game = game or "go"
    if record is None:
        if before is not None:
            raise InvalidArgumentError(f"--move {before} needs a record")
        rule_book = make_game(game, **full_options(game, size=size, rules=rules, komi=komi))
        state = rule_book.initial_state()
    else:
        if game != "go" or size is not None:
            raise InvalidArgumentError("a record is a game of go with a size of its own: leave out --game and --size")
        rule_book, state = _recorded(record, before, rules, komi)
    for word in (moves or "").split():
        action = _parse(rule_book, state, word)
        if action not in rule_book.legal_actions(state):
            raise IllegalMoveError(f"{word} is not legal in\n{_text(rule_book, state)}")
        state, _ = rule_book.play(state, action)
    if rule_book.is_terminal(state):
        raise InvalidArgumentError(f"there is nothing to think about: the game is over\n{_text(rule_book, state)}")
    check_player(chosen, rule_book)

    raise_on_hangup()
    limit = (chosen.limit or ENDLESS) if seconds is None else Limit(seconds=seconds)
    thinking = chosen.think(rule_book, state, Rng(seed))
    with progress_bar(f"{chosen.name} thinks", quiet=as_json) as progress:
        analyse(thinking, limit, progress)
    decision = thinking.decision()
    found: list[dict[str, Any]] = [
        {
            "move": _line(rule_book, state, candidate.line[:1])[0],
            "visits": candidate.visits,
            "value": _share(rule_book, state, candidate.value),
            "line": _line(rule_book, state, candidate.line),
        }
        for candidate in thinking.candidates()
    ]
    if as_json:
        chosen_move = None if decision.action is None else _line(rule_book, state, [decision.action])[0]
        print_json(
            {
                "game": rule_book.name,
                "player": chosen.name,
                "to_play": rule_book.to_play(state).name.lower(),
                "simulations": decision.simulations,
                "move": chosen_move,
                "candidates": found,
            }
        )
        return
    print(_text(rule_book, state))
    print(f"{chosen.name}: {decision.simulations} simulations\n\n  move   visits  value  line")
    for row in found[:top]:
        value = "    ?" if row["value"] is None else f"{row['value']:5.3f}"
        print(f"  {row['move']:<5} {row['visits']:>7}  {value}  {' '.join(row['line'])}")
    if len(found) > top:
        print(f"  and {len(found) - top} more")


def _answer_queries(player: "ThinkingPlayer", limit: "Limit | None", seed: int) -> None:
    from katachi.analysis.engine import AnalysisEngine
    from katachi.analysis.server import serve
    from katachi.players.player import close_player

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    if sys.stdin is not None and sys.stdin.isatty():
        print(
            "katachi: waiting for queries, one object of JSON a line (Ctrl-D ends); to see a position, name a record, "
            "--moves, --size or --game",
            file=sys.stderr,
        )
    raise_on_hangup()
    with protocol_streams() as (queries, answers):
        try:
            serve(lambda say: AnalysisEngine(player, say, seed=seed, limit=limit), queries, answers)
        finally:
            close_player(player)


def _recorded(path: Path, before: int | None, rules: str | None, komi: float | None) -> "tuple[Game[Any], Any]":
    from katachi.core.errors import InvalidArgumentError
    from katachi.games.go.game import GoGame
    from katachi.games.go.rules import Rules
    from katachi.play.table import load_position

    named = None if rules is None else Rules.named(rules)
    try:
        position = load_position(path, before, Rules.named("chinese"), rules=named, komi=komi)
    except OSError as error:
        raise InvalidArgumentError(f"{path} cannot be read: {error.strerror or error}") from None
    return GoGame((position.width, position.height), position.rules), position


def _parse(game: "Game[Any]", state: Any, word: str) -> "Action":  # noqa: ANN401
    from katachi.core.errors import InvalidArgumentError
    from katachi.games.contract import BoardGame

    if not isinstance(game, BoardGame):
        raise InvalidArgumentError(f"moves of {game.name} cannot be written: it has no board")
    return game.parse_action(state, word)


def _line(game: "Game[Any]", state: Any, actions: "Sequence[Action]") -> list[str]:  # noqa: ANN401
    """As people write it, up to a move that superko forbids."""
    written = []
    for action in actions:
        if action not in game.legal_actions(state):
            break
        written.append(game.format_action(state, action) if hasattr(game, "format_action") else str(action))
        if game.facts.deterministic:
            state, _ = game.play(state, action)
    return written


def _share(game: "Game[Any]", state: Any, value: float | None) -> float | None:  # noqa: ANN401
    """A value of player 0 between the worst (0) and the best (1) for the player to move; as it is without bounds."""
    if value is None or game.facts.return_bounds is None:
        return value
    low, high = game.facts.return_bounds
    return (game.facts.value_for(game.to_play(state), value) - low) / (high - low)


def _text(game: "Game[Any]", state: Any) -> str:  # noqa: ANN401
    return str(getattr(game, "format_state", str)(state))
