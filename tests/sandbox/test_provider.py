"""The provider's calls, message by message, without gRPC or Terraform."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.sandbox import wire
from multicloud.sandbox.provider import Provider
from multicloud.sandbox.store import CloudStore, Fault
from multicloud.sandbox.values import UNKNOWN, Row, decode_row, encode
from multicloud.sandbox.walk import complete
from tests.builders import NOON

if TYPE_CHECKING:
    from pathlib import Path

PEER = "ipv4:127.0.0.1:1"
TEMPLATE = "aws_launch_template"


class Caller:
    """Makes requests as Terraform does."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.configure(region="us-east-1")

    def call(self, name: str, request: bytes, peer: str = PEER) -> wire.Message:
        return wire.parse(self.provider.calls[name](wire.parse(request), peer))

    def configure(self, peer: str = PEER, **settings: Any) -> wire.Message:
        return self.call("ConfigureProvider", wire.blob(2, encode(settings)), peer)

    def row(self, type_: str, **given: Any) -> Row:
        return complete(self.provider._block(type_), given)

    def plan(self, type_: str, prior: Row | None, proposed: Row | None) -> Row | None:
        request = wire.text(1, type_) + wire.blob(2, encode(prior)) + wire.blob(3, encode(proposed))
        return decode_row(self.call("PlanResourceChange", request).blob(1))

    def apply(
        self, type_: str, prior: Row | None, planned: Row | None, sent: Row | None = None
    ) -> wire.Message:
        request = wire.text(1, type_) + wire.blob(2, encode(prior)) + wire.blob(3, encode(planned))
        return self.call("ApplyResourceChange", request + wire.blob(4, encode(sent)))

    def create(self, type_: str, **given: Any) -> Row:
        sent = self.row(type_, **given)
        answer = self.apply(type_, None, self.plan(type_, None, sent), sent)
        assert errors(answer, 3) == []
        state = decode_row(answer.blob(1))
        assert state is not None
        return state

    def read(self, type_: str, state: Row, peer: str = PEER) -> Row | None:
        request = wire.text(1, type_) + wire.blob(2, encode(state))
        return decode_row(self.call("ReadResource", request, peer).blob(1))


def errors(message: wire.Message, field: int) -> list[str]:
    return [wire.parse(d).text(2) for d in message.blobs.get(field, [])]


@pytest.fixture
def store(tmp_path: Path) -> CloudStore:
    return CloudStore(tmp_path / "cloud.sqlite")


@pytest.fixture
def aws(store: CloudStore) -> Caller:
    return Caller(Provider("aws", store, now=lambda: NOON))


def test_a_provider_without_region_is_refused(aws: Caller) -> None:
    assert errors(aws.configure(region=None), 1) == ["Missing region"]
    assert errors(aws.configure(region="us-east-1"), 1) == []


def test_create_read_update_delete(aws: Caller, store: CloudStore) -> None:
    state = aws.create(TEMPLATE, name="t", image_id="ami-1")
    assert (state["latest_version"], state["default_version"]) == (1, 1)
    assert aws.read(TEMPLATE, state) == state
    planned = aws.plan(TEMPLATE, state, {**state, "image_id": "ami-2"})
    assert planned is not None
    assert planned["latest_version"] is UNKNOWN
    updated = decode_row(aws.apply(TEMPLATE, state, planned).blob(1))
    assert updated is not None
    assert (updated["id"], updated["latest_version"]) == (state["id"], 2)
    assert aws.read(TEMPLATE, updated) == updated
    answer = aws.apply(TEMPLATE, updated, None)
    assert decode_row(answer.blob(1)) is None
    assert aws.read(TEMPLATE, updated) is None
    assert [call.operation for call in store.calls()] == ["create", "update", "delete"]


def test_reading_is_by_region_and_nothing_stays_nothing(aws: Caller) -> None:
    state = aws.create("aws_vpc", cidr_block="10.0.0.0/16")
    other = "ipv4:127.0.0.1:2"
    aws.configure(other, region="eu-west-1")
    assert aws.read("aws_vpc", state, other) is None
    assert aws.read("aws_vpc", state) is not None
    request = wire.text(1, "aws_vpc") + wire.blob(2, encode(None))
    assert decode_row(aws.call("ReadResource", request).blob(1)) is None


def test_drift_and_loss_are_seen(aws: Caller, store: CloudStore) -> None:
    state = aws.create("aws_vpc", cidr_block="10.0.0.0/16")
    (record,) = store.records()
    changed: Row = {**record.attributes, "enable_dns_hostnames": True}
    store.put(record.ref, attributes=changed, sent={}, operation="update", at=NOON)
    seen = aws.read("aws_vpc", state)
    assert seen is not None
    assert seen["enable_dns_hostnames"] is True
    store.delete(record.ref, at=NOON)
    assert aws.read("aws_vpc", state) is None


def test_the_group_has_the_desired_size_in_its_record(aws: Caller, store: CloudStore) -> None:
    given = {"name": "g", "max_size": 4, "min_size": 1}
    template = [{"id": "lt-1", "version": "1"}]
    aws.create("aws_autoscaling_group", **given, desired_capacity=3, launch_template=template)
    (record,) = store.records("aws_autoscaling_group")
    assert record.attributes["desired_capacity"] == record.sent["desired_capacity"] == 3
    silent = aws.create("aws_autoscaling_group", **{**given, "name": "h"})
    assert silent["desired_capacity"] == 1


