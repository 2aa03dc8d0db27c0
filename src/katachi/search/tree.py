"""What a tree search has memorised, to look at: nodes, lines of play, and exports."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from katachi import _core
from katachi.core.types import Action

__all__ = ["Tree", "TreeNode"]

# Asked for the text of an action: of a node's state, if the search keeps it, or of the number alone.
ActionText = Callable[[Action], str]


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
    def range(self) -> tuple[float, float] | None:
        """Lowest and highest value that its successors have had."""
        return self._view.range

    def children(self) -> list["TreeNode"]:
        """The states that were visited from here, in the order of the game's candidates."""
        return [TreeNode(self._native, view) for view in self._native.children(self.index) if view.visits]

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
        """(depth, node), parents first; in a graph a state is told once, where it is met first."""
        stack, seen = [(0, self.root)], set[int]()
        while stack:
            level, node = stack.pop()
            if node.index in seen:
                continue
            seen.add(node.index)
            yield level, node
            if depth is None or level < depth:
                stack += [(level + 1, child) for child in reversed(node.children())]

    def principal_variation(self, least_visits: int = 1) -> list[TreeNode]:
        """The most visited line of play, without the root; of equally visited actions the first."""
        line, node, seen = list[TreeNode](), self.root, set[int]()
        while node.index not in seen:
            seen.add(node.index)
            children = [child for child in node.children() if child.visits >= least_visits]
            if not children:
                break
            node = max(children, key=lambda child: child.visits)
            line.append(node)
        return line

    def to_dict(self, depth: int = 3, least_visits: int = 1) -> dict[str, Any]:
        """Nested: action, visits, value, children."""
        return _as_dict(self.root, depth, least_visits)

    def to_json(self, depth: int = 3, least_visits: int = 1) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(depth, least_visits))

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


def _as_dict(node: TreeNode, depth: int, least_visits: int) -> dict[str, Any]:
    found: dict[str, Any] = {"action": int(node.action), "visits": node.visits, "value": node.value}
    if node.range is not None:
        found["range"] = list(node.range)
    if depth > 0:
        children = [child for child in node.children() if child.visits >= least_visits]
        found["children"] = [_as_dict(child, depth - 1, least_visits) for child in children]
    return found


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
