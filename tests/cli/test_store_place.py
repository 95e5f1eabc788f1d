"""Where the project file, or the environment, puts the store."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import write_policy
from tests.cli.test_apply import nodes
from tests.postgres import postgres  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud
    from tests.postgres import Server

POOL = "  a:\n    need: T4\n    place: {in: aws/us-east-1, capacity: on_demand}\n"
AT, LATER = "2026-12-01T10:00:00Z", "2026-12-01T11:00:00Z"


@pytest.mark.engine
@pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH")
def test_a_whole_life_in_postgresql(
    folder: Path,
    multicloud: Multicloud,
    postgres: Server,  # noqa: F811
) -> None:
    (folder / "multicloud.yaml").write_text(f"store: {postgres.url()}\n")
    write_policy(folder, POOL)
    said = multicloud("rebalance", "-p", "p.yaml", "--at", AT)
    assert said.code == 0, said.out + said.err
    assert not (folder / ".multicloud" / "store.sqlite").exists()
    assert len(nodes(folder)) == 1
    said = multicloud("rebalance", "-p", "p.yaml", "--at", LATER)
    assert said.code == 0, said.out + said.err
    assert len(nodes(folder)) == 1
    assert multicloud("status", "-p", "p.yaml", "--at", LATER).code == 0
    gone = multicloud("destroy", "a", "-p", "p.yaml", "--yes", "--at", LATER)
    assert gone.code == 0, gone.out + gone.err
    assert nodes(folder) == []


def test_a_password_never_stands_in_the_file(folder: Path, multicloud: Multicloud) -> None:
    (folder / "multicloud.yaml").write_text("store: postgresql://me:secret@127.0.0.1/x\n")
    write_policy(folder, POOL)
    said = multicloud("plan", "-p", "p.yaml", "--no-engine", "--at", AT)
    assert said.code == 3
    assert "PGPASSWORD" in said.err
    assert "secret" not in said.err + said.out


@pytest.mark.parametrize(
    ("where", "words"), [("mysql://x/y", "mysql cannot be used"), ("", "Expected a text")]
)
def test_places_that_cannot_be(
    folder: Path, multicloud: Multicloud, where: str, words: str
) -> None:
    (folder / "multicloud.yaml").write_text(f'store: "{where}"\n')
    write_policy(folder, POOL)
    said = multicloud("plan", "-p", "p.yaml", "--no-engine", "--at", AT)
    assert (said.code, words in said.err) == (3, True), said.err


def test_the_environment_stands_above_the_file(
    folder: Path, multicloud: Multicloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "multicloud.yaml").write_text("store: mysql://x/y\n")
    monkeypatch.setenv("MULTICLOUD_STORE", "other.sqlite")
    write_policy(folder, POOL)
    assert multicloud("plan", "-p", "p.yaml", "--no-engine", "--at", AT).code == 0
