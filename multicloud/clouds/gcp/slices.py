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


def slices(settings: CloudSettings, project: str, region: str) -> Iterator[Node]:
    """Our slices in a region; none in a project that has the TPU API not enabled.

    Raises: CloudError, and whatever Google's libraries do.
    """
    from google.auth.transport.requests import AuthorizedSession

    credentials = sessions.session(settings, scope=SCOPE).credentials
    session: Any = AuthorizedSession(credentials)  # type: ignore[no-untyped-call]  # google-auth
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
            raise failure(f"HTTP{answer.status_code}", words, "Run again in a minute.")
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
