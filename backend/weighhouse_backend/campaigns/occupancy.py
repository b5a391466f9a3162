"""What agents are at, and where systems ran last: for pages about agents and systems."""

import datetime
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.models import Attempt, AttemptMember, Cell, Run
from weighhouse_backend.campaigns.states import LIVE_MEMBERS


@dataclass(frozen=True)
class OccupancyService:
    """Reads across campaigns, for some projects."""

    session: Session

    def runs_by_agent(self, project_ids: Collection[UUID]) -> dict[UUID, UUID]:
        """Agent → the run it carries out now."""
        rows = self.session.execute(
            select(AttemptMember.agent_id, Attempt.run_id)
            .join(Attempt, Attempt.id == AttemptMember.attempt_id)
            .where(
                AttemptMember.project_id.in_(project_ids), AttemptMember.status.in_(LIVE_MEMBERS)
            )
        )
        return {agent_id: run_id for agent_id, run_id in rows}  # noqa: C416 - typed rows

    def last_run_by_system(self, project_ids: Collection[UUID]) -> dict[str, datetime.datetime]:
        """System → when a run of it ended last."""
        rows = self.session.execute(
            select(Cell.system_id, func.max(Run.finished_at))
            .join(Run, Run.cell_id == Cell.id)
            .where(Cell.project_id.in_(project_ids), Run.finished_at.is_not(None))
            .group_by(Cell.system_id)
        )
        return {system_id: at for system_id, at in rows if at is not None}
