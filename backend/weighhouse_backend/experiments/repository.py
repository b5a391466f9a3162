"""All queries of experiments, revisions and schedules."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.experiments.models import (
    ARCHIVED,
    Experiment,
    ExperimentRevision,
    Outcome,
    Schedule,
    ScheduleOccurrence,
)
from weighhouse_backend.identity.models import Project

IN_USE = Schedule.project_id.not_in(select(Project.id).where(Project.archived_at.is_not(None)))
"""Schedules of archived projects stand still."""


@dataclass(frozen=True)
class ExperimentRepository:
    """Reads, locks, and the one insert that two callers may race for."""

    session: Session

    def insert_experiment(self, values: dict[str, Any]) -> Experiment | None:
        """Add an experiment.

        :returns: None when the project has one of that slug; waits for whoever is adding it.
        """
        made = self.session.scalar(
            insert(Experiment)
            .values(values)
            .on_conflict_do_nothing(index_elements=["project_id", "slug"])
            .returning(Experiment.id)
        )
        return self.session.get_one(Experiment, made) if made else None

    def listed(self, project_ids: Iterable[UUID]) -> Select[Experiment]:
        """The experiments of projects, not ordered yet."""
        return select(Experiment).where(Experiment.project_id.in_(list(project_ids)))

    def by_id(self, experiment_id: UUID) -> Experiment | None:
        """An experiment as it stands."""
        return self.session.get(Experiment, experiment_id)

    def by_ids(self, experiment_ids: Iterable[UUID]) -> Sequence[Experiment]:
        """Experiments by their ids, in no order."""
        query = select(Experiment).where(Experiment.id.in_(list(experiment_ids)))
        return self.session.scalars(query).all()

    def by_slug(self, project_ids: Iterable[UUID], slug: str) -> Sequence[Experiment]:
        """Experiments of that slug, one a project at most, as many as anybody reads."""
        return self.session.scalars(
            self.listed(project_ids).where(Experiment.slug == slug).limit(20)
        ).all()

    def called(self, project_ids: Iterable[UUID], text: str) -> Select[UUID]:
        """Ids of experiments with a text in name or slug, capitals or not."""
        return select(Experiment.id).where(
            Experiment.project_id.in_(list(project_ids)),
            or_(
                Experiment.name.icontains(text, autoescape=True),
                Experiment.slug.icontains(text, autoescape=True),
            ),
        )

    def lock(self, experiment_id: UUID) -> Experiment:
        """An experiment, read anew and locked."""
        return self.session.scalars(
            select(Experiment)
            .where(Experiment.id == experiment_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        ).one()

    def revision(self, experiment_id: UUID, number: int) -> ExperimentRevision | None:
        """A revision by its number."""
        return self.session.scalar(
            select(ExperimentRevision).where(
                ExperimentRevision.experiment_id == experiment_id,
                ExperimentRevision.number == number,
            )
        )

    def current_revisions(self, experiment_ids: Iterable[UUID]) -> Sequence[ExperimentRevision]:
        """The current revision of each of some experiments."""
        return self.session.scalars(
            select(ExperimentRevision)
            .join(Experiment, Experiment.id == ExperimentRevision.experiment_id)
            .where(
                Experiment.id.in_(list(experiment_ids)),
                ExperimentRevision.number == Experiment.current_revision,
            )
        ).all()

    def revision_by_id(self, revision_id: UUID) -> ExperimentRevision | None:
        """A revision by its id."""
        return self.session.get(ExperimentRevision, revision_id)

    def revisions(self, experiment_id: UUID) -> Select[ExperimentRevision]:
        """The revisions of an experiment, not ordered yet."""
        return select(ExperimentRevision).where(ExperimentRevision.experiment_id == experiment_id)

    def schedules(self, experiment_ids: Iterable[UUID]) -> dict[UUID, Schedule]:
        """Schedules by experiment."""
        found = self.session.scalars(
            select(Schedule).where(Schedule.experiment_id.in_(list(experiment_ids)))
        )
        return {schedule.experiment_id: schedule for schedule in found}

    def lock_schedule(self, experiment_id: UUID, *, skip_locked: bool = False) -> Schedule | None:
        """A schedule, read anew and locked; None when there is none, or it is held and skipped."""
        return self.session.scalar(
            select(Schedule)
            .where(Schedule.experiment_id == experiment_id)
            .with_for_update(skip_locked=skip_locked)
            .execution_options(populate_existing=True)
        )

    def insert_schedule(self, values: dict[str, Any]) -> None:
        """Add a schedule, unless the experiment has one."""
        self.session.execute(insert(Schedule).values(values).on_conflict_do_nothing())

    def due_schedules(self, now: datetime.datetime, limit: int) -> Sequence[UUID]:
        """Experiments whose schedule is due, for longest first."""
        return self.session.scalars(
            select(Schedule.experiment_id)
            .where(Schedule.enabled, Schedule.next_at <= now, IN_USE)
            .order_by(Schedule.next_at, Schedule.experiment_id)
            .limit(limit)
        ).all()

    def waiting_schedules(self) -> Sequence[UUID]:
        """Experiments of which a date waits for a campaign's end, for longest first."""
        return self.session.scalars(
            select(ScheduleOccurrence.experiment_id)
            .join(Schedule, Schedule.experiment_id == ScheduleOccurrence.experiment_id)
            .where(ScheduleOccurrence.outcome == Outcome.WAITING, IN_USE)
            .order_by(ScheduleOccurrence.id)
        ).all()

    def scheduled_projects(self) -> set[UUID]:
        """Projects in use that have a schedule which is switched on."""
        on = select(Schedule.project_id).where(Schedule.enabled, IN_USE)
        return set(self.session.scalars(on))

    def archived(self, project_ids: Iterable[UUID]) -> set[UUID]:
        """Those of some projects whose schedules stand still."""
        kept = select(Project.id).where(
            Project.id.in_(list(project_ids)), Project.archived_at.is_not(None)
        )
        return set(self.session.scalars(kept))

    def restored_at(self, project_id: UUID) -> datetime.datetime | None:
        """When a project was brought back from among the archived ones last."""
        return self.session.scalar(select(Project.restored_at).where(Project.id == project_id))

    def last_failed(self) -> Sequence[Experiment]:
        """Experiments whose latest campaign ended without a result."""
        return self.session.scalars(
            select(Experiment)
            .where(Experiment.last_campaign_state == "failed")
            .order_by(Experiment.id)
        ).all()

    # Occurrences

    def not_started(self) -> Sequence[ScheduleOccurrence]:
        """Dates of schedules that are switched on, on which nothing was started, since the last one
        that did; by experiment, oldest first. Where a project was archived it was meant.
        """
        started = (
            select(
                ScheduleOccurrence.experiment_id,
                func.max(ScheduleOccurrence.scheduled_for).label("at"),
            )
            .where(ScheduleOccurrence.outcome.in_([Outcome.STARTED, Outcome.REPLACED]))
            .group_by(ScheduleOccurrence.experiment_id)
            .subquery()
        )
        bad = [Outcome.MISSED, Outcome.SKIPPED, Outcome.FAILED]
        return self.session.scalars(
            select(ScheduleOccurrence)
            .join(Schedule, Schedule.experiment_id == ScheduleOccurrence.experiment_id)
            .outerjoin(started, started.c.experiment_id == ScheduleOccurrence.experiment_id)
            .where(
                Schedule.enabled,
                IN_USE,
                ScheduleOccurrence.outcome.in_(bad),
                ScheduleOccurrence.reason != ARCHIVED,
                or_(started.c.at.is_(None), ScheduleOccurrence.scheduled_for > started.c.at),
            )
            .order_by(ScheduleOccurrence.experiment_id, ScheduleOccurrence.scheduled_for)
        ).all()

    def occurrences(self, experiment_id: UUID) -> Select[ScheduleOccurrence]:
        """What became of an experiment's dates, not ordered yet."""
        return select(ScheduleOccurrence).where(ScheduleOccurrence.experiment_id == experiment_id)

    def waiting_occurrence(self, experiment_id: UUID) -> ScheduleOccurrence | None:
        """The date of an experiment that waits for a campaign's end."""
        return self.session.scalar(
            self.occurrences(experiment_id)
            .where(ScheduleOccurrence.outcome == Outcome.WAITING)
            .execution_options(populate_existing=True)
        )

    def occurrences_of(
        self, experiment_id: UUID, campaign_ids: Iterable[UUID]
    ) -> Sequence[ScheduleOccurrence]:
        """The dates that started some campaigns of an experiment."""
        return self.session.scalars(
            self.occurrences(experiment_id).where(
                ScheduleOccurrence.campaign_id.in_(list(campaign_ids))
            )
        ).all()

    def lost_dates(
        self, experiment_id: UUID, since: datetime.datetime
    ) -> Sequence[ScheduleOccurrence]:
        """Dates of an experiment on which nothing was started, oldest first."""
        lost = (Outcome.SKIPPED, Outcome.MISSED, Outcome.FAILED)
        return self.session.scalars(
            self.occurrences(experiment_id)
            .where(ScheduleOccurrence.outcome.in_(lost), ScheduleOccurrence.scheduled_for >= since)
            .order_by(ScheduleOccurrence.scheduled_for)
        ).all()

    def forget_occurrences(self, experiment_id: UUID, kept: int) -> None:
        """Drop the oldest of an experiment's occurrences beyond a number."""
        oldest = (
            select(ScheduleOccurrence.id)
            .where(ScheduleOccurrence.experiment_id == experiment_id)
            .order_by(ScheduleOccurrence.id.desc())
            .offset(kept)
            .limit(1)
            .scalar_subquery()
        )
        self.session.execute(
            delete(ScheduleOccurrence)
            .where(
                ScheduleOccurrence.experiment_id == experiment_id, ScheduleOccurrence.id <= oldest
            )
            .execution_options(synchronize_session=False)
        )
