"""Solved endings and unconditional life against brute force, in positions of random games with all their history."""

import random
from collections import Counter

import pytest

from katachi.core.types import Player
from katachi.games.go.position import Position
from katachi.games.go.rules import Rules
from katachi.reference.endings import best_outcome, live_for_ever
from katachi.reference.go_rules import Ko, TwinPosition, TwinRules
from katachi.search.endings import safe_area, solve_ending


def compare_outcomes(boards: list[tuple[int, int]], games: int, most: int) -> Counter[str]:
    """Random games on the core and the twin; in each position both solve, if they can."""
    events: Counter[str] = Counter()
    kos: list[Ko] = ["positional", "situational"]
    for number in range(games):
        chance = random.Random(number)
        width, height = boards[number % len(boards)]
        ko, suicide, komi = kos[number // 2 % 2], chance.random() < 0.3, chance.choice([-2, -1, -0.5, 0, 0.5, 1, 2, 4])
        position = Position(width, height, Rules(ko=ko, suicide=suicide, komi=komi))
        twin = TwinPosition.empty(width, height, TwinRules(ko, suicide))
        for _ in range(4 * width * height):
            stones = [move for move in twin.legal_actions() if move != position.pass_action]
            move = chance.choice(stones) if stones and chance.random() < 0.9 else position.pass_action
            position, twin = position.play(move), twin.play(move)
            if position.is_over:
                break
            ending = solve_ending(position, 20_000)
            assert ending is not None
            events[ending.verdict] += 1
            if ending.outcome is None:
                continue
            true = best_outcome(twin, komi, most)
            if true is not None:
                assert ending.outcome == true, f"{ending} is not {true}, komi {komi}\n{position}\n{position.moves}"
                events[f"outcome {true}"] += 1
    return events


def test_solved_endings_are_true() -> None:
    events = compare_outcomes([(2, 2), (3, 1), (2, 3), (4, 1)], games=64, most=1500)
    # A test that never saw the difficult cases would prove nothing.
    assert min(events[f"outcome {z}"] for z in (0.0, 1.0)) >= 50, events
    assert events["outcome 0.5"] >= 3, events
    assert events["superko"] >= 10, events


@pytest.mark.slow
def test_solved_endings_are_true_at_length() -> None:
    events = compare_outcomes([(2, 2), (3, 2), (5, 1), (3, 3), (4, 2)], games=1000, most=20_000)
    assert min(events[f"outcome {z}"] for z in (0.0, 0.5, 1.0)) >= 50, events
    assert events["superko"] >= 20, events


def compare_life(games: int) -> Counter[str]:
    events: Counter[str] = Counter()
    for number in range(games):
        chance = random.Random(number)
        width, height = chance.choice([(3, 3), (4, 3), (5, 2)])
        rules = TwinRules("simple", suicide=False)
        twin = TwinPosition.empty(width, height, rules)
        for _ in range(3 * width * height):
            moves = twin.candidates("simple")
            twin = twin.play(chance.choice(moves))
            if twin.is_over():
                break
            if chance.random() < 0.7:
                continue
            position = Position.from_diagram(
                "\n".join(" ".join(twin.stones()[row * width : (row + 1) * width]) for row in range(height))
            )
            for owner, player in ((0, Player.BLACK), (1, Player.WHITE)):
                safe = safe_area(position, player)
                if safe.stones:
                    start = TwinPosition.from_stones(width, height, rules, twin.stones(), to_play=1 - owner)
                    lives = live_for_ever(start, owner, safe.stones, most=300)
                    assert lives is not False, f"stones of {player.name} can be taken: {safe.stones}\n{position}"
                    events["alive" if lives else "unknown"] += 1
    return events


def test_what_is_safe_cannot_be_taken() -> None:
    assert compare_life(games=400)["alive"] >= 100
