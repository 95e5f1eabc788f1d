"""Who Tencent Cloud says we are and what it lets us have, through the real SDK against a stub."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.clouds.accounts import ask_all
from multicloud.clouds.tencent.account import TencentAccount
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import CapacityType, Cloud
from multicloud.models.project import CloudSettings, RegionSettings
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub
from tests.clouds.tencent.wire import refusal, response

if TYPE_CHECKING:
    from pathlib import Path

REGION = "ap-guangzhou"
ARN = "qcs::cam::uin/100000000001:uin/100000000002"
WHO, QUOTA = "GetCallerIdentity", "DescribeAccountQuota"


def a_zone(zone: str, total: int, used: int) -> dict[str, object]:
    left = total - used
    return {"Zone": zone, "TotalQuota": total, "UsedQuota": used, "RemainingQuota": left}


QUOTAS = response(
    AccountQuotaOverview={
        "Region": REGION,
        "AccountQuota": {
            "PostPaidQuotaSet": [a_zone("ap-guangzhou-6", 60, 2), a_zone("ap-guangzhou-3", 60, 0)],
            "SpotPaidQuotaSet": [a_zone("ap-guangzhou-6", 20, 5)],
            "PrePaidQuotaSet": [a_zone("ap-guangzhou-6", 10, 0)],
            "ImageQuotaSet": [{"TotalQuota": 10, "UsedQuota": 1}],
        },
    }
)


@pytest.fixture
def tencent(keyed: Stub) -> Stub:
    """A stub that answers well unless told otherwise."""
    keyed.say(WHO, response(Arn=ARN, AccountId="100000000001", Type="CAMUser"))
    keyed.say(QUOTA, QUOTAS)
    return keyed


def account(**settings: Any) -> TencentAccount:
    return TencentAccount(CloudSettings(**settings))


@pytest.mark.usefixtures("tencent")
def test_who_we_are() -> None:
    access = account().access()
    assert (access.cloud, access.who, access.expires_at) == (Cloud.TENCENT, ARN, None)


@pytest.mark.usefixtures("tencent")
def test_nodes_by_zone_and_way_of_buying() -> None:
    found = account().quotas(REGION)
    assert [(q.capacity, q.zone, q.limit, q.used) for q in found] == [
        ((CapacityType.ON_DEMAND,), "ap-guangzhou-3", Decimal(60), Decimal(0)),
        ((CapacityType.ON_DEMAND,), "ap-guangzhou-6", Decimal(60), Decimal(2)),
        ((CapacityType.SPOT,), "ap-guangzhou-6", Decimal(20), Decimal(5)),
    ]
    assert {q.unit for q in found} == {"node"}


def test_a_token_goes_along(tencent: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENCENTCLOUD_SECURITY_TOKEN", "token-1")
    account().access()
    assert "token-1" in tencent.asked[-1]


def test_credentials_of_the_command_line(
    tencent: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TENCENTCLOUD_SECRET_ID")
    folder = tmp_path / ".tccli"
    folder.mkdir()
    kept = {"secretId": "AKIDkept", "secretKey": "k"}
    (folder / "gpu.credential").write_text(json.dumps(kept))
    account(profile="gpu").access()
    assert "AKIDkept" in tencent.asked[-1]


def test_no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_SECRET_KEY", "TENCENTCLOUD_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingCredentialsError) as caught:
        account().access()
    assert "tccli configure" in caught.value.hint


def test_a_broken_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("TENCENTCLOUD_SECRET_ID", raising=False)
    (tmp_path / ".tccli").mkdir()
    (tmp_path / ".tccli" / "default.credential").write_text("{")
    with pytest.raises(MissingCredentialsError, match="cannot be read"):
        account().access()


@pytest.mark.parametrize(
    ("told", "code", "hint"),
    [
        (refusal("AuthFailure.SecretIdNotFound"), "AuthFailure.SecretIdNotFound", "new ones"),
        (refusal("AuthFailure.UnauthorizedOperation"), "AuthFailure.U", "permission"),
        (refusal("UnauthorizedOperation"), "UnauthorizedOperation", "permission"),
        (refusal("InternalError"), "InternalError", "Run again"),
        (Answer(body=b"oops", status=500), "ServerNetworkError", "Run again"),
        (TRUNCATED, "UnreadableAnswer", "proxy"),
        (response(), "UnreadableAnswer", "proxy"),
    ],
    ids=str,
)
def test_refusals_say_what_to_do(tencent: Stub, told: Answer, code: str, hint: str) -> None:
    tencent.say(QUOTA, told)
    with pytest.raises(CloudError) as caught:
        account().quotas(REGION)
    assert str(caught.value).startswith(code)
    assert hint in caught.value.hint
    assert "not-to-be-told" not in str(caught.value) + caught.value.hint
    assert "hidden" not in str(caught.value)


def test_a_throttled_call_is_tried_again(tencent: Stub) -> None:
    tencent.say(QUOTA, refusal("RequestLimitExceeded"), QUOTAS)
    assert len(account().quotas(REGION)) == 3


def test_a_black_hole_ends(tencent: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multicloud.clouds.failures.ATTEMPTS", 1)
    tencent.say(QUOTA, HOLE)
    begun = time.monotonic()
    with pytest.raises(CloudError, match="ClientNetworkError"):
        account().quotas(REGION)
    assert time.monotonic() - begun < 5


@pytest.mark.usefixtures("tencent")
def test_it_is_asked_like_every_other() -> None:
    settings = CloudSettings(regions={REGION: RegionSettings()})
    told = ask_all({Cloud.TENCENT: settings})[Cloud.TENCENT]
    assert not isinstance(told.access, CloudError)
    assert len(told.quotas[REGION]) == 3  # type: ignore[arg-type]
