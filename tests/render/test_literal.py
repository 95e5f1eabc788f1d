"""Terraform itself gives back every text that was rendered, from values and from keys."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from multicloud.render.tfjson import Expr, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from multicloud.render.tfjson import Value

pytestmark = pytest.mark.engine

HOSTILE = (
    '${file("/etc/hostname")}',
    "100%{if true}x%{endif}",
    "$${1+1}",
    "%%{ if }",
    "$$$${a}",
    "${",
    "%{",
    "$",
    '"',
    "\\",
    "\\${x}",
    "a\nb\tc",
    "\x00\x1f",
    "<<EOT",
    "#//*",
    "训练 🚀",
    "",
)


@pytest.fixture(scope="module")
def echo(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Sequence[str]], tuple[list[str], list[str]]]:
    """Send texts through an apply; returns what came out as values and as keys."""
    terraform = shutil.which("terraform")
    if terraform is None:
        pytest.skip("needs terraform on PATH")
    folder: Path = tmp_path_factory.mktemp("literal")
    (folder / "cli.tfrc").write_text("disable_checkpoint = true\n")
    env = {**os.environ, "TF_CLI_CONFIG_FILE": str(folder / "cli.tfrc")}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [terraform, *arguments],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def through(texts: Sequence[str]) -> tuple[list[str], list[str]]:
        document: dict[str, Value] = {
            "resource": {
                "terraform_data": {
                    "echo": {"input": {"values": texts, "keys": dict.fromkeys(texts, "x")}}
                }
            },
            "output": {"echo": {"value": Expr("terraform_data.echo.output")}},
        }
        (folder / "main.tf.json").write_text(encode(document), encoding="utf-8")
        (folder / "terraform.tfstate").unlink(missing_ok=True)
        if not (folder / ".terraform").exists():
            run("init", "-input=false", "-no-color")
        run("apply", "-auto-approve", "-input=false", "-no-color")
        found = json.loads(run("output", "-json"))["echo"]["value"]
        return found["values"], sorted(found["keys"])

    return through


def normal(text: str) -> str:
    """Terraform keeps text in Unicode's composed form."""
    return unicodedata.normalize("NFC", text)


def test_b171_hostile_text(
    echo: Callable[[Sequence[str]], tuple[list[str], list[str]]],
) -> None:
    values, keys = echo(HOSTILE)
    assert values == list(HOSTILE)
    assert keys == sorted(HOSTILE)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(
        st.text(st.characters(codec="utf-8"), max_size=30) | st.text('$%{}~x"\\\n', max_size=12),
        min_size=20,
        max_size=60,
        unique_by=normal,
    )
)
@pytest.mark.slow
def test_any_text(
    echo: Callable[[Sequence[str]], tuple[list[str], list[str]]], texts: list[str]
) -> None:
    values, keys = echo(texts)
    assert values == [normal(text) for text in texts]
    assert keys == sorted(normal(text) for text in texts)
