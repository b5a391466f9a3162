"""What the faults of a run cost: worked out when it is settled, kept, and read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.faults.fault_course import BEGUN, costs
from weighhouse_backend.faults.marks import TELLING, Mark
from weighhouse_backend.faults.schemas import FaultsRead
from weighhouse_backend.measurements import models
from weighhouse_backend.measurements.level_service import FIRST, LevelService
from weighhouse_backend.measurements.packed_intervals import StoredInterval
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.runs.instants import microseconds
from weighhouse_backend.runs.models import Run
from weighhouse_backend.runs.states import RunStatus

NONE = FaultsRead(faults=[], late_us=None)


@dataclass(frozen=True)
class FaultService:
    """Reads a run's course around what was broken in it."""

    repository: ResultRepository
    levels: LevelService

    def settle(self, attempt_id: UUID, project_id: UUID) -> None:
        """Keep what the faults of an attempt cost; nothing of one without. Idempotent.

        Raises HistogramError.
        """
        found = self._worked_out(attempt_id)
        if found.faults:
            row = {
                "attempt_id": attempt_id,
                "project_id": project_id,
                "body": found.model_dump(mode="json"),
            }
            self.repository.insert_new(models.FaultCost, [row])

    def of_run(self, run: Run) -> FaultsRead:
        """What the faults of a run cost; none of a run that did not complete, or had none.

        Of a run from before this was kept it is worked out now. Raises HistogramError.
        """
        attempt_id = run.result_attempt_id
        if attempt_id is None or run.status != RunStatus.COMPLETED:
            return NONE
        kept = self.repository.session.get(models.FaultCost, attempt_id)
        return (
            self._worked_out(attempt_id) if kept is None else FaultsRead.model_validate(kept.body)
        )

    def _worked_out(self, attempt_id: UUID) -> FaultsRead:
        marks = [
            mark for mark in self.repository.marks(attempt_id) if mark.kind.startswith(TELLING)
        ]
        if not any(mark.kind == BEGUN for mark in marks):
            return NONE
        drivers = self.levels.levels.driving(attempt_id)
        offsets = self.repository.offsets(attempt_id)
        # One driver's intervals stand by its own clock, those of several by the server's.
        own = offsets.get(drivers[0], 0) if len(drivers) == 1 else 0

        by_clock = [
            Mark(
                mark.kind,
                mark.label,
                microseconds(mark.at) + offsets.get(mark.member, 0) - own,
                mark.member,
            )
            for mark in marks
        ]
        return costs(self._intervals(attempt_id, drivers), by_clock)

    def _intervals(self, attempt_id: UUID, drivers: Sequence[int]) -> Iterable[StoredInterval]:
        if len(drivers) != 1:
            return self.repository.intervals(attempt_id)
        reported = self.levels.levels.reported(attempt_id, drivers[0], FIRST)
        return (piece.interval for piece in reported)
