"""Players that think: one interface for all searches, under any budget, and what they keep when nothing was decided."""

import time
from typing import Any

import pytest

from katachi import Limit, Player, Rng, make_game, make_player
from katachi.core.types import Action
from katachi.games.go import GoGame
from katachi.players.player import GamePlayer
from katachi.players.registry import player_names
from katachi.players.thinking import (
    ENDLESS,
    Candidate,
    ThinkingPlayer,
    choose_within,
    expected_moves,
    limit_within,
    may_ponder,
    position_value,
)
from katachi.players.tree_player import TreePlayer

THINKERS = ["uct:sims=300", "sarsa-uct:sims=300", "uct-vanilla:sims=300", "flat-mc:sims=10", "alpha-beta:depth=3"]
OF_GO = ["shapes", "alpha-beta:depth=2,root_values=all", "uct:sims=200,playout_policy=mogo"]


def thinker(spec: str) -> ThinkingPlayer:
    player = make_player(spec)
    assert isinstance(player, ThinkingPlayer)
    return player


def check_candidates(game: Any, state: Any, candidates: list[Candidate]) -> None:  # noqa: ANN401
    """Legal lines, each action once, values in bounds, the best first."""
    assert len({candidate.action for candidate in candidates}) == len(candidates)
    low, high = game.facts.return_bounds
    for candidate in candidates:
        assert candidate.line[0] == candidate.action
        assert candidate.value is None or low <= candidate.value <= high
        reached = state
        for action in candidate.line:
            assert action in game.legal_actions(reached)
            reached, _ = game.play(reached, action)


@pytest.mark.parametrize("spec", THINKERS + OF_GO)
def test_thinking_and_choosing_are_the_same(spec: str) -> None:
    for name, options in (("go", {"size": 5}), ("gomoku", {"size": 5, "line": 4})):
        if name != "go" and spec in OF_GO:
            continue
        game = make_game(name, **options)
        state, _ = game.play(game.initial_state(), Action(7))
        player = thinker(spec)
        thinking = player.think(game, state, Rng(3))
        assert thinking.run(player.limit or ENDLESS)
        decision = thinking.decision()
        assert decision == thinking.decision()
        assert decision == make_player(spec).choose(game, state, Rng(3))
        candidates = thinking.candidates()
        check_candidates(game, state, candidates)
        first = candidates[0]
        assert first.value == decision.value  # but for ties, the same action
        if "alpha-beta" in spec:
            assert first.action == decision.action
            assert len(first.line) == (3 if "depth=3" in spec else 2)
            assert all((c.value is None) == ("root_values" not in spec) for c in candidates[1:])
        elif spec != "shapes":
            assert sum(candidate.visits for candidate in candidates) == decision.simulations
            by_visits = "vanilla" in spec
            key = [c.visits if by_visits else game.facts.value_for(Player.WHITE, c.value or 0.0) for c in candidates]
            assert key == sorted(key, reverse=True)


@pytest.mark.parametrize("spec", ["uct:sims=100000000", "flat-mc:sims=1000000", "alpha-beta:depth=50"])
def test_a_thought_is_stopped_and_gone_on_with(spec: str) -> None:
    game = GoGame(9)
    player = thinker(spec)
    thinking = player.think(game, game.initial_state(), Rng(1))
    seen = list[Candidate]()

    def look(_: float) -> bool:
        seen.extend(thinking.candidates()[:1])
        return not seen

    assert not thinking.run(ENDLESS, look)
    assert seen[0].value is not None
    before = thinking.decision().simulations
    assert thinking.run(Limit(seconds=0.1))
    assert thinking.decision().simulations > before
    started = time.monotonic()
    choose_within(player, game, game.initial_state(), Rng(1), 0.1)
    assert time.monotonic() - started < 1.0
    started = time.monotonic()
    assert choose_within(player, game, game.initial_state(), Rng(1), 0.0).action is not None
    assert time.monotonic() - started < 0.3


def test_flat_monte_carlo_ends_by_itself() -> None:
    game = make_game("tic-tac-toe")
    thinking = thinker("flat-mc:sims=10").think(game, game.initial_state(), Rng(1))
    assert thinking.candidates() == []
    assert thinking.run(Limit(simulations=40))
    assert thinking.decision().simulations == 40
    assert thinking.run(ENDLESS)
    assert thinking.run(ENDLESS)
    assert [candidate.visits for candidate in thinking.candidates()] == [10] * 9


def test_who_thinks_and_who_ponders() -> None:
    def made(name: str) -> GamePlayer:
        options = {"random": "", "shapes": "", "alpha-beta": "", "net": "", "wally": "", "policy": ":name=uniform"}
        return make_player(name + options.get(name, ":sims=5"))

    players = {name: made(name) for name in player_names()}
    silent = {name for name, player in players.items() if not isinstance(player, ThinkingPlayer)}
    assert silent == {"random", "policy", "wally"}
    assert {name for name, player in players.items() if not may_ponder(player)} == {
        *silent, "flat-mc", "alpha-beta", "shapes", "net"
    }  # fmt: skip
    assert not may_ponder(make_player("uct:sims=5,between_moves=discard"))


