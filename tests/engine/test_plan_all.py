"""Many stacks at once, with scripted, fake and real engines."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.choose import Engine
from multicloud.engine.cli_config import ProviderSources
from multicloud.engine.plan_all import EngineSetting, live_sources, open_terraform, plan_stacks
from multicloud.engine.process import SubprocessRunner
from multicloud.engine.workspace import Workspace
from multicloud.errors import InterruptedRunError, StateLockedError
from multicloud.models.project import EngineSettings
from tests.engine.stacks import a_key, a_stack
from tests.engine.streams import planned, summary, version
from tests.fakes import FakeRunner, Reply, write_program

if TYPE_CHECKING:
    from multicloud.models.change import StackKey, StackPlan

ENGINE = Engine(argv=("/tf",), product="terraform", version="1.11.4", origin="PATH")
SANDBOX = EngineSetting(environ={"PATH": os.environ["PATH"]}, reattach="{}")
PLANNED = Reply(
    exit_code=2,
    lines=tuple(json.dumps(m) for m in (version(), planned("aws_vpc.a"), summary(add=1))),
)
FAKE_ENGINE = """
import json, os, signal, sys, time
command, folder = sys.argv[1], os.getcwd()
with open(os.path.join({log!r}, str(os.getpid())), "w") as log:
    json.dump({{"argv": sys.argv, "env": dict(os.environ), "cwd": folder,
               "files": sorted(os.listdir("."))}}, log)
if command == "plan":
    {plan}
    print(json.dumps({{"type": "version", "ui": "1.2"}}))
    counts = {{"add": 1, "change": 0, "remove": 0}}
    print(json.dumps({{"type": "change_summary", "changes": counts}}))
    sys.exit(2)
"""
SLOW = """
resource "terraform_data" "a" {
  provisioner "local-exec" { command = "sleep 2" }
}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".multicloud"


def fake_engine(folder: Path, plan: str = "pass") -> Engine:
    """A fake engine that notes how it was started; `plan` is what it does when it plans."""
    log = folder / "log"
    log.mkdir()
    program = write_program(folder / "tf", FAKE_ENGINE.format(log=str(log), plan=plan))
    return Engine(argv=(str(program),), product="terraform", version="1.11.4", origin="PATH")


def starts(folder: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in (folder / "log").iterdir()]


def test_results_are_in_the_order_of_the_stacks(home: Path) -> None:
    runner = FakeRunner(always={"init": Reply(), "plan": PLANNED})
    told: list[tuple[StackKey, str]] = []
    stacks = [a_stack(name) for name in ("c", "a", "b")]
    plans = plan_stacks(
        stacks,
        engine=ENGINE,
        home=home,
        setting=SANDBOX,
        parallelism=3,
        on_progress=lambda key, text: told.append((key, text)),
        runner=runner,
    )
    assert [plan.key for plan in plans] == [stack.key for stack in stacks]
    assert {plan.add for plan in plans} == {1}
    assert [text for key, text in told if key.pool == "a"] == ["init", "plan", "done"]
    assert plan_stacks([], engine=ENGINE, home=home, setting=SANDBOX, runner=runner) == ()


def test_a_stack_that_goes_is_planned_to_be_destroyed(home: Path) -> None:
    runner = FakeRunner(always={"init": Reply(), "plan": PLANNED})
    plan_stacks(
        [a_stack("a"), a_stack("b")],
        engine=ENGINE,
        home=home,
        setting=SANDBOX,
        runner=runner,
        removed=frozenset({a_key("b")}),
    )
    destroyed = {call.cwd for call in runner.calls if "-destroy" in call.argv}
    assert [folder.parent.name for folder in destroyed] == ["b"]


@pytest.mark.parametrize("order", [("p1", "p2", "p3"), ("p2", "p3", "p1")])
def test_b85_one_stacks_failure_does_not_stop_the_others(
    home: Path, tmp_path: Path, order: tuple[str, ...]
) -> None:
    engine = fake_engine(
        tmp_path,
        "if 'p2' in folder: print('quota exceeded', file=sys.stderr); sys.exit(1)",
    )
    stacks = [a_stack(name) for name in order]
    plans = plan_stacks(stacks, engine=engine, home=home, setting=SANDBOX, parallelism=2)
    by_pool = {plan.key.pool: plan for plan in plans}
    assert [plan.key.pool for plan in plans] == list(order)
    assert (by_pool["p1"].error, by_pool["p3"].error) == (None, None)
    assert by_pool["p2"].error == "plan failed (engine exit code 1). quota exceeded"
    assert by_pool["p2"].error_kind == "engine_failed"
    assert by_pool["p2"].hint.startswith("quota: ")


