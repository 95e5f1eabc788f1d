"""Typed values out of nodes that were checked before; what is wrong there counts as absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from multicloud.policy.check import join
from multicloud.policy.scalars import Kind, ScalarError
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from multicloud.errors import Where
    from multicloud.policy.problems import Problems

T = TypeVar("T")
D = TypeVar("D")


class Reader:
    """One map of a file, with its path and the place where faults are noted."""

    __slots__ = ("_entries", "_written", "node", "path", "problems")

    def __init__(self, node: Node, path: str, problems: Problems) -> None:
        self.node = node
        self.path = path
        self.problems = problems
        entries = node.entries if isinstance(node, Mapping) else ()
        self._written = {key.text: value for key, value in entries}
        self._entries = {
            key: value
            for key, value in self._written.items()
            if not (isinstance(value, Scalar) and value.is_null)
        }

    def __contains__(self, key: str) -> bool:
        """Whether the key is written, be it with null."""
        return key in self._written

    def __iter__(self) -> Iterator[str]:
        """Keys that have a value, in the order written."""
        return iter(self._entries)

    def get(self, key: str) -> Node | None:
        """The node under a key."""
        return self._entries.get(key)

    def where(self, key: str = "") -> Where:
        """The place of a key's value, or of the map."""
        node = self._written.get(key)
        return node.where if node else self.node.where

    def value(self, key: str, kind: Kind[T]) -> T | None:
        """The scalar under a key."""
        node = self._entries.get(key)
        return None if node is None else parsed(node, kind)

    def or_else(self, key: str, kind: Kind[T], default: D) -> T | D:
        """The scalar under a key, or what holds without it."""
        value = self.value(key, kind)
        return default if value is None else value

    def many(self, key: str, kind: Kind[T]) -> tuple[T, ...]:
        """The scalars under a key, where one may stand alone."""
        return tuple(value for _, value in self.items(key, kind))

    def items(self, key: str, kind: Kind[T]) -> list[tuple[Node, T]]:
        """The scalars under a key, each with its node."""
        node = self._entries.get(key)
        found = [(inner, parsed(inner, kind)) for inner in nodes(node)]
        return [(inner, value) for inner, value in found if value is not None]

    def sub(self, key: str) -> Reader | None:
        """The map under a key."""
        node = self._entries.get(key)
        if not isinstance(node, Mapping):
            return None
        return Reader(node, join(self.path, key), self.problems)

    def subs(self, key: str) -> list[Reader]:
        """The maps in the list under a key."""
        path = join(self.path, key)
        return [
            Reader(node, f"{path}[{index}]", self.problems)
            for index, node in enumerate(nodes(self._entries.get(key)))
        ]

    def fault(self, key: str, summary: str, *, detail: str = "", hint: str = "") -> None:
        """Note a fault at a key's value, or at the map when it has no such key."""
        path = join(self.path, key) if key else self.path
        self.problems.add(self.where(key), path, summary, detail=detail, hint=hint)


def parsed(node: Node, kind: Kind[T]) -> T | None:
    """The value of a scalar node, None for any other and for what the parser refuses."""
    if not isinstance(node, Scalar) or node.is_null:
        return None
    try:
        return kind.parse(node.text)
    except ScalarError:
        return None


def nodes(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; a single node stands for a list of one, None for an empty one."""
    if node is None:
        return ()
    return node.items if isinstance(node, Sequence) else (node,)
