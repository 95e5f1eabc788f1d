"""One pool goes round all six clouds and back: the new place is up before the old one goes."""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING

import pytest

from multicloud.models.offer import Cloud
from tests.cli.conftest import write_policy
from tests.cli.test_apply import journal, nodes, rows
from tests.modules.places import PLACES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

pytestmark = [
    pytest.mark.engine,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]

TOUR = (*Cloud, Cloud.AWS)


def a_tour() -> str:
    """A rule for each hour of the night, each with a type of its cloud."""
    lines = ["  roamer:", "    need: {instance_type: p4d.24xlarge, nodes: 2}", "    rules:"]
    for hour, cloud in enumerate(TOUR):
        region, _, type_, _, _ = PLACES[cloud]
        lines.append(
            f'      - {{when: "{hour:02}:00-{hour + 1:02}:00", place: {{in: {cloud}/{region}}},'
            f" need: {{instance_type: {type_}, nodes: 2}}}}"
        )
    return "\n".join([*lines, "    otherwise: off", ""])


def test_round_all_six_clouds_and_back(folder: Path, multicloud: Multicloud) -> None:
    write_policy(folder, a_tour(), head="timezone: UTC\nfx: {CNY: 7.2}\n")
    for hour, cloud in enumerate(TOUR):
        said = multicloud("rebalance", "-p", "p.yaml", "--at", f"2026-12-01T{hour:02}:30:00Z")
        assert said.code == 0, said.out + said.err
        assert nodes(folder) == [("roamer", cloud)] * 2
    steps = [step for step in journal(folder) if step[0] in ("verify_up", "destroy")]
    assert {outcome for _, _, outcome in steps} == {"done"}
    order = [(kind, cloud) for kind, cloud, _ in steps]
    for before, after in itertools.pairwise(TOUR):
        up, down = ("verify_up", after.value), ("destroy", before.value)
        assert up in order
        assert down in order
        assert order.index(up, order.index(("verify_up", before.value)) + 1) < order.index(down)
    said = multicloud("rebalance", "-p", "p.yaml", "--at", "2026-12-01T12:00:00Z")
    assert said.code == 0
    assert nodes(folder) == []
    destroyed = multicloud("destroy", "-p", "p.yaml", "--all", "--yes", "--at", "2026-12-01T12:01Z")
    assert destroyed.code == 0, destroyed.out + destroyed.err
    assert rows(folder, "sandbox.sqlite", "select type from resource") == []
