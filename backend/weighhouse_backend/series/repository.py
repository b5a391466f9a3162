"""All queries of series."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, delete, exists, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.models import Series, SeriesPoint


@dataclass(frozen=True)
class SeriesDigest:
    """What a list shows of a series besides its row."""

    points_count: int = 0
    last_value: float | None = None
    last_at: Any = None


@dataclass(frozen=True)
class SeriesRepository:
    """Reads and writes series and their points."""

    session: Session

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

    def leave(self, campaign_id: UUID) -> list[UUID]:
        """Remove a campaign's points, and series that have none left; the ids of the others."""
        removed = delete(SeriesPoint).where(SeriesPoint.campaign_id == campaign_id)
        touched = set(self.session.scalars(removed.returning(SeriesPoint.series_id)))
        empty = delete(Series).where(
            Series.id.in_(touched), ~exists().where(SeriesPoint.series_id == Series.id)
        )
        gone = set(self.session.scalars(empty.returning(Series.id)))
        return sorted(touched - gone)

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
            .order_by(SeriesPoint.series_id, SeriesPoint.stands_at.desc())
        )
        last = {row.series_id: row for row in self.session.execute(latest)}
        counted = (
            select(SeriesPoint.series_id, func.count())
            .where(SeriesPoint.series_id.in_(list(series_ids)))
            .group_by(SeriesPoint.series_id)
        )
        points = {row[0]: row[1] for row in self.session.execute(counted)}
        return {
            series_id: SeriesDigest(
                points_count=points.get(series_id, 0),
                last_value=last[series_id].value if series_id in last else None,
                last_at=last[series_id].at if series_id in last else None,
            )
            for series_id in series_ids
        }

    def lock_unkeyed(self, experiment_id: UUID) -> Sequence[Series]:
        """An experiment's series without identity, locked, oldest first."""
        return self.session.scalars(
            select(Series)
            .where(Series.experiment_id == experiment_id, Series.cell_identity.is_(None))
            .order_by(Series.id)
            .with_for_update()
        ).all()

    def keyed(self, experiment_id: UUID, cell_identity: str, family: str, metric: str) -> bool:
        """Whether there is a series of a key."""
        return bool(
            self.session.scalar(
                select(
                    exists().where(
                        Series.experiment_id == experiment_id,
                        Series.cell_identity == cell_identity,
                        Series.side_family == family,
                        Series.metric == metric,
                    )
                )
            )
        )

    def twin(self, series: Series) -> Series:
        """A series of the same names, without points."""
        names = (
            "project_id", "experiment_id", "system_id", "target", "workload", "load_kind",
            "load_value", "load_label", "metric",
        )  # fmt: skip
        made = Series(**{name: getattr(series, name) for name in names})
        self.session.add(made)
        self.session.flush()
        return made

    def move(self, series_id: UUID, other_id: UUID, campaign_ids: Collection[UUID]) -> None:
        """Hand points over to another series."""
        self.session.execute(
            update(SeriesPoint)
            .where(SeriesPoint.series_id == series_id)
            .where(SeriesPoint.campaign_id.in_(list(campaign_ids)))
            .values(series_id=other_id)
        )

    def mark(self, campaign_id: UUID, regressed: Collection[tuple[str, str]]) -> None:
        """Say which of a campaign's points regressed, by cell and family of the side."""
        theirs = select(Series.id).where(
            tuple_(Series.cell_identity, Series.side_family).in_(list(regressed))
        )
        self.session.execute(
            update(SeriesPoint)
            .where(SeriesPoint.campaign_id == campaign_id)
            .values(regressed=SeriesPoint.series_id.in_(theirs))
        )

    def past(
        self,
        experiment_id: UUID,
        cells: Collection[str],
        before: UUID | None,
        without: Collection[UUID],
        most: int,
    ) -> Sequence[Row[Any]]:
        """The latest points of an experiment's cells, of each series and environment, oldest
        first; without those that regressed in campaigns that nobody accepted.

        :param cells: their identities.
        :param most: of a series and environment.
        """
        newest_first = Campaign.stands_at.desc(), Campaign.id.desc()
        rank = func.row_number().over(
            partition_by=(SeriesPoint.series_id, SeriesPoint.fingerprint), order_by=newest_first
        )
        query = (
            select(
                Series.cell_identity, Series.side_family, Series.metric, SeriesPoint.fingerprint,
                SeriesPoint.place, SeriesPoint.repeats, Campaign.stands_at, SeriesPoint.campaign_id,
                rank.label("rank"),
            )
            .join(Series, Series.id == SeriesPoint.series_id)
            .join(Campaign, Campaign.id == SeriesPoint.campaign_id)
            .where(
                or_(~SeriesPoint.regressed, Campaign.accepted_at.is_not(None)),
                Series.experiment_id == experiment_id,
                Series.cell_identity.in_(list(cells)),
                SeriesPoint.campaign_id.not_in(list(without)),
            )
        )  # fmt: skip
        if before is not None:
            query = query.where(SeriesPoint.campaign_id < before)
        ranked = query.subquery()
        return self.session.execute(
            select(ranked)
            .where(ranked.c.rank <= most)
            .order_by(ranked.c.stands_at, ranked.c.campaign_id)
        ).all()

    def point(self, series_id: UUID, campaign_id: UUID) -> SeriesPoint | None:
        """A campaign's point of a series."""
        return self.session.get(SeriesPoint, (series_id, campaign_id))

    def points(self, series_id: UUID) -> Sequence[SeriesPoint]:
        """Points of a series, oldest first."""
        return self.session.scalars(
            select(SeriesPoint)
            .where(SeriesPoint.series_id == series_id)
            .order_by(SeriesPoint.stands_at, SeriesPoint.campaign_id)
        ).all()
