"""Who AWS says we are and what it lets us have, through the real SDK."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from multicloud.clouds.aws import session as sessions
from multicloud.clouds.aws.account import AwsAccount
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import CapacityType
from multicloud.models.project import CloudSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

REGION = "us-east-1"


@mock_aws
def test_who_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CREDENTIAL_EXPIRATION", "2096-12-01T10:00:00+00:00")
    access = AwsAccount(CloudSettings()).access()
    assert access.who.startswith("arn:aws:")
    assert access.expires_at == datetime(2096, 12, 1, 10, tzinfo=UTC)


@mock_aws
def test_keys_without_an_end_have_none() -> None:
    assert AwsAccount(CloudSettings()).access().expires_at is None


def test_nobody_is_told_apart_from_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    with pytest.raises(MissingCredentialsError, match="NoCredentialsError"):
        AwsAccount(CloudSettings()).access()


@pytest.fixture
def quotas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    client = boto3.client("service-quotas", region_name=REGION)
    monkeypatch.setattr(sessions, "client", lambda *_: client)
    with Stubber(client) as stub:
        yield stub


def a_quota(code: str, value: float) -> dict[str, object]:
    return {"QuotaCode": code, "QuotaName": f"quota {code}", "Value": value}


def test_quotas_of_gpu_types_on_every_page(quotas: Stubber) -> None:
    first = {"Quotas": [a_quota("L-417A185B", 96.0), a_quota("L-1216C47A", 5.0)], "NextToken": "t"}
    quotas.add_response("list_service_quotas", first, {"ServiceCode": "ec2"})
    second = {"Quotas": [a_quota("L-3819A6DF", 0.0)]}
    quotas.add_response("list_service_quotas", second, {"ServiceCode": "ec2", "NextToken": "t"})
    found = AwsAccount(CloudSettings()).quotas(REGION)
    assert [(q.limit, q.families, q.capacity) for q in found] == [
        (Decimal(0), ("g", "vt"), (CapacityType.SPOT,)),
        (Decimal(96), ("p2", "p3", "p4", "p5", "p6"), (CapacityType.ON_DEMAND,)),
    ]


def test_a_refusal_says_what_is_lacking(quotas: Stubber) -> None:
    quotas.add_client_error("list_service_quotas", "AccessDeniedException", "no")
    with pytest.raises(CloudError, match="lack a permission") as caught:
        AwsAccount(CloudSettings()).quotas(REGION)
    assert caught.value.code == "AccessDeniedException"
