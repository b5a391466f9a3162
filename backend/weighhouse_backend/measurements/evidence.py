"""What was measured of runs, for the features above."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_backend.measurements.models import (
    ResourceSample,
    RunSummary,
    ThinnedAttempt,
    TimelineMark,
)
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

    def logs(self, attempt_id: UUID) -> Iterator[tuple[int, str, bytes]]:
        """The logs of an attempt, one after the other: member, name, content."""
        for member, streams in self.repository.log_streams(attempt_id).items():
            for stream in streams:
                yield member, stream, self.repository.log(attempt_id, stream, member) or b""

    def whole_summaries(self, attempt_id: UUID) -> list[RunSummary]:
        """What an attempt came to by phase and operation, histograms with it."""
        return self.repository.whole_summaries(attempt_id)

    def thinned(self, attempt_id: UUID) -> ThinnedAttempt | None:
        """What was removed of an attempt for its age; None: nothing."""
        return self.repository.thinned(attempt_id)

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
