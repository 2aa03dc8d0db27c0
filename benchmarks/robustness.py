"""Does the engine hold out? Games with clocks against itself, each in a process of its own that the system watches.

    python benchmarks/robustness.py [--kinds move-0.05 side-10] [--games 20] [--memory 64] [--out FILE]

| kind | games | each player has | late after |
|---|---|---|---|
| `move-0.05` | 1,000 | 0.05 s a move | 0.55 s |
| `move-1` | 100 | 1 s a move | 1.5 s |
| `side-10` | 50 | 10 s for the whole game | 10 s |
| `side-60` | 20 | 60 s for the whole game | 60 s |

The half second above the time of a move is the reserve of every clock (katachi.core.time_control); how long the longest
move really took stands in every row. The referee of matches counts the time and looks at the moves
(katachi.arena.referee).

Rows are lines of JSON, one for each game, written when it ends. The same command plays what is missing; a file with
other settings is refused. The memory of a game is the peak of its process (VmHWM) above what it had after one short
move of each player, and the bar is 1.10 times the caps of the players in it. The process of a game that dies or hangs
is a row, too. Exit code 1: something in the file is not as it should be.

Leave a core for each worker: a busy machine is late, whatever the engine does.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_cap import BAR, status_mb

from katachi import Rng
from katachi.arena.match import MatchSettings
from katachi.arena.referee import GameTask, play_game
from katachi.core.time_control import RESERVE
from katachi.games.registry import full_options, make_game
from katachi.players.player import close_player, tell_new_game
from katachi.players.registry import make_player
from katachi.players.thinking import choose_within

RESULTS = Path(__file__).parent / "results" / "robustness.jsonl"
MET = 0.9  # of the cap: then it has been met
_STARTING = 120.0  # seconds that a process may take besides its game
_WARM_UP = 0.01  # seconds of the move of each player before the memory is looked at
_SETTINGS = ("player", "opponent", "memory_mb", "size", "seed")


@dataclass(frozen=True)
class Kind:
    """Games of one kind: how many, what a player may take for a move, and the clock that it is judged by."""

    games: int
    seconds: float
    clock: str
    longest_game: float  # seconds


KINDS = {
    "move-0.05": Kind(1000, 0.05, f"byoyomi 0 {0.05 + RESERVE:g} 1", 1000 * (0.05 + RESERVE)),
    "move-1": Kind(100, 1.0, f"byoyomi 0 {1 + RESERVE:g} 1", 1000 * (1 + RESERVE)),
    "side-10": Kind(50, 10.0, "10", 20.0),
    "side-60": Kind(20, 60.0, "60", 120.0),
}


def spec_of(player: str, seconds: float, memory: float) -> str:
    """A player with its budget and its cap; an engine behind GTP has its own."""
    if player.startswith("gtp:"):
        return player
    return f"{player}{',' if ':' in player else ':'}seconds={seconds:g},memory={memory:g}"


def tasks_of(kind: str, games: int, options: argparse.Namespace) -> list[GameTask]:
    """The games of a match."""
    first, second = (
        spec_of(player, KINDS[kind].seconds, options.memory)
        for player in (options.player, options.opponent or options.player)
    )
    return list(
        MatchSettings(
            first=first,
            second=second,
            games=games,
            seed=options.seed,
            options=full_options("go", size=options.size, rules="cgos", komi=None),
            clock=KINDS[kind].clock,
        ).tasks()
    )


def play_inside(task: GameTask) -> dict[str, Any]:
    """One game, in this process, and what the system says of it."""
    game = make_game(task.game, **task.options)
    players = (make_player(task.black), make_player(task.white))
    for player in players:
        choose_within(player, game, game.initial_state(), Rng(task.seed), _WARM_UP)
        tell_new_game(player)
    baseline = status_mb("VmRSS")
    outcome = play_game(task, game, players)
    grown = status_mb("VmHWM") - baseline
    cap = sum(getattr(player.settings, "memory", 0.0) for player in players)
    for player in players:
        close_player(player)
    return {
        "reason": outcome.reason,
        "loser": outcome.loser,
        "is_foul": outcome.is_foul,
        "detail": outcome.detail,
        "moves": len(outcome.moves),
        "seconds": [round(seconds, 3) for seconds in outcome.seconds],
        "longest": [round(seconds, 4) for seconds in outcome.longest],
        "simulations": list(outcome.simulations),
        "baseline_mb": round(baseline, 1),
        "growth_mb": round(grown, 1),
        "cap_mb": cap,
        "share_of_cap": round(grown / cap, 3) if cap else None,
    }


def play(kind: str, task: GameTask) -> dict[str, Any]:
    """One game, in a process of its own."""
    told: dict[str, Any] = {"kind": kind, "number": task.index}
    command = [sys.executable, __file__, "--inside"]
    try:
        run = subprocess.run(
            command,
            input=task.model_dump_json(),
            capture_output=True,
            text=True,
            timeout=KINDS[kind].longest_game + _STARTING,
        )
    except subprocess.TimeoutExpired as error:
        return {**told, "reason": "hung", "is_foul": True, "detail": f"it took more than {error.timeout:g} s"}
    if run.returncode != 0:
        detail = f"it ended with {run.returncode}: {run.stderr.strip()[-2000:]}"
        return {**told, "reason": "died", "is_foul": True, "detail": detail}
    return {**told, **json.loads(run.stdout)}


def read_rows(path: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """What is there already. A line that a kill has cut is taken off."""
    if not path.exists():
        return []
    whole, newline, _ = path.read_text(encoding="utf-8").rpartition("\n")
    os.truncate(path, len((whole + newline).encode()))
    rows = [json.loads(line) for line in whole.splitlines()]
    for row in rows:
        for name, value in settings.items():
            if row.get(name) != value:
                raise SystemExit(f"{path} has games with {name} {row.get(name)!r}, not {value!r}: choose another --out")
    return rows


def missing(
    wanted: dict[str, int], rows: Iterable[dict[str, Any]], options: argparse.Namespace
) -> Iterator[tuple[str, GameTask]]:
    """The games that the file does not have."""
    there = {(row["kind"], row["number"]) for row in rows}
    for kind, games in wanted.items():
        for task in tasks_of(kind, games, options):
            if (kind, task.index) not in there:
                yield kind, task


def summary(rows: Iterable[dict[str, Any]], wanted: dict[str, int]) -> dict[str, dict[str, Any]]:
    """By kind: how many of the games there are, how they failed, the longest move, and memory as a share of the cap."""
    found = {}
    for kind, games in wanted.items():
        of_kind = [row for row in rows if row["kind"] == kind]
        shares = [row["share_of_cap"] for row in of_kind if row.get("share_of_cap") is not None]
        fouls = Counter(row["reason"] for row in of_kind if row["is_foul"])
        found[kind] = {
            "games": len(of_kind),
            "wanted": games,
            "fouls": dict(fouls),
            "longest_move": max((max(row["longest"]) for row in of_kind if "longest" in row), default=None),
            "largest_share_of_cap": max(shares, default=None),
            "games_that_met_the_cap": sum(share >= MET for share in shares),
            "holds": not fouls and all(share <= BAR for share in shares),
        }
    return found


def main() -> None:
    """Plays what is missing, and tells how all of it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--games", type=int, help="of each kind, instead of the usual number")
    parser.add_argument("--player", default="tournament", help="without a budget and memory")
    parser.add_argument("--opponent", help="another one, or gtp:COMMAND")
    parser.add_argument("--memory", type=float, default=64.0, help="cap of each player in megabytes")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="games at a time")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the rows")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(play_inside(GameTask.from_json(json.loads(sys.stdin.read())))))
        return
    settings = dict(
        zip(
            _SETTINGS,
            (options.player, options.opponent, options.memory, options.size, options.seed),
            strict=True,
        )
    )
    wanted = {kind: options.games or KINDS[kind].games for kind in options.kinds}
    rows = read_rows(options.out, settings)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    to_do = list(missing(wanted, rows, options))
    with options.out.open("a", encoding="utf-8") as file, ThreadPoolExecutor(options.workers) as pool:
        games = [pool.submit(play, kind, task) for kind, task in to_do]
        try:
            for number, game in enumerate(as_completed(games), 1):
                row = {**game.result(), **settings}
                rows.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
                what = row["detail"] if row["is_foul"] else f"{row['moves']} moves, {row['growth_mb']} MB"
                print(f"{number} of {len(to_do)}: {row['kind']} {row['number']}: {what}", file=sys.stderr)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    told = summary(rows, wanted)
    print(json.dumps(told, indent=2))
    if not all(kind["holds"] for kind in told.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
