"""Figure 8.1: a move that was chosen once at a node, and was played later in other episodes that met the node.

The figure's positions are not told but for their counts. Here is a game with the same ones; Black's moves are letters,
White has a single one, and C is the move in question:

    upper node     C: lost    G, then C: won    A: to the lower node
    lower node     C: won     D, then C: won    E, then C: lost    H: won

Nothing is worked out here: searches are made from one seed after the other until one has chosen every move once but A,
and its values are read. Playouts choose H at the lower node.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from katachi._core import GameFacts, KeyKind, Rng
from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.core.limit import Limit
from katachi.core.types import Action, Player
from katachi.experiments.duel_plots import new_figure, save_figure
from katachi.experiments.duels import run_others
from katachi.experiments.experiment import Claim, Progress, Row, Summary, Verdict, summary_of
from katachi.experiments.go_duels import Finding, all_of
from katachi.games.contract import BaseGame
from katachi.search.searches import TreeSearch
from katachi.search.tree import TreeNode
from katachi.search.tree_settings import TreeSearchSettings

__all__ = ["Example", "count", "draw", "run", "summarise", "total"]

_Moves: TypeAlias = tuple[int, ...]

_COUNT = "katachi.experiments.rave_example.runner:count"
_COLUMNS = ("node", "value", "won of all", "printed")
_KINDS = ("monte-carlo", "rave")
_EPISODES = 8  # the upper node's three moves, one that makes the lower node, and its four moves
_TRIES = 10_000
_A, _C, _D, _E, _G, _H, _WHITE = range(7)
_LOWER = (_A, _WHITE)
_LOST = ((_C,), (*_LOWER, _E, _WHITE, _C))


class Example(BaseGame[_Moves]):
    """The game above; a state is the moves so far."""

    name = "rave-example"
    facts = GameFacts(players=2, action_space=7, return_bounds=(0, 1), max_length=5, key=KeyKind.NONE)

    def initial_state(self) -> _Moves:
        """The upper node."""
        return ()

    def is_terminal(self, state: _Moves) -> bool:
        """After C, or H."""
        return state[-1:] in ((_C,), (_H,))

    def legal_actions(self, state: _Moves) -> list[Action]:
        """Few."""
        if self.is_terminal(state):
            return []
        if self.to_play(state) == Player.WHITE:
            return [Action(_WHITE)]
        choices = {(): (_A, _C, _G), _LOWER: (_C, _D, _E, _H)}
        return [Action(move) for move in choices.get(state, (_C,))]

    def to_play(self, state: _Moves) -> Player:
        """In turn."""
        return Player(len(state) % 2)

    def play(self, state: _Moves, action: Action) -> tuple[_Moves, float]:
        """Black is paid at the end."""
        following = (*state, int(action))
        return following, float(self.is_terminal(following) and following not in _LOST)

    def playout(self, state: _Moves, actions: Sequence[Action]) -> list[float]:
        """Weights of actions: H where it is one."""
        return [float(action == _H or _H not in actions) for action in actions]


def total(settings: Mapping[str, Any]) -> int:
    """Nodes."""
    return len(settings["nodes"])


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """What is missing."""
    wanted = [{"node": node, "seed": settings["seed"]} for node in settings["nodes"]]
    run_others(_COUNT, wanted, rows_path, executor, progress)


def count(work: dict[str, Any]) -> Row:
    """Won episodes and all, of C at a node, by both ways of counting."""
    game = Example()
    settings = TreeSearchSettings(rave="mc-rave", rave_k=0, c_p=0, playout_policy="heuristic")  # V alone chooses
    rng = Rng(work["seed"]).split("rave-example")
    for number in range(_TRIES):
        search = TreeSearch(game, (), rng=rng.split("try", number), settings=settings, playout=game.playout)
        search.run(Limit(simulations=_EPISODES))
        upper = _children(search.tree.root)
        lower = _children(_children(upper[_A])[_WHITE]) if upper[_A].children() else {}
        once = [node.visits for move, node in (*upper.items(), *lower.items()) if move != _A]
        if upper.keys() == {_A, _C, _G} and lower.keys() == {_C, _D, _E, _H} and set(once) == {1}:
            move = (upper if work["node"] == "upper" else lower)[_C]
            assert move.rave is not None
            counts = ((move.value, move.visits), move.rave)
            return {**work, **{kind: [round(q * n, 9), n] for kind, (q, n) in zip(_KINDS, counts, strict=True)}}
    raise InvalidArgumentError(f"no search like that in {_TRIES:,} tries: choose another seed")


def _children(node: TreeNode) -> dict[int, TreeNode]:
    return {int(child.action): child for child in node.children()}


def _counts(rows: Sequence[Row]) -> list[tuple[str, str, list[float]]]:
    """Node, kind, won episodes and all; from above."""
    found = sorted(rows, key=lambda row: str(row["node"]), reverse=True)
    return [(row["node"], kind, row[kind]) for row in found for kind in _KINDS]


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Every count is exactly the printed one, or it is wrong."""
    if not rows:
        raise InvalidArgumentError("there are no counts yet")
    table, findings = [], []
    for node, kind, (won, of) in _counts(rows):
        printed = claim.numbers[node][kind]
        told = [f"{won:g}/{of:g}", f"{printed[0]}/{printed[1]}"]
        table.append([node, kind, *told])
        verdict: Verdict = "reproduced" if [won, of] == printed else "not"
        findings.append(Finding(verdict, f"{node} node, {kind}: {told[0]} (printed {told[1]})"))
    return summary_of(_COLUMNS, table, {"silver-fig-8-1": all_of(findings)})


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Values by node, and the printed ones."""
    figure, (axes,) = new_figure(1)
    counts = _counts(rows)
    places = range(len(counts))
    known = [claim.numbers[node][kind] for node, kind, _ in counts]
    axes.bar(places, [won / of for _, _, (won, of) in counts], color="C0", label="won of all")
    axes.plot(places, [won / of for won, of in known], "kX", markersize=8, label="published")
    axes.set_xticks(places, [f"{node}, {kind}" for node, kind, _ in counts], rotation=20, fontsize="small")
    axes.set_ylim(0, 1.1)
    axes.set_title("the move C after eight episodes", fontsize="medium")
    axes.legend(fontsize="small")
    save_figure(figure, path)
