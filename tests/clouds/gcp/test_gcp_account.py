"""Who Google says we are and what it lets us have, through the real SDK against a stub."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from multicloud.clouds.gcp.account import GcpAccount
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import CapacityType
from multicloud.models.project import CloudSettings
from tests.clouds.gcp.conftest import EMAIL, TOKEN
from tests.clouds.stub import HOLE, TRUNCATED, Answer, Stub, answer

if TYPE_CHECKING:
    from pathlib import Path

REGION = "us-central1"
IN_REGION = f"/regions/{REGION}"
IN_PROJECT = "/projects/my-project\n"


def a_quota(metric: str, limit: float, usage: float = 0.0) -> dict[str, object]:
    return {"metric": metric, "limit": limit, "usage": usage}


HERE = answer(
    {
        "name": REGION,
        "quotas": [
            a_quota("CPUS", 72),
            a_quota("NVIDIA_A100_GPUS", 16, 8),
            a_quota("NVIDIA_A100_80GB_GPUS", 8),
            a_quota("PREEMPTIBLE_NVIDIA_A100_80GB_GPUS", 4),
            a_quota("PREEMPTIBLE_NVIDIA_A100_GPUS", 0),
            a_quota("COMMITTED_NVIDIA_A100_GPUS", 1),
            a_quota("NVIDIA_OF_TOMORROW_GPUS", 1),
        ],
        "fieldOfTomorrow": 1,
    }
)
EVERYWHERE = answer({"quotas": [a_quota("GPUS_ALL_REGIONS", 32, 8), a_quota("NETWORKS", 5)]})


def refusal(status: int, reason: str) -> Answer:
    error = {"code": status, "message": f"{reason} it is", "errors": [{"reason": reason}]}
    return answer({"error": error}, status)


@pytest.fixture
def google(let_in: Stub) -> Stub:
    """A stub that answers well unless told otherwise."""
    let_in.say(IN_REGION, HERE)
    let_in.say(IN_PROJECT, EVERYWHERE)
    return let_in


def refused() -> CloudError:
    with pytest.raises(CloudError) as caught:
        GcpAccount(CloudSettings()).quotas(REGION)
    assert caught.value.hint
    assert "not-to-be-told" not in str(caught.value)
    return caught.value


def test_who_we_are(google: Stub) -> None:
    access = GcpAccount(CloudSettings()).access()
    assert access.who == f"{EMAIL}, project my-project"
    assert access.expires_at is None


def test_quotas_of_the_region_and_of_the_project(google: Stub) -> None:
    found = GcpAccount(CloudSettings()).quotas(REGION)
    both = (CapacityType.ON_DEMAND, CapacityType.SPOT)
    a100 = ("a2-highgpu", "a2-megagpu")
    assert [(q.name, q.limit, q.used, q.families, q.capacity) for q in found] == [
        ("GPUS_ALL_REGIONS", Decimal(32), Decimal(8), (), both),
        ("NVIDIA_A100_80GB_GPUS", Decimal(8), Decimal(0), ("a2-ultragpu",), both[:1]),
        # Nobody asked for a preemptible quota of these: spot comes out of the ordinary one.
        ("NVIDIA_A100_GPUS", Decimal(16), Decimal(8), a100, both),
        ("PREEMPTIBLE_NVIDIA_A100_80GB_GPUS", Decimal(4), Decimal(0), ("a2-ultragpu",), both[1:]),
    ]


def test_the_project_file_names_the_project(google: Stub) -> None:
    google.say("/projects/other/regions", HERE)
    google.say("/projects/other\n", EVERYWHERE)
    assert GcpAccount(CloudSettings(project="other")).quotas(REGION)
    assert GcpAccount(CloudSettings(project="other")).access().who.endswith("project other")


@pytest.mark.parametrize(
    ("status", "reason", "code", "hint"),
    [
        (401, "authError", "Unauthorized", "gcloud auth"),
        (403, "forbidden", "Forbidden", "roles/compute.viewer"),
        (404, "notFound", "NotFound", "project and region"),
    ],
)
def test_a_refusal_says_what_to_do(
    google: Stub, status: int, reason: str, code: str, hint: str
) -> None:
    google.say(IN_REGION, refusal(status, reason))
    error = refused()
    assert error.code == code
    assert f"{reason} it is" in error.summary
    assert hint in error.hint


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(google: Stub, status: int) -> None:
    google.say(IN_PROJECT, refusal(status, "passing"), EVERYWHERE)
    assert len(GcpAccount(CloudSettings()).quotas(REGION)) == 4


def test_what_does_not_pass_ends_in_time(google: Stub) -> None:
    google.say(IN_REGION, refusal(500, "backendError"))
    start = time.monotonic()
    assert refused().code == "InternalServerError"
    assert time.monotonic() - start < 3


@pytest.mark.parametrize("broken", [TRUNCATED, answer({"error": "gateway"}, 404)])
def test_half_an_answer_is_none(google: Stub, broken: Answer) -> None:
    google.say(IN_REGION, broken)
    assert refused().code == "UnreadableAnswer"


def test_silence_ends_in_time(google: Stub) -> None:
    google.say(IN_REGION, HOLE)
    google.say("/token", HOLE)
    start = time.monotonic()
    assert refused().code == "ReadTimeout"
    with pytest.raises(CloudError, match="TransportError"):
        GcpAccount(CloudSettings()).access()
    assert time.monotonic() - start < 3


def test_credentials_that_google_does_not_take(google: Stub) -> None:
    refusal = {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
    google.say("/token", answer(refusal, 400))
    with pytest.raises(CloudError, match="Invalid JWT Signature") as caught:
        GcpAccount(CloudSettings()).access()
    assert not isinstance(caught.value, MissingCredentialsError)
    assert "gcloud auth" in caught.value.hint


def test_nobody_is_told_apart_from_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    with pytest.raises(MissingCredentialsError, match="DefaultCredentialsError") as caught:
        GcpAccount(CloudSettings()).access()
    assert "GOOGLE_APPLICATION_CREDENTIALS" in caught.value.hint


def test_a_user_and_no_project(stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = {
        "type": "authorized_user",
        # gcloud's own, about which google-auth warns.
        "client_id": "764086051850-6qr4p6gpi6hn506pt8ejuq83di341hur.apps.googleusercontent.com",
        "client_secret": "not-to-be-told",
        "refresh_token": "not-to-be-told",
        "account": "",
    }
    (tmp_path / "application_default_credentials.json").write_text(json.dumps(user))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("google.oauth2.credentials._GOOGLE_OAUTH2_TOKEN_ENDPOINT", stub.url)
    stub.say("grant_type=refresh_token", TOKEN)
    assert GcpAccount(CloudSettings()).access().who == "unnamed credentials"
    assert refused().code == "NoProject"
