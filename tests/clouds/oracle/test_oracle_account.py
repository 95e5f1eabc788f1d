"""Who Oracle Cloud says we are and what it lets us have, through the real SDK against a stub."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from multicloud.clouds import failures
from multicloud.clouds.oracle.account import OracleAccount
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import Cloud
from multicloud.models.project import CloudSettings
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from pathlib import Path

REGION = "us-ashburn-1"
NEXT = {"opc-next-page": "p2"}
WHO, LIMITS, SECOND = "/users/ocid1.user", "/limitValues", "page=p2"


def a_limit(name: str, value: int, domain: str = "Uocm:US-ASHBURN-AD-1") -> dict[str, object]:
    return {"name": name, "scopeType": "AD", "availabilityDomain": domain, "value": value}


FIRST_PAGE = answer(
    [a_limit("gpu-a10-count", 4), a_limit("standard-e4-core-count", 100)],
    200,
    **NEXT,
)
LAST_PAGE = answer(
    [
        a_limit("gpu-a100-v2-count", 8),
        a_limit("gpu3-count", 2, "Uocm:US-ASHBURN-AD-2"),
        a_limit("gpu-a10-reservable-count", 9),
    ]
)


def refusal(status: int, code: str) -> Answer:
    return answer({"code": code, "message": f"{code} it is"}, status)


@pytest.fixture
def oracle(profile: Stub) -> Stub:
    """A stub that answers well unless told otherwise."""
    profile.say(WHO, answer({"id": "ocid1.user.oc1..me", "name": "doctor@example.org"}))
    profile.say(LIMITS, FIRST_PAGE)
    profile.say(SECOND, LAST_PAGE)
    return profile


def account(**settings: Any) -> OracleAccount:
    return OracleAccount(CloudSettings(**settings))


@pytest.mark.usefixtures("oracle")
def test_who_we_are() -> None:
    access = account().access()
    assert (access.cloud, access.expires_at) == (Cloud.ORACLE, None)
    assert access.who == "doctor@example.org, region us-phoenix-1"


@pytest.mark.usefixtures("oracle")
def test_gpus_by_family_and_domain_of_every_page() -> None:
    found = {quota.name: quota for quota in account().quotas(REGION)}
    assert set(found) == {"gpu-a10-count", "gpu-a100-v2-count", "gpu3-count"}
    assert found["gpu-a10-count"].families == ("BM.GPU.A10", "VM.GPU.A10")
    assert found["gpu-a100-v2-count"].families[0] == "BM.GPU.A100-v2"
    assert found["gpu3-count"].families == ("BM.GPU3", "VM.GPU3")
    assert found["gpu3-count"].zone == "us-ashburn-1-AD-2"
    assert [quota.limit for quota in found.values()] == [Decimal(4), Decimal(8), Decimal(2)]
    assert {quota.unit for quota in found.values()} == {"gpu"}


def test_a_list_without_an_end_is_refused(oracle: Stub) -> None:
    oracle.say(SECOND, answer([a_limit("gpu2-count", 1)], 200, **NEXT))
    with pytest.raises(CloudError, match="no end"):
        account().quotas(REGION)


def test_a_page_that_is_cut_short_fails_the_whole(oracle: Stub) -> None:
    oracle.say(SECOND, TRUNCATED)
    with pytest.raises(CloudError, match="UnreadableAnswer"):
        account().quotas(REGION)


def test_a_page_that_fails_fails_the_whole(oracle: Stub) -> None:
    oracle.say(SECOND, refusal(404, "NotAuthorizedOrNotFound"))
    with pytest.raises(CloudError, match="NotAuthorizedOrNotFound") as caught:
        account().quotas(REGION)
    assert "policy" in caught.value.hint


@pytest.mark.parametrize(
    ("told", "code", "hint"),
    [
        (refusal(401, "NotAuthenticated"), "NotAuthenticated", "oci setup config"),
        (refusal(404, "NotAuthorizedOrNotFound"), "NotAuthorizedOrNotFound", "policy"),
        (refusal(400, "InvalidParameter"), "InvalidParameter", "region"),
        (refusal(500, "InternalServerError"), "InternalServerError", "Run again"),
        (TRUNCATED, "UnreadableAnswer", "proxy"),
    ],
    ids=str,
)
def test_refusals_say_what_to_do(oracle: Stub, told: Answer, code: str, hint: str) -> None:
    oracle.say(WHO, told)
    with pytest.raises(CloudError) as caught:
        account().access()
    assert str(caught.value).startswith(code)
    assert hint in caught.value.hint


def test_a_throttled_call_is_tried_again(oracle: Stub) -> None:
    good = answer({"id": "ocid1.user.oc1..me", "name": "me"})
    oracle.say(WHO, refusal(429, "TooManyRequests"), good)
    assert account().access().who.startswith("me")


def test_a_black_hole_ends(oracle: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "ATTEMPTS", 1)
    oracle.say(WHO, HOLE)
    begun = time.monotonic()
    with pytest.raises(CloudError, match="no answer"):
        account().access()
    assert time.monotonic() - begun < 5


def test_without_a_file_or_profile(
    oracle: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MissingCredentialsError):
        account(profile="GPU").access()
    monkeypatch.setenv("OCI_CLI_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(MissingCredentialsError) as caught:
        account().access()
    assert "oci setup config" in caught.value.hint
    assert oracle.asked == []


def test_a_key_that_is_gone(oracle: Stub, tmp_path: Path) -> None:
    (tmp_path / "key.pem").unlink()
    with pytest.raises(MissingCredentialsError):
        account().access()
    assert oracle.asked == []
