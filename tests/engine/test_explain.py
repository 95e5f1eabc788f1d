"""Known errors and their advice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from multicloud.engine.explain import LockHolder, explain, lock_holder
from tests.builders import NOON, at

LOCK = """Error acquiring the state lock
resource temporarily unavailable
Lock Info:
  ID:        8db8a1ce-5d1d-4b4c-9d0e-L1
  Path:      ../state/x.tfstate
  Operation: OperationTypeApply
  Who:       ci@runner7
  Version:   1.11.4
  Created:   2026-05-04 06:00:00.123456789 +0000 UTC
  Info:
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LOCK, "lock"),
        ("VcpuLimitExceeded: You have requested more vCPU capacity", "quota"),
        ("MaxSpotInstanceCountExceeded: Max spot instance count exceeded", "quota"),
        ("LimitExceeded.SpotQuota: quota is used up", "quota"),
        ("InsufficientInstanceCapacity: We currently do not have sufficient capacity", "capacity"),
        ("[TencentCloudSDKError] Code=ResourceInsufficient.SpecifiedInstanceType", "capacity"),
        ("ExpiredToken: The security token included in the request is expired", "auth"),
        ("no valid credential sources for S3 Backend found", "auth"),
        ("AuthFailure.SecretIdNotFound", "auth"),
        # By the words of the other clouds' documentation of errors.
        ("ZONE_RESOURCE_POOL_EXHAUSTED: the zone does not have enough resources", "capacity"),
        ("Error 403: Quota 'NVIDIA_A100_GPUS' exceeded. Limit: 0.0 in region us-east1", "quota"),
        ("google: could not find default credentials", "auth"),
        ("googleapi: Error 403: Required permission, PERMISSION_DENIED", "auth"),
        ("AllocationFailed: We do not have sufficient resources in this region", "capacity"),
        ("SkuNotAvailable: The requested VM size is currently not available", "capacity"),
        ("OperationNotAllowed: exceeding approved Total Regional Cores quota", "quota"),
        ("AADSTS7000222: The provided client secret keys are expired", "auth"),
        ("AuthorizationFailed: The client does not have authorization", "auth"),
        ("500-InternalError, Out of host capacity.", "capacity"),
        ("400-LimitExceeded, the service limits were exceeded", "quota"),
        ("404-NotAuthorizedOrNotFound, Authorization failed", "auth"),
        ("401-NotAuthenticated, The required information was not provided", "auth"),
        ("OperationDenied.NoStock: the requested resource is sold out", "capacity"),
        ("InvalidAccessKeyId.NotFound: Specified access key is not found", "auth"),
        ("QuotaExceed.ElasticQuota: no additional quota is available", "quota"),
        ("UnauthorizedOperation: You are not authorized to perform this operation", "auth"),
        ("dial tcp 127.0.0.1:1: connect: connection refused", "network"),
        ("Failed to query available provider packages", "config"),
        ("Saved plan is stale", "state"),
        ("No value for required variable", "config"),
        ("Unsupported argument", "config"),
        ('expected metadata_options to be one of ["optional" "required"], got x', "config"),
    ],
)
def test_known_errors(text: str, kind: str) -> None:
    advice = explain(f"Error: something\n{text}")
    assert advice is not None
    assert advice.kind == kind
    assert advice.text.endswith(".")


def test_an_unknown_error_has_no_advice() -> None:
    assert explain("the moon is too bright") is None


def test_b119_the_holder_of_a_lock_with_id_who_and_age() -> None:
    holder = lock_holder(LOCK)
    assert holder is not None
    assert holder.id == "8db8a1ce-5d1d-4b4c-9d0e-L1"
    assert holder.since == at("2026-05-04T06:00:00.123456Z")
    told = holder.describe(at("2026-05-04T12:10:00Z"))
    assert told == "lock 8db8a1ce-5d1d-4b4c-9d0e-L1 held by ci@runner7, 6 h old"


def test_a_lock_in_a_frame_without_time_and_a_text_without_lock() -> None:
    framed = "│   ID:        L1\n│   Who:       \n│   Created:   long ago\n"
    holder = lock_holder(framed)
    assert holder is not None
    assert holder.describe(NOON) == "lock L1 held by unknown"
    assert holder.since is None
    assert lock_holder("nothing here") is None


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=-5), "0 min"),
        (timedelta(minutes=59), "59 min"),
        (timedelta(hours=47), "47 h"),
        (timedelta(hours=48), "2 d"),
    ],
)
def test_ages(age: timedelta, words: str) -> None:
    holder = LockHolder(id="L1", who="me", since=NOON - age)
    assert holder.describe(NOON) == f"lock L1 held by me, {words} old"
