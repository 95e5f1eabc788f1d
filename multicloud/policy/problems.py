"""The faults found so far: collected, never raised one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputsError, MulticloudError, PolicyError, Where

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicloud.policy.scalars import ScalarError

_LONGEST = 400


class Problems:
    """Faults of one file. The same fault at the same place counts once."""

    def __init__(self) -> None:
        self._errors: dict[tuple[Where, str, str], PolicyError] = {}

    def add(
        self, where: Where, path: str, summary: str, *, detail: str = "", hint: str = ""
    ) -> None:
        """Note a fault."""
        summary, path, detail, hint = (_shown(text) for text in (summary, path, detail, hint))
        error = PolicyError(summary, path=path, detail=detail, hint=hint, where=where)
        # Defaults are read once per pool, but they are written once.
        self._errors.setdefault((where, summary, detail), error)

    def add_scalar(self, where: Where, path: str, error: ScalarError) -> None:
        """Note what a parser said."""
        self.add(where, path, error.summary, detail=error.expected, hint=error.hint)

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return bool(self._errors)

    def in_file_order(self) -> list[PolicyError]:
        """All faults by line and column."""
        return sorted(
            self._errors.values(), key=lambda error: (error.where or Where(file=""), error.path)
        )


def _shown(text: str) -> str:
    """What was written may hold anything: it goes to a terminal, in one line of some length."""
    plain = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST // 2]} ... {plain[-40:]}"


def raise_all(errors: Iterable[MulticloudError]) -> None:
    """Raise InvalidInputsError when there is any error."""
    found = tuple(errors)
    if found:
        raise InvalidInputsError(found)
