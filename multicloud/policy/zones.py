"""Time zones by their IANA names; nothing here ever falls back to UTC."""

from __future__ import annotations

import difflib
from functools import lru_cache
from importlib import resources
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from multicloud.errors import InvalidInputError

# In the files of the database, but no zones of anybody's.
_NOT_ZONES = frozenset({"Factory", "localtime", "posixrules"})

# Links and zones of the database that never change their offset, whatever the country did.
# `UTC` is the one of them that nobody writes by mistake.
_FIXED = frozenset(
    {"EST", "GMT", "GMT+0", "GMT-0", "GMT0", "Greenwich", "HST", "MST", "UCT", "Universal", "Zulu"}
)
_UTC = frozenset({"UTC", "Etc/UTC"})

# What the usual abbreviations may stand for; each is used in several countries.
_ABBREVIATIONS = {
    "AST": ("America/Halifax", "Asia/Riyadh"),
    "BST": ("Europe/London", "Asia/Dhaka"),
    "CDT": ("America/Chicago", "America/Havana"),
    "CEST": ("Europe/Berlin", "Europe/Paris"),
    "CST": ("Asia/Shanghai", "America/Chicago", "America/Havana"),
    "EDT": ("America/New_York",),
    "IST": ("Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin"),
    "JST": ("Asia/Tokyo",),
    "KST": ("Asia/Seoul",),
    "MDT": ("America/Denver",),
    "MSK": ("Europe/Moscow",),
    "PDT": ("America/Los_Angeles",),
    "PST": ("America/Los_Angeles", "Asia/Manila"),
    "SGT": ("Asia/Singapore",),
}


def load_zone(name: str) -> ZoneInfo:
    """The zone's rules.

    Raises: InvalidInputError naming the zone when the machine has no rules for it.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInputError(
            f'no rules for the time zone "{name}" on this machine.',
            detail="Nothing was evaluated, least of all in UTC.",
            hint="Install tzdata: pip install tzdata, or the system's tzdata package.",
        ) from error


def is_fixed(name: str) -> bool:
    """Whether the zone is a bare offset, which stays put when the country's clocks change."""
    return (name in _FIXED or name.startswith("Etc/")) and name not in _UTC


def check_zone(name: str) -> None:
    """Accept exactly the keys of the IANA database.

    Raises: InvalidInputError with candidates for abbreviations, offsets and wrong case, and
    with the way to install the database when there is none.
    """
    if name in _packaged_names() and name not in _NOT_ZONES:
        load_zone(name)
        return
    known = _known_names()
    if not known:
        load_zone(name)
    if name in known:
        return
    raise InvalidInputError(
        f'unknown time zone "{name}".',
        detail="Expected an IANA name such as Asia/Shanghai.",
        hint=_candidates(name, known),
    )


def _candidates(name: str, known: frozenset[str]) -> str:
    if name.upper() in _ABBREVIATIONS:
        return f"{name} may mean {_one_of(_ABBREVIATIONS[name.upper()])}: say which."
    if any(sign in name for sign in "+-") and any(char.isdigit() for char in name):
        return "An offset has no summer time: name the place, as in Europe/Berlin."
    same = [zone for zone in sorted(known) if zone.casefold() == name.casefold()]
    tail = name.rsplit("/", 1)[-1].replace(" ", "_").casefold()
    same += [zone for zone in sorted(known) if zone.rsplit("/", 1)[-1].casefold() == tail]
    near = same or difflib.get_close_matches(name, sorted(known), n=3)
    return f"Did you mean {_one_of(tuple(dict.fromkeys(near))[:3])}?" if near else ""


def _one_of(names: tuple[str, ...]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


@lru_cache(maxsize=1)
def _packaged_names() -> frozenset[str]:
    """Names in the tzdata package: quicker to read than the machine's own tree of files."""
    try:
        text = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8")
    except (ImportError, OSError):
        return frozenset()
    return frozenset(text.split())


@lru_cache(maxsize=1)
def _known_names() -> frozenset[str]:
    return frozenset(available_timezones() - _NOT_ZONES)
