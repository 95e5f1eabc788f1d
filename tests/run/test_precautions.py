"""What keeps a run from acting at all."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from multicloud.engine.choose import Engine
from multicloud.errors import GuardrailError
from multicloud.models.project import Project, Target
from multicloud.run.precautions import check_engine, check_strangers
from multicloud.run.provider_locks import keep_lock, read_locks
from tests.run.test_observe import a_reading, a_stack, nodes_of

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.models.inventory import Reading
    from multicloud.models.run import RecordedStack
    from multicloud.run.desk import Desk
    from multicloud.run.inputs import Inputs

ENGINE = Engine(argv=("terraform",), product="terraform", version="1.11.4", origin="PATH")


def applied_by(product: str, version: str) -> RecordedStack:
    return replace(a_stack(), engine=product, engine_version=version)


@pytest.mark.parametrize(
    ("product", "version"),
    [("terraform", "1.11.0"), ("terraform", "1.9.8"), ("terraform", "1.11.9"), ("", "")],
)
def test_the_same_engine_or_an_older_one_may_go_on(product: str, version: str) -> None:
    stack = applied_by(product, version)
    assert check_engine([stack], ENGINE, Target.LIVE, switch=False) == ()


@pytest.mark.parametrize(
    ("product", "version"),
    [("opentofu", "1.10.0"), ("terraform", "1.15.5"), ("terraform", "2.0.0")],
)
def test_another_engine_is_blocked_live_and_told_in_the_sandbox(product: str, version: str) -> None:
    stack = applied_by(product, version)
    with pytest.raises(GuardrailError, match="--switch-engine"):
        check_engine([stack], ENGINE, Target.LIVE, switch=False)
    (note,) = check_engine([stack], ENGINE, Target.LIVE, switch=True)
    assert f"applied by {product} {version}, this is terraform 1.11.4" in note
    assert check_engine([stack], ENGINE, Target.SANDBOX, switch=False) == (note,)


def a_scene(target: Target, reading: Reading, *, recorded: bool) -> tuple[Any, Inputs, Desk]:
    stack = a_stack()
    job = SimpleNamespace(stack=SimpleNamespace(placement=stack.placement))
    work = SimpleNamespace(policy=SimpleNamespace(name="p"), jobs=(job,))
    observed = SimpleNamespace(stacks=(stack,) if recorded else ())
    inputs = SimpleNamespace(
        project=Project(target=target), recalled={"p": SimpleNamespace(observed=observed)}
    )
    inventories = SimpleNamespace(read=lambda where: [reading] if list(where) else [])
    desk = SimpleNamespace(inventories=inventories)
    return [work], cast("Inputs", inputs), cast("Desk", desk)


def test_nodes_of_an_unrecorded_policy_block_a_live_run() -> None:
    stack = a_stack()
    reading = a_reading(stack, nodes_of(stack, 2))
    works, inputs, desk = a_scene(Target.LIVE, reading, recorded=False)
    with pytest.raises(GuardrailError, match="2 nodes of p run in aws/us-east-1"):
        check_strangers(works, inputs, desk, adopt=False)
    check_strangers(works, inputs, desk, adopt=True)


@pytest.mark.parametrize(("target", "recorded"), [(Target.SANDBOX, False), (Target.LIVE, True)])
def test_recorded_policies_and_the_sandbox_go_on(target: Target, recorded: bool) -> None:
    stack = a_stack()
    reading = a_reading(stack, nodes_of(stack, 2))
    works, inputs, desk = a_scene(target, reading, recorded=recorded)
    check_strangers(works, inputs, desk, adopt=False)


def test_provider_locks_are_kept_once(tmp_path: Path) -> None:
    assert read_locks(tmp_path) == {}
    told = keep_lock(tmp_path, "aws", "provider {}\n")
    assert told is not None
    assert "commit it" in told
    assert keep_lock(tmp_path, "aws", "other\n") is None
    assert keep_lock(tmp_path, "tencent", None) is None
    assert read_locks(tmp_path) == {"aws": "provider {}\n"}
