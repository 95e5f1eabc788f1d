"""TPU slices, which the TPU API tells and no SDK of ours: by REST with Google's credentials.

docs.cloud.google.com/tpu/docs/reference/rest/v2/projects.locations.nodes/list
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from multicloud.clouds import failures
from multicloud.clouds.failures import failure
from multicloud.clouds.gcp import session as sessions
from multicloud.models.inventory import Node, NodeState
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from multicloud.models.project import CloudSettings

ENDPOINT = "https://tpu.googleapis.com"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# Node.state; others, such as what was preempted or hidden, is no node any more.
STATES: Mapping[str, NodeState] = {
    "CREATING": NodeState.PENDING,
    "STARTING": NodeState.PENDING,
    "REPAIRING": NodeState.PENDING,
    "READY": NodeState.RUNNING,
    "RESTARTING": NodeState.RUNNING,
    "REIMAGING": NodeState.RUNNING,
    "STOPPING": NodeState.STOPPING,
    "STOPPED": NodeState.STOPPING,
    "DELETING": NodeState.STOPPING,
}

_ADVICE: Mapping[int, str] = {
    401: sessions.ADVICE[401],
    403: "Give the credentials roles/tpu.viewer.",
}


def slices(settings: CloudSettings, project: str, region: str) -> Iterator[Node]:
    """Our slices in a region; none in a project that has the TPU API not enabled.

    Raises: CloudError, and whatever Google's libraries do.
    """
    session = _session(settings)
    url = f"{ENDPOINT}/v2/projects/{project}/locations/-/nodes"
    token, seen = "", set[str]()
    while True:
        answer = session.get(
            url,
            params={"pageToken": token} if token else {},
            timeout=(failures.CONNECT_S, failures.READ_S),
        )
        if answer.status_code == 403 and "SERVICE_DISABLED" in answer.text:
            return
        if answer.status_code != 200:
            words = f"the TPU API said {answer.status_code}"
            hint = _ADVICE.get(answer.status_code, "Run again in a minute.")
            raise failure(f"HTTP{answer.status_code}", words, hint)
        body = answer.json()
        lost = [zone for zone in body.get("unreachable", ()) if sessions.is_in(zone, region)]
        if lost:
            words = f"{', '.join(lost)} does not answer"
            raise failure("ZoneUnreachable", words, "Run again.")
        for told in body.get("nodes", ()):
            zone = told["name"].split("/")[3]
            is_ours = told.get("labels", {}).get("managed-by") == "multicloud"
            if is_ours and zone.startswith(f"{region}-") and told["state"] in STATES:
                yield _node(told, region, zone)
        token = body.get("nextPageToken", "")
        if not token:
            return
        if token in seen:
            raise failure("EndlessAnswer", "the list of slices has no end", "Run again.")
        seen.add(token)


def _session(settings: CloudSettings) -> Any:  # noqa: ANN401 - an AuthorizedSession
    """What asks by HTTP with Google's credentials, and asks again after what passes."""
    from google.auth.transport.requests import AuthorizedSession
    from requests.adapters import HTTPAdapter
    from urllib3 import Retry

    credentials = sessions.session(settings, scope=SCOPE).credentials
    session: Any = AuthorizedSession(credentials)  # type: ignore[no-untyped-call]  # google-auth
    again = Retry(
        total=failures.ATTEMPTS - 1,
        connect=0,
        read=0,
        status_forcelist=(429, 500, 502, 503),
        backoff_factor=0.2,
        raise_on_status=False,
        respect_retry_after_header=False,
    )
    session.mount("https://", HTTPAdapter(max_retries=again))
    return session


def _node(told: Mapping[str, Any], region: str, zone: str) -> Node:
    metadata = told.get("metadata", {})
    return Node(
        cloud=Cloud.GCP,
        region=region,
        zone=zone,
        id=told["name"].rpartition("/")[2],
        policy=metadata.get("multicloud-policy", ""),
        pool=metadata.get("multicloud-pool", ""),
        place=told["labels"].get("place", ""),
        instance_type=told["acceleratorType"],
        capacity_type=CapacityType.ON_DEMAND,
        state=STATES[told["state"]],
        launched_at=datetime.fromisoformat(told["createTime"]).astimezone(UTC),
    )
