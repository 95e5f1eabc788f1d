"""The project file: accounts and facts, compiled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from multicloud.catalog.clouds import CLOUDS
from multicloud.errors import PolicyError
from multicloud.models.offer import Cloud
from multicloud.models.project import Backend, CloudSettings, Project, RegionSettings, Target
from multicloud.policy import kinds as k
from multicloud.policy.check import check
from multicloud.policy.context import Context
from multicloud.policy.facts import (
    compile_commitments,
    compile_discounts,
    compile_fx,
    compile_limits,
)
from multicloud.policy.near import did_you_mean
from multicloud.policy.problems import Problems, raise_all
from multicloud.policy.raw import PROJECT
from multicloud.policy.reader import Reader, parsed
from multicloud.policy.yaml_source import Scalar, parse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from multicloud.policy.compile import Source

# Settings of state backends that are credentials; they belong into the environment.
_SECRET = re.compile(r"secret|password|token|access_key$|sas|private|credential", re.IGNORECASE)


_ACCOUNT = {
    "profile": k.TEXT,
    "project": k.TEXT,
    "subscription": k.TEXT,
    "resource_group": k.TEXT,
    "compartment": k.TEXT,
    "service_account": k.TEXT,
    "orchestration": k.ORCHESTRATION,
}
_OF_CLOUDS = {
    "profile": (Cloud.AWS, Cloud.TENCENT, Cloud.ALIBABA, Cloud.ORACLE),
    "project": (Cloud.GCP,),
    "subscription": (Cloud.AZURE,),
    "resource_group": (Cloud.AZURE, Cloud.ALIBABA),
    "compartment": (Cloud.ORACLE,),
    "service_account": (Cloud.GCP,),
    "orchestration": (Cloud.AZURE,),
}


def compile_project(source: Source) -> Project:
    """Compile the project file.

    Raises: InvalidInputsError with every fault, in file order.
    """
    problems = Problems()
    try:
        root = parse(source.text, file=source.file)
    except PolicyError as error:
        raise_all([error])
        raise
    check(root, PROJECT, "", problems)
    top = Reader(root, "", problems)
    context = Context(
        problems=problems,
        timezone="",
        calendar=None,
        currency="USD",
        fx=compile_fx(top),
        dates={},
    )
    project = Project(
        file=source.file,
        target=top.or_else("target", k.TARGET, Target.SANDBOX),
        policies=top.many("policies", k.TEXT),
        store=top.value("store", k.TEXT),
        backend=_backend(top),
        interval=_interval(top),
        heartbeat=_heartbeat(top),
        env=top.many("env", k.ENV_NAME),
        clouds=_clouds(top),
        fx=context.fx,
        discounts=compile_discounts(top),
        commitments=compile_commitments(top, context),
        only_in=top.many("only_in", k.PLACE),
        limits=compile_limits(top, context),
    )
    raise_all(problems.in_file_order())
    return project


def _interval(top: Reader) -> timedelta | None:
    """How often a watch acts at least."""
    found = top.value("interval", k.DURATION)
    if found is not None and not found:
        top.fault("interval", "is no time.", detail="Expected such as 5m.")
    return found


def _heartbeat(top: Reader) -> str | None:
    """The address that is fetched after each run."""
    found = top.value("heartbeat", k.TEXT)
    if found is not None and not found.startswith(("https://", "http://")):
        top.fault(
            "heartbeat", f'"{found}" is no address.', detail="Expected https://... or http://..."
        )
    return found


def _backend(top: Reader) -> Backend:
    node = top.get("backend")
    if isinstance(node, Scalar):
        return Backend(kind=parsed(node, k.BACKEND) or "local")
    settings = top.sub("backend")
    if settings is None:
        return Backend()
    kind_node = settings.get("type")
    if not isinstance(kind_node, Scalar):
        settings.fault("", '"type" is missing.', detail="Expected such as {type: s3, bucket: ...}.")
        return Backend()
    kind = parsed(kind_node, k.BACKEND)
    if kind is None:
        settings.fault(
            "type",
            f'unknown backend "{kind_node.text}".',
            detail=f"Expected {', '.join(k.BACKENDS)}.",
            hint=did_you_mean(kind_node.text, k.BACKENDS),
        )
    found: dict[str, str] = {}
    for key in settings:
        if key == "type":
            continue
        if _SECRET.search(key):
            settings.fault(
                key,
                "is a credential, and this file is meant to be committed.",
                hint="Set the backend's environment variable instead.",
            )
        found[key] = settings.value(key, k.TEXT) or ""
    return Backend(kind=kind or "local", settings=found)


def _clouds(top: Reader) -> Mapping[Cloud, CloudSettings]:
    clouds = top.sub("clouds")
    found: dict[Cloud, CloudSettings] = {}
    for name in clouds or ():
        settings = clouds.sub(name) if clouds else None
        if settings is not None and name in set(Cloud):
            found[Cloud(name)] = _cloud(Cloud(name), settings)
    return found


def _cloud(cloud: Cloud, settings: Reader) -> CloudSettings:
    sites = [site for site in CLOUDS[cloud].currencies if site]
    site = settings.value("site", k.TEXT) or ""
    if site and site not in sites:
        settings.fault(
            "site",
            f'{CLOUDS[cloud].title} has no site "{site}".',
            detail=f"Expected {' or '.join(sites)}." if sites else "It has one only.",
            hint=did_you_mean(site, sites),
        )
    regions: dict[str, RegionSettings] = {}
    listed = settings.sub("regions")
    for name in listed or ():
        region = listed.sub(name) if listed else None
        if region is None:
            continue
        if name not in CLOUDS[cloud].regions:
            region.fault(
                "",
                f'{CLOUDS[cloud].title} has no region "{name}".',
                hint=did_you_mean(name, list(CLOUDS[cloud].regions)),
            )
        regions[name] = RegionSettings(
            network=region.value("vpc", k.TEXT),
            subnets=region.many("subnets", k.TEXT),
            image=region.value("image", k.TEXT),
            key=region.value("key", k.TEXT),
        )
    for key, clouds in _OF_CLOUDS.items():
        if key in settings and cloud not in clouds:
            title = " and ".join(CLOUDS[one].title for one in clouds)
            settings.fault(key, f'"{key}" is of {title} only.', hint="Leave it out.")
    return CloudSettings(
        **{key: settings.value(key, kind) for key, kind in _ACCOUNT.items()},
        site=site,
        regions=regions,
    )
