"""GNU Go counts the games of a run again, from the SGF files: the same winner, the same margin?

    python -m tests.differential.match_recount DIR

prints each game where it counts otherwise, and ends with status 1 if there is one with another winner. What makes a
difference: GNU Go takes stones off that it holds for dead, while a match counts what is on the board. So the two agree
where both players captured everything before they passed. Games that did not end by a count are counted, not compared.
"""

import argparse
import json
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sgfmill import sgf

from katachi.arena.referee import GameOutcome, format_outcome
from katachi.games.go.record import parse_result
from katachi.players.gtp_process import GtpProcess

__all__ = ["GNU_GO", "Recount", "recount"]

# `loadsgf` takes board, moves and komi from the file, `final_score` plays the end out; --score aftermath counts alike.
GNU_GO = "gnugo --mode gtp --chinese-rules --seed 1"


@dataclass(frozen=True)
class Recount:
    """One game, counted twice."""

    path: Path
    ours: str
    theirs: str

    @property
    def is_same(self) -> bool:
        """Winner and margin."""
        return parse_result(self.ours) == parse_result(self.theirs)

    @property
    def has_same_winner(self) -> bool:
        """The winner at least."""
        return parse_result(self.ours).winner == parse_result(self.theirs).winner

    def __str__(self) -> str:
        what = "same winner" if self.has_same_winner else "ANOTHER WINNER"
        return f"{self.path}: {self.ours} here, {self.theirs} by GNU Go ({what})"


def recount(folder: Path, reasons: Counter[str] | None = None) -> Iterator[Recount]:
    """Every game of a run that ended by a count; `reasons` counts how all of them ended."""
    database = sqlite3.connect(f"file:{folder / 'games.sqlite'}?mode=ro", uri=True)
    rows = database.execute("SELECT outcome FROM games ORDER BY number").fetchall()
    database.close()
    with GtpProcess(GNU_GO) as gnu_go:
        for (text,) in rows:
            outcome = GameOutcome.from_json(json.loads(text))
            if reasons is not None:
                reasons[outcome.reason] += 1
            if outcome.reason != "count":
                continue
            path = folder / "sgf" / f"{outcome.index:06}.sgf"
            root = sgf.Sgf_game.from_bytes(path.read_bytes()).get_root()
            ours = root.get("RE")
            assert ours == format_outcome(outcome), (
                f"{path}: {ours} in the file, {format_outcome(outcome)} in the store"
            )
            gnu_go.ask("loadsgf", str(path.absolute()))
            komi = gnu_go.ask("get_komi")
            assert float(komi) == root.get("KM"), f"{path}: GNU Go counts with a komi of {komi}"
            yield Recount(path, ours, gnu_go.ask("final_score"))


def main() -> None:
    """By hand, for all games of a run."""
    parser = argparse.ArgumentParser(description="GNU Go counts the games of a run again.")
    parser.add_argument("folder", type=Path, help="what `katachi match --out` wrote")
    folder: Path = parser.parse_args().folder
    reasons: Counter[str] = Counter()
    games = same = winners = 0
    for game in recount(folder, reasons):
        games += 1
        same += game.is_same
        winners += game.has_same_winner
        if not game.is_same:
            print(game, flush=True)
    print(
        f"{games} games counted by {shlex.quote(GNU_GO)}: {same} with the same margin, {winners} with the same winner"
    )
    print("how they ended: " + ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items())))
    if winners < games:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
