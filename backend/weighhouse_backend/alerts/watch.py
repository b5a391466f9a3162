"""Watches series: change points found, kept, and shown with their series."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast
from uuid import UUID

from weighhouse_judging.series.change_points import find_changes
from weighhouse_judging.series.changes import Change, Known, same_change
from weighhouse_judging.series.course import Kind
from weighhouse_judging.series.families import withstand

from weighhouse_backend.alerts.causes import CauseService
from weighhouse_backend.alerts.models import ChangePoint
from weighhouse_backend.alerts.repository import AlertRepository
from weighhouse_backend.alerts.schemas import ChangePointRead, SeriesRead, SeriesSummaryRead
from weighhouse_backend.alerts.states import AlertState
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.series.filters import SeriesFilter
from weighhouse_backend.series.history import HistoryService, watched_points
from weighhouse_backend.series.models import Series
from weighhouse_backend.series.stored_points import StoredPoint


@dataclass(frozen=True)
class WatchService:
    """Looks for change points, and shows them with the series they are in."""

    repository: AlertRepository
    history: HistoryService
    causes: CauseService
    clock: Clock

    def detect(self, series_ids: Sequence[UUID]) -> None:
        """Look for changes in the series of a campaign, inside each segment. Idempotent.

        The series are a family: what is new in them is confirmed as far as it withstands the look
        at all of them. A change found before keeps its id and what people said of it. A candidate
        goes when the evidence for it is gone; a confirmed change stays. Changes with one cause are
        then named as such, and told by one alert.
        """
        locked = [self.history.lock(series_id) for series_id in sorted(set(series_ids))]
        series = [one for one in locked if one is not None]
        looks = [seen for one in series for seen in self._look(one)]
        family = [
            change.p_value if change.status == "confirmed" else 1.0
            for seen in looks
            for change in seen.new
        ]
        unchanged = sum(not seen.new for seen in looks)
        withstood = iter(withstand([*family, *[1.0] * unchanged]))
        kept: set[UUID] = set()
        for seen in looks:
            kept |= self._write(
                seen,
                [next(withstood) and change.status == "confirmed" for change in seen.new],
            )
        for one in series:
            for row in self.repository.change_points(one.id):
                if row.id not in kept and row.status == "candidate":
                    self.repository.session.delete(row)
        self.repository.session.flush()
        self.causes.group({one.experiment_id for one in series})
        self.causes.raising.look_at_fixed([one.id for one in series])

    def last_confirmed(self, experiment_id: UUID, *, before: UUID) -> UUID | None:
        """The campaign where the present level of an experiment began; None: it never shifted."""
        return self.repository.last_confirmed(experiment_id, before)

    def begins_with(self, campaign_id: UUID) -> bool:
        """Whether a confirmed change is told of that begins with a campaign; for features above."""
        return self.repository.begins_with(campaign_id)

    def listed(
        self, caller: Caller, query: PageQuery, wanted: SeriesFilter
    ) -> Page[SeriesSummaryRead]:
        """Series of a project, or of all the caller's, newest first.

        :raises NotFound: when the project is not the caller's to see.
        """
        page = self.history.listed(caller, query, wanted)
        ids = [series.id for series in page.items]
        changes, courses = self.repository.confirmed(ids), self.history.courses(ids)
        return page.of(
            SeriesSummaryRead(
                **dict(series),
                change_points_count=changes.get(series.id, 0),
                course=courses.get(series.id, []),
            )
            for series in page.items
        )

    def read(self, caller: Caller, series_id: UUID) -> SeriesRead:
        """A series with points, segments, change points and noise bands.

        :raises SeriesNotFound: when it is not the caller's to see.
        """
        found = self.repository.change_points(series_id)
        steps = {
            row.campaign_id
            for row in found
            if row.kind in ("step", "moved") and row.status == "confirmed"
        }
        course, bands = self.history.read(caller, series_id, steps)
        states = self.repository.states(series_id)
        return SeriesRead(
            **dict(course),
            change_points_count=sum(row.status == "confirmed" for row in found),
            change_points=[
                _change_point_read(row, states.get(row.id, AlertState.UNTRIAGED)) for row in found
            ],
            bands=bands,
        )

    def _look(self, series: Series) -> list["_Seen"]:
        """What one look says of each segment of a series."""
        rows = self.repository.change_points(series.id)
        states = self.repository.states(series.id)
        spoken = {change for change, state in states.items() if state != AlertState.UNTRIAGED}
        return [
            _seen(series, members, [row for row in rows if row.status == "confirmed"], spoken)
            for members in self.history.segments(series.id)
        ]

    def _write(self, seen: "_Seen", withstood: Sequence[bool]) -> set[UUID]:
        """Keep what one look said; returns the rows that are up to date."""
        for row, change in zip(seen.known, seen.changes, strict=False):
            _describe(row, change, seen.members, stays=row.id in seen.spoken)
        rows = {row.id for row in seen.known}
        candidates = [
            row
            for row in self.repository.change_points(seen.series.id)
            if row.status == "candidate"
        ]
        for change, confirmed in zip(seen.new, withstood, strict=True):
            row = _matching(candidates, seen.members, change, rows) or self._new(seen.series)
            row.status = "confirmed" if confirmed else "candidate"
            row.confirmed_at = self.clock.now() if confirmed else None
            _describe(row, change, seen.members, stays=False)
            rows.add(row.id)
        return rows

    def _new(self, series: Series) -> ChangePoint:
        row = ChangePoint(
            id=self.repository.new_id(),
            project_id=series.project_id,
            series_id=series.id,
            status="candidate",
            found_at=self.clock.now(),
        )
        self.repository.session.add(row)
        return row


@dataclass(frozen=True)
class _Seen:
    """A segment, and what one look said of it."""

    series: Series
    members: Sequence[StoredPoint]
    known: Sequence[ChangePoint]
    """Confirmed before, in the order in which `changes` begins with them."""
    changes: Sequence[Change]
    spoken: Collection[UUID]
    """Rows that people have said something of."""

    @property
    def new(self) -> Sequence[Change]:
        """What was not confirmed before."""
        return self.changes[len(self.known) :]


def _seen(
    series: Series,
    members: Sequence[StoredPoint],
    confirmed: Sequence[ChangePoint],
    spoken: Collection[UUID],
) -> _Seen:
    order = {point.campaign_id: index for index, point in enumerate(members)}
    # A step at a segment's first point has nothing before it there: it belongs to another one.
    known = [
        row
        for row in confirmed
        if row.campaign_id in order and (row.kind == "drift" or order[row.campaign_id] > 0)
    ]
    changes = find_changes(
        watched_points(members),
        [
            Known(
                cast("Kind", row.kind),
                order[row.campaign_id],
                order.get(row.ended_by_id) if row.ended_by_id is not None else None,
            )
            for row in known
        ],
    )
    if not changes:
        return _Seen(series, members, [], changes, spoken)
    places = {at: order[row.campaign_id] for at, row in enumerate(known) if row.id in spoken}
    return _Seen(series, members, known, _told_apart(changes, len(known), places), spoken)


def _told_apart(
    changes: Sequence[Change], known: int, places: Mapping[int, int]
) -> Sequence[Change]:
    """Changes with each that people have spoken of at the find nearest to its place.

    A look moves a change to where all points now say it was. When another shift comes close after
    it, that may be the other one's place, and what is then found as new is the one that was spoken
    of.

    :param known: how many, at the beginning, were confirmed before.
    :param places: of those that were spoken of, by their position: where they stay.
    """
    told = list(changes)
    for at, place in places.items():
        own = told[at]
        nearer = [
            new
            for new in range(known, len(told))
            if told[new].kind == own.kind and abs(told[new].index - place) < abs(own.index - place)
        ]
        if nearer:
            new = min(nearer, key=lambda one: abs(told[one].index - place))
            other = told[new]
            told[at] = replace(other, status=own.status, profile=own.profile)
            told[new] = replace(own, status=other.status, profile=other.profile)
    return told


def _change_point_read(row: ChangePoint, state: str) -> ChangePointRead:
    facts = {name: getattr(row, name) for name in ChangePointRead.model_fields if name != "state"}
    return ChangePointRead.model_validate({**facts, "state": state})


def _matching(
    candidates: Sequence[ChangePoint],
    members: Sequence[StoredPoint],
    change: Change,
    taken: Collection[UUID],
) -> ChangePoint | None:
    """The candidate found before that this change is, its place perhaps having become clearer."""
    order = {point.campaign_id: index for index, point in enumerate(members)}
    near = [
        row
        for row in candidates
        if row.id not in taken
        and row.kind == change.kind
        and row.campaign_id in order
        and same_change(order[row.campaign_id], change.index)
    ]
    return min(near, key=lambda row: abs(order[row.campaign_id] - change.index), default=None)


def _describe(
    row: ChangePoint, change: Change, members: Sequence[StoredPoint], *, stays: bool
) -> None:
    """Bring a change point up to date. What people have spoken about stays in its place."""
    point = members[change.index]
    if not stays:
        row.campaign_id = point.campaign_id
        row.at = point.stands_at
    row.kind = change.kind
    row.ended_by_id = None if change.end is None else members[change.end].campaign_id
    row.before = change.before
    row.after = change.after
    row.relative = change.relative
    row.p_value = change.p_value
    row.profile = change.profile if row.status == "confirmed" else None
    row.autocorrelation = change.autocorrelation
    row.effective_points = change.effective_points
