"""Text in labels, judged by what the stand-in recorded: nothing is evaluated on the way."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from multicloud.render.tfjson import Value, encode
from tests.builders import NOON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.sandbox.conftest import Root

HOSTILE = (
    '${file("/etc/hostname")}',
    "100%{if true}x%{endif}",
    "$${already} %%{escaped}",
    "$5 and 50%",
    "${",
    "%{",
    "$$$${a}",
    'quote " backslash \\ newline \n tab \t',
    "é 中文 \U0001f600 \u202e",
    "<<EOT",
    "# // /* */",
    "${local.x}${path.module}",
    "\u2028\x7f",
    "",
    " ",
)
# Terraform keeps text in Unicode's composed form; NUL and lone surrogates are no text to it.
text = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=40)
templated = st.lists(
    st.sampled_from(["$", "%", "{", "}", "${", "%{", "$${", '"', "\\", "\n", "a", "~", "if true"]),
    max_size=12,
).map("".join)


def recorded(root: Root, texts: Sequence[str]) -> list[object]:
    """What the cloud got for each text after one apply of all of them."""
    vpcs: dict[str, Value] = {
        f"r{n}": {"cidr_block": "10.0.0.0/16", "tags": {"label": label, "n": str(n)}}
        for n, label in enumerate(texts)
    }
    document: dict[str, Value] = {
        "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws"}}},
        "provider": {"aws": {"region": "us-east-1"}},
        "resource": {"aws_vpc": vpcs},
    }
    (root.folder / "main.tf.json").write_text(encode(document), encoding="utf-8")
    root.ok("init")
    root.ok("apply", "-auto-approve", "-parallelism=30")
    tags = [record.sent["tags"] for record in root.store.records("aws_vpc")]
    by_number = {tag["n"]: tag["label"] for tag in tags if isinstance(tag, dict)}
    return [by_number[str(n)] for n in range(len(texts))]


@pytest.mark.engine
def test_b171_hostile_labels_arrive_literally(root: Root) -> None:
    assert recorded(root, HOSTILE) == list(HOSTILE)


@pytest.mark.engine
@pytest.mark.slow
@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(texts=st.lists(text | templated, min_size=40, max_size=60))
def test_any_text_arrives_literally(root: Root, texts: list[str]) -> None:
    import unicodedata

    composed = [unicodedata.normalize("NFC", item) for item in texts]
    for state in root.folder.glob("terraform.tfstate*"):
        state.unlink()
    for record in root.store.records():
        root.store.delete(record.ref, at=NOON)
    assert recorded(root, texts) == composed


@pytest.mark.engine
def test_b175_startup_text_is_in_no_output_of_a_plan(root: Root) -> None:
    secret = "TOKEN=abc123-very-secret"
    data = base64.b64encode(secret.encode()).decode()
    document: dict[str, Value] = {
        "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws"}}},
        "provider": {"aws": {"region": "us-east-1"}},
        "resource": {"aws_launch_template": {"t": {"name": "t", "user_data": data}}},
    }
    (root.folder / "main.tf.json").write_text(encode(document), encoding="utf-8")
    root.ok("init")
    shown = root.ok("plan", "-json").out
    root.ok("apply", "-auto-approve")
    shown += root.ok("plan", "-json", "-destroy").out
    assert secret not in shown
    assert data not in shown
    (record,) = root.store.records()
    assert record.sent["user_data"] == data
