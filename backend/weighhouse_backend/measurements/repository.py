"""All queries of results."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, undefer

from weighhouse_backend.kit.db import Base, among, insert_new
from weighhouse_backend.measurements.alignment import AlignedPhase, align
from weighhouse_backend.measurements.charts import merge_intervals
from weighhouse_backend.measurements.histogram_kinds import HistogramKind
from weighhouse_backend.measurements.interval_rows import RAW, each_interval
from weighhouse_backend.measurements.models import (
    Artifact,
    Interval,
    ResourceSample,
    RunLog,
    RunRecord,
    RunSummary,
    ThinnedAttempt,
    TimelineMark,
)
from weighhouse_backend.measurements.packed_intervals import (
    StoredInterval,
    pack,
)
from weighhouse_backend.measurements.records import AttemptRecord, by_attempt
from weighhouse_backend.measurements.summaries import US_PER_SECOND
from weighhouse_backend.runs.instants import instant, microseconds
from weighhouse_backend.runs.models import Attempt, AttemptMember, Cell


@dataclass(frozen=True)
class StoredHistogram:
    """The merged histogram of one operation over one phase of an attempt."""

    encoded: bytes
    seconds: float
    """Length of the phase."""
    overflow: int
    """Values above its range: counted, and in no percentile."""


@dataclass(frozen=True)
class ResultRepository:
    """Reads and writes rows; everything is asked for by attempt."""

    session: Session

    def insert_new(self, table: type[Base], rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows; those whose key is there already are passed over."""
        insert_new(self.session, table, rows)

    def record(self, attempt_id: UUID) -> AttemptRecord | None:
        """The facts of an attempt, over all its members."""
        return self.records([attempt_id]).get(attempt_id)

    def record_for_update(self, member: AttemptMember) -> RunRecord:
        """The facts a member told, made when there are none yet. The member has to be locked."""
        found = self.session.get(RunRecord, (member.attempt_id, member.index))
        if found is None:
            found = RunRecord(
                attempt_id=member.attempt_id,
                member=member.index,
                project_id=member.project_id,
                endpoints=[],
                effective_configuration=[],
                commands=[],
                facts={},
                memory={},
                counts={},
                programs=[],
                phases=[],
            )
            self.session.add(found)
        return found

    def records(self, attempt_ids: Collection[UUID]) -> dict[UUID, AttemptRecord]:
        """The facts of several attempts."""
        rows = self.session.scalars(
            select(RunRecord).where(among(RunRecord.attempt_id, attempt_ids))
        )
        return by_attempt(rows)

    def members(self, attempt_ids: Collection[UUID]) -> dict[UUID, list[AttemptMember]]:
        """Members of several attempts, in order of their index."""
        found: dict[UUID, list[AttemptMember]] = {attempt_id: [] for attempt_id in attempt_ids}
        rows = self.session.scalars(
            select(AttemptMember)
            .where(among(AttemptMember.attempt_id, attempt_ids))
            .order_by(AttemptMember.index)
        )
        for member in rows:
            found[member.attempt_id].append(member)
        return found

    def intervals(self, attempt_id: UUID, *, span: int = RAW) -> list[StoredInterval]:
        """Intervals of an attempt in order; fetched in batches, unpacked as they come. Those of
        several drivers are merged on common bounds.
        """
        drivers = self.drivers(attempt_id, span=span)
        if len(drivers) <= 1:
            return [interval for found in drivers.values() for interval in found]
        return [
            merge_intervals(step.parts, step.start_us, step.end_us)
            for phase in self.aligned(attempt_id, drivers)
            for step in phase.steps
        ]

    def aligned(
        self, attempt_id: UUID, drivers: Mapping[int, Sequence[StoredInterval]]
    ) -> list[AlignedPhase]:
        """The phases of an attempt's drivers on common bounds, by the server's clock."""
        return align(drivers, self.offsets(attempt_id))

    def drivers(self, attempt_id: UUID, *, span: int = RAW) -> dict[int, list[StoredInterval]]:
        """Intervals of an attempt as its drivers reported them, by member, in order."""
        found: dict[int, list[StoredInterval]] = {}
        for member, interval in each_interval(self.session, attempt_id, span):
            found.setdefault(member, []).append(interval)
        return found

    def measured_span(self, attempt_id: UUID) -> tuple[int, int] | None:
        """When all drivers measured, by the server's clock, unix µs; None when they never did."""
        spans = self.measured_by_member(attempt_id)
        if not spans:
            return None
        offsets = self.offsets(attempt_id)
        begins = [begin + offsets.get(member, 0) for member, (begin, _) in spans.items()]
        ends = [end + offsets.get(member, 0) for member, (_, end) in spans.items()]
        return max(begins), min(ends)

    def measured_by_member(self, attempt_id: UUID) -> dict[int, tuple[int, int]]:
        """When each driver measured, by its own clock, unix µs; who never did is missing."""
        thinned = self.thinned(attempt_id)
        if thinned is not None and thinned.measured is not None:
            return {int(one): (begin, end) for one, (begin, end) in thinned.measured.items()}
        length = func.make_interval(0, 0, 0, 0, 0, 0, Interval.duration_us / US_PER_SECOND)
        rows = self.session.execute(
            select(
                Interval.member,
                func.min(Interval.started_at).label("begin"),
                func.max(Interval.started_at + length).label("end"),
            )
            .where(Interval.attempt_id == attempt_id, Interval.span == RAW)
            .where(Interval.phase == "measure")
            .where(Interval.driver["drain"].as_boolean().is_not(True))
            .group_by(Interval.member)
        )
        return {row.member: (microseconds(row.begin), microseconds(row.end)) for row in rows}

    def thinned(self, attempt_id: UUID) -> ThinnedAttempt | None:
        """What was removed of an attempt; None: nothing."""
        return self.session.get(ThinnedAttempt, attempt_id)

    def measured_samples(self, attempt_id: UUID) -> list[ResourceSample]:
        """Resource samples of the measured phase, of every member's machine, in order."""
        span = self.measured_span(attempt_id)
        if span is None:
            return []
        begin, end = span
        offsets = self.offsets(attempt_id)
        return [
            sample
            for sample in self.samples(attempt_id)
            if begin < microseconds(sample.at) + offsets.get(sample.member, 0) <= end
        ]

    def offsets(self, attempt_id: UUID) -> dict[int, int]:
        """Member → the server's clock less its own, µs; 0 where it is not known."""
        return {
            member.index: member.clock_offset_us or 0
            for member in self.members([attempt_id])[attempt_id]
        }

    def coarsest_span(self, attempt_id: UUID) -> int:
        """The largest span there is; RAW when nothing was merged."""
        return (
            self.session.scalar(
                select(func.max(Interval.span)).where(Interval.attempt_id == attempt_id)
            )
            or RAW
        )

    def samples(self, attempt_id: UUID) -> Sequence[ResourceSample]:
        """Resource samples of an attempt, in order."""
        return self.session.scalars(
            select(ResourceSample)
            .where(ResourceSample.attempt_id == attempt_id)
            .order_by(ResourceSample.member, ResourceSample.sequence)
        ).all()

    def marks(self, attempt_id: UUID) -> Sequence[TimelineMark]:
        """The timeline of an attempt, in order."""
        return self.session.scalars(
            select(TimelineMark)
            .where(TimelineMark.attempt_id == attempt_id)
            .order_by(TimelineMark.member, TimelineMark.sequence)
        ).all()

    def summaries(self, attempt_ids: Collection[UUID]) -> dict[UUID, list[RunSummary]]:
        """Summaries of several attempts."""
        found: dict[UUID, list[RunSummary]] = {attempt_id: [] for attempt_id in attempt_ids}
        rows = self.session.scalars(
            select(RunSummary)
            .where(among(RunSummary.attempt_id, attempt_ids))
            .order_by(RunSummary.phase, RunSummary.operation)
        )
        for row in rows:
            found[row.attempt_id].append(row)
        return found

    def whole_summaries(self, attempt_id: UUID) -> list[RunSummary]:
        """The same of one attempt, with their histograms."""
        histograms = RunSummary.histogram, RunSummary.service_histogram, RunSummary.asked_histogram
        rows = self.session.scalars(
            select(RunSummary)
            .where(RunSummary.attempt_id == attempt_id)
            .order_by(RunSummary.phase, RunSummary.operation)
            .options(*(undefer(one) for one in histograms))
            .execution_options(populate_existing=True)
        )
        return list(rows)

    def cells(self, cell_ids: Collection[UUID]) -> dict[UUID, Cell]:
        """Cells of the matrix by id."""
        found = self.session.scalars(select(Cell).where(Cell.id.in_(list(cell_ids))))
        return {cell.id: cell for cell in found}

    def attempts(self, run_ids: Collection[UUID]) -> dict[UUID, list[Attempt]]:
        """Attempts of several runs, oldest first."""
        found: dict[UUID, list[Attempt]] = {run_id: [] for run_id in run_ids}
        rows = self.session.scalars(
            select(Attempt).where(Attempt.run_id.in_(list(run_ids))).order_by(Attempt.number)
        )
        for attempt in rows:
            found[attempt.run_id].append(attempt)
        return found

    def histograms(self, attempt_id: UUID, phase: str) -> dict[str, bytes]:
        """Merged histograms of one phase of a settled attempt, by operation."""
        found = self.session.execute(
            select(RunSummary.operation, RunSummary.histogram)
            .where(RunSummary.attempt_id == attempt_id, RunSummary.phase == phase)
            .order_by(RunSummary.operation)
        )
        return {row.operation: row.histogram for row in found}

    def histograms_of(
        self, attempt_ids: Collection[UUID], phase: str, operation: str, kind: HistogramKind
    ) -> dict[UUID, StoredHistogram]:
        """Merged histograms of one operation over one phase, by attempt; those that have one.

        `asked` of an attempt in which everything succeeded is that of its successes.
        """
        columns: dict[HistogramKind, Any] = {
            "response": RunSummary.histogram,
            "service": RunSummary.service_histogram,
            "asked": case(
                (RunSummary.asked.is_(None), None),
                else_=func.coalesce(RunSummary.asked_histogram, RunSummary.histogram),
            ),
        }
        column = columns[kind]
        rows = self.session.execute(
            select(
                RunSummary.attempt_id,
                RunSummary.duration_seconds,
                RunSummary.overflow,
                column.label("histogram"),
            ).where(
                among(RunSummary.attempt_id, attempt_ids),
                RunSummary.phase == phase,
                RunSummary.operation == operation,
                column.is_not(None),
            )
        )
        return {
            row.attempt_id: StoredHistogram(row.histogram, row.duration_seconds, row.overflow)
            for row in rows
        }

    def operations_of(self, attempt_ids: Collection[UUID], phase: str) -> list[str]:
        """Names of the operations that attempts have figures of, in one phase."""
        return list(
            self.session.scalars(
                select(RunSummary.operation)
                .where(among(RunSummary.attempt_id, attempt_ids), RunSummary.phase == phase)
                .distinct()
                .order_by(RunSummary.operation)
            )
        )

    def log_streams(self, attempt_id: UUID) -> dict[int, list[str]]:
        """Names of an attempt's logs, by member."""
        rows = self.session.execute(
            select(RunLog.member, RunLog.stream)
            .where(RunLog.attempt_id == attempt_id)
            .distinct()
            .order_by(RunLog.member, RunLog.stream)
        )
        found: dict[int, list[str]] = {}
        for member, stream in rows:
            found.setdefault(member, []).append(stream)
        return found

    def log(self, attempt_id: UUID, stream: str, member: int, offset: int = 0) -> bytes | None:
        """A log of a member from an offset on; None when there is no such log."""
        of_log = (
            RunLog.attempt_id == attempt_id,
            RunLog.member == member,
            RunLog.stream == stream,
        )
        pieces = self.session.execute(
            select(RunLog.begin, RunLog.data)
            .where(*of_log, RunLog.begin + func.octet_length(RunLog.data) > offset)
            .order_by(RunLog.begin)
        ).all()
        if pieces:
            return b"".join(data[max(0, offset - begin) :] for begin, data in pieces)
        known = self.session.scalar(select(RunLog.begin).where(*of_log).limit(1))
        return None if known is None else b""

    def artifacts(self, attempt_id: UUID) -> Sequence[Artifact]:
        """Files an attempt left."""
        return self.session.scalars(
            select(Artifact)
            .where(Artifact.attempt_id == attempt_id)
            .order_by(Artifact.name, Artifact.member)
        ).all()

    def artifact_of_project(self, project_id: UUID, sha256: str) -> Artifact | None:
        """A file with this content that the project has already; never another project's."""
        return self.session.scalar(
            select(Artifact)
            .where(Artifact.project_id == project_id, Artifact.sha256 == sha256)
            .limit(1)
        )


def interval_row(
    interval: StoredInterval,
    *,
    attempt_id: UUID,
    member: int,
    project_id: UUID,
    sequence: int,
    span: int = RAW,
) -> dict[str, Any]:
    """A row of `intervals`."""
    operations, histograms, lag = pack(interval)
    return {
        "attempt_id": attempt_id,
        "member": member,
        "project_id": project_id,
        "span": span,
        "sequence": sequence,
        "phase": interval.phase,
        "phase_index": interval.phase_index,
        "started_at": instant(interval.start_us),
        "duration_us": interval.duration_us,
        "operations": operations,
        "histograms": histograms,
        "lag": lag,
        "driver": {
            name: value for name, value in asdict(interval.driver).items() if value is not None
        },
    }
