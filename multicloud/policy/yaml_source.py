"""YAML text to a tree of nodes with positions, in which every scalar is text.

The tree is built from the parser's events, not by a loader: nothing is ever constructed from a
tag, no scalar is guessed to be a number, a date or a boolean (YAML 1.1 reads 22:00 as 1320), and
depth and size are bounded while reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from multicloud.errors import PolicyError, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 1024 * 1024
# Nodes after aliases are expanded. The largest policy of a thousand pools has a tenth of it.
MAX_NODES = 500_000
MAX_DEPTH = 40
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_STANDARD_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_STANDARD_MAP = frozenset({"!", "tag:yaml.org,2002:map"})
_STANDARD_SEQ = frozenset({"!", "tag:yaml.org,2002:seq"})
# libyaml is ten times faster; without it the same events come from the Python parser.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text. `quoted` tells "null" from null; `where` is its first character."""

    where: Where
    text: str
    quoted: bool

    @property
    def is_null(self) -> bool:
        """Whether YAML 1.2 reads it as nothing at all."""
        return not self.quoted and self.text in _NULLS


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    where: Where
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and values in the order written; keys are texts and unlike one another.

    `repeated` holds keys that came again, each with the place of the first: whoever reads the
    tree reports them along with all other faults.
    """

    where: Where
    entries: tuple[tuple[Scalar, Node], ...]
    repeated: tuple[tuple[Scalar, Where], ...] = ()

    def get(self, key: str) -> Node | None:
        """The value under `key`, or None."""
        return next((value for name, value in self.entries if name.text == key), None)


Node = Scalar | Sequence | Mapping


def parse(text: str, *, file: str) -> Node:
    """Read one YAML document.

    `file` only names the text in errors. Raises: PolicyError for anything but plain YAML of one
    document: bad syntax, tags, merge keys, recursion, aliases that blow up, more than a mebibyte,
    nothing at all.
    """
    _check_size(text, file)
    try:
        return _Builder(file).build(yaml.parse(text, Loader=_Loader))
    except yaml.YAMLError as error:
        raise _syntax_error(error, file) from error


def _check_size(text: str, file: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise PolicyError("is not UTF-8 text.", where=Where(file=file, line=line)) from error
    if size > MAX_BYTES:
        raise PolicyError(
            f"has {size:,} bytes.", detail="Expected at most 1 MiB.", where=Where(file=file)
        )


def _syntax_error(error: yaml.YAMLError, file: str) -> PolicyError:
    mark = getattr(error, "problem_mark", None)
    where = Where(file=file, line=mark.line + 1, column=mark.column + 1) if mark else None
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable"
    hint = ""
    if "\\t" in str(problem) or "token" in str(problem):
        hint = "Indent by blanks, and quote texts that begin with a special character."
    return PolicyError(
        f"is not YAML: {problem}.", hint=hint, where=where or Where(file=file, line=1)
    )


class _Builder:
    """Consumes events; keeps its own stack, so that depth is ours to bound."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.open: set[str] = set()
        self.size = 0

    def build(self, events: Iterator[yaml.Event]) -> Node:
        documents = 0
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.error(
                        event, "a second document begins.", "Expected one document per file."
                    )
            elif isinstance(event, yaml.NodeEvent):
                root = self.node(event, events, depth=0)
        if root is None or (isinstance(root, Scalar) and root.is_null):
            raise PolicyError(
                "is empty.", detail="Expected a policy.", where=Where(file=self.file, line=1)
            )
        return root

    def node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(event, f"is nested deeper than {MAX_DEPTH} levels.")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        anchor = getattr(event, "anchor", None)
        before = self.size
        self.count(event, 1)
        if anchor:
            self.open.add(anchor)
            self.anchors.pop(anchor, None)
        node = self.content(event, events, depth)
        if anchor:
            self.open.discard(anchor)
            self.anchors[anchor] = (node, self.size - before)
        return node

    def alias(self, event: yaml.AliasEvent) -> Node:
        name = str(event.anchor)
        if name in self.open:
            raise self.error(event, f"*{name} stands inside itself.")
        if name not in self.anchors:
            raise self.error(event, f"*{name} has no anchor above it.")
        node, size = self.anchors[name]
        self.count(event, size)
        return node

    def content(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        where = self.where(event)
        match event:
            case yaml.ScalarEvent():
                self.check_tag(event, _STANDARD_TAGS)
                plain = event.style in (None, "") and event.tag is None
                return Scalar(where, str(event.value), not plain)
            case yaml.SequenceStartEvent():
                self.check_tag(event, _STANDARD_SEQ)
                items = []
                for inner in events:
                    if isinstance(inner, yaml.SequenceEndEvent):
                        break
                    items.append(self.node(inner, events, depth + 1))
                return Sequence(where, tuple(items))
            case yaml.MappingStartEvent():
                self.check_tag(event, _STANDARD_MAP)
                return self.mapping(where, events, depth)
            case _:  # pragma: no cover - the parser gives no other node
                raise self.error(event, "is not understood.")

    def mapping(self, where: Where, events: Iterator[yaml.Event], depth: int) -> Mapping:
        entries: list[tuple[Scalar, Node]] = []
        repeated: list[tuple[Scalar, Where]] = []
        seen: dict[str, Where] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self.key(event, events, depth)
            value = self.node(next(events), events, depth + 1)
            if key.text in seen:
                repeated.append((key, seen[key.text]))
            else:
                seen[key.text] = key.where
                entries.append((key, value))
        return Mapping(where, tuple(entries), tuple(repeated))

    def key(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Scalar:
        key = self.node(event, events, depth + 1)
        if not isinstance(key, Scalar):
            raise self.error(event, "a key is a list or a map.", "Expected a text as key.")
        if key.text == "<<" and not key.quoted:
            raise self.error(
                event,
                '"<<" is no key: merging is not part of YAML 1.2.',
                "Share settings of pools under defaults:, or repeat a whole value by an alias.",
            )
        return key

    def check_tag(self, event: yaml.Event, standard: frozenset[str]) -> None:
        tag = getattr(event, "tag", None)
        if tag is not None and tag not in standard:
            raise self.error(
                event,
                f'the tag "{tag}" is refused.',
                "Expected plain YAML; nothing is ever run or built from a policy.",
            )

    def count(self, event: yaml.Event, nodes: int) -> None:
        self.size += nodes
        if self.size > MAX_NODES:
            raise self.error(
                event, f"has more than {MAX_NODES:,} nodes once its aliases are filled in."
            )

    def where(self, event: yaml.Event) -> Where:
        mark: Any = event.start_mark
        return Where(file=self.file, line=mark.line + 1, column=mark.column + 1)

    def error(self, event: yaml.Event, summary: str, detail: str = "") -> PolicyError:
        return PolicyError(summary, detail=detail, where=self.where(event))
