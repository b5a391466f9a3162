"""What agents are at, and where systems ran last: for pages about agents and systems."""

import datetime
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Text, Uuid, cast, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from weighhouse_backend.runs.models import Attempt, AttemptMember, Cell
from weighhouse_backend.runs.states import LIVE_MEMBERS


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

    def last_run_by_system(
        self, project_ids: Collection[UUID], systems: Collection[str]
    ) -> dict[str, datetime.datetime]:
        """System → when a run of it ended last; one look into an index for each project."""
        project = (
            func.unnest(cast(list(project_ids), ARRAY(Uuid()))).table_valued("id").render_derived()
        )
        system = func.unnest(cast(list(systems), ARRAY(Text()))).table_valued("id").render_derived()
        last = (
            select(Cell.last_finished_at)
            .where(
                Cell.project_id == project.c.id,
                Cell.system_id == system.c.id,
                Cell.last_finished_at.is_not(None),
            )
            .order_by(Cell.last_finished_at.desc())
            .limit(1)
            .lateral()
        )
        rows = self.session.execute(
            select(system.c.id, func.max(last.c.last_finished_at))
            .select_from(project)
            .join(system, true())
            .join(last, true())
            .group_by(system.c.id)
        )
        return {system_id: at for system_id, at in rows if at is not None}
