from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multicloud.errors import PolicyError, Where
from multicloud.policy.yaml_source import Mapping, Node, Scalar, Sequence, parse
from multicloud.policy.yaml_text import to_yaml


def read(text: str) -> Node:
    return parse(text, file="f.yaml")


def plain(node: Node) -> object:
    """The tree without positions."""
    match node:
        case Scalar():
            return None if node.is_null else node.text
        case Sequence(items=items):
            return [plain(item) for item in items]
        case Mapping(entries=entries):
            return {key.text: plain(value) for key, value in entries}


def refusal(text: str) -> str:
    with pytest.raises(PolicyError) as error:
        read(text)
    return str(error.value)


def test_b25_times_stay_text() -> None:
    text = "start: 22:00\nend: 06:00\na: 9:30\nb: 24:00\nc: 1:30:00\n"
    assert plain(read(text)) == {
        "start": "22:00",
        "end": "06:00",
        "a": "9:30",
        "b": "24:00",
        "c": "1:30:00",
    }


def test_every_trap_of_yaml_1_1_is_text() -> None:
    traps = "[on, off, yes, no, y, 0o17, 017, 0x1F, 1_000, 1e3, .inf, 2026-12-24, =, 12:30]"
    assert plain(read(traps)) == traps.strip("[]").split(", ")
    assert plain(read("on: 1")) == {"on": "1"}


def test_b69_null_is_not_text_but_quoted_null_is() -> None:
    assert plain(read("[~, null, NULL, Null, '', \"null\", '~', nil]")) == [
        None, None, None, None, "", "null", "~", "nil"
    ]  # fmt: skip
    assert plain(read("a:\nb: 1")) == {"a": None, "b": "1"}


def test_positions_count_from_one() -> None:
    root = read("a: 1\nb:\n  - x\n  - {c: y}\n")
    assert isinstance(root, Mapping)
    assert root.where == Where(file="f.yaml", line=1, column=1)
    items = root.get("b")
    assert isinstance(items, Sequence)
    assert items.items[1].where == Where(file="f.yaml", line=4, column=5)


def test_positions_count_characters() -> None:
    root = read("{é😀: x}")
    assert isinstance(root, Mapping)
    assert root.entries[0][1].where.column == 6


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['touch /tmp/pwned']",
        "!!python/name:os.system ''",
        "!!int 3",
        "!!binary aGk=",
        "!custom {a: 1}",
        "!!set {a}",
        "!!float '1'",
    ],
)
def test_b181_tags_are_refused_and_nothing_is_built(tag: str) -> None:
    said = refusal(f"name: x\nevil: {tag}\n")
    assert "f.yaml:2:7" in said
    assert "is refused" in said


def test_standard_tags_change_nothing() -> None:
    assert plain(read("!!map {a: !!str 3, b: !!seq [! x]}")) == {"a": "3", "b": ["x"]}


def test_aliases_repeat_a_value() -> None:
    assert plain(read("a: &x [1, 2]\nb: *x\n")) == {"a": ["1", "2"], "b": ["1", "2"]}


def test_an_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert "once its aliases are filled in" in refusal("\n".join(lines))


def test_a_node_inside_itself_is_refused() -> None:
    assert "stands inside itself" in refusal("a: &a [*a]")
    assert "no anchor" in refusal("a: *b")


def test_depth_is_bounded() -> None:
    assert "maximum nesting depth" in refusal("[" * 5000 + "]" * 5000)
    assert "nested deeper" in refusal("{a: " * 100 + "1" + "}" * 100)


def test_size_is_bounded() -> None:
    assert "bytes" in refusal("a: " + "é" * 600_000)


def test_one_document() -> None:
    assert "f.yaml:2:1: a second document begins" in refusal("a: 1\n--- \nb: 2\n")
    assert plain(read("---\na: 1\n...\n")) == {"a": "1"}


@pytest.mark.parametrize("text", ["", "# nothing\n", "~", "---\n---\n"])
def test_nothing_is_refused(text: str) -> None:
    assert "is empty" in refusal(text) or "second document" in refusal(text)


def test_repeated_keys_are_kept_for_whoever_checks() -> None:
    root = read("a: 1\nb: 2\na: 3\n")
    assert isinstance(root, Mapping)
    ((key, first),) = root.repeated
    assert (key.text, key.where.line, first.line) == ("a", 3, 1)
    assert plain(root) == {"a": "1", "b": "2"}


def test_merge_keys_are_refused() -> None:
    said = refusal("a: &a {x: 1}\nb:\n  <<: *a\n")
    assert "merging is not part of YAML 1.2" in said
    assert "f.yaml:3:3" in said


@pytest.mark.parametrize(
    "text",
    [
        "a: [1",
        "a: 'x",
        "\tb: 1",
        "a: 1\n  b: 2",
        "@x",
        "a: b: c",
        "? [a]\n: b",
        "%",
        "a: \x00",
        "\ud800",
    ],
)
def test_what_is_no_yaml_has_a_place(text: str) -> None:
    assert refusal(text).startswith("f.yaml")


def trees() -> st.SearchStrategy[Node]:
    here = Where(file="")
    scalars = st.text(max_size=8).map(lambda text: Scalar(here, text, quoted=True))
    keys = st.text(max_size=5).filter(lambda text: text != "<<")

    def mapping(entries: dict[str, Node]) -> Mapping:
        pairs = ((Scalar(here, key, quoted=True), value) for key, value in entries.items())
        return Mapping(here, tuple(pairs))

    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda items: Sequence(here, tuple(items)))
            | st.dictionaries(keys, inner, max_size=3).map(mapping)
        ),
        max_leaves=12,
    )


@given(trees())
def test_written_text_reads_as_the_same_tree(tree: Node) -> None:
    def texts(node: Node) -> object:
        match node:
            case Scalar(text=text):
                return text
            case Sequence(items=items):
                return [texts(item) for item in items]
            case Mapping(entries=entries):
                return {key.text: texts(value) for key, value in entries}

    try:
        found = read(to_yaml(tree))
    except PolicyError as error:
        assert "UTF-8" in error.summary  # noqa: PT017 - lone surrogates are no text anywhere
        return
    assert texts(found) == texts(tree)


@given(st.text() | st.text(alphabet="[]{}:,-&*!|>'\"%@`#\n ab", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read(text)
    except PolicyError as error:
        assert error.where is not None  # noqa: PT017 - both outcomes are right
