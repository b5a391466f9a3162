"""Removes of an attempt what is older than its project keeps it: intervals, logs, files.

What is concluded stays: summaries with their merged histograms, what faults cost, what a scenario
gave, marks, samples, and of a long run the levels that its pages draw and its checks read. So
nothing that rests on a run changes when it is thinned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import Select, delete, exists, func, select
from sqlalchemy.orm import Session
from weighhouse_judging.arithmetic.histograms import HistogramError

from weighhouse_backend.faults.service import FaultService
from weighhouse_backend.files.artifacts import lock_content
from weighhouse_backend.files.stores import ArtifactStore
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.db import insert_new
from weighhouse_backend.measurements.charts import MOST_POINTS
from weighhouse_backend.measurements.level_service import LevelService
from weighhouse_backend.measurements.models import (
    Artifact,
    Interval,
    LevelsWanted,
    LevelWindow,
    RunLog,
    ThinnedAttempt,
    UnneededFile,
)
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.runs.models import Attempt, Run

Removable = Literal["intervals", "logs", "artifacts"]
"""What may be removed of a run while its figures stay."""


@dataclass(frozen=True)
class Weight:
    """How much would be removed."""

    runs: int
    bytes: int


@dataclass(frozen=True)
class ThinningService:
    """Thins attempts, one at a time; everything is idempotent."""

    repository: ResultRepository
    levels: LevelService
    faults: FaultService
    store: ArtifactStore
    clock: Clock

    @property
    def session(self) -> Session:
        """The transaction."""
        return self.repository.session

    def left(self, what: Removable, campaigns: Select[UUID], limit: int) -> Sequence[UUID]:
        """Attempts of campaigns of which something has not been removed yet, in no order.

        :param campaigns: identifiers of campaigns that have ended.
        """
        return self.session.scalars(self._left(what, campaigns).limit(limit)).all()

    def weight(self, what: Removable, campaigns: Select[UUID]) -> Weight:
        """How much removing something would remove; of intervals about, and at most."""
        left = self._left(what, campaigns).subquery()
        attempts = select(left.c.id)
        if what == "intervals":
            long = exists().where(LevelWindow.attempt_id == Interval.attempt_id)
            size = func.coalesce(func.pg_column_size(Interval.histograms), 0)
            counted = select(
                func.count(Interval.attempt_id.distinct()), func.coalesce(func.sum(size), 0)
            ).where(Interval.attempt_id.in_(attempts), long)
        elif what == "logs":
            counted = select(
                func.count(RunLog.attempt_id.distinct()),
                func.coalesce(func.sum(func.octet_length(RunLog.data)), 0),
            ).where(RunLog.attempt_id.in_(attempts))
        else:
            counted = select(
                func.count(Artifact.attempt_id.distinct()),
                func.coalesce(func.sum(Artifact.size_bytes), 0),
            ).where(Artifact.attempt_id.in_(attempts))
        runs, size_bytes = self.session.execute(counted).one()
        return Weight(int(runs), int(size_bytes))

    def thin(self, what: Removable, attempt_id: UUID) -> None:
        """Remove something of an attempt that nothing more is taken of.

        Of intervals: of a run that is drawn from levels, and those levels finer than what is drawn.
        One whose histograms cannot be read stays as it is.
        """
        attempt = self.session.get(Attempt, attempt_id, with_for_update=True)
        if attempt is None:
            return
        row = self._row(attempt)
        now = self.clock.now()
        if what == "intervals" and row.intervals_at is None:
            self._thin_intervals(attempt, row)
            row.intervals_at = now
        elif what == "logs":
            if self._removed(RunLog, attempt_id):
                row.logs_at = now
        elif what == "artifacts":
            self.give_up_files([attempt_id])
            if self._removed(Artifact, attempt_id):
                row.artifacts_at = now

    def give_up_files(self, attempt_ids: Sequence[UUID]) -> None:
        """Have files of attempts removed from the disk, unless others have them as well; their rows
        go in the same transaction.
        """
        rows = self.session.execute(
            select(Artifact.project_id, Artifact.sha256)
            .where(Artifact.attempt_id.in_(attempt_ids))
            .distinct()
        )
        contents = [{"project_id": one, "sha256": sha256} for one, sha256 in rows]
        insert_new(self.session, UnneededFile, contents)

    def unneeded(self, limit: int) -> Sequence[tuple[UUID, str]]:
        """Contents that may have to leave the disk: project and hash."""
        rows = self.session.execute(
            select(UnneededFile.project_id, UnneededFile.sha256).limit(limit)
        )
        return [(row.project_id, row.sha256) for row in rows]

    def remove_file(self, project_id: UUID, sha256: str) -> None:
        """Remove a content that no attempt of its project has."""
        lock_content(self.session, project_id, sha256)
        if self.repository.artifact_of_project(project_id, sha256) is None:
            self.store.remove(project_id, sha256)
        self.session.execute(
            delete(UnneededFile).where(
                UnneededFile.project_id == project_id, UnneededFile.sha256 == sha256
            )
        )

    def _left(self, what: Removable, campaigns: Select[UUID]) -> Select[UUID]:
        found = (
            select(Attempt.id)
            .join(Run, Run.id == Attempt.run_id)
            .outerjoin(ThinnedAttempt, ThinnedAttempt.attempt_id == Attempt.id)
            .where(Run.campaign_id.in_(campaigns))
        )
        if what == "intervals":
            # Whose levels are still to be built is read whole first.
            wanted = exists().where(LevelsWanted.attempt_id == Attempt.id)
            return found.where(ThinnedAttempt.intervals_at.is_(None), ~wanted)
        table = RunLog if what == "logs" else Artifact
        return found.where(exists().where(table.attempt_id == Attempt.id))

    def _row(self, attempt: Attempt) -> ThinnedAttempt:
        row = {"attempt_id": attempt.id, "project_id": attempt.project_id}
        insert_new(self.session, ThinnedAttempt, [row])
        return self.session.get_one(ThinnedAttempt, attempt.id)

    def _thin_intervals(self, attempt: Attempt, row: ThinnedAttempt) -> None:
        width = self.levels.finest_drawn(attempt.id, MOST_POINTS)
        if width is None:
            return
        try:
            self.faults.settle(attempt.id, attempt.project_id)
        except HistogramError:
            return
        spans = self.repository.measured_by_member([attempt.id]).get(attempt.id, {})
        row.measured = {str(member): list(span) for member, span in spans.items()}
        row.step_seconds = width
        self.levels.levels.remove_below(attempt.id, width)

    def _removed(self, table: type[RunLog | Artifact], attempt_id: UUID) -> bool:
        gone = delete(table).where(table.attempt_id == attempt_id).returning(table.attempt_id)
        return bool(self.session.scalars(gone).all())
