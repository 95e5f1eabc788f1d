"""One stack in the sandbox, rendered anew for each wish."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from multicloud.engine.modules import module_files
from multicloud.models.project import Project
from multicloud.render.stack import MODULE_FOLDER, render_stack
from tests.builders import a_policy, a_pool
from tests.modules.terraform import Terraform, environment, write

if TYPE_CHECKING:
    from pathlib import Path

    from multicloud.models.placement import Placement
    from multicloud.models.pool import Pool
    from multicloud.sandbox.server import SandboxServer


class Stack:
    """A folder with one root in it; `server` is the simulated cloud behind it."""

    def __init__(self, server: SandboxServer, tmp_path: Path) -> None:
        self.server = server
        (tmp_path / "empty").mkdir()
        env = environment(
            tmp_path, mirror=tmp_path / "empty", TF_REATTACH_PROVIDERS=server.reattach
        )
        self.terraform = Terraform(folder=tmp_path / "stack", env=env)

    def render(
        self, placement: Placement, *, pool: Pool | None = None, project: Project = Project()
    ) -> None:
        """Write the text of a wish in place of the last one's."""
        stack = render_stack(
            placement,
            policy=a_policy(),
            pool=pool or a_pool(),
            project=project,
            target="sandbox",
            modules=module_files(placement.slot.cloud, placement.slot.instance_type),
            local_state="terraform.tfstate",
        )
        shutil.rmtree(self.terraform.folder / MODULE_FOLDER, ignore_errors=True)
        write(self.terraform.folder, stack.files)

    def apply(
        self, placement: Placement, *, pool: Pool | None = None, project: Project = Project()
    ) -> None:
        """Apply a wish, and see that the next plan has nothing to do."""
        self.render(placement, pool=pool, project=project)
        self.terraform.init().apply()
        assert self.terraform.plan() == {}

    def sent(self, type_: str) -> Any:
        """What Terraform sent for the only resource of a type."""
        (record,) = self.server.store.records(type_)
        return record.sent
