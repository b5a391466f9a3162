"""All queries of annotations."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from weighhouse_backend.annotations.models import Annotation


@dataclass(frozen=True)
class AnnotationRepository:
    """Reads and writes annotations."""

    session: Session

    def add(self, annotation: Annotation) -> None:
        """Keep a new one."""
        self.session.add(annotation)
        self.session.flush()

    def lock(self, annotation_id: UUID) -> Annotation | None:
        """One that was not removed, locked."""
        return self.session.scalar(
            select(Annotation)
            .where(Annotation.id == annotation_id, Annotation.removed_at.is_(None))
            .with_for_update()
        )

    def listed(
        self,
        project_ids: Collection[UUID],
        *,
        run_ids: Collection[UUID],
        series_ids: Collection[UUID],
    ) -> Select[Any]:
        """Those of projects that were not removed: of some runs or series alone, if any are named;
        those of points are of their series too.
        """
        statement = select(Annotation).where(
            Annotation.project_id.in_(list(project_ids)), Annotation.removed_at.is_(None)
        )
        if run_ids or series_ids:
            statement = statement.where(
                Annotation.run_id.in_(list(run_ids)) | Annotation.series_id.in_(list(series_ids))
            )
        return statement
