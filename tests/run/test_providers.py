"""Providers that a live run needs, looked for where it will look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from multicloud.engine.providers import builds_in, fitting, this_platform
from multicloud.models.offer import Cloud
from multicloud.models.project import CloudSettings, EngineSettings, Project, Target
from multicloud.render.stack import MODULES
from multicloud.run.finding import Finding, Health
from multicloud.run.providers import check_providers

if TYPE_CHECKING:
    from pathlib import Path

LIVE = Project(target=Target.LIVE, clouds={Cloud.GCP: CloudSettings()})
GOOGLE = MODULES[Cloud.GCP].plugin
HERE = this_platform()


def unpacked(mirror: Path, version: str, name: str = "google", target: str = HERE) -> None:
    folder = mirror / "registry.terraform.io" / "hashicorp" / name / version / target
    folder.mkdir(parents=True)


def packed(mirror: Path, version: str, name: str = "google") -> None:
    folder = mirror / "registry.terraform.io" / "hashicorp" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"terraform-provider-{name}_{version}_{HERE}.zip").touch()


def found(home: Path, *mirrors: str, project: Project = LIVE) -> dict[str, Finding]:
    settings = EngineSettings(mirrors=mirrors)
    findings = check_providers(project, settings, {"HOME": str(home)})
    return {finding.name: finding for finding in findings}


def test_a_mirror_has_the_newest_that_fits(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    for version in ("5.9.0", "7.9.0", "7.10.1", "9.0.0", "8.0.0-beta1"):
        unpacked(mirror, version)
    packed(mirror, "6.50.0", "google-beta")
    told = found(tmp_path, str(mirror))
    assert told["provider google"].health is Health.OK
    assert told["provider google"].text == f"7.10.1 in {mirror}"
    assert told["provider google-beta"].text == f"6.50.0 in {mirror}"
    assert set(told) == {"provider google", "provider google-beta"}


def test_a_mirror_that_lacks_it_is_bad_and_says_what_it_has(tmp_path: Path) -> None:
    unpacked(tmp_path / "mirror", "5.9.0")
    unpacked(tmp_path / "mirror", "8.7.0", target="plan9_mips")
    told = found(tmp_path, str(tmp_path / "mirror"))["provider google"]
    assert told.health is Health.BAD
    assert "hashicorp/google >= 6.50, < 9" in told.text
    assert told.text.endswith("only 5.9.0")
    assert "terraform providers mirror" in told.hint


def test_a_mirror_that_is_not_there_is_bad(tmp_path: Path) -> None:
    told = found(tmp_path, str(tmp_path / "none"))
    assert told["mirror"].health is Health.BAD
    assert "No such file" in told["mirror"].text
    assert told["provider google"].health is Health.BAD


def test_without_mirrors_the_cache_or_the_registry_serves(tmp_path: Path) -> None:
    told = found(tmp_path)
    assert (told["provider google"].health, told["provider google"].text) == (
        Health.NOTE,
        "to be fetched from the registry",
    )
    unpacked(tmp_path / ".cache" / "multicloud" / "plugins", "8.7.0")
    assert found(tmp_path)["provider google"].health is Health.OK


def test_a_network_mirror_is_not_asked(tmp_path: Path) -> None:
    told = found(tmp_path, "https://mirror.example.org/")["provider google"]
    assert (told.health, told.text) == (Health.NOTE, "to be asked of the network mirror")


def test_the_sandbox_needs_none_and_no_cloud_named_means_all(tmp_path: Path) -> None:
    assert found(tmp_path, project=Project()) == {}
    assert len(found(tmp_path, project=Project(target=Target.LIVE))) == len(Cloud) + 1


@pytest.mark.parametrize(
    ("versions", "best"),
    [
        ((), None),
        (("6.49.9",), None),
        (("6.50.0",), "6.50.0"),
        (("9.0.0",), None),
        (("8.9.0", "8.10.0"), "8.10.0"),
        (("8.7.0-rc1",), None),
    ],
)
def test_ranges(versions: tuple[str, ...], best: str | None) -> None:
    assert fitting(GOOGLE, versions) == best


def test_versions_are_in_their_order(tmp_path: Path) -> None:
    for version in ("7.10.0", "7.9.0"):
        unpacked(tmp_path, version)
    assert builds_in(tmp_path, GOOGLE.source, HERE) == ("7.9.0", "7.10.0")
