"""The first files of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicloud.errors import InvalidInputError, Where
from multicloud.run.files import PROJECT_FILE

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = """\
# Accounts and facts. Without a target everything runs in the sandbox, without any account.
target: sandbox
# policies: [policies/*.yaml]
# fx: {CNY: 7.20}                 # units per 1 USD, for prices that are quoted in CNY
# clouds:
#   aws: {profile: gpu, regions: {us-east-1: {vpc: vpc-1, subnets: [subnet-1]}}}
"""

POLICY = """\
# One pool: A100 on weekdays by day, spot while it is cheap enough, else on demand.
# Try: multicloud plan, multicloud explain training, multicloud schedule --days 7
version: 1
name: first
timezone: UTC
pools:
  training:
    need: A100:8                      # one node with eight; "2 x A100:8" is two of them
    rules:
      - name: day
        when: mon-fri 08:00-20:00
        place:
          - {in: aws/us-east-1, capacity: spot, max_price: 2.10/gpu-h}
          - {in: aws/us-east-1, capacity: on_demand}
    otherwise: off
    checkpoint: {every: 15m, command: /srv/save.sh}
"""


def write_starter(folder: Path) -> tuple[Path, ...]:
    """Write a project file and a first policy; returns the files written.

    Raises:
        InvalidInputError: one of the files is there already; then none is written.
    """
    files = {
        folder / PROJECT_FILE: PROJECT,
        folder / "policies" / "first.yaml": POLICY,
    }
    for path in files:
        if path.exists() or path.is_symlink():
            raise InvalidInputError(
                "there is a file already; nothing was written",
                hint="Name another folder: multicloud init FOLDER",
                where=Where(file=str(path)),
            )
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(
            f"cannot write: {error.strerror or error}", where=Where(file=str(path))
        ) from error
    return tuple(files)
