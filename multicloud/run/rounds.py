"""What a watch does in each round, and what it looks at between two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicloud import clock
from multicloud.errors import ExitCode, InterruptedRunError, MulticloudError
from multicloud.models.project import Target
from multicloud.run.apply import rebalance
from multicloud.run.heartbeat import beat
from multicloud.run.inputs import load_policies, load_project
from multicloud.run.outcome import Ending
from multicloud.run.recall import recall
from multicloud.run.watch import Round

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import timedelta

    from multicloud.run.execute import ExecuteRequest, RunReport
    from multicloud.run.inputs import Question


@dataclass(kw_only=True)
class Rounds:
    """Rebalances of one question; whatever goes wrong in one is told, and tried again."""

    question: Question
    request: ExecuteRequest
    refresh_every: timedelta | None = None
    on_report: Callable[[RunReport], None] = lambda _: None
    on_note: Callable[[str], None] = lambda _: None

    def act(self) -> Round:
        """Refresh prices when it is time, then rebalance. Raises: InterruptedRunError."""
        began = clock.utcnow()
        try:
            self._refresh()
            report = rebalance(self.question, self.request)
        except InterruptedRunError:
            raise
        except MulticloudError as error:
            done = Round(
                began_at=began,
                ended_at=clock.utcnow(),
                exit_code=error.exit_code,
                text=str(error),
            )
        else:
            self.on_report(report)
            if any(one.ending is Ending.INTERRUPTED for one in report.outcomes):
                raise InterruptedRunError("interrupted; what was begun has ended.")
            checks = [one.decision.next_check_at for one in report.outcomes]
            done = Round(
                began_at=began,
                ended_at=clock.utcnow(),
                exit_code=report.exit_code,
                next_check_at=min((at for at in checks if at is not None), default=None),
                alive=_seen(report),
            )
        note = beat(self.question.folder, is_good=done.exit_code is ExitCode.OK)
        if note:
            self.on_note(note)
        return done

    def look(self) -> Mapping[str, int]:
        """Nodes alive by policy, pool and place, where they could be read; none after a fault."""
        question = self.question
        try:
            root, project = load_project(question.folder)
            if question.target:
                project = replace(project, target=Target(question.target))
            policies = load_policies(question, root, project)
            found = recall(policies, project, root, now=clock.utcnow())
        except MulticloudError:
            return {}
        return {
            f"{policy}/{pool}/{place}": count
            for policy, recalled in found.items()
            for pool, actual in recalled.observed.actual.pools.items()
            for place, count in actual.running.items()
        }

    def _refresh(self) -> None:
        if self.refresh_every is None:
            return
        from multicloud.run.price_store import asked, refresh_prices

        wanted = asked(self.question.folder, target=self.question.target)
        done = refresh_prices(
            wanted, tuple(wanted.project.clouds), (), again=False, new_for=self.refresh_every
        )
        if done.exit_code is not ExitCode.OK:
            self.on_note("some prices could not be refreshed: multicloud prices refresh")


def _seen(report: RunReport) -> dict[str, int]:
    """Nodes that the run brought up and saw running; of what it left alone it says nothing."""
    return {
        f"{one.decision.policy}/{one.decision.pool}/{placement.slot.digest}": placement.floor
        for one in report.outcomes
        if one.ending is Ending.DONE
        for placement in one.after
    }
