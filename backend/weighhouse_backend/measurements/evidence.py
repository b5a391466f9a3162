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

MOST_TOGETHER, MOST_SECONDS_TOGETHER = 100, 3600.0
"""Attempts of which everything is read at once, and seconds that they measured."""


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
        return self.of_each([attempt_id]).get(attempt_id)

    def of_each(self, attempt_ids: Collection[UUID]) -> dict[UUID, Evidence]:
        """What attempts left behind, in their order; those that told something."""
        records = self.repository.records(attempt_ids)
        summaries = self.repository.summaries(attempt_ids)
        samples = self.repository.measured_samples(attempt_ids)
        members = self.repository.members(attempt_ids)
        marks = self.repository.marks_of(attempt_ids)
        return {
            one: Evidence(records[one], summaries[one], samples[one], members[one], marks[one])
            for one in attempt_ids
            if one in records
        }

    def batches(self, attempt_ids: Sequence[UUID]) -> Iterator[list[UUID]]:
        """Attempts, as many at a time as memory has room for what they left behind."""
        seconds = self.repository.measured_seconds(attempt_ids)
        batch: list[UUID] = []
        held = 0.0
        for one in attempt_ids:
            held += seconds.get(one, 0.0)
            if batch and (len(batch) == MOST_TOGETHER or held > MOST_SECONDS_TOGETHER):
                yield batch
                batch, held = [], seconds.get(one, 0.0)
            batch.append(one)
        if batch:
            yield batch

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
        return self.cells([cell_id])[cell_id]

    def cells(self, cell_ids: Collection[UUID]) -> dict[UUID, Cell]:
        """Cells of runs, by their id."""
        return self.repository.cells(cell_ids)

    def versions(self, attempt_ids: Collection[UUID]) -> list[str]:
        """What the systems of some attempts said they were, each once."""
        records = self.repository.records(attempt_ids).values()
        return sorted({record.version for record in records if record.version is not None})
