"""Azure's credentials and clients with our bounds on time, and what refusals ask for."""

from __future__ import annotations

import importlib
import logging
import os
from typing import TYPE_CHECKING, Any

from multicloud.clouds import failures
from multicloud.clouds.failures import failure, missing_sdk, unreadable
from multicloud.errors import CloudError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.project import CloudSettings

ENDPOINT = "https://management.azure.com"
SCOPE = "https://management.azure.com/.default"

_LOGIN = "Get new ones, by az login or of the service principal."
_AGAIN = "Run again in a minute."
_NETWORK = "Check the network, a proxy, and the name service."
# What to do about an HTTP status, learn.microsoft.com/rest/api/azure.
ADVICE: Mapping[int, str] = {
    400: "Check subscription and region in the project file.",
    401: _LOGIN,
    403: "Give the credentials the role Reader on the subscription.",
    404: "Check subscription and region in the project file.",
    429: _AGAIN,
}
# azure-identity has one class of errors for nothing to show, for a refusal and for silence; only
# its lines tell them apart.
_REFUSALS = ("AADSTS", "Token request error")
_SILENCES = ("timed out", "ConnectionPool", "JSON is invalid")


def credential() -> Any:  # noqa: ANN401 - azure-identity is loaded when it is used
    """Azure's ordinary chain of credentials.

    Raises: CloudError without the SDK.
    """
    try:
        importlib.import_module("azure.mgmt.compute")
        from azure.identity import DefaultAzureCredential
    except ImportError as error:
        missing_sdk(Cloud.AZURE, error)
    # Each step of the chain that finds nothing would be told on stderr; the error tells it.
    logging.getLogger("azure").addHandler(logging.NullHandler())
    return DefaultAzureCredential(process_timeout=max(1, int(failures.READ_S)), **bounds())


def subscription(settings: CloudSettings) -> str:
    """The project file's subscription, or the one that Terraform's provider would take.

    Raises: CloudError where none is named.
    """
    found = settings.subscription or os.environ.get("ARM_SUBSCRIPTION_ID", "")
    if not found:
        hint = "Set clouds.azure.subscription or ARM_SUBSCRIPTION_ID."
        raise failure("NoSubscription", "no subscription is named", hint)
    return found


def client(credential: Any, subscription: str) -> Any:  # noqa: ANN401 - see `credential`
    """A client of the compute service."""
    from azure.mgmt.compute import ComputeManagementClient

    return ComputeManagementClient(
        credential,
        subscription,
        base_url=ENDPOINT,
        credential_scopes=[SCOPE],
        retry_policy=_patience(),
        **bounds(),
    )


def bounds() -> dict[str, Any]:
    """How often and how long a request is tried: keyword arguments of every pipeline."""
    return {
        "connection_timeout": failures.CONNECT_S,
        "read_timeout": failures.READ_S,
        "retry_total": failures.ATTEMPTS - 1,
        # Silence is not asked again: three times would be longer than doctor waits.
        "retry_read": 0,
        "retry_backoff_factor": 0.2,
        "retry_backoff_max": 1,
    }


def pages(pager: Any) -> Iterator[Any]:  # noqa: ANN401 - the SDK's ItemPaged
    """The entries of a list of the SDK's. Raises: CloudError for one that leads to itself."""
    told = pager.by_page()
    seen: set[str] = set()
    for page in told:
        yield from page
        token = told.continuation_token
        if token and token in seen:
            raise failure("EndlessAnswer", "the list has no end", _AGAIN)
        seen.add(token)


def _patience() -> Any:  # noqa: ANN401 - see `credential`
    from azure.core.pipeline.policies import RetryPolicy

    class Bounded(RetryPolicy[Any, Any]):
        """Waits no longer than a read may take, whatever the service would like."""

        def get_retry_after(self, response: Any) -> float | None:  # noqa: ANN401
            told = super().get_retry_after(response)
            return None if told is None else min(told, failures.READ_S)

    return Bounded(**bounds())


def cloud_error(error: Exception) -> CloudError:
    """An error of Azure's SDK as ours: its code, its words, and what to do."""
    if isinstance(error, CloudError):
        return error
    name = type(error).__name__
    if name in {"DecodeError", "DeserializationError"} or isinstance(
        error, AttributeError | LookupError | TypeError
    ):
        return unreadable(Cloud.AZURE, error)
    status = getattr(error, "status_code", None)
    if name == "ClientAuthenticationError" and status is None:
        return _not_let_in(name, str(error))
    told = getattr(error, "error", None)
    words = str(getattr(told, "message", "") or getattr(error, "message", "") or error)
    hint = ADVICE.get(status, _AGAIN) if status else _NETWORK
    return failure(str(getattr(told, "code", "") or name), words, hint)


def _not_let_in(name: str, words: str) -> CloudError:
    """Of the chain's many lines only what is known to hold no secret."""
    for line in words.splitlines():
        starts = [line.find(mark) for mark in _REFUSALS if mark in line]
        if starts:
            return failure(name, line[min(starts) :], _LOGIN)
    if any(mark in words for mark in _SILENCES):
        return failure("NoToken", "Azure's token service gave no whole answer", _NETWORK)
    hint = "Run: az login, or set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET."
    return failure(name, "no credentials in Azure's chain", hint, is_missing=True)
