"""Takes in what attempts report: each event once, in order, whatever is repeated."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from weighhouse_judging.arithmetic.histograms import HistogramError
from weighhouse_protocol.facts import MachineFacts
from weighhouse_protocol.machine_kinds import kind_of
from weighhouse_protocol.order import Timings
from weighhouse_protocol.report import (
    AttemptEvent,
    IntervalReported,
    MemoryMeasured,
    PhaseChanged,
    PhaseEnded,
    ResourceSample,
    RunPhase,
    ServerCounted,
    TargetDescribed,
    TimelineMark,
)

from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.fleet.pace import Pace
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.measurements import models
from weighhouse_backend.measurements.errors import EventsInvalid, EventsTooMany
from weighhouse_backend.measurements.interval_rows import interval_row
from weighhouse_backend.measurements.level_service import BUILT_FROM, WANTED_EVERY
from weighhouse_backend.measurements.packed_intervals import StoredInterval, from_report
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.results import counts
from weighhouse_backend.results.chains import measured_phases, moment_of
from weighhouse_backend.results.live import LiveSample
from weighhouse_backend.results.schemas import MemoryRead, PhaseRecord
from weighhouse_backend.runs.instants import instant
from weighhouse_backend.runs.models import AttemptMember

BATCHES_A_SECOND, MOST_PAUSE_SECONDS = 40.0, 10.0
"""What one process takes in, at some 8 ms of its processor each: a third of it, so that people who
ask meanwhile are answered; and how seldom whoever watches sees a run at most.
"""
SAMPLE_FIELDS = (
    "cpu_percent", "resident_bytes", "disk_bytes", "driver_cpu_percent",
    "driver_resident_bytes", "machine_cpu_percent", "steal_percent", "metrics",
)  # fmt: skip


@dataclass
class _Rows:
    """Rows to insert, by table."""

    intervals: list[dict[str, Any]] = field(default_factory=list)
    samples: list[dict[str, Any]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)
    latest: StoredInterval | None = None
    """The newest interval of the batch."""


@dataclass(frozen=True)
class EventService:
    """Stores numbered events of attempts."""

    repository: ResultRepository
    intake: IntakeService
    jobs: Jobs
    settings: Settings
    """Events that a machine may report of an attempt."""

    def store(self, attempt_id: UUID, events: Sequence[AttemptEvent], member: int = 0) -> int:
        """Store a batch of events.

        Idempotent by (attempt, member, sequence): what is stored already is passed over. Events
        after a gap are not stored.

        :returns: the sequence that is expected next, which is where the sender goes on. Everything
            below it is stored with the transaction.
        :raises EventsInvalid: when a histogram is not base64.
        :raises AttemptNotYours: when the member has ended: nothing more is taken of it.
        """
        own = self.intake.open_batch(attempt_id, latest_phase(events), member)
        fresh = list(in_order(events, own.events_stored))
        if not fresh:
            return own.events_stored
        self.intake.require_open(own)
        if fresh[-1].sequence >= self.settings.attempt_events:
            raise EventsTooMany(
                f"a machine may report {self.settings.attempt_events:,} events of an attempt"
            )
        rows = _Rows()
        try:
            for event in fresh:
                self._sort(own, event, rows)
        except HistogramError as error:
            raise EventsInvalid(str(error)) from error
        self.repository.insert_new(models.Interval, rows.intervals)
        self.repository.insert_new(models.ResourceSample, rows.samples)
        self.repository.insert_new(models.TimelineMark, rows.marks)
        before, following = own.events_stored, fresh[-1].sequence + 1
        self.intake.advance(own, following)
        if following >= BUILT_FROM and before // WANTED_EVERY != following // WANTED_EVERY:
            of = str(own.attempt_id)
            self.jobs.send("results.advance_levels", attempt_id=of, member=own.index)
        if rows.latest is not None:
            self._tell(own, rows.latest)
        return following

    def _sort(self, own: AttemptMember, event: AttemptEvent, rows: _Rows) -> None:
        keys: dict[str, Any] = {
            "attempt_id": own.attempt_id,
            "member": own.index,
            "project_id": own.project_id,
            "sequence": event.sequence,
        }
        if isinstance(event, IntervalReported):
            rows.latest = from_report(event.interval)
            rows.intervals.append(interval_row(rows.latest, **keys))
        elif isinstance(event, ResourceSample):
            values = event.model_dump(include=set(SAMPLE_FIELDS))
            rows.samples.append({**keys, "at": instant(event.at_us), **values})
        elif isinstance(event, PhaseChanged):
            mark = {"at": instant(event.at_us), "kind": "phase", "label": event.phase}
            rows.marks.append({**keys, **mark})
        elif isinstance(event, TimelineMark):
            mark = {"at": instant(event.at_us), "kind": event.mark, "label": event.label}
            rows.marks.append({**keys, **mark})
        else:
            record = self.repository.record_for_update(own)
            note(record, event)

    def _tell(self, own: AttemptMember, latest: StoredInterval) -> None:
        # What comes back after the end of an open loop's phase is no rate to be drawn.
        if not latest.driver.drain:
            at = own.started_at
            self.intake.tell_live(own, lambda run: LiveSample.of(latest, run, at).as_json())


def batches_pace(now: Callable[[], float] = time.monotonic) -> Pace:
    """How long agents gather events before they send them."""
    return Pace(BATCHES_A_SECOND, Timings().upload_seconds, MOST_PAUSE_SECONDS, now)


def latest_phase(events: Iterable[AttemptEvent]) -> RunPhase | None:
    """The phase that a batch leaves its run in; None when it tells none."""
    told = [event for event in events if isinstance(event, PhaseChanged)]
    return max(told, key=lambda event: event.sequence).phase if told else None


def in_order(events: Iterable[AttemptEvent], expected: int) -> Iterable[AttemptEvent]:
    """Events from the expected sequence on, without repetition, up to the first gap."""
    for event in sorted(events, key=lambda item: item.sequence):
        if event.sequence > expected:
            return
        if event.sequence == expected:
            expected += 1
            yield event


Fact = TargetDescribed | MemoryMeasured | ServerCounted | PhaseEnded


def note(record: models.RunRecord, event: Fact) -> None:
    """Write an event that tells a fact of a member into its record."""
    if isinstance(event, TargetDescribed):
        facts: MachineFacts = event.facts
        record.version = event.version
        record.endpoints = list(event.endpoints)
        record.effective_configuration = [
            setting.model_dump(mode="json") for setting in event.effective_configuration
        ]
        record.commands = list(event.commands)
        record.facts = facts.model_dump(mode="json")
        record.fingerprint = kind_of(facts)
        record.co_located = event.co_located
        record.layout = event.layout
        record.stream_hash = event.stream_hash
        record.threads = event.threads
        record.programs = [one.model_dump(mode="json") for one in event.programs]
    elif isinstance(event, MemoryMeasured):
        memory = MemoryRead.model_validate(event.model_dump())
        moment = moment_of(event.moment, measured_phases(record.phases))
        record.memory = {**record.memory, moment: memory.model_dump(mode="json")}
    elif isinstance(event, ServerCounted):
        record.counts = counts.noted(record.counts, event, measured_phases(record.phases))
    else:
        phase = PhaseRecord.model_validate(event.model_dump())
        record.phases = [*record.phases, phase.model_dump(mode="json")]
