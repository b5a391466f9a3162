"""All queries of alerts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.kit.ids import new_id


@dataclass(frozen=True)
class AlertRepository:
    """Reads and writes change points."""

    session: Session

    def new_id(self) -> UUID:
        """An identifier for a row that is referred to before it is written."""
        return new_id()

    def change_points(self, series_id: UUID) -> Sequence[ChangePoint]:
        """Change points of a series, oldest first."""
        return self.session.scalars(
            select(ChangePoint)
            .where(ChangePoint.series_id == series_id)
            .order_by(ChangePoint.at, ChangePoint.id)
        ).all()

    def confirmed(self, series_ids: Collection[UUID]) -> dict[UUID, int]:
        """How many confirmed change points series have; a series without any is left out."""
        counted = (
            select(ChangePoint.series_id, func.count())
            .where(ChangePoint.status == "confirmed", ChangePoint.series_id.in_(list(series_ids)))
            .group_by(ChangePoint.series_id)
        )
        return {row[0]: row[1] for row in self.session.execute(counted)}
