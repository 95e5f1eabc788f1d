"""boto3's clients with our bounds on time, and what AWS's refusals ask for."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from multicloud.clouds import failures
from multicloud.clouds.failures import missing_sdk
from multicloud.errors import CloudError, MissingCredentialsError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings

# Error codes of the API references, "Common errors", by what to do about them.
ADVICE: Mapping[str, str] = {
    "ExpiredToken": "the credentials have run out; get new ones",
    "ExpiredTokenException": "the credentials have run out; get new ones",
    "RequestExpired": "the credentials have run out; get new ones",
    "AuthFailure": "AWS does not accept the credentials; run: multicloud doctor",
    "InvalidClientTokenId": "AWS does not accept the credentials; run: multicloud doctor",
    "UnrecognizedClientException": "AWS does not accept the credentials; run: multicloud doctor",
    "UnauthorizedOperation": "the credentials lack ec2:DescribeInstances",
    "AccessDenied": "the credentials lack a permission; docs/clouds/aws.md lists them",
    "AccessDeniedException": "the credentials lack a permission; docs/clouds/aws.md lists them",
    "RequestLimitExceeded": "AWS takes no more calls just now; run again in a minute",
    "Throttling": "AWS takes no more calls just now; run again in a minute",
    "ThrottlingException": "AWS takes no more calls just now; run again in a minute",
}
_NONE = frozenset({"NoCredentialsError", "ProfileNotFound", "PartialCredentialsError"})


def session(settings: CloudSettings) -> Any:  # noqa: ANN401 - boto3 has no static types
    """A boto3 session by its ordinary chain of credentials.

    Raises: CloudError without boto3, or for a profile that does not exist.
    """
    try:
        import boto3
    except ImportError as error:
        missing_sdk(Cloud.AWS, error)
    try:
        return boto3.session.Session(profile_name=settings.profile)
    except Exception as error:
        raise cloud_error(error) from error


def client(session: Any, service: str, region: str) -> Any:  # noqa: ANN401 - see `session`
    """A client that gives up in time."""
    from botocore.config import Config

    config = Config(
        connect_timeout=failures.CONNECT_S,
        read_timeout=failures.READ_S,
        retries={"total_max_attempts": failures.ATTEMPTS, "mode": "standard"},
    )
    return session.client(service, region_name=region, config=config)


def zone_ids(ec2: Any) -> Mapping[str, str]:  # noqa: ANN401 - see `session`
    """Ids of a region's zones, the same for all accounts, by the account's names for them."""
    told = ec2.describe_availability_zones()["AvailabilityZones"]
    return {zone["ZoneName"]: zone["ZoneId"] for zone in told}


def cloud_error(error: Exception) -> CloudError:
    """A botocore error as ours: its code, its words, and what to do."""
    if isinstance(error, CloudError):
        return error
    response = getattr(error, "response", {})
    code = response.get("Error", {}).get("Code", "") if isinstance(response, dict) else ""
    name = code or type(error).__name__
    advice = ADVICE.get(code, "")
    kind = MissingCredentialsError if name in _NONE else CloudError
    found = kind(f"{name}: {error}" + (f" ({advice})" if advice else ""))
    found.code = code
    return found


def expiry(session: Any) -> datetime | None:  # noqa: ANN401 - see `session`
    """When the credentials end, as far as botocore knows; it keeps that to itself."""
    told = getattr(session.get_credentials(), "_expiry_time", None)
    return told if isinstance(told, datetime) else None
