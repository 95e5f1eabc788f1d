"""What the clouds say of our credentials, and how long these still hold."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.models.offer import Cloud
from multicloud.models.project import CloudSettings, Target
from multicloud.run.finding import Finding, Health

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from multicloud.clouds.accounts import Told
    from multicloud.errors import CloudError
    from multicloud.models.account import Access, Quota
    from multicloud.models.project import Project

# Of each cloud's own SDK chain the variables that show that somebody meant to give credentials.
VARIABLES: Mapping[Cloud, tuple[str, ...]] = {
    Cloud.AWS: ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"),
    Cloud.GCP: ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CREDENTIALS"),
    Cloud.AZURE: ("AZURE_CLIENT_ID", "ARM_CLIENT_ID"),
    Cloud.TENCENT: ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_PROFILE"),
    Cloud.ALIBABA: ("ALIBABA_CLOUD_ACCESS_KEY_ID", "ALICLOUD_ACCESS_KEY", "ALIBABA_CLOUD_PROFILE"),
    Cloud.ORACLE: ("OCI_CLI_PROFILE", "OCI_CLI_CONFIG_FILE", "OCI_CLI_USER"),
}
SHORT = timedelta(hours=1)
"""Credentials that end sooner may end in the middle of an apply."""


def check_credentials(
    project: Project, environ: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """One finding per cloud, and for a live target one per quota of a region that is set up.

    A live target asks every cloud of the project file, or for which a variable is set; the
    sandbox asks none, since it must work without an account and without a network.
    """
    named = {cloud: [n for n in names if environ.get(n)] for cloud, names in VARIABLES.items()}
    if project.target is not Target.LIVE:
        for cloud, found in named.items():
            if found:
                text = f"credentials by {found[0]}; the sandbox does not use them"
                yield Finding(name=cloud, health=Health.OK, text=text)
        return
    from multicloud.clouds.accounts import ask_all

    wanted = {
        cloud: project.clouds.get(cloud, CloudSettings())
        for cloud in VARIABLES
        if cloud in project.clouds or named[cloud]
    }
    for cloud, told in ask_all(wanted).items():
        yield from _of_account(cloud, told, now)


def _of_account(cloud: Cloud, told: Told, now: datetime) -> Iterator[Finding]:
    from multicloud.errors import CloudError

    if isinstance(told.access, CloudError):
        yield _failed(cloud, told.access)
        return
    yield _life(cloud, told.access, now)
    for region, quotas in told.quotas.items():
        if isinstance(quotas, CloudError):
            yield Finding(
                name=f"{cloud}/{region}",
                health=Health.NOTE,
                text=f"quotas cannot be read: {quotas.summary}",
                hint=quotas.hint,
            )
        else:
            yield from (_quota(quota) for quota in quotas)


def _failed(cloud: Cloud, error: CloudError) -> Finding:
    names = " or ".join(VARIABLES[cloud])
    hint = error.hint or f"Set {names}, or the files that {CLOUDS[cloud].title}'s SDK reads."
    return Finding(name=cloud, health=Health.BAD, text=error.summary, hint=hint)


def _life(cloud: Cloud, access: Access, now: datetime) -> Finding:
    if access.expires_at is None:
        return Finding(name=cloud, health=Health.OK, text=f"{access.who}, no end known")
    left = access.expires_at - now
    if left <= timedelta(0):
        text = f"{access.who}, credentials ended {access.expires_at:%Y-%m-%d %H:%M}Z"
        return Finding(name=cloud, health=Health.BAD, text=text, hint="Get new ones.")
    minutes = left // timedelta(minutes=1)
    text = f"{access.who}, for {minutes // 60} h {minutes % 60:02} min more"
    if left < SHORT:
        hint = "They may end during an apply: renew them first."
        return Finding(name=cloud, health=Health.NOTE, text=text, hint=hint)
    return Finding(name=cloud, health=Health.OK, text=text)


def _quota(quota: Quota) -> Finding:
    used = "" if quota.used is None else f", {quota.used.normalize():f} used"
    text = f"{quota.name}: {quota.limit.normalize():f} {quota.unit}{used}"
    health = Health.NOTE if quota.limit == 0 else Health.OK
    where = f"{quota.cloud}/{quota.region}" + (f"/{quota.zone}" if quota.zone else "")
    hint = "None can be had: ask for more." if quota.limit == 0 else ""
    return Finding(name=where, health=health, text=text, hint=hint)
