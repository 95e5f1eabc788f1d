"""Tencent Cloud's credentials and clients with our bounds on time, and what refusals ask for."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicloud.clouds import failures
from multicloud.clouds.failures import failure, missing_sdk, unreadable
from multicloud.errors import CloudError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Mapping

    from multicloud.models.project import CloudSettings

ENDPOINT = ""
"""Host and port that stand in for each service's own; empty means the cloud."""

_PAGE = 100
_PASSING = ("RequestLimitExceeded", "InternalError", "ServerNetworkError")
_WAITS = (0.2, 0.4)
"""Seconds before the second and the third attempt."""
_AGAIN = "Run again in a minute."
_NEW = "Get new ones, and look at TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY."
_RIGHT = "Give the credentials a permission; docs/clouds/tencent.md lists them."
# Beginnings of error codes, cloud.tencent.com/document/api/213/30435, by what to do about them.
ADVICE: Mapping[str, str] = {
    "AuthFailure.UnauthorizedOperation": _RIGHT,
    "AuthFailure": _NEW,
    "UnauthorizedOperation": _RIGHT,
    "RequestLimitExceeded": _AGAIN,
    "InternalError": _AGAIN,
    "ClientNetworkError": "Check the network, a proxy, and the name service.",
    "ServerNetworkError": _AGAIN,
    "UnsupportedRegion": "Check the region in the project file.",
    "InvalidParameter": "Check the region in the project file.",
}


def credentials(settings: CloudSettings) -> Any:  # noqa: ANN401 - the SDK has no types
    """By the environment, then as Tencent's command line keeps them, as Terraform finds them.

    Raises: CloudError without the SDK, MissingCredentialsError without credentials.
    """
    try:
        from tencentcloud.common.credential import Credential
    except ImportError as error:
        missing_sdk(Cloud.TENCENT, error)
    environ = os.environ
    found = (environ.get("TENCENTCLOUD_SECRET_ID"), environ.get("TENCENTCLOUD_SECRET_KEY"))
    if all(found):
        return Credential(*found, environ.get("TENCENTCLOUD_SECURITY_TOKEN"))
    profile = settings.profile or environ.get("TENCENTCLOUD_PROFILE") or "default"
    path = Path("~/.tccli").expanduser() / f"{profile}.credential"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Credential(kept["secretId"], kept["secretKey"], kept.get("token"))
    except FileNotFoundError:
        raise failure(
            "NoCredentials",
            f"no credentials, neither in the environment nor in {path}",
            "Set TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY, or run: tccli configure",
            is_missing=True,
        ) from None
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise failure(
            "BadCredentials",
            f"{path} cannot be read ({type(error).__name__})",
            "Write it anew: tccli configure",
            is_missing=True,
        ) from None


def call(
    settings: CloudSettings,
    service: str,
    version: str,
    region: str,
    action: str,
    parameters: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """One action; gives the answer's `Response`.

    Raises: CloudError with what to do.
    """
    owner = credentials(settings)
    from tencentcloud.common.common_client import CommonClient

    client = CommonClient(service, version, owner, region, _profile())
    # Not by the SDK's own retryer, which takes an answer after a refusal for one more refusal.
    for wait in _WAITS[: failures.ATTEMPTS - 1]:
        try:
            return _response(client, action, parameters or {})
        except CloudError as refused:
            if not refused.code.startswith(_PASSING):
                raise
        time.sleep(wait)
    return _response(client, action, parameters or {})


def pages(
    settings: CloudSettings,
    service: tuple[str, str],
    region: str,
    action: str,
    *,
    entries: str,
    id_: str,
    parameters: Mapping[str, Any],
) -> list[Mapping[str, Any]]:
    """All entries of a list that is read by offset, counted against its `TotalCount`.

    `id_` is the field that tells entries apart. A list that changes between two pages may have
    skipped some, so it is read anew.

    Raises: CloudError, also when a page brings nothing though the list is not at its end, and
    when the list changes each time or repeats itself.
    """
    for _ in range(failures.ATTEMPTS):
        found: dict[str, Mapping[str, Any]] = {}
        totals = set[int]()
        while True:
            asked = {**parameters, "Offset": len(found), "Limit": _PAGE}
            told = call(settings, *service, region, action, asked)
            try:
                page, total = list(told[entries] or ()), int(told["TotalCount"])
                known = len(found) + len(page)
                found |= {str(one[id_]): one for one in page}
            except (KeyError, TypeError, ValueError) as error:
                raise unreadable(Cloud.TENCENT, error) from error
            totals.add(total)
            if len(totals) > 1 or len(found) != known or known > total:
                break
            if known == total:
                return list(found.values())
            if not page:
                words = f"the list of {action} ends at {known} of {total}"
                raise failure("ShortAnswer", words, _AGAIN)
    words = f"the list of {action} repeats itself or does not stay as it is"
    raise failure("ShiftingAnswer", words, _AGAIN)


def is_refused(error: CloudError) -> bool:
    """Whether the credentials lack the right to ask."""
    return error.code.startswith(("UnauthorizedOperation", "AuthFailure.UnauthorizedOperation"))


def tags_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """An entry's tags by key."""
    return {tag["Key"]: tag["Value"] for tag in entry.get("Tags") or ()}


def _response(client: Any, action: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ANN401 - see `credentials`
    try:
        return dict(client.call_json(action, dict(parameters))["Response"])
    except Exception as error:
        raise cloud_error(error) from error


def _profile() -> Any:  # noqa: ANN401 - see `credentials`
    from tencentcloud.common.profile.client_profile import ClientProfile
    from tencentcloud.common.profile.http_profile import HttpProfile

    bounds = HttpProfile(
        endpoint=ENDPOINT or None,
        reqTimeout=failures.READ_S,
        # The SDK's own list of authorities knows no company's proxy.
        certification=os.environ.get("REQUESTS_CA_BUNDLE"),
    )
    return ClientProfile(httpProfile=bounds, language="en-US")


def cloud_error(error: Exception) -> CloudError:
    """An error of Tencent's SDK as ours: its code, its words, and what to do."""
    if isinstance(error, CloudError):
        return error
    code = getattr(error, "code", None)
    if not isinstance(code, str):
        return unreadable(Cloud.TENCENT, error)
    hint = next((text for start, text in ADVICE.items() if code.startswith(start)), _AGAIN)
    return failure(code, str(getattr(error, "message", "")), hint)
