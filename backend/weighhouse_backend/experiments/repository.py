"""All queries of experiments, revisions and schedules."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from weighhouse_backend.experiments.models import Experiment, ExperimentRevision, Schedule


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
        """Experiments of that slug: one a project at most."""
        return self.session.scalars(
            self.listed(project_ids).where(Experiment.slug == slug).limit(2)
        ).all()

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

    def due_schedule(self, now: datetime.datetime) -> Schedule | None:
        """The schedule that is due for longest, locked; those others hold are skipped."""
        return self.session.scalar(
            select(Schedule)
            .where(Schedule.enabled, Schedule.next_at <= now)
            .order_by(Schedule.next_at, Schedule.experiment_id)
            .limit(1)
            .with_for_update(skip_locked=True)
            .execution_options(populate_existing=True)
        )
