"""Who we are with Google Cloud, and the GPUs that it lets us have."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from multicloud.clouds.gcp import session as sessions
from multicloud.models.account import Access, Quota
from multicloud.models.offer import CapacityType, Cloud

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from multicloud.models.project import CloudSettings

_MODEL = re.compile(r"(?P<spot>PREEMPTIBLE_)?NVIDIA_(?P<model>\w+)_GPUS")
# Machine types by the model in a metric's name, cloud.google.com/compute/docs/gpus. GPUs that are
# attached to N1 machines are left out: the catalogue has no such types.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "A100": ("a2-highgpu", "a2-megagpu"),
    "A100_80GB": ("a2-ultragpu",),
    "H100": ("a3-highgpu",),
    "H100_MEGA": ("a3-megagpu",),
    "H200": ("a3-ultragpu",),
    "B200": ("a4-highgpu",),
    "L4": ("g2-",),
}
_ALL = "GPUS_ALL_REGIONS"


class GcpAccount:
    """Asks Google's token service and Compute Engine."""

    def __init__(self, settings: CloudSettings) -> None:
        self._settings = settings

    def access(self) -> Access:
        """Who the credentials belong to, and the project; no end, since tokens are renewed.

        Raises: CloudError.
        """
        found = sessions.session(self._settings)
        try:
            sessions.refresh(found.credentials)
        except Exception as error:
            raise sessions.cloud_error(error) from error
        where = f", project {found.project}" if found.project else ""
        return Access(cloud=Cloud.GCP, who=_who(found.credentials) + where)

    def quotas(self, region: str) -> tuple[Quota, ...]:
        """The region's quotas of GPUs by model, and the project's of all GPUs everywhere.

        Models from H100 on have their on-demand quota in the Cloud Quotas API alone. A project
        that never asked for a `PREEMPTIBLE_` quota takes spot GPUs from the ordinary one
        (cloud.google.com/compute/resource-usage). Raises: CloudError.
        """
        found = sessions.in_project(self._settings)
        try:
            told = _told(found, region)
        except Exception as error:
            raise sessions.cloud_error(error) from error
        asked_for = {one.metric for one in told if one.limit > 0}
        quotas = [quota for one in told if (quota := _quota(one, region, asked_for))]
        return tuple(sorted(quotas, key=lambda quota: quota.name))


def _told(found: sessions.Session, region: str) -> list[Any]:
    from google.cloud.compute_v1 import ProjectsClient, RegionsClient

    asked = {"project": found.project}
    regions = sessions.client(RegionsClient, found.credentials)
    here = regions.get(**asked, region=region, **sessions.bounds()).quotas
    projects = sessions.client(ProjectsClient, found.credentials)
    everywhere = projects.get(**asked, **sessions.bounds()).quotas
    return [*here, *(quota for quota in everywhere if quota.metric == _ALL)]


def _quota(told: Any, region: str, asked_for: Collection[str]) -> Quota | None:  # noqa: ANN401 - compute_v1.Quota
    """None for a quota that bounds no type of the catalogue, or that nobody asked for.

    `asked_for` are metrics with a limit above 0: a `PREEMPTIBLE_` one at 0 bounds nothing, and
    spot GPUs come out of the ordinary one.
    """
    match = _MODEL.fullmatch(told.metric)
    families = FAMILIES.get(match["model"], ()) if match else ()
    if match is None or not families:
        if told.metric != _ALL:
            return None
        capacity: tuple[CapacityType, ...] = (CapacityType.ON_DEMAND, CapacityType.SPOT)
    elif match["spot"]:
        if told.metric not in asked_for:
            return None
        capacity = (CapacityType.SPOT,)
    elif f"PREEMPTIBLE_{told.metric}" in asked_for:
        capacity = (CapacityType.ON_DEMAND,)
    else:
        capacity = (CapacityType.ON_DEMAND, CapacityType.SPOT)
    return Quota(
        cloud=Cloud.GCP,
        region=region,
        name=told.metric,
        unit="gpu",
        limit=Decimal(str(told.limit)),
        used=Decimal(str(told.usage)),
        families=families,
        capacity=capacity,
    )


def _who(credentials: Any) -> str:  # noqa: ANN401 - google-auth has many kinds
    """The service account's or the user's address; what kind they are where none is told."""
    email = getattr(credentials, "service_account_email", None) or _mail(credentials)
    return str(email or f"unnamed {type(credentials).__module__.rpartition('.')[2]}")


def _mail(credentials: Any) -> object:  # noqa: ANN401 - see `_who`
    """A user's address: gcloud's file leaves `account` empty, but Google signs it with a token."""
    from google.auth import jwt

    decode: Any = jwt.decode
    token = getattr(credentials, "id_token", None)
    if not token:
        return getattr(credentials, "account", None)
    try:
        return decode(token, verify=False).get("email")
    except ValueError:
        return None
