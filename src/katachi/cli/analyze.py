"""`katachi analyze`: what a player thinks of the moves in a position."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from katachi.cli.console import print_json, progress_bar, raise_on_hangup
from katachi.cli.options import AsJson, GameName, Komi, RulesName, Seed, Size

if TYPE_CHECKING:
    from katachi.core.types import Action
    from katachi.games.contract import Game

__all__ = ["analyze"]


def analyze(
    record: Annotated[Path | None, typer.Argument(help="An SGF record; otherwise the start of a game.")] = None,
    player: Annotated[str, typer.Option(help="Who thinks: a player that searches.")] = "uct:sims=1000",
    seconds: Annotated[
        float | None, typer.Option(help="How long, instead of the player's own budget; less if nothing is left.")
    ] = None,
    before: Annotated[
        int | None, typer.Option("--move", min=1, help="Of a record: the position before move N.")
    ] = None,
    moves: Annotated[str, typer.Option(help="Moves that are played first, such as 'E5 D4 pass'.")] = "",
    game: GameName = "go",
    size: Size = None,
    komi: Komi = None,
    rules: RulesName = None,
    top: Annotated[int, typer.Option(min=1, help="How many moves are shown.")] = 10,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Show what a player thinks of the moves in a position: visits, values, and the line behind each.

    Values are what the player to move may expect between the worst result and the best one: its winning chance in Go.

    \b
    Examples:
      katachi analyze --size 9 --moves "E5 D4" --player uct:sims=20000
      katachi analyze game.sgf --move 31 --player uct:sims=1,playout_policy=mogo --seconds 10
      katachi analyze game.sgf --player alpha-beta:depth=4,root_values=all --json
      katachi analyze --game connect-four --moves "d d c" --player sarsa-uct:sims=5000
    """
    from katachi._core import Rng
    from katachi.core.errors import IllegalMoveError, InvalidArgumentError
    from katachi.core.limit import Limit
    from katachi.games.registry import full_options, make_game
    from katachi.players.player import check_player
    from katachi.players.registry import make_player
    from katachi.players.thinking import ENDLESS, ThinkingPlayer

    chosen = make_player(player)
    if not isinstance(chosen, ThinkingPlayer):
        raise InvalidArgumentError(f"{chosen.name} does not search: there is nothing to see")
    if record is None:
        if before is not None:
            raise InvalidArgumentError(f"--move {before} needs a record")
        rule_book = make_game(game, **full_options(game, size=size, rules=rules, komi=komi))
        state = rule_book.initial_state()
    else:
        if game != "go" or size is not None:
            raise InvalidArgumentError("a record is a game of go with a size of its own: leave out --game and --size")
        rule_book, state = _recorded(record, before, rules, komi)
    for word in moves.split():
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
        thinking.run(limit, progress)
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
