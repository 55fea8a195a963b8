"""Conversations are trees: an edited question and a regenerated answer leave siblings.
Only the branch that the user let stand counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Node:
    """A place in a tree. ``parent`` may be unknown to the tree, and nodes may even form a
    ring: exports hold both."""

    id: str
    parent: str
    at: datetime | None = None


def branch(nodes: Mapping[str, Node], leaf: str) -> list[str]:
    """The ids from the root to the leaf; empty when the leaf isn't there."""
    path: dict[str, None] = {}
    at = leaf
    while at in nodes and at not in path:
        path[at] = None
        at = nodes[at].parent
    return list(path)[::-1]


def latest_leaf(nodes: Mapping[str, Node]) -> str:
    """The leaf that was written last: by time when every leaf has one, else the last in
    the file's order. "" for an empty tree."""
    leaves = _leaves(nodes.values())
    times = [leaf.at for leaf in leaves if leaf.at is not None]
    if leaves and len(times) == len(leaves):
        last = max(times)
        return next(leaf.id for leaf in reversed(leaves) if leaf.at == last)
    return leaves[-1].id if leaves else ""


def _leaves(nodes: Iterable[Node]) -> list[Node]:
    """In the file's order; the last node alone when all stand in rings."""
    listed = list(nodes)
    parents = {node.parent for node in listed}
    return [node for node in listed if node.id not in parents] or listed[-1:]


def heaviest_leaf(nodes: Mapping[str, Node]) -> str:
    """The leaf found by following the child with the most nodes below it, from the root
    with the most; of equals the later one. "" for an empty tree."""
    children: dict[str, list[str]] = {}
    roots: list[str] = []
    for node in nodes.values():
        if node.parent in nodes and node.parent != node.id:
            children.setdefault(node.parent, []).append(node.id)
        else:
            roots.append(node.id)
    weight = _weights(roots, children)
    at = _heaviest(roots, weight)
    while at in children:
        at = _heaviest(children[at], weight)
    return at or next(reversed(list(nodes)), "")


def _heaviest(ids: Sequence[str], weight: Mapping[str, int]) -> str:
    if not ids:
        return ""
    most = max(weight[node] for node in ids)
    return next(node for node in reversed(ids) if weight[node] == most)


def _weights(roots: Sequence[str], children: Mapping[str, list[str]]) -> dict[str, int]:
    order: list[str] = []
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children.get(node, ()))
    weight: dict[str, int] = {}
    for node in reversed(order):
        weight[node] = 1 + sum(weight[child] for child in children.get(node, ()))
    return weight
