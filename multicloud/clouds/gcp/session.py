"""Google Cloud's credentials and clients with our bounds on time, and what refusals ask for."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from multicloud.clouds import failures
from multicloud.clouds.failures import failure, missing_sdk, unreadable
from multicloud.errors import CloudError
from multicloud.models.offer import Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.project import CloudSettings

ENDPOINT = "https://compute.googleapis.com"
# The narrowest scope of regions.get and projects.get, cloud.google.com/compute/docs/reference.
SCOPE = "https://www.googleapis.com/auth/compute.readonly"
# The narrowest of services.skus.list, cloud.google.com/billing/docs/reference/rest.
BILLING_SCOPE = "https://www.googleapis.com/auth/cloud-billing.readonly"

_LOGIN = "Get new ones, by: gcloud auth application-default login"
_AGAIN = "Run again in a minute."
_NETWORK = "Check the network, a proxy, and the name service."
# What to do about an HTTP status, cloud.google.com/compute/docs/api/troubleshooting.
ADVICE: Mapping[int, str] = {
    400: "Check project and region in the project file.",
    401: _LOGIN,
    403: "Give the credentials roles/compute.viewer, and enable the Compute Engine API"
    " (for prices the Cloud Billing API).",
    404: "Check project and region in the project file.",
    429: _AGAIN,
}
_WORDS: Mapping[str, str] = {
    "RefreshError": _LOGIN,
    "TransportError": _NETWORK,
    "ConnectTimeout": _NETWORK,
    "ConnectionError": _NETWORK,
    "ReadTimeout": _AGAIN,
}


class Session(NamedTuple):
    """Credentials by Google's ordinary chain, and the project that they are used in."""

    credentials: Any
    project: str


def session(settings: CloudSettings, *, scope: str = SCOPE) -> Session:
    """Find credentials; `project` is empty where neither file nor environment names one.

    Raises: CloudError without the SDK, MissingCredentialsError without credentials.
    """
    try:
        import google.auth
        import google.cloud.compute_v1
    except ImportError as error:
        missing_sdk(Cloud.GCP, error)
    try:
        with warnings.catch_warnings():
            # About a quota project of gcloud's users, which Compute Engine does not ask for.
            warnings.simplefilter("ignore")
            credentials, project = google.auth.default(scopes=[scope])
    except Exception as error:
        raise cloud_error(error) from error
    return Session(credentials, settings.project or project or "")


def in_project(settings: CloudSettings) -> Session:
    """The same, where a project must be known. Raises: CloudError."""
    found = session(settings)
    if not found.project:
        raise failure("NoProject", "no project is named", "Set clouds.gcp.project.")
    return found


def refresh(credentials: Any) -> None:  # noqa: ANN401 - google-auth has many kinds
    """Get a token, as a proof that Google takes the credentials."""
    from google.auth.transport.requests import Request

    bounds = (failures.CONNECT_S, failures.READ_S)
    credentials.refresh(partial(Request(), timeout=bounds))


def billed(found: Session) -> Any:  # noqa: ANN401 - google-auth has many kinds
    """The credentials with the project as the one whose quota is used, where a person has none.

    The billing catalogue refuses people without one; a service account has its own.
    """
    from google.oauth2.credentials import Credentials

    credentials = found.credentials
    if isinstance(credentials, Credentials) and found.project and not credentials.quota_project_id:
        return credentials.with_quota_project(found.project)
    return credentials


def client(kind: Any, credentials: Any, endpoint: str = "") -> Any:  # noqa: ANN401 - one of Google's clients
    """A client by REST, which keeps no gRPC connection; of Compute Engine without `endpoint`."""
    return kind(
        credentials=credentials,
        transport="rest",
        client_options={"api_endpoint": endpoint or ENDPOINT},
    )


def pages(pager: Any) -> Iterator[Any]:  # noqa: ANN401 - the SDK has one class per list
    """The pages of a list of the SDK's. Raises: CloudError for one that leads to itself."""
    seen: set[str] = set()
    for page in pager.pages:
        yield page
        token = page.next_page_token
        if token and token in seen:
            raise failure("EndlessAnswer", "the list has no end", _AGAIN)
        seen.add(token)


def scoped(
    client: Any,  # noqa: ANN401 - one of compute_v1's clients
    project: str,
    region: str,
    what: str,
    wanted: str = "",
) -> Iterator[tuple[str, Any]]:
    """Entries of a list over all zones that are in a region, each with the zone or region it is in.

    A zone of the region that is told as not answering makes the whole an error.
    Raises: CloudError, and whatever the SDK does.
    """
    asked = {"project": project, **({"filter": wanted} if wanted else {})}
    pager = client.aggregated_list(request=asked, **bounds())
    for page in pages(pager):
        lost = [place for place in page.unreachables if is_in(place, region)]
        for scope, listed in page.items.items():
            if is_in(scope, region):
                lost += [scope] if listed.warning.code not in ("", "NO_RESULTS_ON_PAGE") else []
                for entry in getattr(listed, what):
                    yield scope.rpartition("/")[2], entry
        if lost:
            raise failure("ZoneUnreachable", f"{', '.join(lost)} does not answer", _AGAIN)


def is_in(scope: str, region: str) -> bool:
    """Whether `regions/us-east1`, `zones/us-east1-b`, or a longer path, is of a region."""
    name = scope.rpartition("/")[2]
    return region in (name, name.rpartition("-")[0])


def bounds() -> dict[str, Any]:
    """How often and how long a call is tried: keyword arguments of every method."""
    from google.api_core import exceptions, retry

    passing = (
        exceptions.TooManyRequests,
        exceptions.InternalServerError,
        exceptions.BadGateway,
        exceptions.ServiceUnavailable,
    )
    again = retry.Retry(
        predicate=retry.if_exception_type(*passing),
        initial=0.2,
        maximum=1.0,
        timeout=failures.READ_S,
    )
    return {"retry": again, "timeout": failures.READ_S}


def cloud_error(error: Exception) -> CloudError:
    """An error of Google's SDK as ours: its code, its words, and what to do."""
    if isinstance(error, CloudError):
        return error
    cause = getattr(error, "cause", None)
    if type(error).__name__ == "RetryError" and isinstance(cause, Exception):
        return cloud_error(cause)
    name = type(error).__name__
    words = str(getattr(error, "message", "") or (error.args[0] if error.args else ""))
    if name == "DefaultCredentialsError":
        hint = "Run: gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS."
        return failure(name, words, hint, is_missing=True)
    if name == "ParseError" or isinstance(
        error, AttributeError | LookupError | TypeError | ValueError
    ):
        return unreadable(Cloud.GCP, error)
    status = getattr(error, "code", None)
    hint = ADVICE.get(status, "") if isinstance(status, int) else ""
    return failure(name, words, hint or _WORDS.get(name, _AGAIN))
