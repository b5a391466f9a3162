"""All queries of series."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    delete,
    exists,
    false,
    func,
    or_,
    select,
    text,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session, aliased

from weighhouse_backend.runs.commit_models import CampaignCommit
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.filters import SeriesFilter
from weighhouse_backend.series.models import Series, SeriesPoint
from weighhouse_backend.series.stored_points import StoredPoint

COURSE = 30
"""Campaigns that a list shows of a series."""


def _of_experiment(experiment_id: UUID) -> Select[Any]:
    return select(Series.id).where(Series.experiment_id == experiment_id)


def _apart(experiment_id: UUID, branch: str | None) -> Select[Any]:
    """Campaigns of pull requests, and of branches that are known not to be the main one."""
    is_apart: ColumnElement[bool] = CampaignCommit.pull_request.is_not(None)
    if branch is not None:
        is_apart = or_(is_apart, CampaignCommit.branch != branch)
    return (
        select(Campaign.id)
        .join(CampaignCommit, CampaignCommit.campaign_id == Campaign.id)
        .where(Campaign.experiment_id == experiment_id, is_apart)
    )


@dataclass(frozen=True)
class SeriesRepository:
    """Reads and writes series and their points."""

    session: Session

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

    def listed(self, project_ids: Collection[UUID], wanted: SeriesFilter) -> Select[Any]:
        """Series of projects, filtered."""
        statement = select(Series).where(Series.project_id.in_(list(project_ids)))
        conditions = {
            Series.system_id: wanted.system_id,
            Series.workload: wanted.workload,
            Series.metric: wanted.metric,
            Series.experiment_id: wanted.experiment_id,
        }
        for column, value in conditions.items():
            if value is not None:
                statement = statement.where(column == value)
        if wanted.campaign_id is not None:
            of = SeriesPoint.campaign_id == wanted.campaign_id
            statement = statement.where(Series.id.in_(select(SeriesPoint.series_id).where(of)))
        return statement

    def latest(self, series_ids: Collection[UUID]) -> dict[UUID, SeriesPoint]:
        """The point that lists show of series: the newest of the main line, else of the others; one
        row is read of each.
        """
        newest = (
            select(SeriesPoint)
            .where(SeriesPoint.series_id == Series.id)
            .order_by(
                SeriesPoint.off_main_line,
                SeriesPoint.stands_at.desc(),
                SeriesPoint.campaign_id.desc(),
            )
            .limit(1)
            .lateral()
        )
        point = aliased(SeriesPoint, newest)
        found = self.session.scalars(
            select(point).select_from(Series).join(newest, true())
            .where(Series.id.in_(list(series_ids)))
        )  # fmt: skip
        return {point.series_id: point for point in found}

    def courses(self, series_ids: Collection[UUID]) -> dict[UUID, list[float]]:
        """Values of series by their latest campaigns of the main line, `COURSE` of each at most,
        from the oldest on; of a series that has none nothing.
        """
        newest = (
            select(SeriesPoint.value, SeriesPoint.stands_at, SeriesPoint.campaign_id)
            .where(SeriesPoint.series_id == Series.id, SeriesPoint.off_main_line.is_(False))
            .order_by(SeriesPoint.stands_at.desc(), SeriesPoint.campaign_id.desc())
            .limit(COURSE)
            .lateral()
        )
        order = (newest.c.stands_at, newest.c.campaign_id)
        rows = self.session.execute(
            select(Series.id, func.array_agg(aggregate_order_by(newest.c.value, *order)))
            .join(newest, true())
            .where(Series.id.in_(list(series_ids)))
            .group_by(Series.id)
        )
        return {series_id: list(values) for series_id, values in rows}

    def measured_in(self, series_ids: Collection[UUID]) -> dict[UUID, set[str]]:
        """Campaigns that series have points of, and whose targets' those are."""
        rows = self.session.execute(
            select(SeriesPoint.campaign_id, Series.target)
            .join(Series, Series.id == SeriesPoint.series_id)
            .where(Series.id.in_(list(series_ids)))
            .distinct()
        )
        found: dict[UUID, set[str]] = {}
        for campaign_id, target in rows:
            found.setdefault(campaign_id, set()).add(target)
        return found

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
        first; without those that regressed in campaigns that nobody accepted, and those apart from
        the main line.

        :param cells: their identities.
        :param most: of a series and environment.
        """
        ranked = self._ranked(experiment_id, cells, before, without).subquery()
        return self.session.execute(
            select(ranked)
            .where(ranked.c.rank <= most)
            .order_by(ranked.c.stands_at, ranked.c.campaign_id)
        ).all()

    def next_to(
        self,
        experiment_id: UUID,
        cells: Collection[str],
        campaign_id: UUID,
        before: UUID | None,
        most: int,
    ) -> Sequence[Row[Any]]:
        """The same of the points nearest to a campaign's in time, itself not among them.

        :param most: so many before and so many after it, of a series and environment.
        """
        ranked = self._ranked(experiment_id, cells, before, ()).cte()
        own = ranked.alias()
        apart = func.abs(ranked.c.rank - own.c.rank)
        return self.session.execute(
            select(ranked)
            .join(own, own.c.series_id == ranked.c.series_id)
            .where(
                own.c.campaign_id == campaign_id,
                own.c.fingerprint == ranked.c.fingerprint,
                apart.between(1, most),
            )
            .order_by(ranked.c.stands_at, ranked.c.campaign_id)
        ).all()

    def _ranked(
        self,
        experiment_id: UUID,
        cells: Collection[str],
        before: UUID | None,
        without: Collection[UUID],
    ) -> Select[Any]:
        """Every point of the cells that tells of noise, and its place in its series, from 1 for the
        latest.
        """
        newest_first = Campaign.stands_at.desc(), Campaign.id.desc()
        rank = func.row_number().over(
            partition_by=(SeriesPoint.series_id, SeriesPoint.fingerprint), order_by=newest_first
        )
        began = func.min(SeriesPoint.at).over(
            partition_by=(SeriesPoint.series_id, SeriesPoint.fingerprint)
        )
        query = (
            select(
                Series.cell_identity, Series.side_family, Series.metric,
                SeriesPoint.series_id, SeriesPoint.fingerprint,
                SeriesPoint.place, SeriesPoint.repeats, Campaign.stands_at, SeriesPoint.campaign_id,
                began.label("began"), rank.label("rank"),
            )
            .join(Series, Series.id == SeriesPoint.series_id)
            .join(Campaign, Campaign.id == SeriesPoint.campaign_id)
            .where(
                or_(~SeriesPoint.regressed, Campaign.accepted_at.is_not(None)),
                ~SeriesPoint.off_main_line,
                Series.experiment_id == experiment_id,
                Series.cell_identity.in_(list(cells)),
                SeriesPoint.campaign_id.not_in(list(without)),
            )
        )  # fmt: skip
        if before is not None:
            query = query.where(SeriesPoint.campaign_id < before)
        return query

    def default_branch(self, experiment_id: UUID) -> str | None:
        """The main branch that was told last with a campaign of an experiment."""
        return self.session.scalar(
            select(CampaignCommit.default_branch)
            .join(Campaign, Campaign.id == CampaignCommit.campaign_id)
            .where(
                Campaign.experiment_id == experiment_id, CampaignCommit.default_branch.is_not(None)
            )
            .order_by(Campaign.id.desc())
            .limit(1)
        )

    def apart(self, experiment_id: UUID, branch: str | None, among: Collection[UUID]) -> set[UUID]:
        """Those of some campaigns of an experiment that are none of its main line; none where its
        series have no point of that.

        :param branch: the main one; None: not known.
        """
        if not among or not self._has_main_line(experiment_id, branch):
            return set()
        return set(
            self.session.scalars(_apart(experiment_id, branch).where(Campaign.id.in_(list(among))))
        )

    def mark_apart(self, experiment_id: UUID, branch: str | None) -> list[UUID]:
        """Mark which points of an experiment's series stand apart from its main line.

        :returns: the series of which points were marked otherwise.
        """
        # One at a time: points of earlier campaigns may be marked, which others mark, too.
        self.session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))"),
            {"key": f"main-line:{experiment_id}"},
        )
        is_apart: ColumnElement[bool] = false()
        if self._has_main_line(experiment_id, branch):
            is_apart = SeriesPoint.campaign_id.in_(_apart(experiment_id, branch))
        changed = (
            update(SeriesPoint)
            .where(
                SeriesPoint.series_id.in_(_of_experiment(experiment_id)),
                SeriesPoint.off_main_line != is_apart,
            )
            .values(off_main_line=~SeriesPoint.off_main_line)
            .returning(SeriesPoint.series_id)
            .execution_options(synchronize_session=False)
        )
        return sorted(set(self.session.scalars(changed)))

    def _has_main_line(self, experiment_id: UUID, branch: str | None) -> bool:
        return bool(
            self.session.scalar(
                select(
                    exists().where(
                        SeriesPoint.series_id.in_(_of_experiment(experiment_id)),
                        SeriesPoint.campaign_id.not_in(_apart(experiment_id, branch)),
                    )
                )
            )
        )

    def point(self, series_id: UUID, campaign_id: UUID) -> SeriesPoint | None:
        """A campaign's point of a series."""
        return self.session.get(SeriesPoint, (series_id, campaign_id))

    def points(self, series_id: UUID) -> Sequence[StoredPoint]:
        """Points of a series, oldest first."""
        columns = [getattr(SeriesPoint, name) for name in StoredPoint._fields]
        return [StoredPoint(*row) for row in self.session.execute(_ordered(series_id, *columns))]

    def rows(self, series_id: UUID) -> Sequence[SeriesPoint]:
        """The same, to be changed."""
        return self.session.scalars(_ordered(series_id, SeriesPoint)).all()


def _ordered(series_id: UUID, *what: Any) -> Select[Any]:
    order = SeriesPoint.stands_at, SeriesPoint.campaign_id
    return select(*what).where(SeriesPoint.series_id == series_id).order_by(*order)