def test_a_second_one_of_the_same_name_is_refused_in_the_clouds_words(aws: Caller) -> None:
    aws.create("aws_key_pair", key_name="k", public_key="ssh-ed25519 AAAA")
    row = aws.row("aws_key_pair", key_name="k", public_key="ssh-ed25519 AAAA")
    answer = aws.apply("aws_key_pair", None, aws.plan("aws_key_pair", None, row))
    assert errors(answer, 3) == ["InvalidKeyPair.Duplicate: The keypair already exists"]


def test_startup_text_that_is_not_base64_is_refused_at_apply(
    aws: Caller, store: CloudStore
) -> None:
    row = aws.row(TEMPLATE, name="t", user_data="#!/bin/sh")
    answer = aws.apply(TEMPLATE, None, aws.plan(TEMPLATE, None, row))
    assert errors(answer, 3)[0].startswith("InvalidUserData.Malformed")
    assert store.records() == ()
    good = base64.b64encode(b"#!/bin/sh").decode()
    assert aws.create(TEMPLATE, name="t", user_data=good)["user_data"] == good


@pytest.mark.parametrize(
    ("operation", "kept"), [("create", False), ("update", True), ("delete", True)]
)
def test_a_fault_leaves_the_state_as_it_was(
    aws: Caller, store: CloudStore, operation: str, *, kept: bool
) -> None:
    prior = None if operation == "create" else aws.create("aws_vpc", cidr_block="10.0.0.0/16")
    proposed = None if operation == "delete" else aws.row("aws_vpc", cidr_block="10.0.0.0/16")
    if operation == "update":
        proposed = {**(prior or {}), "enable_dns_hostnames": True}
    text = "InsufficientInstanceCapacity: none left\nrequest id 1"
    store.add_fault(Fault(type="aws_vpc", operation=operation, message=text))
    planned = aws.plan("aws_vpc", prior, proposed)
    answer = aws.apply("aws_vpc", prior, planned)
    assert errors(answer, 3) == ["InsufficientInstanceCapacity: none left"]
    assert decode_row(answer.blob(1)) == (prior if kept else None)
    assert errors(aws.apply("aws_vpc", prior, planned), 3) == []


def test_import_finds_what_is_there(aws: Caller) -> None:
    state = aws.create("aws_vpc", cidr_block="10.0.0.0/16")

    def bring(id_: str) -> wire.Message:
        return aws.call("ImportResourceState", wire.text(1, "aws_vpc") + wire.text(2, id_))

    imported = wire.parse(bring(str(state["id"])).blob(1))
    assert imported.text(1) == "aws_vpc"
    assert decode_row(imported.blob(2)) == state
    assert errors(bring("vpc-none"), 2) == ["Cannot import non-existent remote object"]


def test_private_data_is_handed_back(aws: Caller) -> None:
    state = aws.create("aws_vpc", cidr_block="10.0.0.0/16")
    about = wire.text(1, "aws_vpc") + wire.blob(2, encode(state))
    read = aws.call("ReadResource", about + wire.blob(3, b"p"))
    assert read.blob(3) == b"p"
    both = about + wire.blob(3, encode(state)) + wire.blob(5, b"p")
    assert aws.call("PlanResourceChange", both).blob(3) == b"p"
    assert aws.call("ApplyResourceChange", both + wire.blob(4, encode({}))).blob(2) == b"p"


def test_state_of_an_older_provider_is_completed(aws: Caller) -> None:
    raw = wire.blob(1, json.dumps({"id": "vpc-1", "gone": True}).encode())
    request = wire.text(1, "aws_vpc") + wire.blob(3, raw)
    upgraded = decode_row(aws.call("UpgradeResourceState", request).blob(1))
    assert upgraded is not None
    assert upgraded["id"] == "vpc-1"
    assert "gone" not in upgraded
    assert "cidr_block" in upgraded


@pytest.mark.parametrize(
    ("name", "config", "field"),
    [
        ("aws_ssm_parameter", {"name": "/aws/service/x"}, "value"),
        ("aws_ami", {"most_recent": True}, "id"),
        ("aws_availability_zones", {}, "names"),
        ("aws_caller_identity", {}, "account_id"),
        ("aws_region", {}, "name"),
        ("aws_subnets", {}, "ids"),
        ("aws_vpc", {"default": True}, "cidr_block"),
    ],
)
def test_data_sources_answer(aws: Caller, name: str, config: Row, field: str) -> None:
    request = wire.text(1, name) + wire.blob(2, encode(config))
    row = decode_row(aws.call("ReadDataSource", request).blob(1))
    assert row is not None
    assert row[field]
    assert all(value is not UNKNOWN for value in row.values())
    assert all(row[key] == value for key, value in config.items())


def test_tencent_group_and_spot_configuration(store: CloudStore) -> None:
    tencent = Caller(Provider("tencentcloud", store, now=lambda: NOON))
    tencent.configure(region="ap-guangzhou")
    given = {
        "configuration_name": "c",
        "instance_types": ["GN7.2XLARGE32"],
        "image_id": "img-1",
        "instance_charge_type": "SPOTPAID",
    }
    row = tencent.row("tencentcloud_as_scaling_config", **given)
    planned = tencent.plan("tencentcloud_as_scaling_config", None, row)
    answer = tencent.apply("tencentcloud_as_scaling_config", None, planned)
    assert "SPOTPAID" in errors(answer, 3)[0]
    spot = {"spot_instance_type": "one-time", "spot_max_price": "0.7"}
    config = tencent.create("tencentcloud_as_scaling_config", **given, **spot)
    assert str(config["id"]).startswith("asc-")
    assert config["system_disk_type"] == "CLOUD_PREMIUM"
