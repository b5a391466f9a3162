"""When experiments start by themselves."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session
from weighhouse_protocol.yaml_document import FieldError

from weighhouse_backend.experiments.calendar import InvalidSchedule, upcoming
from weighhouse_backend.experiments.errors import (
    ScheduleInvalid,
    ScheduleNotFound,
    field_problems,
)
from weighhouse_backend.experiments.models import Experiment, Schedule
from weighhouse_backend.experiments.repository import ExperimentRepository
from weighhouse_backend.experiments.schemas import ScheduleRead, ScheduleWrite
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock

SHOWN_DATES = 5


@dataclass(frozen=True)
class DueSchedule:
    """A schedule whose date has come."""

    schedule: Schedule
    experiment: Experiment
    due_at: datetime.datetime


@dataclass(frozen=True)
class ScheduleService:
    """Sets, shows and removes schedules, and hands out those that are due."""

    session: Session
    repository: ExperimentRepository
    clock: Clock

    def put(self, caller: Caller, experiment: Experiment, wanted: ScheduleWrite) -> ScheduleRead:
        """Set the schedule of an experiment that was found before.

        :raises ScheduleInvalid: naming the field that cannot be used.
        """
        caller.require(experiment.project_id, Role.MEMBER)
        dates = self.preview(wanted.cron, wanted.time_zone)
        self.repository.lock(experiment.id)
        schedule = self.repository.schedules([experiment.id]).get(experiment.id)
        if schedule is None:
            schedule = Schedule(experiment_id=experiment.id, project_id=experiment.project_id)
            self.session.add(schedule)
        schedule.cron = " ".join(wanted.cron.split())
        schedule.time_zone = wanted.time_zone
        schedule.enabled = wanted.enabled
        schedule.next_at = dates[0] if wanted.enabled else None
        schedule.created_by = caller.name
        schedule.updated_at = self.clock.now()
        self.session.flush()
        return self._read(schedule)

    def get(self, experiment: Experiment) -> ScheduleRead:
        """:raises ScheduleNotFound: when the experiment has none."""
        return self._read(self._existing(experiment))

    def delete(self, caller: Caller, experiment: Experiment) -> None:
        """Remove the schedule.

        :raises ScheduleNotFound: when the experiment has none.
        """
        caller.require(experiment.project_id, Role.MEMBER)
        self.session.delete(self._existing(experiment))

    def preview(self, cron: str, time_zone: str) -> list[datetime.datetime]:
        """The next dates a schedule would have.

        :raises ScheduleInvalid: naming the field that cannot be used.
        """
        try:
            return upcoming(cron, time_zone, self.clock.now(), SHOWN_DATES)
        except InvalidSchedule as error:
            fields = field_problems([FieldError(error.field, error.message, error.expected)])
            raise ScheduleInvalid(str(error), errors=fields) from error

    def take_due(self) -> Iterator[DueSchedule]:
        """Hand out every schedule whose date has come, each moved on to its next date.

        Dates that were missed while nobody looked count as one. Rows stay locked until the
        transaction ends; what another holds is passed over.
        """
        while schedule := self.repository.due_schedule(self.clock.now()):
            due_at = schedule.next_at or self.clock.now()
            schedule.next_at = upcoming(schedule.cron, schedule.time_zone, self.clock.now(), 1)[0]
            self.session.flush()
            experiment = self.session.get_one(Experiment, schedule.experiment_id)
            yield DueSchedule(schedule, experiment, due_at)

    def _existing(self, experiment: Experiment) -> Schedule:
        found = self.repository.schedules([experiment.id]).get(experiment.id)
        if found is None:
            raise ScheduleNotFound
        return found

    def _read(self, schedule: Schedule) -> ScheduleRead:
        dates = self.preview(schedule.cron, schedule.time_zone) if schedule.enabled else []
        return ScheduleRead(
            cron=schedule.cron,
            time_zone=schedule.time_zone,
            enabled=schedule.enabled,
            next=dates,
        )
