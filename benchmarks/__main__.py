"""Print the table: `python -m benchmarks [start-up|rank|decide|plan|overhead|quiet|points]...`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from benchmarks import deciding, overhead, planning, points, quiet, ranking, startup
from benchmarks.table import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.table import Row

ALL: dict[str, Callable[[], Iterator[Row]]] = {
    "start-up": startup.rows,
    "rank": ranking.rows,
    "decide": deciding.rows,
    "plan": planning.rows,
    "overhead": overhead.rows,
    "quiet": quiet.rows,
    "points": points.rows,
}


def main(chosen: list[str]) -> int:
    """Run the benchmarks named, or all; 3 for a name that is none."""
    unknown = [name for name in chosen if name not in ALL]
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(ALL)}\n")
        return 3
    show(row for name in chosen or ALL for row in ALL[name]())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
