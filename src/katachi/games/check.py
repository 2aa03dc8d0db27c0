"""`check_game`: does a game keep the contract? For users' own games, and for ours in the tests.

It plays random games, looks at every promise of `katachi.games.contract` on the way, and finally sends the game through
native playouts and a small tree search.
"""

from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

from katachi._core import GameFacts, KeyKind, Player, Rng, TreeSearchOptions, tree_search
from katachi.core.errors import GameContractError, InvalidArgumentError
from katachi.core.types import Action
from katachi.games.contract import ChanceGame, Game, native_state

__all__ = ["GameReport", "check_game"]

_LONGEST_UNBOUNDED = 5_000


@dataclass
class GameReport:
    """What `check_game` saw."""

    game: str
    games: int = 0
    steps: int = 0
    longest: int = 0
    cut: int = 0
    lowest_return: float = inf
    highest_return: float = -inf
    _seen: dict[int, tuple[Any, ...]] = field(default_factory=dict, repr=False)


def check_game(game: Game[Any], *, games: int = 20, seed: int = 0) -> GameReport:
    """Plays random games and raises GameContractError at the first broken promise, with the state and the values."""
    check_facts(game)
    if games < 1:
        raise InvalidArgumentError(f"check_game plays at least one game, not {games}")
    report = GameReport(game.name)
    rng = Rng(seed)
    for index in range(games):
        _check_one_game(game, report, rng.split("game", index), follow_candidates=index % 2 == 0)
    if not report.cut:  # a game that may not end would keep the native half busy for long
        _check_native(game, rng.split("native"))
    return report


def check_facts(game: Game[Any]) -> None:
    """The static part: the methods are there and the facts are facts."""
    for name in ("facts", "initial_state", "is_terminal", "legal_actions", "name", "play", "to_play"):
        if not hasattr(game, name):
            raise GameContractError(f"{type(game).__name__} has no {name!r}")
    if not isinstance(game.facts, GameFacts):
        raise GameContractError(f"{game.name}: facts is {game.facts!r}, not GameFacts")
    if game.facts.key is not KeyKind.NONE and not hasattr(game, "key"):
        raise GameContractError(
            f"{game.name}: the facts promise a key ({game.facts.key}), but there is no method 'key'"
        )


def _check_one_game(game: Game[Any], report: GameReport, rng: Rng, *, follow_candidates: bool) -> None:
    state = game.initial_state()
    total, length = 0.0, 0
    cap = game.facts.max_length
    while not game.is_terminal(state):
        legal, candidates = _check_state(game, report, state)
        options = candidates if follow_candidates else legal
        action = rng.choice(options)
        state, reward = _check_step(game, state, action, rng)
        if reward and game.facts.final_reward and not game.is_terminal(state):
            _fail(game, state, f"a step in the middle of a game earned {reward}, but the facts say final_reward")
        total += reward
        length += 1
        if cap is not None and length > cap:
            _fail(game, state, f"{length} steps were played, but the facts say max_length={cap}")
        if cap is None and length >= _LONGEST_UNBOUNDED:
            report.cut += 1
            break
    else:
        if list(game.legal_actions(state)):
            _fail(game, state, f"a terminal state has legal actions {list(game.legal_actions(state))}")
        bounds = game.facts.return_bounds
        if bounds is not None and not bounds[0] - 1e-9 <= total <= bounds[1] + 1e-9:
            _fail(game, state, f"a game returned {total}, outside return_bounds {bounds}")
        report.lowest_return = min(report.lowest_return, total)
        report.highest_return = max(report.highest_return, total)
    report.games += 1
    report.steps += length
    report.longest = max(report.longest, length)


