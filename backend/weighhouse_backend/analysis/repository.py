"""All queries of analysis."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import InstrumentedAttribute, Session

from weighhouse_backend.analysis.models import (
    CampaignVerdict,
    ChangePoint,
    Finding,
    Series,
    SeriesPoint,
)
from weighhouse_backend.campaigns.models import Campaign, Run
from weighhouse_backend.kit.ids import new_id


@dataclass(frozen=True)
class SeriesDigest:
    """What a list shows of a series besides its row."""

    points_count: int = 0
    last_value: float | None = None
    last_at: Any = None
    change_points_count: int = 0


@dataclass(frozen=True)
class AnalysisRepository:
    """Reads and writes rows of analysis."""

    session: Session

    def campaigns(self, campaign_ids: Collection[UUID]) -> dict[UUID, Campaign]:
        """Campaigns by id."""
        found = self.session.scalars(select(Campaign).where(Campaign.id.in_(list(campaign_ids))))
        return {campaign.id: campaign for campaign in found}

    def lock_settling(self, campaign_id: UUID) -> Campaign | None:
        """A campaign, read anew and locked: the first lock of settling it."""
        return self.session.scalar(
            select(Campaign)
            .where(Campaign.id == campaign_id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )

    def new_id(self) -> UUID:
        """An identifier for a row that is referred to before it is written."""
        return new_id()

    def runs(self, campaign_id: UUID) -> Sequence[Run]:
        """Runs of a campaign."""
        return self.session.scalars(select(Run).where(Run.campaign_id == campaign_id)).all()

    def findings(self, run_id: UUID) -> Sequence[Finding]:
        """Stored findings of a run."""
        return self.session.scalars(select(Finding).where(Finding.run_id == run_id)).all()

    def findings_of_campaigns(self, campaign_ids: Collection[UUID]) -> Sequence[Finding]:
        """Stored findings of all runs of some campaigns."""
        return self.session.scalars(
            select(Finding).where(Finding.campaign_id.in_(list(campaign_ids)))
        ).all()

    def replace_findings(self, campaign_id: UUID, rows: Sequence[dict[str, Any]]) -> None:
        """Write a campaign's findings, whatever was there. The campaign has to be locked."""
        self.session.execute(delete(Finding).where(Finding.campaign_id == campaign_id))
        if rows:
            self.session.execute(insert(Finding), rows)

    def put_verdict(self, row: dict[str, Any]) -> None:
        """Write a campaign's verdict over an earlier one."""
        statement = insert(CampaignVerdict).values(row)
        updated = {key: value for key, value in row.items() if key != "campaign_id"}
        self.session.execute(
            statement.on_conflict_do_update(index_elements=["campaign_id"], set_=updated)
        )

    def series_id(self, key: dict[str, Any], values: dict[str, Any]) -> UUID:
        """The series of a key, made when there is none; what describes it is brought up to date."""
        statement = (
            insert(Series)
            .values({**key, **values})
            .on_conflict_do_update(index_elements=list(key), set_=values)
            .returning(Series.id)
        )
        return self.session.execute(statement).scalar_one()

    def put_point(self, row: dict[str, Any]) -> None:
        """Write a campaign's point of a series over an earlier one."""
        keys = ("series_id", "campaign_id")
        updated = {key: value for key, value in row.items() if key not in keys}
        statement = insert(SeriesPoint).values(row)
        self.session.execute(
            statement.on_conflict_do_update(index_elements=list(keys), set_=updated)
        )

    def lock_series(self, series_id: UUID) -> Series | None:
        """A series, locked, so that its change points are written by one at a time."""
        return self.session.scalar(select(Series).where(Series.id == series_id).with_for_update())

    def series(self, series_id: UUID) -> Series | None:
        """A series."""
        return self.session.get(Series, series_id)

    def listed(
        self,
        project_ids: Collection[UUID],
        *,
        system_id: str | None,
        workload: str | None,
        metric: str | None,
        experiment_id: UUID | None,
    ) -> Select[Any]:
        """Series of projects, filtered."""
        statement = select(Series).where(Series.project_id.in_(list(project_ids)))
        wanted = {
            Series.system_id: system_id,
            Series.workload: workload,
            Series.metric: metric,
            Series.experiment_id: experiment_id,
        }
        for column, value in wanted.items():
            if value is not None:
                statement = statement.where(column == value)
        return statement

    def digests(self, series_ids: Collection[UUID]) -> dict[UUID, SeriesDigest]:
        """What lists show of series; as many queries for all as for one."""
        latest = (
            select(SeriesPoint.series_id, SeriesPoint.value, SeriesPoint.at)
            .where(SeriesPoint.series_id.in_(list(series_ids)))
            .ext(distinct_on(SeriesPoint.series_id))
            .order_by(SeriesPoint.series_id, SeriesPoint.at.desc())
        )
        last = {row.series_id: row for row in self.session.execute(latest)}
        points = self._counts(select(SeriesPoint.series_id), SeriesPoint.series_id, series_ids)
        confirmed = select(ChangePoint.series_id).where(ChangePoint.status == "confirmed")
        changes = self._counts(confirmed, ChangePoint.series_id, series_ids)
        return {
            series_id: SeriesDigest(
                points_count=points.get(series_id, 0),
                last_value=last[series_id].value if series_id in last else None,
                last_at=last[series_id].at if series_id in last else None,
                change_points_count=changes.get(series_id, 0),
            )
            for series_id in series_ids
        }

    def points(self, series_id: UUID) -> Sequence[SeriesPoint]:
        """Points of a series, oldest first."""
        return self.session.scalars(
            select(SeriesPoint)
            .where(SeriesPoint.series_id == series_id)
            .order_by(SeriesPoint.at, SeriesPoint.campaign_id)
        ).all()

    def change_points(self, series_id: UUID) -> Sequence[ChangePoint]:
        """Change points of a series, oldest first."""
        return self.session.scalars(
            select(ChangePoint)
            .where(ChangePoint.series_id == series_id)
            .order_by(ChangePoint.at, ChangePoint.id)
        ).all()

    def _counts(
        self, rows: Select[Any], column: InstrumentedAttribute[UUID], ids: Collection[UUID]
    ) -> dict[UUID, int]:
        counted = rows.add_columns(func.count()).where(column.in_(list(ids))).group_by(column)
        return {row[0]: row[1] for row in self.session.execute(counted)}
