"""Which pools a command is about."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from multicloud.models.pool import Policy


def select_pools(
    policies: Sequence[Policy], selectors: Sequence[str], running: Iterable[str] = ()
) -> frozenset[str]:
    """Names of the pools that match any selector (a name or a glob); all without selectors.

    Pools that left their policy and are still `running` can be named too.

    Raises:
        InvalidInputError: a selector is empty or matches no pool.
    """
    written = [pool.name for policy in policies for pool in policy.pools]
    names = list(dict.fromkeys([*written, *running]))
    if not selectors:
        return frozenset(names)
    chosen: set[str] = set()
    for selector in selectors:
        matches = [name for name in names if selector and fnmatchcase(name, selector)]
        if not matches:
            raise InvalidInputError(
                f'0 pools matched "{selector}"',
                detail=_near(selector, names),
                hint=f"Pools: {', '.join(names)}." if names else "No pool is known here.",
            )
        chosen.update(matches)
    return frozenset(chosen)


def _near(selector: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(selector, names, n=1)
    return f'Did you mean "{near[0]}"?' if near else ""
