"""Who Azure says we are and what it lets us have, through the real SDK against a stub."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.catalog.shapes import shapes
from multicloud.clouds.azure.account import USAGES, AzureAccount
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import CapacityType
from multicloud.models.project import CloudSettings
from tests.clouds.azure.conftest import SECRET, a_token
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from pathlib import Path

REGION = "eastus"
SETTINGS = CloudSettings(subscription="sub-1")
USAGE = f"/subscriptions/sub-1/providers/Microsoft.Compute/locations/{REGION}/usages"


def a_usage(name: str, limit: int, used: int) -> dict[str, object]:
    return {"unit": "Count", "currentValue": used, "limit": limit, "name": {"value": name}}


def refusal(status: int, code: str) -> Answer:
    return answer({"error": {"code": code, "message": f"{code} it is"}}, status)


ONE = answer({"value": [a_usage("cores", 100, 4)]})


@pytest.fixture
def azure(let_in: Stub) -> Stub:
    """A stub that answers well unless told otherwise."""
    let_in.say(USAGE, ONE)
    return let_in


def refused() -> CloudError:
    with pytest.raises(CloudError) as caught:
        AzureAccount(SETTINGS).quotas(REGION)
    assert caught.value.hint
    assert SECRET not in str(caught.value)
    return caught.value


def test_who_we_are(azure: Stub) -> None:
    access = AzureAccount(SETTINGS).access()
    assert access.who == "app-1, subscription sub-1"
    assert access.expires_at is None


def test_a_user_is_told_by_name(azure: Stub) -> None:
    azure.say("/token", a_token(oid="object-1", upn="me@example.org"))
    assert AzureAccount(SETTINGS).access().who.startswith("me@example.org,")


def test_a_token_that_names_nobody(azure: Stub) -> None:
    azure.say("/token", answer({"access_token": SECRET, "expires_on": "4102444800"}))
    assert AzureAccount(SETTINGS).access().who.startswith("unnamed identity,")


def test_the_subscription_that_terraform_takes(
    azure: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARM_SUBSCRIPTION_ID", "sub-1")
    assert AzureAccount(CloudSettings()).quotas(REGION)
    monkeypatch.delenv("ARM_SUBSCRIPTION_ID")
    with pytest.raises(CloudError, match=r"Set clouds\.azure\.subscription"):
        AzureAccount(CloudSettings()).quotas(REGION)


def test_quotas_of_every_page(azure: Stub) -> None:
    first = [a_usage("lowPriorityCores", 96, 0), a_usage("standardDSv5Family", 10, 0)]
    second = [a_usage("Standard NCASv3_T4 Family", 64, 16), a_usage("virtualMachines", 25000, 1)]
    link = f"{azure.url}{USAGE}?page=2"
    azure.say(USAGE, answer({"value": first, "nextLink": link}))
    azure.say("page=2", answer({"value": second}))
    found = AzureAccount(SETTINGS).quotas(REGION)
    sizes = tuple(f"Standard_NC{size}as_T4" for size in (4, 8, 16, 64))
    assert [(q.name, q.limit, q.used, q.families, q.capacity) for q in found] == [
        (
            "Standard NCASv3_T4 Family",
            Decimal(64),
            Decimal(16),
            sizes,
            (CapacityType.ON_DEMAND,),
        ),
        ("lowPriorityCores", Decimal(96), Decimal(0), (), (CapacityType.SPOT,)),
    ]


def test_families_are_beginnings_of_sizes_that_exist() -> None:
    known = {name for cloud, name in shapes() if cloud == "azure"}
    for bound in USAGES.values():
        for family in bound.families:
            assert any(size.startswith(family) for size in known), family


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (401, "InvalidAuthenticationToken", "az login"),
        (403, "AuthorizationFailed", "role Reader"),
        (404, "SubscriptionNotFound", "subscription and region"),
    ],
)
def test_a_refusal_says_what_to_do(azure: Stub, status: int, code: str, hint: str) -> None:
    azure.say(USAGE, refusal(status, code))
    error = refused()
    assert error.code == code
    assert error.summary == f"{code}: {code} it is"
    assert hint in error.hint


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(azure: Stub, status: int) -> None:
    later = Answer(status=status, headers={"Retry-After": "60"})
    azure.say(USAGE, later, ONE)
    start = time.monotonic()
    assert len(AzureAccount(SETTINGS).quotas(REGION)) == 1
    assert time.monotonic() - start < 3


def test_what_does_not_pass_ends_in_time(azure: Stub) -> None:
    azure.say(USAGE, refusal(500, "InternalError"))
    start = time.monotonic()
    assert refused().code == "InternalError"
    assert time.monotonic() - start < 3


def test_half_an_answer_is_none(azure: Stub) -> None:
    azure.say(USAGE, TRUNCATED)
    assert refused().code == "UnreadableAnswer"
    azure.say(USAGE, answer({"value": [{"limit": 1}]}))
    assert refused().code == "UnreadableAnswer"


def test_half_a_page_more_is_none(azure: Stub) -> None:
    azure.say(USAGE, answer({"value": [], "nextLink": f"{azure.url}{USAGE}?page=2"}))
    azure.say("page=2", TRUNCATED)
    assert refused().code == "UnreadableAnswer"


def test_silence_ends_in_time(azure: Stub) -> None:
    azure.say(USAGE, HOLE)
    start = time.monotonic()
    assert refused().code == "ServiceResponseTimeoutError"
    azure.say("/token", HOLE)
    assert refused().code == "NoToken"
    assert time.monotonic() - start < 3


def test_half_a_token_is_not_told(azure: Stub) -> None:
    azure.say("/token", Answer(body=f'{{"access_token": "{SECRET}'.encode()))
    assert refused().code == "NoToken"


def test_an_identity_that_azure_does_not_take(azure: Stub) -> None:
    azure.say("/token", answer({"message": "no such identity"}, 400))
    error = refused()
    assert not isinstance(error, MissingCredentialsError)
    assert "no such identity" in error.summary


def test_a_login_that_has_run_out(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    az = tmp_path / "az"
    az.write_text(
        "#!/bin/sh\necho 'ERROR: AADSTS700082: The refresh token has expired.' >&2\nexit 1"
    )
    az.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "AzureCliCredential")
    error = refused()
    assert not isinstance(error, MissingCredentialsError)
    assert "AADSTS700082: The refresh token has expired." in error.summary


def test_nobody_is_told_apart_from_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "dev")
    with pytest.raises(MissingCredentialsError, match="no credentials") as caught:
        AzureAccount(SETTINGS).access()
    assert "AZURE_CLIENT_ID" in caught.value.hint
    assert capfd.readouterr().err == ""
