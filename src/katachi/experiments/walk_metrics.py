"""What is measured of a search on the left-right games (Vodopivec 2018, section 6.1): B1, B2 and B3, of one repeat.

B1 is the error of the values, B2 whether the greedy action at the root is right, B3 how many steps an arrival at the
right end takes. Values are those of afterstates: V(s) contains the reward of entering s (4.3). Sums over repeats and
curves are made by katachi.experiments.curves.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from katachi._core import RootAction, Snapshot, TreeMemory
from katachi.core.errors import InvalidArgumentError

__all__ = [
    "TIE", "Reference", "Walk", "afterstate_values", "arrivals", "choice", "learnt_values", "root_value",
    "squared_error",
]  # fmt: skip

Walk = Literal["random-walk", "shortest-walk"]
Reference = Literal["optimal", "random"]
Values: TypeAlias = dict[int, float]  # by place

TIE = 1e-9  # values so near to each other are equal
_RIGHT = 1


def afterstate_values(walk: Walk, size: int, reference: Reference) -> Values:
    """What entering each place is worth, with the reward of entering it; `random` is the uniform policy.

    Shortest walk, optimal: max(-(L - 1 - s) + 1, -s) from s on; uniform: -s (L - 1 - s) + s / (L - 1). Random walk: 1
    and s / (L - 1). Neither knows of the cap. Pinned by tests/unit/test_curves.py against value iteration.
    """
    last = size - 1
    values = {}
    for place in range(size):
        is_end = place in (0, last)
        if walk == "random-walk":
            onwards = 0.0 if is_end else 1.0 if reference == "optimal" else place / last
            entering = 1.0 if place == last else 0.0
        else:
            optimal = float(max(-(last - place) + 1, -place))
            uniform = -place * (last - place) + place / last
            onwards = 0.0 if is_end else optimal if reference == "optimal" else uniform
            entering = 0.0 if place == last else -1.0
        values[place] = entering + onwards
    return values


def root_value(walk: Walk, size: int, reference: Reference) -> float:
    """What the middle is worth for a walk that begins there: nothing is earned by entering it."""
    return afterstate_values(walk, size, reference)[size // 2] + (1.0 if walk == "shortest-walk" else 0.0)


def learnt_values(search: TreeMemory, size: int, is_graph: bool, initial: float) -> Values:
    """Values by place: of the root and its children in a tree; of all places between the ends in a graph.

    A place that is not memorised is worth V_init.
    """
    middle = size // 2
    if not is_graph:
        left, right = search.root_actions()
        return {middle - 1: left.value, middle: search.node(search.root).value, middle + 1: right.value}
    values = dict.fromkeys(range(1, size - 1), initial)
    open_nodes, seen = [(middle, search.root)], {middle}
    while open_nodes:
        place, index = open_nodes.pop()
        node = search.node(index)
        if node.episodes:
            values[place] = node.value
        for child in search.children(index):
            next_place = place + (1 if child.action == _RIGHT else -1)
            if child.visits and next_place in values and next_place not in seen:
                seen.add(next_place)
                open_nodes.append((next_place, child.index))
    return values


def squared_error(learnt: Mapping[int, float], truth: Mapping[int, float]) -> float:
    """The mean over the places that were learnt: B1 before the root is taken."""
    return sum((value - truth[place]) ** 2 for place, value in learnt.items()) / len(learnt)


def choice(actions: Sequence[RootAction]) -> float:
    """B2: 1 if the greedy action is to the right, 1/2 if both are equal, else 0."""
    values = {action.action: action.value for action in actions}
    if len(values) < 2:
        return 0.5  # before the first episode has ended
    gap = values[_RIGHT] - values[1 - _RIGHT]
    return 0.5 if abs(gap) <= TIE else 1.0 if gap > 0 else 0.0


def arrivals(walk: Walk, before: Snapshot, after: Snapshot) -> float:
    """Arrivals at the right end between two snapshots: B3 is their distance in steps by the mean of this.

    On the shortest walk every other step costs 1. A walk that ends by its cap counts as an arrival.
    """
    steps = after.steps - before.steps
    if steps <= 0:
        raise InvalidArgumentError(f"no step between {before.steps} and {after.steps}")
    earned = after.gain - before.gain
    return earned if walk == "random-walk" else steps + earned
