"""What the `prices` commands do with the project's store."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.catalog.clouds import CLOUDS, matches_place
from multicloud.catalog.columns import near_miss
from multicloud.catalog.market import build_market
from multicloud.errors import InvalidInputError
from multicloud.models.offer import Cloud
from multicloud.models.pool import PriceTrust
from multicloud.models.project import CloudSettings, Target
from multicloud.policy.instants import parse_at
from multicloud.policy.places import parse_place
from multicloud.policy.scalars import ScalarError
from multicloud.run.inputs import load_project, load_snapshot
from multicloud.run.layout import Layout
from multicloud.run.refresh import NEW_FOR, TIMEOUT_S, refresh
from multicloud.run.stored import store_place
from multicloud.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime, timedelta
    from pathlib import Path

    from multicloud.catalog.market import Priced
    from multicloud.models.feed import Feed, Look, PricePoint
    from multicloud.models.offer import OfferKey
    from multicloud.models.place import Place
    from multicloud.models.project import Project
    from multicloud.run.refresh import Refreshed
    from multicloud.store.prices import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked of prices: where the project is, at which instant, of which offers.

    No places, types or capacity mean all.
    """

    root: Path
    project: Project
    now: datetime
    places: tuple[Place, ...] = ()
    types: tuple[str, ...] = ()
    capacity: tuple[str, ...] = ()

    def takes(self, key: OfferKey) -> bool:
        """Whether an offer was meant."""
        zone = key.zone or None
        types = {type_.casefold() for type_ in self.types}
        if types and key.instance_type.casefold() not in types:
            return False
        if self.capacity and key.capacity_type not in self.capacity:
            return False
        places = (matches_place(place, key.cloud, key.region, zone) for place in self.places)
        return not self.places or any(places)


def place_of(text: str) -> Place:
    """A place as given by `--in`. Raises: InvalidInputError."""
    try:
        return parse_place(text)
    except ScalarError as error:
        raise InvalidInputError(
            f"--in: {error.summary}", detail=error.expected, hint=error.hint
        ) from error


def clouds_of(text: str | None) -> tuple[Cloud, ...]:
    """Clouds as given by `--cloud aws,tencent`; none for all. Raises: InvalidInputError."""
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    unknown = [name for name in names if name not in set(Cloud)]
    if unknown:
        raise InvalidInputError(
            f'--cloud: unknown cloud "{unknown[0]}".{near_miss(unknown[0], Cloud)}',
            detail=f"Expected {', '.join(Cloud)}.",
        )
    return tuple(dict.fromkeys(Cloud(name) for name in names))


def asked(
    folder: Path,
    *,
    at: str | None = None,
    target: str | None = None,
    places: Sequence[Place] = (),
    types: Sequence[str] = (),
    capacity: Sequence[str] = (),
) -> Asked:
    """Read the project and the instant. Raises: InvalidInputError."""
    root, project = load_project(folder)
    if target:
        project = replace(project, target=Target(target))
    return Asked(
        root=root,
        project=project,
        now=clock.utcnow() if at is None else parse_at(at, None),
        places=tuple(places),
        types=tuple(types),
        capacity=tuple(capacity),
    )


def refresh_prices(
    wanted: Asked,
    clouds: Sequence[Cloud],
    regions: Sequence[str],
    *,
    again: bool,
    new_for: timedelta = NEW_FOR,
    timeout_s: float = TIMEOUT_S,
    on_progress: Callable[[Cloud, str], None] | None = None,
) -> Refreshed:
    """Read the clouds' prices into the store; the sandbox's from the simulated clouds.

    Raises: InvalidInputError for a region that none of the clouds has; StoreError.
    """
    _check_regions(clouds, regions)
    feeds = _feeds(wanted, clouds or tuple(CLOUDS), tuple(regions))
    with _store(wanted) as store:
        return refresh(
            feeds,
            store.market,
            now=wanted.now,
            again=again,
            new_for=new_for,
            timeout_s=timeout_s,
            on_progress=on_progress,
        )


