"""Watches series: change points found, kept, and shown with their series."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.series.change_points import Shift, find_shifts, same_change

from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.schemas import ChangePointRead, SeriesRead, SeriesSummaryRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.series.history import HistoryService
from weighhouse_backend.series.models import Series, SeriesPoint

UNTRIAGED = "untriaged"


@dataclass(frozen=True)
class WatchService:
    """Looks for change points, and shows them with the series they are in."""

    repository: AlertRepository
    history: HistoryService
    clock: Clock

    def detect(self, series_ids: Sequence[UUID]) -> None:
        """Look for change points in series, inside each segment. Idempotent.

        A change found before keeps its id and what people said of it. A candidate that nobody
        touched goes when the evidence for it is gone; a confirmed one stays.
        """
        for series_id in sorted(series_ids):
            series = self.history.lock(series_id)
            if series is not None:
                self._detect(series)

    def listed(
        self,
        caller: Caller,
        query: PageQuery,
        *,
        system_id: str | None = None,
        workload: str | None = None,
        metric: str | None = None,
        experiment_id: UUID | None = None,
    ) -> Page[SeriesSummaryRead]:
        """Series of the caller's projects, newest first."""
        page = self.history.listed(
            caller,
            query,
            system_id=system_id,
            workload=workload,
            metric=metric,
            experiment_id=experiment_id,
        )
        changes = self.repository.confirmed([series.id for series in page.items])
        return Page[SeriesSummaryRead](
            items=[
                SeriesSummaryRead(**dict(series), change_points_count=changes.get(series.id, 0))
                for series in page.items
            ],
            next_cursor=page.next_cursor,
        )

    def read(self, caller: Caller, series_id: UUID) -> SeriesRead:
        """A series with points, segments and change points.

        :raises SeriesNotFound: when it is not the caller's to see.
        """
        course = self.history.read(caller, series_id)
        found = self.repository.change_points(series_id)
        return SeriesRead(
            **dict(course),
            change_points_count=sum(row.status == "confirmed" for row in found),
            change_points=[
                ChangePointRead.model_validate(row, from_attributes=True) for row in found
            ],
        )

    def _detect(self, series: Series) -> None:
        known = list(self.repository.change_points(series.id))
        kept: set[UUID] = set()
        for members in self.history.segments(series.id):
            order = {point.campaign_id: place for place, point in enumerate(members)}
            for shift in find_shifts([point.value for point in members]):
                row = _matching(known, order, shift, kept) or self._new(series, known)
                _write(row, shift, members[shift.index])
                kept.add(row.id)
        for row in known:
            if row.id not in kept and row.status == "candidate" and row.state == UNTRIAGED:
                self.repository.session.delete(row)
        self.repository.session.flush()

    def _new(self, series: Series, known: list[ChangePoint]) -> ChangePoint:
        row = ChangePoint(
            id=self.repository.new_id(),
            project_id=series.project_id,
            series_id=series.id,
            state=UNTRIAGED,
            status="candidate",
            found_at=self.clock.now(),
        )
        self.repository.session.add(row)
        known.append(row)
        return row


def _matching(
    known: Sequence[ChangePoint], order: dict[UUID, int], shift: Shift, taken: set[UUID]
) -> ChangePoint | None:
    """The change found before that this one is, its place perhaps having become clearer."""
    near = [
        row
        for row in known
        if row.id not in taken
        and row.campaign_id in order
        and same_change(order[row.campaign_id], shift.index)
    ]
    return min(near, key=lambda row: abs(order[row.campaign_id] - shift.index), default=None)


def _write(row: ChangePoint, shift: Shift, point: SeriesPoint) -> None:
    """Bring a change point up to date; what was confirmed stays so, and stays in its place."""
    if row.status != "confirmed":
        row.campaign_id = point.campaign_id
        row.at = point.at
        row.status = shift.status
    if shift.status == "confirmed" or row.status == "candidate":
        row.before = shift.before
        row.after = shift.after
        row.relative = shift.relative
        row.p_value = shift.p_value
        row.profile = shift.profile
        row.autocorrelation = shift.autocorrelation