def test_budgets_within_seconds() -> None:
    assert limit_within(None, 2.0) == Limit(seconds=2.0)
    assert limit_within(Limit(simulations=5), 2.0) == Limit(simulations=5, seconds=2.0)
    assert limit_within(Limit(seconds=30.0), 2.0) == Limit(seconds=2.0)
    assert limit_within(Limit(seconds=1.0), 2.0) == Limit(seconds=1.0)
    assert limit_within(Limit(seconds=1.0), 0.0) == limit_within(None, -5.0) == Limit(simulations=1, seconds=1e-3)


def test_how_long_games_are_expected_to_be() -> None:
    assert expected_moves(GoGame((9, 7))) == 63
    assert expected_moves(make_game("connect-four")) == 42
    assert expected_moves(make_game("random-walk", size=11, cap=50)) == 50


def root_visits(player: TreePlayer) -> int:
    assert player._search is not None
    return player._search.tree.root.visits


def test_a_thought_without_a_decision_is_kept_for_the_same_state_and_the_next_ones() -> None:
    game = make_game("connect-four")
    start = game.initial_state()
    player = make_player("uct:sims=100")
    assert isinstance(player, TreePlayer)
    thinking = player.think(game, start, Rng(1))
    thinking.run(Limit(simulations=5000))
    again = player.think(game, start, Rng(2))
    again.run(Limit(simulations=1))
    assert root_visits(player) == 5001
    best = again.candidates()[0]
    after, _ = game.play(start, best.action)
    player.choose(game, after, Rng(3))
    assert root_visits(player) == best.visits + 100
    # Two moves on without a decision, and a state that went back, are not known.
    player.think(game, start, Rng(4)).run(Limit(simulations=10))
    assert root_visits(player) == 10
    deep, _ = game.play(after, Action(0))
    player.choose(game, deep, Rng(5))
    assert root_visits(player) == 100


def test_the_opponents_time_counts() -> None:
    """Our move, thinking on after it, the expected answer: the next search begins with what is below it."""
    game = GoGame(5)
    player = make_player("uct:sims=200")
    assert isinstance(player, TreePlayer)
    start = game.initial_state()
    decision = player.choose(game, start, Rng(1))
    assert decision.action is not None
    ours, _ = game.play(start, decision.action)
    pondering = player.think(game, ours, Rng(2))
    pondering.run(Limit(simulations=3000))
    assert root_visits(player) > 3000, "and what was known before"
    answer = max(pondering.candidates(), key=lambda candidate: candidate.visits)
    theirs, _ = game.play(ours, answer.action)
    assert player.choose(game, theirs, Rng(3)).simulations == 200
    assert root_visits(player) == answer.visits + 200


@pytest.mark.parametrize("spec", THINKERS)
def test_a_search_that_fails_is_not_gone_on_with(spec: str) -> None:
    game = make_game("tic-tac-toe")
    player = thinker(spec)

    def fail(_: float) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        player.choose(game, game.initial_state(), Rng(1), fail)
    assert player.choose(game, game.initial_state(), Rng(1)) == make_player(spec).choose(
        game, game.initial_state(), Rng(1)
    )


@pytest.mark.parametrize("spec", ["uct:sims=300", "mc-rave:sims=300", "flat-mc:sims=10"])
def test_the_value_of_a_position_is_the_mean_of_all_simulations(spec: str) -> None:
    game = GoGame(3)
    player = thinker(spec)
    thinking = player.think(game, game.initial_state(), Rng(1))
    thinking.run(player.limit or ENDLESS)
    candidates = thinking.candidates()
    value = position_value(candidates)
    assert value is not None
    assert candidates[0].value is not None
    assert value < candidates[0].value  # Black's best move is better than what was tried on the way
    if spec.startswith("uct"):
        root = thinking._search.tree.root  # type: ignore[attr-defined]
        assert value == pytest.approx(root.value, abs=2 / root.visits)  # but for the first simulation


def test_without_means_the_best_move_is_what_a_position_is_worth() -> None:
    best, other = (Candidate(Action(n), 5, value, (Action(n),)) for n, value in ((1, 0.75), (2, 0.25)))
    assert position_value([best, other]) == 0.75
    assert position_value([Candidate(Action(3), 9, None, (Action(3),)), best]) == 0.75
    assert position_value([]) is None


def test_lines_have_visits_that_fall() -> None:
    game = GoGame(4)
    thinking = thinker("mc-rave:sims=200").think(game, game.initial_state(), Rng(1))
    thinking.run(Limit(simulations=200))
    for candidate in thinking.candidates():
        assert len(candidate.line_visits) == len(candidate.line)
        assert candidate.line_visits[0] == candidate.visits
        assert list(candidate.line_visits) == sorted(candidate.line_visits, reverse=True)
        assert candidate.rave is not None