def test_a_fault_of_ours_is_told_and_contained(home: Path) -> None:
    replies = deque([Reply(raises=ZeroDivisionError("oops")), Reply(), PLANNED])
    plans = plan_stacks(
        [a_stack("a"), a_stack("b")],
        engine=ENGINE,
        home=home,
        setting=SANDBOX,
        parallelism=1,
        runner=FakeRunner(replies=replies),
    )
    assert plans[0].error == "unexpected ZeroDivisionError: oops"
    assert plans[0].error_kind == "unexpected"
    assert plans[1].add == 1


def test_b117_a_stack_with_an_errored_state_is_blocked_and_the_others_go_on(home: Path) -> None:
    runner = FakeRunner(always={"init": Reply(), "plan": PLANNED})

    def plan() -> tuple[StackPlan, ...]:
        stacks = [a_stack("a"), a_stack("b")]
        return plan_stacks(stacks, engine=ENGINE, home=home, setting=SANDBOX, runner=runner)

    plan()
    work = home / "work" / "sandbox" / "daynight" / "a" / "aws-us-east-1-0a1b2c3d"
    (work / "errored.tfstate").write_text("{}", encoding="utf-8")
    blocked, other = plan()
    assert blocked.error_kind == "blocked"
    assert "state push errored.tfstate" in blocked.hint
    assert other.error is None


def test_what_the_engine_gets(home: Path, tmp_path: Path) -> None:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": "/home/me",
        "AWS_SECRET_ACCESS_KEY": "hunter2-hunter2",
        "TF_LOG": "DEBUG",
    }
    engine = fake_engine(tmp_path)
    setting = EngineSetting(environ=environ, reattach='{"a/b": {}}')
    plan_stacks([a_stack()], engine=engine, home=home, setting=setting)
    for start in starts(tmp_path):
        env = start["env"]
        assert isinstance(env, dict)
        assert env["HOME"] == str(home / "engine" / "sandbox")
        assert env["TF_REATTACH_PROVIDERS"] == '{"a/b": {}}'
        assert "AWS_SECRET_ACCESS_KEY" not in env
        assert "TF_LOG" not in env
        config = Path(env["TF_CLI_CONFIG_FILE"])
        assert "direct" not in config.read_text(encoding="utf-8")
        assert stat.S_IMODE(config.stat().st_mode) == 0o600


