"""A live apply on AWS: the real provider, moto's server in AWS's place, nodes seen by boto3."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import boto3
import pytest

from tests.cli.conftest import write_policy
from tests.real_aws import mirror, moto

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Multicloud

__all__ = ["mirror", "moto"]

pytestmark = [
    pytest.mark.engine,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("terraform"), reason="no terraform on PATH"),
]
POOL = "  a: {need: 2 x T4:1, place: {in: aws/us-east-1, instance_types: [g4dn.xlarge]}}\n"


def running(address: str) -> list[str]:
    """Ids of our running instances, counted past our own inventory."""
    client = boto3.client("ec2", region_name="us-east-1", endpoint_url=address)
    found = client.describe_instances(
        Filters=[
            {"Name": "tag:managed-by", "Values": ["multicloud"]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    return [i["InstanceId"] for r in found["Reservations"] for i in r["Instances"]]


def test_a_pool_lives_and_dies_on_aws(
    multicloud: Multicloud,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    mirror: Path,
    moto: str,
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", moto)
    settings = folder.parent / "home" / ".config" / "multicloud" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"engine: {{mirrors: [{mirror}]}}\n")
    (folder / "multicloud.yaml").write_text("target: live\n")
    policy = str(write_policy(folder, POOL))

    up = multicloud("apply", "-p", policy, "--yes", "--json")
    assert up.code == 0, up.out + up.err
    assert up.json["outcomes"][0]["ending"] == "done"
    assert len(running(moto)) == 2

    lock = folder / "multicloud.lock" / "aws.hcl"
    assert "hashicorp/aws" in lock.read_text()
    assert "commit it" in up.err

    again = multicloud("rebalance", "-p", policy, "--json")
    assert again.code == 0, again.out + again.err
    assert again.json["outcomes"][0]["ending"] == "nothing to do"

    status = multicloud("status", "-p", policy, "--json")
    assert status.code == 0, status.out + status.err
    assert [node["id"] for node in status.json["nodes"]] == sorted(running(moto))

    monkeypatch.setenv("CI", "true")  # the lock is read-only there
    down = multicloud("destroy", "--all", "--yes", "--json")
    assert down.code == 0, down.out + down.err
    assert running(moto) == []
    nothing = multicloud("destroy", "--all", "--yes")
    assert (nothing.code, "nothing to do" in nothing.out) == (0, True)
