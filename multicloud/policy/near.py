"""Near misses: what somebody may have meant by a word that is not known."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOK_ALIKES = str.maketrans({"-": "_", " ": "_", "o": "0", "l": "1", "i": "1"})


def did_you_mean(word: str, known: Sequence[str], *, count: int = 2) -> str:
    """`Did you mean "H100"?`, or nothing when no known word is near.

    The same word in another case, with `-` for `_` or `O` for `0`, comes before words that only
    look alike.
    """
    plain = _plain(word)
    near = [name for name in known if _plain(name) == plain]
    if not near:
        by_plain = {_plain(name): name for name in reversed(known)}
        close = difflib.get_close_matches(plain, list(by_plain), n=count, cutoff=0.6)
        near = [by_plain[name] for name in close]
    quoted = [f'"{name}"' for name in near[:count]]
    return f"Did you mean {' or '.join(quoted)}?" if quoted else ""


def _plain(word: str) -> str:
    return word.casefold().translate(_LOOK_ALIKES)
