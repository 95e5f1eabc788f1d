"""Messages of the protocol, read back field by field."""

from __future__ import annotations

import json

from multicloud.sandbox import encode, schema, wire
from multicloud.sandbox.check import Finding


def test_the_schema_message_names_every_type_and_its_arguments() -> None:
    carried = schema.load("aws")
    message = wire.parse(encode.provider_schema(carried))
    entries = [wire.parse(entry) for entry in message.blobs[2]]
    assert [e.text(1) for e in entries] == sorted(carried.resources)
    group = next(e for e in entries if e.text(1) == "aws_autoscaling_group")
    body = wire.parse(group.blob(2))
    assert body.integers[1] == [1]
    attributes = [wire.parse(a) for a in wire.parse(body.blob(2)).blobs[2]]
    zones = next(a for a in attributes if a.text(1) == "vpc_zone_identifier")
    assert json.loads(zones.blob(2)) == ["set", "string"]
    assert (zones.integers.get(4), zones.integers[5], zones.integers[6]) == (None, [1], [1])
    blocks = [wire.parse(b) for b in wire.parse(body.blob(2)).blobs[3]]
    policy = next(b for b in blocks if b.text(1) == "mixed_instances_policy")
    assert (policy.integers[3], policy.integers[5]) == ([2], [1])


def test_metadata_names_the_same_types() -> None:
    carried = schema.load("tencentcloud")
    message = wire.parse(encode.metadata(carried))
    assert {wire.parse(m).text(1) for m in message.blobs[4]} == set(carried.resources)
    assert {wire.parse(m).text(1) for m in message.blobs[3]} == set(carried.data_sources)


def test_paths_write_index_zero() -> None:
    steps = [wire.parse(s) for s in wire.parse(encode.attribute_path(("a", 0, "b"))).blobs[1]]
    assert [s.text(1) for s in steps] == ["a", "", "b"]
    assert steps[1].integers == {3: [0]}


def test_findings_are_errors_with_their_path() -> None:
    found = [Finding("s", "d", ("a",)), Finding("t")]
    messages = [wire.parse(m) for m in wire.parse(encode.findings(2, found)).blobs[2]]
    assert [(m.integers[1], m.text(2), m.text(3)) for m in messages] == [
        ([1], "s", "d"),
        ([1], "t", ""),
    ]
    assert messages[0].has(4)
    assert not messages[1].has(4)
