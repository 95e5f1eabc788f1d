"""Who Alibaba Cloud says we are and what it lets us have, through the real SDK on a stub."""

from __future__ import annotations

import json
import logging
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.clouds.alibaba.account import AlibabaAccount
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import CapacityType
from multicloud.models.project import CloudSettings
from tests.clouds.alibaba.conftest import SECRET
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from pathlib import Path

REGION = "cn-beijing"
ARN = "acs:ram::1234567890123456:user/doctor"
ECS = "x-acs-action: DescribeAccountAttributes"
STS = "x-acs-action: GetCallerIdentity"


def an_attribute(name: str, *values: tuple[str, str]) -> dict[str, object]:
    items = [{"Value": value, "ZoneId": zone} for value, zone in values]
    return {"AttributeName": name, "AttributeValues": {"ValueItem": items}}


def attributes(*told: dict[str, object]) -> Answer:
    return answer({"AccountAttributeItems": {"AccountAttributeItem": told}, "RequestId": "1"})


def refusal(status: int, code: str) -> Answer:
    return answer({"Code": code, "Message": f"{code} it is.", "RequestId": "1"}, status)


ONE = attributes(an_attribute("max-spot-instance-vcpu-count", ("800", "")))


@pytest.fixture
def alibaba(keyed: Stub) -> Stub:
    """A stub that answers well unless told otherwise."""
    keyed.say(STS, answer({"Arn": ARN, "AccountId": "1234567890123456"}))
    keyed.say(ECS, ONE)
    return keyed


def refused() -> CloudError:
    with pytest.raises(CloudError) as caught:
        AlibabaAccount(CloudSettings()).quotas(REGION)
    assert caught.value.hint
    assert SECRET not in str(caught.value)
    return caught.value


def test_who_we_are(alibaba: Stub) -> None:
    access = AlibabaAccount(CloudSettings()).access()
    assert (access.who, access.expires_at) == (ARN, None)


def test_an_answer_that_names_nobody(alibaba: Stub) -> None:
    alibaba.say(STS, answer({"RequestId": "1"}))
    with pytest.raises(CloudError, match="names nobody"):
        AlibabaAccount(CloudSettings()).access()


def test_spot_and_on_demand_apart_and_by_zone(alibaba: Stub) -> None:
    alibaba.say(
        ECS,
        attributes(
            an_attribute("max-postpaid-instance-vcpu-count", ("1000", ""), ("96", f"{REGION}-a")),
            an_attribute("used-postpaid-instance-vcpu-count", ("32", "")),
            an_attribute("max-spot-instance-vcpu-count", ("800", "")),
            an_attribute("used-spot-instance-vcpu-count", ("0", "")),
        ),
    )
    found = AlibabaAccount(CloudSettings()).quotas(REGION)
    assert [(q.zone, q.limit, q.used, q.families, q.capacity) for q in found] == [
        ("", Decimal(1000), Decimal(32), (), (CapacityType.ON_DEMAND,)),
        (f"{REGION}-a", Decimal(96), None, (), (CapacityType.ON_DEMAND,)),
        ("", Decimal(800), Decimal(0), (), (CapacityType.SPOT,)),
    ]
    assert f"RegionId={REGION}" in alibaba.asked[0]


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (401, "InvalidAccessKeyId.NotFound", "does not accept"),
        (403, "Forbidden.RAM", "AliyunECSReadOnlyAccess"),
        (404, "InvalidRegionId.NotFound", "region"),
    ],
)
def test_a_refusal_says_what_to_do(alibaba: Stub, status: int, code: str, hint: str) -> None:
    alibaba.say(ECS, refusal(status, code))
    error = refused()
    assert error.code == code
    assert error.summary == f"{code}: {code} it is."
    assert hint in error.hint


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "Throttling.User"), (400, "Throttling"), (500, "InternalError"), (503, "Busy")],
)
def test_what_passes_is_tried_again(alibaba: Stub, status: int, code: str) -> None:
    alibaba.say(ECS, refusal(status, code), ONE)
    assert len(AlibabaAccount(CloudSettings()).quotas(REGION)) == 1


def test_what_does_not_pass_ends_in_time(alibaba: Stub) -> None:
    alibaba.say(ECS, refusal(500, "InternalError"))
    start = time.monotonic()
    assert refused().code == "InternalError"
    assert time.monotonic() - start < 3
    assert len(alibaba.asked) == 3


@pytest.mark.parametrize(
    "broken",
    [
        TRUNCATED,
        answer({"RequestId": "1"}),
        attributes(an_attribute("max-spot-instance-vcpu-count", ("many", ""))),
    ],
)
def test_half_an_answer_is_none(alibaba: Stub, broken: Answer) -> None:
    alibaba.say(ECS, broken)
    assert refused().code == "UnreadableAnswer"


def test_silence_ends_in_time(alibaba: Stub) -> None:
    alibaba.say(ECS, HOLE)
    start = time.monotonic()
    assert refused().code == "NoAnswer"
    assert time.monotonic() - start < 3


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("profile", [None, "gpu"])
def test_nobody_is_told_apart_from_refused(profile: str | None) -> None:
    with pytest.raises(MissingCredentialsError, match="no credentials in") as caught:
        AlibabaAccount(CloudSettings(profile=profile)).access()
    assert "aliyun configure" in caught.value.hint


def test_a_profile_of_the_command_line(alibaba: Stub, tmp_path: Path) -> None:
    key = {"name": "gpu", "mode": "AK", "access_key_id": "key-2", "access_key_secret": SECRET}
    folder = tmp_path / ".aliyun"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"current": "gpu", "profiles": [key]}))
    assert AlibabaAccount(CloudSettings(profile="gpu")).access().who == ARN
    assert "Credential=key-2," in alibaba.asked[0]


def test_the_sdk_keeps_its_tracebacks_to_itself(
    nobody: None, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MissingCredentialsError):
        AlibabaAccount(CloudSettings()).access()
    logging.getLogger("credentials").error("a step of the chain found nothing")
    assert capfd.readouterr().err == ""
