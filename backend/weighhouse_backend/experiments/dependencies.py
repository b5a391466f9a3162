"""Hands the feature's services to endpoints, and to the worker."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.orm import Session

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.occurrences import OccurrenceLog
from weighhouse_backend.experiments.repository import ExperimentRepository
from weighhouse_backend.experiments.schedules import ScheduleService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.experiments.validation import ValidationService
from weighhouse_backend.kit.clock import Clock, SystemClock
from weighhouse_backend.kit.db import SessionDep


def validation_service(session: Session, clock: Clock) -> ValidationService:
    """Checks of documents over one transaction."""
    return ValidationService(CatalogService(session, clock))


def experiment_service(session: Session, clock: Clock) -> ExperimentService:
    """Experiments over one transaction."""
    repository = ExperimentRepository(session)
    return ExperimentService(session, repository, validation_service(session, clock), clock)


def schedule_service(session: Session, clock: Clock) -> ScheduleService:
    """Schedules over one transaction."""
    repository = ExperimentRepository(session)
    return ScheduleService(session, repository, OccurrenceLog(session, repository, clock), clock)


def _validation(session: SessionDep) -> ValidationService:
    return validation_service(session, SystemClock())


def _experiments(session: SessionDep) -> ExperimentService:
    return experiment_service(session, SystemClock())


def _schedules(session: SessionDep) -> ScheduleService:
    return schedule_service(session, SystemClock())


ValidationServiceDep = Annotated[ValidationService, Depends(_validation)]
ExperimentServiceDep = Annotated[ExperimentService, Depends(_experiments)]
ScheduleServiceDep = Annotated[ScheduleService, Depends(_schedules)]
