"""Who can tell what runs: the sandbox's inventory, or each cloud's by its SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.models.inventory import Reading
from multicloud.models.project import CloudSettings, Project, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from multicloud.models.offer import Cloud
    from multicloud.run.layout import Layout


class Inventories:
    """Reads regions of all clouds of a target, in parallel where that is slow."""

    def __init__(
        self,
        project: Project,
        layout: Layout,
        *,
        now: Callable[[], datetime],
    ) -> None:
        self._project = project
        self._layout = layout
        self._now = now

    def read(self, where: Iterable[tuple[Cloud, str]]) -> tuple[Reading, ...]:
        """One reading per cloud and region, in their order; empty without any."""
        regions = sorted(set(where))
        if not regions:
            return ()
        if self._project.target is Target.SANDBOX:
            return self._sandbox(regions)
        return self._live(regions)

    def everywhere(self) -> tuple[tuple[Cloud, str], ...]:
        """Where nodes of ours may be though no record says so: regions that the project names.

        In the sandbox, every region that has a node.
        """
        if self._project.target is not Target.SANDBOX:
            return tuple(
                (cloud, region)
                for cloud, settings in sorted(self._project.clouds.items())
                for region in sorted(settings.regions)
            )
        if not self._layout.sandbox.exists():
            return ()
        from multicloud.sandbox.inventory import SandboxInventory

        return SandboxInventory(self._layout.sandbox, self._now).regions()

    def _sandbox(self, regions: list[tuple[Cloud, str]]) -> tuple[Reading, ...]:
        if not self._layout.sandbox.exists():
            return tuple(Reading(cloud=cloud, region=region) for cloud, region in regions)
        from multicloud.sandbox.inventory import SandboxInventory

        inventory = SandboxInventory(self._layout.sandbox, self._now)
        return tuple(inventory.read(cloud, region) for cloud, region in regions)

    def _live(self, regions: list[tuple[Cloud, str]]) -> tuple[Reading, ...]:
        from multicloud.clouds.inventories import INVENTORIES
        from multicloud.clouds.inventory import read_all

        settings = self._project.clouds
        readers = {
            cloud: INVENTORIES[cloud](settings.get(cloud, CloudSettings()))
            for cloud in {cloud for cloud, _ in regions}
        }
        return read_all(readers, regions)
