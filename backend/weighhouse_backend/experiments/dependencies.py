"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from sqlalchemy.orm import Session

from weighhouse_backend.experiments.occurrences import OccurrenceLog
from weighhouse_backend.experiments.repository import ExperimentRepository
from weighhouse_backend.experiments.schedules import ScheduleService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.experiments.validation import ValidationService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.services import provided, wired


def _occurrences(session: Session, repository: ExperimentRepository, clock: Clock) -> OccurrenceLog:
    return OccurrenceLog(session, repository, clock)


SERVICES = provided(
    ExperimentRepository,
    ExperimentService,
    ScheduleService,
    ValidationService,
    by=(_occurrences,),
)

ExperimentServiceDep = Annotated[ExperimentService, wired(ExperimentService)]
ScheduleServiceDep = Annotated[ScheduleService, wired(ScheduleService)]
ValidationServiceDep = Annotated[ValidationService, wired(ValidationService)]
