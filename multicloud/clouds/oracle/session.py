"""Oracle Cloud's credentials and clients with our bounds on time, and what refusals ask for."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from multicloud.clouds import failures
from multicloud.clouds.failures import failure, missing_sdk, unreadable
from multicloud.errors import CloudError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicloud.models.project import CloudSettings

ENDPOINT = ""
"""URL that stands in for each service's own; empty means the cloud."""

_PAGES = 1_000
_AGAIN = "Run again in a minute."
_NEW = "Look at key, fingerprint, user and tenancy in the file, or run: oci setup config"
# HTTP status, docs.oracle.com/iaas/Content/API/References/apierrors.htm, and what to do about it.
ADVICE: Mapping[int, str] = {
    400: "Check region and compartment in the project file.",
    401: _NEW,
    404: "Give the group a policy; docs/clouds/oracle.md lists them.",
    429: _AGAIN,
}
_NO_CONFIG = frozenset({"ConfigFileNotFound", "ProfileNotFound"})
_BAD_CONFIG = frozenset({"InvalidConfig", "InvalidPrivateKey", "InvalidKeyFilePath"})


def config(settings: CloudSettings, region: str | None = None) -> dict[str, Any]:
    """The profile of the file of Oracle's command line, with its region or another.

    Raises: CloudError without the SDK, MissingCredentialsError without a usable profile.
    """
    try:
        import oci
    except ImportError as error:
        missing_sdk(Cloud.ORACLE, error)
    file = os.environ.get("OCI_CLI_CONFIG_FILE") or oci.config.DEFAULT_LOCATION
    profile = settings.profile or os.environ.get("OCI_CLI_PROFILE") or oci.config.DEFAULT_PROFILE
    try:
        found = dict(oci.config.from_file(file, profile))
        if region:
            found["region"] = region
        oci.config.validate_config(found)
    except Exception as error:
        raise cloud_error(error) from error
    return found


def client(kind: Any, found: Mapping[str, Any]) -> Any:  # noqa: ANN401 - one of oci's clients
    """A client that gives up in time. Raises: CloudError for a key that cannot be used."""
    import oci

    again = (
        oci.retry.RetryStrategyBuilder(
            max_attempts_check=True,
            max_attempts=failures.ATTEMPTS,
            retry_max_wait_between_calls_seconds=1,
            retry_base_sleep_time_seconds=0.2,
        )
        .add_service_error_check()
        .get_retry_strategy()
    )
    try:
        made = kind(found, retry_strategy=again, timeout=(failures.CONNECT_S, failures.READ_S))
    except Exception as error:
        raise cloud_error(error) from error
    if ENDPOINT:
        made.base_client.endpoint = ENDPOINT
    return made


def pages(call: Callable[..., Any], *arguments: object, **named: object) -> list[Any]:
    """Everything that a list of Oracle's SDK holds, to its last page.

    Each entry of a list that was cut short is one without an id or a name to the SDK.
    Raises: CloudError, and whatever the SDK does.
    """
    found: list[Any] = []
    seen: set[str] = set()
    page: str | None = None
    for _ in range(_PAGES):
        answer = call(*arguments, **named, **({"page": page} if page else {}))
        entries = answer.data or ()
        entries = getattr(entries, "items", entries)
        for entry in entries:
            if not (getattr(entry, "id", None) or getattr(entry, "name", None)):
                raise unreadable(Cloud.ORACLE, TypeError())
            found.append(entry)
        page = answer.headers.get("opc-next-page")
        if not page:
            return found
        if page in seen:
            break
        seen.add(page)
    raise failure("EndlessAnswer", "the list has no end", "Run again.")


def zone_of(region: str, domain: str) -> str:
    """An availability domain as policies name it: `Uocm:US-ASHBURN-AD-1` is `us-ashburn-1-AD-1`.

    The tenancy's own beginning is left out: it differs from tenancy to tenancy.
    """
    number = re.search(r"[0-9]+$", domain)
    return f"{region}-AD-{number.group()}" if number else domain


def cloud_error(error: Exception) -> CloudError:
    """An error of Oracle's SDK as ours: its code, its words, and what to do."""
    if isinstance(error, CloudError):
        return error
    name = type(error).__name__
    words = str(getattr(error, "message", "") or error)
    if name in _NO_CONFIG:
        return failure(name, words, "Run: oci setup config", is_missing=True)
    if name in _BAD_CONFIG or isinstance(error, FileNotFoundError):
        return failure(name, words, _NEW, is_missing=True)
    status = getattr(error, "status", None)
    if isinstance(status, int):
        code = str(getattr(error, "code", None) or status)
        return failure(code, words, ADVICE.get(status, _AGAIN))
    if name in {"RequestException", "ConnectTimeout", "ReadTimeout", "ConnectionError"}:
        return failure(name, "no answer", "Check the network, a proxy, and the name service.")
    return unreadable(Cloud.ORACLE, error)