def _check_state(game: Game[Any], report: GameReport, state: Any) -> tuple[list[Action], list[Action]]:  # noqa: ANN401
    legal = list(game.legal_actions(state))
    if not legal:
        _fail(game, state, "no legal action in a state that is not terminal")
    if len(set(legal)) != len(legal):
        _fail(game, state, f"legal_actions repeats itself: {legal}")
    outside = [a for a in legal if not 0 <= a < game.facts.action_space]
    if outside:
        _fail(game, state, f"actions {outside} are outside the action space of {game.facts.action_space}")
    offer = getattr(game, "candidates", None)
    candidates = list(offer(state)) if offer is not None else legal
    if not candidates:
        _fail(game, state, "no candidate in a state that is not terminal")
    strange = sorted(set(candidates) - set(legal))
    if strange:
        _fail(game, state, f"candidates {strange} are not legal")
    player = game.to_play(state)
    if player not in tuple(Player)[: game.facts.players]:
        _fail(game, state, f"to_play is {player!r} in a game for {game.facts.players} player(s)")
    if game.facts.key is KeyKind.EXACT:
        key = game.key(state)  # type: ignore[attr-defined]
        picture = (tuple(sorted(legal)), int(player))
        if report._seen.setdefault(key, picture) != picture:
            _fail(
                game,
                state,
                f"key {key} is said to be exact, but two states with it differ: {report._seen[key]} and {picture}",
            )
    return legal, candidates


def _check_step(game: Game[Any], state: Any, action: Action, rng: Rng) -> tuple[Any, float]:  # noqa: ANN401
    before = _picture(game, state)
    start = Rng.from_state(rng.state)
    following, reward = _play(game, state, action, rng)
    if not isinstance(reward, (int, float)) or not isfinite(reward):
        _fail(game, state, f"play({action}) earned {reward!r}, not a finite number")
    if _picture(game, state) != before:
        _fail(game, state, f"play({action}) changed the state that it was given: states are immutable")
    if isinstance(game, ChanceGame):
        _check_outcomes(game, state, action, following, reward)
    again, reward_again = _play(game, state, action, start)
    if _picture(game, again) != _picture(game, following) or reward_again != reward:
        reason = "is said to be deterministic" if game.facts.deterministic else "got equal generators"
        _fail(game, state, f"play({action}) {reason}, but two calls led to different states or rewards")
    return following, reward


def _check_outcomes(game: ChanceGame[Any], state: Any, action: Action, following: Any, reward: float) -> None:  # noqa: ANN401
    outcomes = list(game.outcomes(state, action))
    total = sum(outcome.probability for outcome in outcomes)
    if any(not outcome.probability > 0 for outcome in outcomes) or abs(total - 1) > 1e-9:
        _fail(game, state, f"the probabilities of outcomes({action}) are not positive with sum 1: {outcomes}")
    seen = (_picture(game, following), reward)
    if all((_picture(game, outcome.state), outcome.reward) != seen for outcome in outcomes):
        _fail(
            game, state, f"play({action}) led to a state or reward ({reward}) that outcomes does not name: {outcomes}"
        )


def _play(game: Game[Any], state: Any, action: Action, rng: Rng) -> tuple[Any, float]:  # noqa: ANN401
    result = game.play(state, action) if game.facts.deterministic else game.play(state, action, rng)
    if not isinstance(result, tuple) or len(result) != 2:
        _fail(game, state, f"play({action}) returned {result!r} instead of (state, reward)")
    return result


def _picture(game: Game[Any], state: Any) -> tuple[Any, ...]:  # noqa: ANN401
    terminal = game.is_terminal(state)
    key = game.key(state) if game.facts.key is not KeyKind.NONE else None  # type: ignore[attr-defined]
    return (
        terminal,
        () if terminal else tuple(game.legal_actions(state)),
        None if terminal else game.to_play(state),
        key,
    )


def _check_native(game: Game[Any], rng: Rng) -> None:
    state = native_state(game, game.initial_state())
    if state.is_terminal:
        return
    offer = getattr(game, "candidates", game.legal_actions)
    if list(offer(game.initial_state())) != state.candidates():
        raise GameContractError(f"{game.name}: native code sees the candidates {state.candidates()} at the start")
    batch = state.playouts(3, rng.split("playouts"))
    batch.run()
    search = tree_search(state, TreeSearchOptions(), rng.split("tree"))
    search.run(simulations=20)
    visits = sum(root.visits for root in search.root_actions())
    if visits != 20:
        raise GameContractError(
            f"{game.name}: 20 simulations of a tree search visited the root's children {visits} times"
        )


def _fail(game: Game[Any], state: Any, problem: str) -> None:  # noqa: ANN401
    draw = getattr(game, "format_state", str)
    raise GameContractError(f"{game.name}: {problem}\n{draw(state)}")
