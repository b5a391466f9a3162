"""All queries of change points."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select, tuple_
from sqlalchemy.orm import Session

from weighhouse_backend.alerts.models import Alert, ChangePoint
from weighhouse_backend.alerts.states import AlertState
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.models import Series, SeriesPoint

NOT_OF_THE_DATABASE = (AlertState.NOISE, AlertState.INFRASTRUCTURE)


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

    def confirmed_of(
        self, experiment_ids: Collection[UUID]
    ) -> Sequence[tuple[ChangePoint, Series]]:
        """All confirmed change points of experiments, with their series; in no order."""
        found = self.session.execute(
            select(ChangePoint, Series)
            .join(Series, Series.id == ChangePoint.series_id)
            .where(
                ChangePoint.status == "confirmed",
                Series.experiment_id.in_(list(experiment_ids)),
            )
        )
        return [(row[0], row[1]) for row in found]

    def confirmed_in(self, project_id: UUID) -> Sequence[tuple[ChangePoint, Series]]:
        """All confirmed change points of a project, with their series; the most evident first."""
        found = self.session.execute(
            select(ChangePoint, Series)
            .join(Series, Series.id == ChangePoint.series_id)
            .where(ChangePoint.status == "confirmed", ChangePoint.project_id == project_id)
            .order_by(ChangePoint.p_value, ChangePoint.id)
        )
        return [(row[0], row[1]) for row in found]

    def campaign_numbers(self, campaign_ids: Collection[UUID]) -> dict[UUID, int]:
        """The numbers of campaigns by id."""
        found = self.session.execute(
            select(SeriesPoint.campaign_id, SeriesPoint.campaign_number)
            .where(SeriesPoint.campaign_id.in_(list(campaign_ids)))
            .distinct()
        )
        return {row[0]: row[1] for row in found}

    def states(self, series_id: UUID) -> dict[UUID, str]:
        """What people say of the changes of a series, by change; candidates are left out."""
        found = self.session.execute(
            select(ChangePoint.id, Alert.state)
            .join(Alert, Alert.id == ChangePoint.alert_id)
            .where(ChangePoint.series_id == series_id)
        )
        return {row[0]: row[1] for row in found}

    def last_confirmed(self, experiment_id: UUID, before: UUID) -> UUID | None:
        """The campaign at which an experiment's series last shifted, among those before one; what
        people took for noise or for the infrastructure does not count.
        """
        place = tuple_(Campaign.stands_at, Campaign.id)
        mine = select(Campaign.stands_at, Campaign.id).where(Campaign.id == before)
        return self.session.scalar(
            select(ChangePoint.campaign_id)
            .join(Series, Series.id == ChangePoint.series_id)
            .join(Campaign, Campaign.id == ChangePoint.campaign_id)
            .outerjoin(Alert, Alert.id == ChangePoint.alert_id)
            .where(
                Series.experiment_id == experiment_id,
                ChangePoint.status == "confirmed",
                ChangePoint.kind != "spread",
                func.coalesce(Alert.state, AlertState.UNTRIAGED).not_in(NOT_OF_THE_DATABASE),
                place < mine.scalar_subquery(),
            )
            .order_by(Campaign.stands_at.desc(), Campaign.id.desc())
            .limit(1)
        )

    def begins_with(self, campaign_id: UUID) -> bool:
        """Whether a confirmed change that is told of begins with a campaign."""
        told = select(ChangePoint.id).where(
            ChangePoint.campaign_id == campaign_id,
            ChangePoint.status == "confirmed",
            ChangePoint.kind != "spread",
            ChangePoint.alert_id.is_not(None),
        )
        return self.session.scalar(told.limit(1)) is not None

    def confirmed(self, series_ids: Collection[UUID]) -> dict[UUID, int]:
        """How many confirmed change points series have; a series without any is left out."""
        counted = (
            select(ChangePoint.series_id, func.count())
            .where(ChangePoint.status == "confirmed", ChangePoint.series_id.in_(list(series_ids)))
            .group_by(ChangePoint.series_id)
        )
        return {row[0]: row[1] for row in self.session.execute(counted)}
