"""What was measured of runs, for the features above."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.measurements.models import ResourceSample, RunSummary, TimelineMark
from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.runs.models import AttemptMember, Cell


@dataclass(frozen=True)
class Evidence:
    """What an attempt left behind that gave a run its figures."""

    record: AttemptRecord
    summaries: Sequence[RunSummary]
    samples: Sequence[ResourceSample]
    """Of the measured phase."""
    members: Sequence[AttemptMember]
    marks: Sequence[TimelineMark]


@dataclass(frozen=True)
class EvidenceService:
    """Hands out what is stored of attempts; access is the caller's to check."""

    repository: ResultRepository

    def of(self, attempt_id: UUID) -> Evidence | None:
        """What an attempt left behind; None: it told nothing."""
        record = self.repository.record(attempt_id)
        if record is None:
            return None
        return Evidence(
            record,
            self.repository.summaries([attempt_id])[attempt_id],
            self.repository.measured_samples(attempt_id),
            self.repository.members([attempt_id])[attempt_id],
            self.repository.marks(attempt_id),
        )

    def members(self, attempt_ids: Collection[UUID]) -> dict[UUID, list[AttemptMember]]:
        """Who carried attempts out, by attempt."""
        return self.repository.members(attempt_ids)

    def cell(self, cell_id: UUID) -> Cell:
        """The cell of a run."""
        return self.repository.cells([cell_id])[cell_id]

    def versions(self, attempt_ids: Collection[UUID]) -> list[str]:
        """What the systems of some attempts said they were, each once."""
        records = self.repository.records(attempt_ids).values()
        return sorted({record.version for record in records if record.version is not None})
