"""Random games played on the core and on its slow twin at once; they must agree at every step.

The tests play a sample; the full size is run by hand, on several processes, and goes on where it was stopped:

    python -m tests.differential.twin_games --size 5 --games 1000000 --workers 2 --out twin-5x5.jsonl

Compared at every ply: the legal actions, the stones removed, the board and the ko point; at every fourth ply the
candidates of one eye rule; now and then the atari of every chain; at the end the area score. Over a whole chunk of
games: equal position if and only if equal key. Counted: how often the rare things occurred, because a test that never
saw a superko proves nothing about it.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from typing import Any, get_args

from katachi._core import EyeRule
from katachi.games.go import Position, Rules
from katachi.reference.go_rules import Ko, TwinPosition, TwinRules

RULES = [TwinRules(ko, suicide) for ko, suicide in product(get_args(Ko), (False, True))]
EYE_RULES: tuple[tuple[EyeRule, Any], ...] = (
    (EyeRule.SIMPLE, "simple"),
    (EyeRule.SURROUNDED, "surrounded"),
    (EyeRule.STRICT, "strict"),
)
RARE = ("ko", "superko", "suicide", "several chains", "snapback")


class Keys:
    """A one-to-one map between what was seen and its key, or an assertion."""

    def __init__(self) -> None:
        self._key_of: dict[Any, int] = {}
        self._seen_at: dict[int, Any] = {}

    def check(self, seen: Any, key: int) -> None:  # noqa: ANN401
        assert self._key_of.setdefault(seen, key) == key, f"two keys for {seen}"
        assert self._seen_at.setdefault(key, seen) == seen, f"key {key} for {self._seen_at[key]} and {seen}"

    def __len__(self) -> int:
        return len(self._key_of)


class Chunk:
    """Games that share one map of keys."""

    def __init__(self) -> None:
        self.events: Counter[str] = Counter()
        self.position_keys = Keys()
        self.stones_keys = Keys()

    def play(self, width: int, height: int, seed: int) -> None:
        """One game: rules, eye rule and style follow from the seed."""
        rng = random.Random(f"{width}x{height} {seed}")
        rules = RULES[seed % len(RULES)]
        eye_rule, eye_name = EYE_RULES[seed // len(RULES) % 3]
        wild = rng.random() < 0.25  # plays any legal move, eyes and suicides included
        twin = TwinPosition.empty(width, height, rules)
        core = Position(width, height, Rules(ko=rules.ko, suicide=rules.suicide))._native
        taken_at: int | None = None
        for ply in range(3 * width * height):
            legal = twin.legal_actions()
            if not legal:
                assert core.is_over
                assert core.legal_actions() == []
                break
            assert core.legal_actions() == legal, f"legal actions: {core.legal_actions()} and {legal}\n{twin}"
            candidates = core.candidates(eye_rule)
            if ply % 4 == 0:  # the twin's obey simple ko; at the root of a search superko is obeyed as well
                allowed = set(legal)
                slow = [a for a in twin.candidates(eye_name) if a in allowed] or legal[-1:]
                assert candidates == slow, f"candidates: {candidates} and {slow}\n{twin}"
            if core.ko is not None:
                self.events["ko"] += 1
                assert twin.is_simple_ko_ban(core.ko), f"no ko at {core.ko}\n{twin}"
            if ply % 8 == 0:
                self._count_superko(core)
            options = legal[:-1] if wild and len(legal) > 1 and rng.random() < 0.98 else candidates
            action = rng.choice(options)
            before, twin, core = core, twin.play(action), core.play(action)
            self._compare(twin, core, before, action, taken_at)
            taken_at = action if len(core.last_removed) and core.stones()[action] != "." else None
            if ply % 8 == 7:
                check_atari(twin, core)
        black, white = twin.area()
        assert core.area_score() == black - white, f"area: {core.area_score()} and {black} - {white}\n{twin}"
        self.events["games"] += 1

    def _compare(self, twin: TwinPosition, core: Any, before: Any, action: int, taken_at: int | None) -> None:  # noqa: ANN401
        stones = twin.stones()
        assert core.stones() == stones, f"after {action}:\n{core.stones()}\n{stones}"
        removed = sorted(core.last_removed)
        assert removed == list(twin.last_captures), (
            f"after {action} were removed: {removed} and {twin.last_captures}\n{twin}"
        )
        assert (core.to_play, core.passes, core.is_over) == (twin.to_play, twin.passes, twin.is_over())
        self.stones_keys.check(stones, core.stones_key)
        self.position_keys.check((stones, twin.to_play, twin.passes, core.ko), core.key)
        self.events["plies"] += 1
        if removed:
            suicide = stones[action] == "."
            self.events["suicide"] += suicide
            self.events["captures"] += not suicide
            if not suicide:
                chains = {tuple(before.chain(p)) for p in removed}
                self.events["several chains"] += len(chains) > 1
                self.events["snapback"] += any(taken_at in chain and len(chain) > 1 for chain in chains)

    def _count_superko(self, core: Any) -> None:  # noqa: ANN401
        for point, stone in enumerate(core.stones()):
            if stone == "." and core.illegality(point) == "an earlier position would be repeated":
                self.events["superko"] += 1


def check_atari(twin: TwinPosition, core: Any) -> None:  # noqa: ANN401
    """Chains, and who is in atari where."""
    for chains in twin._both_chains():
        for stones, liberties in chains:
            members = [p for p in range(twin.width * twin.height) if stones >> p & 1]
            assert core.chain(members[0]) == members
            atari = liberties.bit_count() == 1
            assert core.in_atari(members[0]) == atari
            assert core.last_liberty(members[0]) == (liberties.bit_length() - 1 if atari else None)


def play_chunk(width: int, height: int, seeds: Iterable[int]) -> Counter[str]:
    """Plays the games of these seeds; an AssertionError names the seed."""
    chunk = Chunk()
    for seed in seeds:
        try:
            chunk.play(width, height, seed)
        except AssertionError as error:
            raise AssertionError(f"{width}x{height} game {seed}: {error}") from error
    chunk.events["positions"] = len(chunk.position_keys)
    return chunk.events


def main() -> None:
    """The full-size run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--chunk", type=int, default=5_000, help="games that share one map of keys, and one row")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    done = (
        {json.loads(line)["first"] for line in options.out.read_text().splitlines()} if options.out.exists() else set()
    )
    starts = [first for first in range(0, options.games, options.chunk) if first not in done]
    with ProcessPoolExecutor(options.workers) as pool, options.out.open("a") as out:
        futures = {
            pool.submit(
                play_chunk, options.size, options.size, range(first, min(first + options.chunk, options.games))
            ): first
            for first in starts
        }
        for future in as_completed(futures):
            row = {"first": futures[future], "size": options.size, **future.result()}
            out.write(json.dumps(row) + "\n")
            out.flush()
    rows = [json.loads(line) for line in options.out.read_text().splitlines()]
    total: Counter[str] = Counter()
    for row in rows:
        total.update({key: value for key, value in row.items() if key not in ("first", "size")})
    print(json.dumps(total, indent=1))


if __name__ == "__main__":
    main()