def test_b179_nothing_beside_the_policy_is_loaded(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = home.parent
    project.mkdir()
    for name in ("evil.tf", ".terraformrc", "x.auto.tfvars", "override.tf", "terraform.tfvars"):
        (project / name).write_text("evil", encoding="utf-8")
    monkeypatch.chdir(project)
    plan_stacks([a_stack()], engine=fake_engine(tmp_path), home=home, setting=SANDBOX)
    seen = starts(tmp_path)
    assert len(seen) == 2
    for start in seen:
        assert start["files"] == ["main.tf.json"]
        assert str(start["cwd"]).startswith(str(home / "work"))
        env = start["env"]
        assert isinstance(env, dict)
        assert env["TF_CLI_CONFIG_FILE"] == str(home / "engine" / "sandbox" / "cli.tfrc")


def test_b177_no_command_line_and_no_message_has_a_secret(home: Path, tmp_path: Path) -> None:
    secret = "correct-horse-battery"
    engine = fake_engine(
        tmp_path,
        f"time.sleep(0.5); print('denied for {secret}', file=sys.stderr); sys.exit(1)",
    )
    setting = EngineSetting(
        environ={"PATH": os.environ["PATH"], "AWS_SECRET_ACCESS_KEY": secret},
        sandbox=False,
        secrets=("another-secret",),
        sources=ProviderSources(mirrors=(str(tmp_path),)),
    )
    results: list[StackPlan] = []

    def work() -> None:
        results.extend(plan_stacks([a_stack()], engine=engine, home=home, setting=setting))

    thread = threading.Thread(target=work)
    thread.start()
    lines: set[str] = set()
    while thread.is_alive():
        lines |= set(_command_lines(os.getpid()))
        time.sleep(0.02)
    thread.join()
    assert any("plan" in line for line in lines)
    assert not any(secret in line or "another-secret" in line for line in lines)
    assert results[0].error == "plan failed (engine exit code 1). denied for (hidden)"


def _command_lines(parent: int) -> list[str]:
    """Command lines of a process's children, as anybody on the machine can read them."""
    children: list[str] = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            children += (task / "children").read_text().split()
    lines = []
    for pid in children:
        with suppress(OSError):
            lines.append(Path(f"/proc/{pid}/cmdline").read_bytes().decode())
    return lines


def test_ctrl_c_is_passed_on_once_and_no_other_stack_is_begun(home: Path, tmp_path: Path) -> None:
    engine = fake_engine(
        tmp_path,
        "got = []; signal.signal(signal.SIGINT, lambda *_: got.append(1))\n"
        "    open('planning', 'w').close()\n"
        "    end = time.monotonic() + 20\n"
        "    while not got and time.monotonic() < end: time.sleep(0.01)\n"
        "    time.sleep(0.3)\n"
        "    open('signals', 'w').write(str(len(got))); sys.exit(1)",
    )
    work = home / "work" / "sandbox" / "daynight"

    def press() -> None:
        while len(list(work.rglob("planning"))) < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    stacks = [a_stack(name) for name in ("a", "b", "c")]
    # Started in the background by a shell, Python itself would ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=press).start()
    try:
        with pytest.raises(InterruptedRunError):
            plan_stacks(stacks, engine=engine, home=home, setting=SANDBOX, parallelism=2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [path.read_text() for path in work.rglob("signals")] == ["1", "1"]
    assert not (work / "c").exists()


def test_dropped_variables_are_told(home: Path) -> None:
    setting = EngineSetting(environ={"TF_LOG": "1", "TOFU_X": "1", "PATH": "/bin"})
    _, dropped = open_terraform(ENGINE, home=home, setting=setting, runner=FakeRunner())
    assert dropped == ("TF_LOG", "TOFU_X")


def test_a_shared_plug_in_cache_is_made_and_locks_are_copied_in(home: Path, tmp_path: Path) -> None:
    cache = tmp_path / "caches" / "plugins"
    setting = EngineSetting(
        environ={"PATH": "/bin"},
        sandbox=False,
        sources=ProviderSources(plugin_cache=str(cache)),
        locks={"aws": "the lock"},
        readonly_lock=True,
    )
    runner = FakeRunner(always={"init": Reply(), "plan": PLANNED})
    plan_stacks([a_stack()], engine=ENGINE, home=home, setting=setting, runner=runner)
    assert (cache / ".lock").exists()
    assert "-lockfile=readonly" in runner.calls[0].argv
    lock = runner.calls[0].cwd / ".terraform.lock.hcl"
    assert lock.read_text(encoding="utf-8") == "the lock"


@pytest.mark.parametrize(
    ("environ", "cache"),
    [
        ({"HOME": "/me"}, "/me/.cache/multicloud/plugins"),
        ({"HOME": "/me", "XDG_CACHE_HOME": "/x"}, "/x/multicloud/plugins"),
    ],
)
def test_live_sources(environ: dict[str, str], cache: str) -> None:
    assert live_sources(EngineSettings(), environ) == ProviderSources(plugin_cache=cache)
    own = EngineSettings(mirrors=("/m",), plugin_cache="/c")
    assert live_sources(own, environ) == ProviderSources(mirrors=("/m",), plugin_cache="/c")


TERRAFORM = shutil.which("terraform")


@pytest.mark.engine
@pytest.mark.skipif(TERRAFORM is None, reason="no terraform on PATH")
def test_b129_a_missing_variable_fails_at_once(home: Path) -> None:
    engine = Engine(argv=(str(TERRAFORM),), product="terraform", version="1", origin="PATH")
    stack = a_stack(files={"main.tf": 'variable "who" {}\noutput "x" { value = "y" }'})
    begun = time.monotonic()
    (plan,) = plan_stacks(
        [stack], engine=engine, home=home, setting=SANDBOX, runner=SubprocessRunner()
    )
    assert time.monotonic() - begun < 10
    assert plan.error is not None
    assert "No value for required variable" in plan.error
    assert plan.hint.startswith("config: ")
    assert "\x1b" not in plan.error


@pytest.mark.engine
@pytest.mark.skipif(TERRAFORM is None, reason="no terraform on PATH")
def test_b119_a_held_state_lock_is_told_with_its_holder(home: Path) -> None:
    engine = Engine(argv=(str(TERRAFORM),), product="terraform", version="1", origin="PATH")
    stack = a_stack(files={"main.tf": SLOW})
    (first,) = plan_stacks([stack], engine=engine, home=home, setting=SANDBOX)
    assert first.error is None, first
    terraform, _ = open_terraform(engine, home=home, setting=SANDBOX, runner=SubprocessRunner())
    workspace = Workspace(home, a_key())
    applying = threading.Thread(target=terraform.apply, args=(workspace,))
    applying.start()
    lock = workspace.folder / ".terraform.tfstate.lock.info"
    while not lock.exists() and applying.is_alive():
        time.sleep(0.01)
    try:
        with pytest.raises(StateLockedError) as caught:
            terraform.plan(workspace, lock_timeout_s=0)
        holder = json.loads(lock.read_text(encoding="utf-8"))
        assert holder["ID"] in caught.value.summary
        assert holder["Who"] in caught.value.summary
        assert f"force-unlock {holder['ID']}" in caught.value.hint
    finally:
        applying.join(20)
