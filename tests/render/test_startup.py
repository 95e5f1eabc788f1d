"""The boot script: the pool's own byte for byte, or wrapped so that the drain command runs."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.models.pool import NodeSettings, Timeouts
from multicloud.render.startup import boot_script
from tests.builders import a_pool

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = 'echo "drained $1 \'x\' ${HOME} %{if}" >> "$OUT"'


def test_without_a_drain_command_the_script_is_untouched() -> None:
    assert boot_script(a_pool(node=NodeSettings())) is None
    assert boot_script(a_pool(node=NodeSettings(startup="#!/bin/bash\n\ttrue"))) == (
        "#!/bin/bash\n\ttrue"
    )


def test_the_service_runs_the_command_and_the_startup_script_still_runs(tmp_path: Path) -> None:
    node = NodeSettings(startup='#!/bin/sh\necho booted >> "$OUT"\n', drain_command=HOSTILE)
    pool = replace(a_pool(node=node), timeouts=Timeouts(drain=timedelta(minutes=3)))
    script = boot_script(pool)
    assert script is not None
    for folder in ("etc/systemd/system", "var/lib"):
        (tmp_path / folder).mkdir(parents=True)
    here = script.replace("/etc/", f"{tmp_path}/etc/").replace("/var/", f"{tmp_path}/var/")
    stub = tmp_path / "bin" / "systemctl"
    stub.parent.mkdir()
    stub.write_text('#!/bin/sh\necho "systemctl $*" >> "$OUT"\n')
    stub.chmod(0o755)
    out = tmp_path / "out"
    env = {"PATH": f"{stub.parent}:{os.environ['PATH']}", "OUT": str(out), "HOME": "/root"}
    subprocess.run(["/bin/sh", "-c", here], check=True, env=env)
    assert out.read_text().splitlines() == [
        "systemctl daemon-reload",
        "systemctl enable --now multicloud-drain.service",
        "booted",
    ]
    unit = (tmp_path / "etc/systemd/system/multicloud-drain.service").read_text()
    assert "TimeoutStopSec=180\n" in unit
    command = next(line for line in unit.splitlines() if line.startswith("ExecStop="))
    subprocess.run(command.removeprefix("ExecStop=").split(), check=True, env=env)
    assert out.read_text().splitlines()[-1] == "drained  'x' /root %{if}"
