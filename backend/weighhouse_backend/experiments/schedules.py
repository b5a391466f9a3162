"""When experiments start by themselves, and what became of each date.

Whoever changes a schedule or its occurrences holds the schedule's row; it is locked before anything
of a campaign.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from sqlalchemy.orm import Session
from weighhouse_protocol.document_errors import FieldError

from weighhouse_backend.experiments.calendar import InvalidSchedule, Passed, passed, upcoming
from weighhouse_backend.experiments.errors import (
    ScheduleInvalid,
    ScheduleNotFound,
    field_problems,
)
from weighhouse_backend.experiments.models import (
    ARCHIVED,
    STANDS_STILL,
    Experiment,
    Missed,
    Overlap,
    Schedule,
)
from weighhouse_backend.experiments.occurrences import HandedOut, OccurrenceLog
from weighhouse_backend.experiments.repository import ExperimentRepository
from weighhouse_backend.experiments.schemas import ScheduleRead, ScheduleWrite
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock

SHOWN_DATES = 5
ON_TIME = datetime.timedelta(minutes=5)
"""A date that is looked at within this long has not been missed."""
DOWN = "the platform was not running"
OFF = "the schedule was switched off"


@dataclass(frozen=True)
class TakenSchedule:
    """A locked schedule, moved on to its next date."""

    date: HandedOut | None
    """The date that has come; None when there is none now."""
    waiting: HandedOut | None
    """An earlier date, which waits for a campaign's end."""


@dataclass(frozen=True)
class NotStarted:
    """Dates of a schedule, up to the latest one, that started nothing."""

    experiment_id: UUID
    project_id: UUID
    dates_count: int
    first_at: datetime.datetime
    last_at: datetime.datetime
    reason: str
    """Of the last one."""


