"""The sandbox with real engines: a whole life of two pools, and what it refuses."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING

import pytest

from multicloud.sandbox import schema
from multicloud.sandbox.server import SandboxServer
from multicloud.sandbox.store import Fault, Ref
from tests.builders import NOON
from tests.sandbox.roots import AWS_POOL, HEAD, POOLS, RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sandbox.conftest import Root


def test_the_server_listens_on_loopback_while_it_runs(tmp_path: Path) -> None:
    with SandboxServer(tmp_path / "cloud.sqlite") as server:
        entries = json.loads(server.reattach)
        assert set(entries) == {schema.source(name) for name in schema.provider_names()}
        for entry in entries.values():
            host, _, port = entry["Addr"]["String"].partition(":")
            assert host == "127.0.0.1"
            assert (entry["Pid"], entry["Test"]) == (os.getpid(), True)
            socket.create_connection((host, int(port)), timeout=5).close()
    assert server.reattach == "{}"
    for entry in entries.values():
        host, _, port = entry["Addr"]["String"].partition(":")
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((host, int(port)), timeout=5)


@pytest.mark.engine
def test_a_whole_life(root: Root) -> None:
    root.write(POOLS)
    root.ok("init", "-input=false")
    root.ok("validate")
    planned = root.run("plan", "-json", "-out=p", "-detailed-exitcode")
    assert planned.code == 2, planned.out
    (summary,) = planned.messages("change_summary")
    assert summary["changes"]["add"] == RESOURCES
    root.ok("apply", "-input=false", "p")
    sizes = {r.ref.type: r.attributes.get("desired_capacity") for r in root.store.records()}
    assert sizes["aws_autoscaling_group"] == sizes["tencentcloud_as_scaling_group"] == 2
    assert root.run("plan", "-detailed-exitcode").code == 0

    scaled = root.run("plan", "-json", "-var=size=0", "-out=p", "-detailed-exitcode")
    actions = [m["change"]["action"] for m in scaled.messages("planned_change")]
    assert (scaled.code, actions) == (2, ["update", "update"])
    root.ok("apply", "-input=false", "p")
    (group,) = root.store.records("aws_autoscaling_group")
    assert group.attributes["desired_capacity"] == 0

    root.ok("destroy", "-auto-approve", "-input=false")
    assert root.store.records() == ()


@pytest.mark.engine
def test_a_template_change_reaches_the_group(root: Root) -> None:
    root.write(HEAD + AWS_POOL)
    root.ok("init")
    root.ok("apply", "-auto-approve")
    changed = root.run("plan", "-json", "-var=user_data=aGVsbG8=")
    actions = {
        m["change"]["resource"]["addr"]: m["change"]["action"]
        for m in changed.messages("planned_change")
    }
    assert actions == {
        "aws_launch_template.node": "update",
        "aws_autoscaling_group.pool": "update",
    }
    root.ok("apply", "-auto-approve", "-var=user_data=aGVsbG8=")
    assert root.run("plan", "-detailed-exitcode", "-var=user_data=aGVsbG8=").code == 0


@pytest.mark.engine
def test_replacement_drift_loss_and_import(root: Root) -> None:
    vpc = 'resource "aws_vpc" "net" { cidr_block = "10.0.0.0/16" }'
    root.write(HEAD + vpc)
    root.ok("init")
    root.ok("apply", "-auto-approve")
    root.write(HEAD + vpc.replace("10.0.0.0", "10.1.0.0"))
    (message,) = root.run("plan", "-json").messages("planned_change")
    assert message["change"]["action"] == "replace"
    assert message["change"]["reason"] == "cannot_update"

    root.write(HEAD + vpc)
    (record,) = root.store.records()
    by_hand = {**record.attributes, "instance_tenancy": "dedicated"}
    root.store.put(record.ref, attributes=by_hand, sent={}, operation="update", at=NOON)
    drifted = root.run("plan", "-json")
    assert [m["change"]["action"] for m in drifted.messages("resource_drift")] == ["update"]

    root.store.delete(record.ref, at=NOON)
    (message,) = root.run("plan", "-json").messages("planned_change")
    assert message["change"]["action"] == "create"

    root.store.put(
        record.ref, attributes=dict(record.attributes), sent={}, operation="create", at=NOON
    )
    (root.folder / "terraform.tfstate").unlink()
    root.write(HEAD + vpc + f'\nimport {{\n to = aws_vpc.net\n id = "{record.ref.id}"\n}}\n')
    imported = root.run("plan", "-json", "-detailed-exitcode", "-out=p")
    (summary,) = imported.messages("change_summary")
    assert summary["changes"]["import"] == 1, imported.out
    assert summary["changes"]["add"] == summary["changes"]["change"] == 0
    root.ok("apply", "p")
    assert root.run("plan", "-detailed-exitcode").code == 0


@pytest.mark.engine
def test_a_fault_of_the_cloud_is_told_in_its_words_and_passes(root: Root) -> None:
    root.write(HEAD + AWS_POOL)
    root.ok("init")
    text = "InsufficientInstanceCapacity: We currently do not have sufficient p4d.24xlarge capacity"
    root.store.add_fault(Fault(type="aws_autoscaling_group", operation="create", message=text))
    failed = root.run("apply", "-auto-approve", "-json")
    assert failed.code == 1
    (diagnostic,) = failed.messages("diagnostic")
    assert diagnostic["diagnostic"]["summary"] == text
    root.ok("apply", "-auto-approve")


@pytest.mark.engine
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("max_size            =", "max_sise            =", "Unsupported argument"),
        ("  max_size            = 4\n", "", "Missing required argument"),
        ("max_size            = 4", "max_size            = true", "Incorrect attribute value type"),
        ("= [aws_subnet.net.id]", '= [aws_subnet.net.id]\n  arn = "a"', "unconfigurable attribute"),
        ("  tag {", "  label {", "Unsupported block type"),
        (
            'metadata_options { http_tokens = "required" }',
            "metadata_options {}\n  metadata_options {}",
            "Too many metadata_options blocks",
        ),
        ('http_tokens = "required"', 'http_tokens = "perhaps"', "expected metadata_options"),
        ('name                = "train"', 'name = "a"\n  name_prefix = "b"', "Conflicting"),
        ('resource "aws_vpc"', 'resource "aws_virtual_network"', "Invalid resource type"),
    ],
    ids=[
        "misspelt",
        "missing",
        "wrong type",
        "computed only",
        "unknown block",
        "too many blocks",
        "enum",
        "conflict",
        "unknown resource type",
    ],
)
def test_what_validate_refuses(root: Root, old: str, new: str, told: str) -> None:
    assert old in AWS_POOL
    root.write(HEAD + AWS_POOL.replace(old, new, 1))
    root.ok("init")
    refused = root.run("validate", "-json")
    summaries = [d["summary"] for d in json.loads(refused.out)["diagnostics"]]
    assert refused.code == 1
    assert any(told in summary for summary in summaries), summaries


@pytest.mark.engine
def test_aliases_of_a_provider_keep_their_own_region(root: Root) -> None:
    root.write(
        HEAD
        + """
        provider "aws" {
          alias  = "eu"
          region = "eu-west-1"
        }
        resource "aws_vpc" "us" { cidr_block = "10.0.0.0/16" }
        resource "aws_vpc" "eu" {
          provider   = aws.eu
          cidr_block = "10.0.0.0/16"
        }
        """
    )
    root.ok("init")
    root.ok("apply", "-auto-approve")
    refs: list[Ref] = [record.ref for record in root.store.records()]
    assert sorted(ref.region for ref in refs) == ["eu-west-1", "us-east-1"]
    assert root.run("plan", "-detailed-exitcode").code == 0
