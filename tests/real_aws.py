"""The real AWS provider and moto's server in AWS's place, as fixtures for who imports them."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

START_S = 30.0
MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
PROVIDER = f"registry.terraform.io/hashicorp/aws/*/{sys.platform}_{MACHINE}/terraform-provider-aws*"
IMAGE_NAME = "Deep Learning Base OSS Nvidia Driver GPU AMI (Ubuntu 22.04) 20260401"


def mirrors() -> Iterator[Path]:
    """Folders where a provider may lie: said, implied by Terraform, then add-on software."""
    if said := os.environ.get("MULTICLOUD_PROVIDER_MIRROR"):
        yield Path(said)
        return
    home = Path.home()
    yield home / ".terraform.d" / "plugins"
    yield home / ".local" / "share" / "terraform" / "plugins"
    yield Path("/usr/local/share/terraform/plugins")
    yield Path("/usr/share/terraform/plugins")
    yield from sorted(Path("/opt").glob("*"))


@pytest.fixture(scope="module")
def mirror() -> Path:
    for folder in mirrors():
        if any(folder.glob(PROVIDER)):
            return folder
    pytest.skip("needs the real AWS provider: MULTICLOUD_PROVIDER_MIRROR names its mirror")


@pytest.fixture(scope="module")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a moto server that knows one GPU image."""
    folder = tmp_path_factory.mktemp("moto")
    image = {
        "ami_id": "ami-0123456789abcdef0",
        "name": IMAGE_NAME,
        "description": IMAGE_NAME,
        "owner_id": "898082745236",
        "owner_alias": "amazon",
        "public": True,
        "virtualization_type": "hvm",
        "architecture": "x86_64",
        "state": "available",
        "platform": None,
        "image_type": "machine",
        "image_location": f"amazon/{IMAGE_NAME}",
        "hypervisor": "xen",
        "root_device_name": "/dev/sda1",
        "root_device_type": "ebs",
        "sriov": "simple",
        "creation_date": "2026-04-01T00:00:00.000Z",
    }
    images = folder / "images.json"
    images.write_text(json.dumps([image]))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            env={**os.environ, "MOTO_AMIS_PATH": str(images)},
            stdout=log,
            stderr=log,
        )
        try:
            _wait(port, server, folder / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"moto did not start in {START_S} s: {log.read_text()}")
