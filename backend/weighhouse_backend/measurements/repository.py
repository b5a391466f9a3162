"""All queries of results."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, undefer

from weighhouse_backend.kit.db import Base, among, insert_new
from weighhouse_backend.measurements.alignment import AlignedPhase, align
from weighhouse_backend.measurements.charts import merge_intervals
from weighhouse_backend.measurements.histogram_kinds import HistogramKind
from weighhouse_backend.measurements.interval_rows import RAW, by_member, each_interval
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
from weighhouse_backend.measurements.packed_intervals import ALL, StoredInterval
from weighhouse_backend.measurements.records import AttemptRecord, by_attempt
from weighhouse_backend.measurements.summaries import US_PER_SECOND
from weighhouse_backend.runs.instants import microseconds
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
        return self._merged(attempt_id, self.drivers(attempt_id, span=span))

    def each_course(
        self, attempt_ids: Collection[UUID]
    ) -> Iterator[tuple[UUID, list[StoredInterval]]]:
        """The same of several attempts, each at the largest span that it has; those that have
        intervals, one at a time in memory.
        """
        spans: dict[int, list[UUID]] = {}
        for attempt_id, span in self.session.execute(
            select(Interval.attempt_id, func.max(Interval.span))
            .where(among(Interval.attempt_id, attempt_ids))
            .group_by(Interval.attempt_id)
        ):
            spans.setdefault(span, []).append(attempt_id)
        for span, of_span in spans.items():
            rows = each_interval(self.session, of_span, span)
            for attempt_id, mine in groupby(rows, key=itemgetter(0)):
                yield attempt_id, self._merged(attempt_id, by_member(mine))

    def _merged(
        self, attempt_id: UUID, drivers: Mapping[int, Sequence[StoredInterval]]
    ) -> list[StoredInterval]:
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
        return by_member(each_interval(self.session, [attempt_id], span))

    def measured_spans(self, attempt_ids: Collection[UUID]) -> dict[UUID, tuple[int, int]]:
        """When all drivers of attempts measured, by the server's clock, unix µs; those where they
        did.
        """
        spans, offsets = self.measured_by_member(attempt_ids), self.offsets_of(attempt_ids)
        return {
            attempt_id: (
                max(begin + offsets[attempt_id].get(one, 0) for one, (begin, _) in mine.items()),
                min(end + offsets[attempt_id].get(one, 0) for one, (_, end) in mine.items()),
            )
            for attempt_id, mine in spans.items()
        }

    def measured_by_member(
        self, attempt_ids: Collection[UUID]
    ) -> dict[UUID, dict[int, tuple[int, int]]]:
        """When each driver of attempts measured, by its own clock, unix µs; who never did is
        missing.
        """
        thinned = self.session.scalars(
            select(ThinnedAttempt).where(among(ThinnedAttempt.attempt_id, attempt_ids))
        )
        found = {
            one.attempt_id: {int(of): (begin, end) for of, (begin, end) in one.measured.items()}
            for one in thinned
            if one.measured
        }
        length = func.make_interval(0, 0, 0, 0, 0, 0, Interval.duration_us / US_PER_SECOND)
        rows = self.session.execute(
            select(
                Interval.attempt_id,
                Interval.member,
                func.min(Interval.started_at).label("begin"),
                func.max(Interval.started_at + length).label("end"),
            )
            .where(
                among(Interval.attempt_id, [one for one in attempt_ids if one not in found]),
                Interval.span == RAW,
            )
            .where(Interval.phase == "measure")
            .where(Interval.driver["drain"].as_boolean().is_not(True))
            .group_by(Interval.attempt_id, Interval.member)
        )
        for row in rows:
            span = microseconds(row.begin), microseconds(row.end)
            found.setdefault(row.attempt_id, {})[row.member] = span
        return found

    def thinned(self, attempt_id: UUID) -> ThinnedAttempt | None:
        """What was removed of an attempt; None: nothing."""
        return self.session.get(ThinnedAttempt, attempt_id)

    def measured_samples(self, attempt_ids: Collection[UUID]) -> dict[UUID, list[ResourceSample]]:
        """Resource samples of attempts' measured phase, of every member's machine, in order."""
        found: dict[UUID, list[ResourceSample]] = {attempt_id: [] for attempt_id in attempt_ids}
        spans, offsets = self.measured_spans(attempt_ids), self.offsets_of(attempt_ids)
        for sample in self._samples(spans):
            begin, end = spans[sample.attempt_id]
            offset = offsets[sample.attempt_id].get(sample.member, 0)
            if begin < microseconds(sample.at) + offset <= end:
                found[sample.attempt_id].append(sample)
        return found

    def offsets(self, attempt_id: UUID) -> dict[int, int]:
        """Member → the server's clock less its own, µs; 0 where it is not known."""
        return self.offsets_of([attempt_id])[attempt_id]

    def offsets_of(self, attempt_ids: Collection[UUID]) -> dict[UUID, dict[int, int]]:
        """The same of several attempts."""
        return {
            attempt_id: {member.index: member.clock_offset_us or 0 for member in members}
            for attempt_id, members in self.members(attempt_ids).items()
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
        return self._samples([attempt_id])

    def _samples(self, attempt_ids: Collection[UUID]) -> Sequence[ResourceSample]:
        return self.session.scalars(
            select(ResourceSample)
            .where(among(ResourceSample.attempt_id, attempt_ids))
            .order_by(ResourceSample.attempt_id, ResourceSample.member, ResourceSample.sequence)
        ).all()

    def marks(self, attempt_id: UUID) -> Sequence[TimelineMark]:
        """The timeline of an attempt, in order."""
        return self.marks_of([attempt_id])[attempt_id]

    def marks_of(self, attempt_ids: Collection[UUID]) -> dict[UUID, list[TimelineMark]]:
        """The timelines of several attempts."""
        found: dict[UUID, list[TimelineMark]] = {attempt_id: [] for attempt_id in attempt_ids}
        for mark in self.session.scalars(
            select(TimelineMark)
            .where(among(TimelineMark.attempt_id, attempt_ids))
            .order_by(TimelineMark.member, TimelineMark.sequence)
        ):
            found[mark.attempt_id].append(mark)
        return found

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

    def measured_seconds(self, attempt_ids: Collection[UUID]) -> dict[UUID, float]:
        """How long attempts measured; those that did."""
        of_measuring = select(RunSummary.attempt_id, RunSummary.duration_seconds).where(
            among(RunSummary.attempt_id, attempt_ids),
            RunSummary.phase == "measure",
            RunSummary.operation == ALL,
        )
        return dict(self.session.execute(of_measuring).all())

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
