"""Replays the episode C-B-C-D-E of Random walk through the search itself, and first episodes of other lengths.

Nothing is worked out here but what is expected: searches with a random policy are made from one seed after the other
until the first episode of one is the episode in question, and its values are read. With one step to the left, B is
passed only by the walk left, right, right, right; so four steps that end on the right, with B visited, are that walk.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import Field

from katachi import _core
from katachi._core import Rng
from katachi.arena.executor import Executor
from katachi.core.errors import InvalidArgumentError
from katachi.core.settings import Settings
from katachi.experiments.curve_figures import panels, save
from katachi.experiments.curves import judge, run_pieces
from katachi.experiments.experiment import Claim, Progress, Row, Summary, summary_of
from katachi.experiments.walk_metrics import TIE
from katachi.games.contract import native_state
from katachi.games.registry import make_game
from katachi.search.tree_settings import TreeSearchSettings

__all__ = ["ExampleSettings", "draw", "replay", "run", "summarise", "total"]

_WORK = "katachi.experiments.analytic_example.runner:replay"
_COLUMNS = ("values of", "lambda", "V(B)", "V(C)", "V(D)", "expected", "greedy at C")
_TRIES = 10_000
_STEPS = 4  # left, right, right, right
_V_INIT = 0.5


class ExampleSettings(Settings):
    """What is replayed."""

    seed: int = Field(ge=0, lt=2**63, description="Where the search for the episode begins.")
    lambdas: list[float] = Field(min_length=1, description="Each with both conventions.")
    playouts: list[int] = Field(min_length=2, description="Odd numbers of steps after the first one.")

    def pieces(self) -> list[Row]:
        """Arguments of `replay`."""
        cells: list[Row] = [
            {"convention": convention, "lambda": x} for convention in ("state", "afterstate") for x in self.lambdas
        ]
        lengths: list[Row] = [{"playout": length, "lambda": x} for length in self.playouts for x in self.lambdas]
        return [
            {"sweep": sweep, "cell": cell, "chunk": 0, "seed": self.seed}
            for sweep, some in (("episode", cells), ("playout", lengths))
            for cell in some
        ]


def total(settings: Mapping[str, Any]) -> int:
    """How many rows there will be."""
    return len(ExampleSettings.from_mapping(settings).pieces())


def run(settings: Mapping[str, Any], rows_path: Path, executor: Executor, progress: Progress) -> None:
    """Replays what is missing."""
    run_pieces(_WORK, ExampleSettings.from_mapping(settings).pieces(), rows_path, executor, progress)


def replay(piece: Row) -> Row:
    """One first episode and the values after it."""
    cell = piece["cell"]
    rng = Rng(piece["seed"]).split("analytic-example")
    row = {name: piece[name] for name in ("sweep", "cell", "chunk")}
    for number in range(_TRIES):
        search = _first_episode(cell, rng.split("try", number))
        left, right = search.root_actions()
        if piece["sweep"] == "episode":
            if search.steps == _STEPS and search.snapshots[0].gain == 1 and left.visits:
                return {**row, "B": left.value, "C": _value_of_c(search, cell["convention"]), "D": right.value}
        elif search.steps == 1 + cell["playout"] and search.snapshots[0].gain == 1:
            return {**row, "leaf": (left if left.visits else right).value}
    raise InvalidArgumentError(f"no first episode like {cell} in {_TRIES:,} tries: choose another seed")


def _value_of_c(search: _core.TreeMemory, convention: str) -> float:
    """Of the state; as an afterstate, of entering it from B: where the walk began it was not entered."""
    if convention == "state":
        return search.node(search.root).value
    b = search.children(search.root)[0]
    return search.children(b.index)[1].value


def _first_episode(cell: Row, rng: Rng) -> _core.TreeMemory:
    is_episode = "convention" in cell
    settings = TreeSearchSettings(
        learner="td", lambda_=cell["lambda"], control="random", v_init=_V_INIT, v_playout="initial",
        step_size="episodes", visit_mode="replacing", convention=cell.get("convention", "afterstate"),
        structure="fixed" if is_episode else "tree",
    )  # fmt: skip
    game = make_game("random-walk", size=5)
    root = native_state(game, game.initial_state())
    search = _core.tree_search(root, settings.to_native(root.facts), rng)
    search.watch([1 + cell["playout"] if "playout" in cell else _STEPS])
    search.run(simulations=1)
    return search


def expected(convention: str, lambda_: float) -> tuple[float, float, float]:
    """V(B), V(C), V(D) by hand: 0.5 (1 + lambda^k), where k counts the steps from the last visit to the reward."""
    extra = 0 if convention == "state" else 1  # an afterstate has one error more between itself and the reward
    b, c, d = (_V_INIT * (1 + lambda_ ** (k + extra)) for k in (2, 1, 0))
    return b, c, d


def summarise(rows: Sequence[Row], claim: Claim) -> Summary:
    """Values after the episode, and what playouts of each length teach."""
    episodes = [row for row in rows if row["sweep"] == "episode"]
    leaves = {(row["cell"]["lambda"], row["cell"]["playout"]): row["leaf"] for row in rows if row["sweep"] == "playout"}
    found = {(row["cell"]["convention"], row["cell"]["lambda"]): (row["B"], row["C"], row["D"]) for row in episodes}
    printed = {float(x): values for x, values in claim.numbers["state"].items()}
    lambdas, lengths = (sorted(set(some)) for some in zip(*leaves, strict=True)) if leaves else ([], [])
    is_replayed = found.keys() >= {("state", x) for x in printed}
    if not is_replayed or not lengths or not leaves.keys() >= set(product(printed, lengths)):
        raise InvalidArgumentError("not everything has been replayed yet")
    table = [
        [
            "states" if convention == "state" else "afterstates",
            f"{x:g}",
            *(f"{value:.6g}" for value in values),
            ", ".join(f"{value:.6g}" for value in expected(convention, x)),
            _greedy(values),
        ]
        for (convention, x), values in sorted(found.items(), key=lambda one: (one[0][0] != "state", one[0][1]))
    ]
    told = {x: [leaves[x, length] for length in lengths if (x, length) in leaves] for x in lambdas}
    state = {x: values for (convention, x), values in found.items() if convention == "state"}
    answer = judge(
        {
            "the printed values": all(_is_near(state[x], values) for x, values in printed.items()),
            "the formulas at every lambda, in both conventions": all(
                _is_near(values, expected(convention, x)) for (convention, x), values in found.items()
            ),
            "right is preferred for lambda < 1 only": all((_greedy(v) == "right") == (x < 1) for x, v in state.items()),
            "shorter playouts give larger updates for lambda < 1 only": all(
                (values[0] > values[-1] + TIE and values == sorted(values, reverse=True)) == (0 < x < 1)
                for x, values in told.items()
            ),
            "a leaf becomes 0.5 + 0.5 lambda^P": all(
                abs(leaf - _V_INIT * (1 + x**length)) <= TIE for (x, length), leaf in leaves.items()
            ),
        },
        f"V(B), V(C), V(D) become {', '.join(f'{v:.6g}' for v in state[0.7])} for lambda = 0.7 and "
        f"{', '.join(f'{v:.6g}' for v in state[1.0])} for lambda = 1; the greedy move at C is "
        f"{_greedy(state[0.7])} and a {_greedy(state[1.0])}; playouts of {lengths[0]} and {lengths[-1]} steps teach a "
        f"leaf {told[0.7][0]:.3g} and {told[0.7][-1]:.3g} (lambda = 1: {told[1.0][0]:.3g} and {told[1.0][-1]:.3g})",
    )
    return summary_of(_COLUMNS, table, {"vodopivec-sec-6-3-analytic-example": answer})


def _is_near(some: Sequence[float], others: Sequence[float]) -> bool:
    return all(abs(one - other) <= TIE for one, other in zip(some, others, strict=True))


def _greedy(values: Sequence[float]) -> str:
    gap = values[2] - values[0]
    return "tie" if abs(gap) <= TIE else "right" if gap > 0 else "left"


def draw(rows: Sequence[Row], claim: Claim, path: Path) -> None:
    """Values against lambda in both conventions, with the printed ones; and values of leaves by length of playout."""
    figure, axes = panels(1, 3)
    grid = [number / 50 for number in range(51)]
    for panel, convention in zip(axes, ("state", "afterstate"), strict=False):
        own = [row for row in rows if row["sweep"] == "episode" and row["cell"]["convention"] == convention]
        for number, name in enumerate("BCD"):
            panel.plot(grid, [expected(convention, x)[number] for x in grid], color=f"C{number}", linewidth=1,
                       label=f"V({name}), formula")  # fmt: skip
            panel.plot([row["cell"]["lambda"] for row in own], [row[name] for row in own], "o", color=f"C{number}",
                       label=f"V({name}), search")  # fmt: skip
        if convention == "state":
            points = [(float(x), value) for x, values in claim.numbers["state"].items() for value in values]
            panel.plot([x for x, _ in points], [y for _, y in points], "kx", markersize=10, label="printed")
        panel.set_xlabel("lambda")
        panel.set_ylabel("value after the episode")
        panel.set_title(f"C-B-C-D-E, values of {convention}s")
    for number, x in enumerate(sorted({row["cell"]["lambda"] for row in rows if row["sweep"] == "playout"})):
        leaves = sorted((row["cell"]["playout"], row["leaf"]) for row in rows
                        if row["sweep"] == "playout" and row["cell"]["lambda"] == x)  # fmt: skip
        axes[2].plot(
            [p for p, _ in leaves], [v for _, v in leaves], "o-", color=f"C{number % 10}", label=f"lambda {x:g}"
        )
    axes[2].set_xlabel("steps of the playout, which earns 1")
    axes[2].set_ylabel("value of the new leaf, from 0.5")
    axes[2].set_title("what one playout teaches")
    for panel in axes:
        panel.grid(alpha=0.3)
        panel.legend(fontsize="x-small")
    save(figure, path)
