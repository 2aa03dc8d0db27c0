"""What a tree search has memorised, to look at: nodes, lines of play, and exports."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from katachi import _core
from katachi.core.errors import InvalidArgumentError
from katachi.core.types import Action

__all__ = ["Tree", "TreeNode"]

# The text of an action, by its number alone: a node does not keep its state.
ActionText = Callable[[Action], str]

# Readers and writers of JSON, Python's own for one, go a call deeper for each object or list.
_DEEPEST_JSON = 200


class TreeNode:
    """A memorised state. Values are player 0's."""

    def __init__(self, native: _core.TreeMemory, view: _core.NodeView) -> None:
        self._native, self._view = native, view

    @property
    def index(self) -> int:
        """Its number in the search; the same state of a graph has one number."""
        return self._view.index

    @property
    def action(self) -> Action:
        """What leads here from its parent; -1 at the root."""
        return Action(self._view.action)

    @property
    def visits(self) -> int:
        """n."""
        return self._view.visits

    @property
    def episodes(self) -> int:
        """n_e: the episodes with a visit."""
        return self._view.episodes

    @property
    def value(self) -> float:
        """V, of player 0."""
        return self._view.value

    @property
    def rave(self) -> tuple[float, float] | None:
        """RAVE value of the action that leads here, player 0's, and its count; None where there is none."""
        return self._view.rave

    @property
    def combined(self) -> float:
        """The value that the control policy compares: V with RAVE's share in it. At the root, V."""
        return self._view.combined

    @property
    def range(self) -> tuple[float, float] | None:
        """Lowest and highest value that its successors have had."""
        return self._view.range

    def children(self) -> list["TreeNode"]:
        """The states that were visited from here, in the order of the game's candidates."""
        return [TreeNode(self._native, view) for view in self._native.children(self.index) if view.visits]

    def principal_variation(self, least_visits: int = 1) -> list["TreeNode"]:
        """The most visited line of play from here, without this node; of equally visited actions the first."""
        line, node, seen = list[TreeNode](), self, set[int]()
        while node.index not in seen:
            seen.add(node.index)
            children = [child for child in node.children() if child.visits >= least_visits]
            if not children:
                break
            node = max(children, key=lambda child: child.visits)
            line.append(node)
        return line

    def __repr__(self) -> str:
        return f"TreeNode(action={self.action}, visits={self.visits}, value={self.value:.4f})"


class Tree:
    """All that a search has memorised. It changes as the search goes on."""

    def __init__(self, native: _core.TreeMemory) -> None:
        self._native = native

    @property
    def root(self) -> TreeNode:
        """Where the search begins."""
        return TreeNode(self._native, self._native.node(self._native.root))

    def __len__(self) -> int:
        return self._native.nodes

    def walk(self, depth: int | None = None) -> Iterator[tuple[int, TreeNode]]:
        """(depth, node), breadth first; in a graph a state is told once, where it is nearest to the root."""
        root = self.root
        queue, met = deque([(0, root)]), {root.index}
        while queue:
            level, node = queue.popleft()
            yield level, node
            if depth is None or level < depth:
                for child in node.children():
                    if child.index not in met:
                        met.add(child.index)
                        queue.append((level + 1, child))

    def principal_variation(self, least_visits: int = 1) -> list[TreeNode]:
        """The most visited line of play, without the root; of equally visited actions the first."""
        return self.root.principal_variation(least_visits)

    def to_dict(self, depth: int = 3, least_visits: int = 1) -> dict[str, Any]:
        """Nested: index, action, visits, value, children, and range, RAVE value and RAVE count where they are kept.

        In a graph a state has its children where it is nearest to the root; elsewhere its index refers to them.
        """
        return self._nested(depth, least_visits)[0]

    def to_json(self, depth: int = 3, least_visits: int = 1) -> str:
        """The same as text, for what is at most 200 levels deep: JSON is read recursively."""
        nested, levels = self._nested(depth, least_visits)
        if levels > _DEEPEST_JSON:
            raise InvalidArgumentError(
                f"to_json nests {_DEEPEST_JSON} levels at most, and at depth={depth} there are {levels}: "
                f"ask for depth={_DEEPEST_JSON}, or take to_dict"
            )
        return json.dumps(nested)

    def to_dot(self, depth: int = 3, least_visits: int = 1, action_text: ActionText = str) -> str:
        """For Graphviz: an edge is an action, a node shows visits and value."""
        lines, edges = list[str](), set[tuple[int, int, Action]]()
        for level, node in self.walk(depth):
            if level and node.visits < least_visits:
                continue
            lines.append(f'  n{node.index} [label="{node.visits}\\n{node.value:.3f}"];')
            if level < depth:
                edges |= {
                    (node.index, child.index, child.action) for child in node.children() if child.visits >= least_visits
                }
        lines += [f'  n{a} -> n{b} [label="{_quoted(action_text(action))}"];' for a, b, action in sorted(edges)]
        return "digraph search {\n" + "\n".join(lines) + "\n}\n"

    def _nested(self, depth: int, least_visits: int) -> tuple[dict[str, Any], int]:
        """The root with all that is below it, and how many levels that are. Level by level: a tree may be deep."""
        root = self.root
        top, met, levels = _as_dict(root), {root.index}, 0
        front = [(root, top)]
        while front and levels < depth:
            behind = list[tuple[TreeNode, dict[str, Any]]]()
            for node, told in front:
                told["children"] = []
                for child in node.children():
                    if child.visits >= least_visits:
                        told["children"].append(_as_dict(child))
                        if child.index not in met:
                            met.add(child.index)
                            behind.append((child, told["children"][-1]))
            front = behind
            levels += bool(front)
        return top, levels


def _as_dict(node: TreeNode) -> dict[str, Any]:
    found: dict[str, Any] = {
        "index": node.index,
        "action": int(node.action),
        "visits": node.visits,
        "value": node.value,
    }
    if node.range is not None:
        found["range"] = list(node.range)
    if node.rave is not None:
        found["rave_value"], found["rave_count"] = node.rave
    return found


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