@dataclass(frozen=True)
class ScheduleService:
    """Sets, shows and removes schedules, and hands out those that are due."""

    session: Session
    repository: ExperimentRepository
    occurrences: OccurrenceLog
    clock: Clock

    def put(self, caller: Caller, experiment: Experiment, wanted: ScheduleWrite) -> ScheduleRead:
        """Set the schedule of an experiment that was found before.

        Dates that passed while it was switched off are recorded and never made up for: whoever
        switched it off did not want them. Setting it again takes up one that was set aside.

        :raises ScheduleInvalid: naming the field that cannot be used.
        """
        caller.require(experiment.project_id, Role.MEMBER)
        dates = self.preview(wanted.cron, wanted.time_zone)
        cron = " ".join(wanted.cron.split())
        self.repository.insert_schedule(
            {
                "experiment_id": experiment.id,
                "project_id": experiment.project_id,
                "cron": cron,
                "time_zone": wanted.time_zone,
                "enabled": wanted.enabled,
                "overlap": wanted.overlap,
                "missed": wanted.missed,
                "created_by": caller.name,
                "updated_at": self.clock.now(),
            }
        )
        schedule = self._locked(experiment)
        self._account_for_past(schedule)
        if not wanted.enabled:
            self.occurrences.drop_waiting(experiment.id, OFF)
        schedule.cron = cron
        schedule.time_zone = wanted.time_zone
        schedule.enabled = wanted.enabled
        schedule.overlap = wanted.overlap
        schedule.missed = wanted.missed
        schedule.next_at = dates[0]
        schedule.problem = None
        schedule.created_by = caller.name
        schedule.updated_at = self.clock.now()
        self.session.flush()
        return self._read(schedule)

    def get(self, experiment: Experiment) -> ScheduleRead:
        """:raises ScheduleNotFound: when the experiment has none."""
        found = self.repository.schedules([experiment.id]).get(experiment.id)
        if found is None:
            raise ScheduleNotFound
        return self._read(found)

    def delete(self, caller: Caller, experiment: Experiment) -> None:
        """Remove the schedule; what became of its dates stays.

        :raises ScheduleNotFound: when the experiment has none.
        """
        caller.require(experiment.project_id, Role.MEMBER)
        schedule = self._locked(experiment)
        self.occurrences.drop_waiting(experiment.id, "the schedule was removed")
        self.session.delete(schedule)

    def preview(self, cron: str, time_zone: str) -> list[datetime.datetime]:
        """The next dates a schedule would have.

        :raises ScheduleInvalid: naming the field that cannot be used.
        """
        try:
            return upcoming(cron, time_zone, self.clock.now(), SHOWN_DATES)
        except InvalidSchedule as error:
            fields = field_problems([FieldError(error.field, error.message, error.expected)])
            raise ScheduleInvalid(str(error), errors=fields) from error

    def due(self, limit: int) -> Sequence[UUID]:
        """Experiments whose schedule is due, for longest first; for `take`."""
        return self.repository.due_schedules(self.clock.now(), limit)

    def waiting(self) -> Sequence[UUID]:
        """Experiments of which a date waits for a campaign's end; for `take`."""
        return self.repository.waiting_schedules()

    def projects(self) -> set[UUID]:
        """Projects that have a schedule which is switched on."""
        return self.repository.scheduled_projects()

    def not_started(self) -> list[NotStarted]:
        """Experiments whose latest dates started nothing, though their schedule is switched on."""
        found = []
        dates = self.repository.not_started()
        for experiment_id, group in groupby(dates, key=lambda one: one.experiment_id):
            members = list(group)
            found.append(
                NotStarted(
                    experiment_id,
                    members[-1].project_id,
                    sum(one.dates_count for one in members),
                    members[0].first_at,
                    members[-1].scheduled_for,
                    members[-1].reason,
                )
            )
        return found

    def take(self, experiment_id: UUID) -> TakenSchedule | None:
        """Lock a schedule and move it on to its next date.

        Of several dates that passed the latest is handed out, if it is on time or missed dates are
        to be run late; the others are recorded as missed, as are all that passed while the project
        was archived. A schedule whose dates cannot be worked out is set aside. Repeatable: a date
        is handed out once.

        :returns: None when another holds it, or when it is gone or switched off.
        """
        schedule = self.repository.lock_schedule(experiment_id, skip_locked=True)
        if schedule is None or not schedule.enabled:
            return None
        found = self.repository.waiting_occurrence(experiment_id)
        restored_at = self.repository.restored_at(schedule.project_id)
        if found is not None and restored_at is not None and found.scheduled_for < restored_at:
            self.occurrences.drop(found, ARCHIVED)
            found = None
        waiting = HandedOut(schedule, found.scheduled_for, found) if found else None
        now = self.clock.now()
        if schedule.next_at is None or schedule.next_at > now:
            return TakenSchedule(None, waiting)
        try:
            if restored_at is not None and schedule.next_at < restored_at:
                self._stood_still(schedule, restored_at)
                if schedule.next_at > now:
                    return TakenSchedule(None, waiting)
            gone = passed(schedule.cron, schedule.time_zone, schedule.next_at, now)
            next_at = upcoming(schedule.cron, schedule.time_zone, now, 1)[0]
        except Exception as error:  # noqa: BLE001 - whatever it is, the other schedules go on
            self._set_aside(schedule, error)
            return TakenSchedule(None, waiting)
        schedule.next_at = next_at
        is_late = now - gone.last > ON_TIME
        is_started = not is_late or schedule.missed == Missed.RUN_LATE
        if not is_started:
            self.occurrences.missed(schedule, gone, DOWN)
        elif gone.before_last is not None:
            earlier = Passed(gone.first, None, gone.before_last, gone.count - 1)
            self.occurrences.missed(
                schedule, earlier, f"{DOWN}; of several missed dates the latest counts"
            )
        self.session.flush()
        date = HandedOut(schedule, gone.last, is_late=is_late) if is_started else None
        return TakenSchedule(date, waiting)

    def set_aside(self, experiment_id: UUID, error: Exception) -> None:
        """Start nothing by a schedule until somebody sets it again; it is shown with the reason."""
        schedule = self.repository.lock_schedule(experiment_id)
        if schedule is not None:
            self._set_aside(schedule, error)

    def _locked(self, experiment: Experiment) -> Schedule:
        found = self.repository.lock_schedule(experiment.id)
        if found is None:
            raise ScheduleNotFound
        return found

    def _account_for_past(self, schedule: Schedule) -> None:
        """Record dates that passed before somebody changed the schedule."""
        now = self.clock.now()
        if schedule.next_at is None or schedule.next_at > now:
            return
        try:
            gone = passed(schedule.cron, schedule.time_zone, schedule.next_at, now)
        except InvalidSchedule:
            gone = Passed(schedule.next_at, None, schedule.next_at, 1)
        why = "the schedule was changed first" if schedule.enabled else OFF
        self.occurrences.missed(schedule, gone, why)

    def _stood_still(self, schedule: Schedule, until: datetime.datetime) -> None:
        """Record the dates that passed before an instant, and move on to the next one after it."""
        if schedule.next_at is not None:
            gone = passed(schedule.cron, schedule.time_zone, schedule.next_at, until)
            self.occurrences.missed(schedule, gone, ARCHIVED)
        schedule.next_at = upcoming(schedule.cron, schedule.time_zone, until, 1)[0]
        self.session.flush()

    def _read(self, schedule: Schedule) -> ScheduleRead:
        dates = []
        stands_still = bool(self.repository.archived([schedule.project_id]))
        if schedule.enabled and schedule.next_at is not None and not stands_still:
            dates = self.preview(schedule.cron, schedule.time_zone)
        return ScheduleRead(
            cron=schedule.cron,
            time_zone=schedule.time_zone,
            enabled=schedule.enabled,
            overlap=Overlap(schedule.overlap),
            missed=Missed(schedule.missed),
            problem=STANDS_STILL if stands_still and schedule.enabled else schedule.problem,
            next=dates,
        )

    def _set_aside(self, schedule: Schedule, error: Exception) -> None:
        date = schedule.next_at or self.clock.now()
        self.occurrences.failed(HandedOut(schedule, date), error)
        schedule.problem = f"set aside until it is set again: {schedule.problem}"
        schedule.next_at = None
        self.session.flush()