def show_prices(wanted: Asked) -> tuple[Priced, ...]:
    """Every offer meant with the price that counts now, by key; bundled ones included."""
    snapshot, _ = load_snapshot(None, wanted.project, root=wanted.root, now=wanted.now)
    market = build_market(
        snapshot,
        now=wanted.now,
        fx=wanted.project.fx,
        discounts=wanted.project.discounts,
        trust=PriceTrust(),
    )
    keys = sorted({offer.key for offer in snapshot.offers if wanted.takes(offer.key)})
    return tuple(priced for key in keys if (priced := market.get(key)) is not None)


def price_history(wanted: Asked, start: datetime, end: datetime) -> Iterator[History]:
    """Prices of the offers meant, first seen from `start` to `end`, both included."""
    with _store(wanted) as store:
        yield from store.market.history(start, end, takes=wanted.takes)


def accept_prices(wanted: Asked) -> tuple[OfferKey, ...]:
    """Believe the newest price of every offer meant that is in quarantine; which those were."""
    doubted = [priced for priced in show_prices(wanted) if priced.doubted is not None]
    with _store(wanted) as store:
        for priced in doubted:
            quote = priced.doubted
            store.market.accept(priced.key, quote.site if quote else "")
    return tuple(priced.key for priced in doubted)


def import_points(wanted: Asked, points: Iterable[PricePoint]) -> int:
    """Write points of any age; how many were new."""
    with _store(wanted) as store:
        return store.market.import_points(point for point in points if wanted.takes(point.key))


def import_looks(wanted: Asked, looks: Sequence[Look]) -> int:
    """Write looks at stock of any age; how many were new."""
    with _store(wanted) as store:
        return store.market.import_looks([look for look in looks if wanted.takes(look.key)])


@contextmanager
def _store(wanted: Asked) -> Iterator[Store]:
    layout = Layout(wanted.root)
    layout.prepare()
    place = store_place(wanted.project, layout)
    with Store.open(place, target=wanted.project.target) as store:
        yield store


def _check_regions(clouds: Sequence[Cloud], regions: Sequence[str]) -> None:
    known = {name for cloud in clouds or CLOUDS for name in CLOUDS[cloud].regions}
    unknown = [region for region in regions if region not in known]
    if unknown:
        raise InvalidInputError(
            f'"{unknown[0]}" is no region of {", ".join(clouds) or "any cloud"}.',
            hint="Give the cloud's own id, such as us-east-1.",
        )


def _feeds(
    wanted: Asked, clouds: Sequence[Cloud], regions: tuple[str, ...]
) -> Mapping[Cloud, Feed]:
    project = wanted.project
    # Of regions that were named each cloud is asked for its own; without any it is left alone.
    own = {cloud: tuple(r for r in regions if r in CLOUDS[cloud].regions) for cloud in clouds}
    asked = [cloud for cloud in clouds if own[cloud] or not regions]
    if project.target is Target.SANDBOX:
        from multicloud.sandbox.feed import SandboxFeed
        from multicloud.sandbox.store import CloudStore

        simulated = CloudStore(Layout(wanted.root).sandbox)
        return {
            cloud: SandboxFeed(
                cloud,
                simulated,
                site=project.site(cloud),
                now=lambda: wanted.now,
                regions=own[cloud],
            )
            for cloud in asked
        }
    return {cloud: _live_feed(cloud, project.clouds.get(cloud), own[cloud]) for cloud in asked}


def _live_feed(cloud: Cloud, settings: CloudSettings | None, regions: tuple[str, ...]) -> Feed:
    """A cloud's prices; with the account's quotas in the regions that the project names."""
    from multicloud.clouds.accounts import ACCOUNTS
    from multicloud.clouds.feeds import FEEDS
    from multicloud.clouds.quotas import WithQuotas

    if settings is None:
        return FEEDS[cloud](CloudSettings(), regions)
    ours = tuple(r for r in settings.regions if not regions or r in regions)
    return WithQuotas(FEEDS[cloud](settings, regions), ACCOUNTS[cloud](settings), ours)
