"""Series of cells over campaigns: extended and read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.series.changes import Point
from weighhouse_judging.series.places import Stand, place_changes
from weighhouse_judging.series.segments import segments_by_kind
from weighhouse_judging.verdicts.bands import BandPoint, noise_bands
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_protocol.experiment import Experiment

from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.schemas import LoadLevelRead
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.noise.keys import NoiseKey
from weighhouse_backend.noise.service import NoiseService
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.series.errors import SeriesNotFound
from weighhouse_backend.series.filters import SeriesFilter
from weighhouse_backend.series.gaps import GapService
from weighhouse_backend.series.legacy_cells import CarryingService
from weighhouse_backend.series.main_line import MainLineService
from weighhouse_backend.series.models import Series, SeriesPoint
from weighhouse_backend.series.names import SeriesNameService
from weighhouse_backend.series.point_writer import PointWriter, measured
from weighhouse_backend.series.repository import SeriesRepository
from weighhouse_backend.series.schemas import (
    ExperimentOfSeries,
    NoiseBandRead,
    SegmentRead,
    SeriesCourse,
    SeriesFacts,
    SeriesPointRead,
)
from weighhouse_backend.series.stored_points import StoredPoint

CellFamily = tuple[str, str]
"""Of a cell: the digest of what was measured, and that of its side's family."""


@dataclass(frozen=True)
class HistoryService:
    """Keeps series."""

    repository: SeriesRepository
    carrying: CarryingService
    catalog: CatalogService
    experiments: ExperimentService
    examination: ExaminationService
    commits: CommitService
    noise: NoiseService
    gaps: GapService
    main_line: MainLineService

    @property
    def names(self) -> SeriesNameService:
        """What the sides of series are called."""
        return SeriesNameService(self.experiments, self.catalog)

    def extend(
        self,
        campaign: Campaign,
        document: Experiment,
        runs: Sequence[RunFigures],
        regressed: Collection[CellFamily],
    ) -> list[UUID]:
        """Add a settled campaign's point to each of its series. Idempotent.

        :param regressed: its cells that are worse beyond chance.
        :returns: the series that now have a point of this campaign, and those of which it tells
            that other points are none of the main line.
        """
        self.carrying.carry(campaign.experiment_id)
        manifests = self.catalog.manifests([campaign.project_id])
        points = list(measured(campaign, document, runs, manifests))
        touched = PointWriter(self.repository.session).write(points)
        self.mark(campaign.id, regressed)
        return sorted({*touched, *self.main_line.mark(campaign.experiment_id)})

    def mark(self, campaign_id: UUID, regressed: Collection[CellFamily]) -> None:
        """Say which cells of a campaign are worse beyond chance: what is learned of how much
        campaigns differ leaves their points out.
        """
        self.repository.mark(campaign_id, regressed)

    def listed(self, caller: Caller, query: PageQuery, wanted: SeriesFilter) -> Page[SeriesFacts]:
        """Series of a project, or of all the caller's, newest first.

        :raises NotFound: when the project is not the caller's to see.
        """
        if wanted.project_id is not None:
            caller.require(wanted.project_id)
        projects = [wanted.project_id] if wanted.project_id else caller.project_ids
        statement = self.repository.listed(projects, wanted)
        page: Page[Series] = page_of(
            self.repository.session, statement, Series.id, query, lambda series: series
        )
        latest = self.latest([series.id for series in page.items])
        experiments = self.experiments.get_many({series.experiment_id for series in page.items})
        names = self.names.of(page.items)
        return page.of(
            facts_read(
                series,
                latest.get(series.id),
                experiments[series.experiment_id].name,
                names[series.id],
            )
            for series in page.items
        )

    def courses(self, series_ids: Collection[UUID]) -> dict[UUID, list[float]]:
        """Values of series by their latest campaigns, as `SeriesRepository.courses` has them; whose
        the series are, who asks has seen.
        """
        return self.repository.courses(series_ids)

    def read(
        self, caller: Caller, series_id: UUID, steps: Collection[UUID]
    ) -> tuple[SeriesCourse, list[NoiseBandRead]]:
        """A series with points and segments, and what its machines cannot tell about its levels.

        :param steps: the first campaigns of the levels that confirmed steps began.
        :raises SeriesNotFound: when it is not the caller's to see.
        """
        series = self.visible(caller, series_id)
        points = self.repository.points(series.id)
        return self._course(series, points), self._bands(series, segments_of(points), steps)

    def _course(self, series: Series, points: Sequence[StoredPoint]) -> SeriesCourse:
        segments = segments_of(points)
        changes = place_changes_of(on_main_line(points))
        commits = self.commits.of(point.campaign_id for point in points)
        segment = {
            point.campaign_id: index for index, members in enumerate(segments) for point in members
        }
        latest = self.latest([series.id]).get(series.id)
        name = self.experiments.get(series.experiment_id).name
        return SeriesCourse(
            **dict(facts_read(series, latest, name, self.names.of([series])[series.id])),
            points=[
                SeriesPointRead(
                    at=point.stands_at,
                    asked_at=point.at,
                    campaign_id=point.campaign_id,
                    campaign_number=point.campaign_number,
                    value=point.value,
                    low=point.low,
                    high=point.high,
                    repeats=point.repeats,
                    segment=segment[point.campaign_id],
                    place=point.place,
                    kernel=point.kernel,
                    memory_bytes=point.memory_bytes,
                    place_changes=list(changes.get(point.campaign_id, ())),
                    off_main_line=point.off_main_line,
                    version=point.version,
                    git=commits.get(point.campaign_id),
                )
                for point in points
            ],
            segments=[
                SegmentRead(
                    index=index,
                    fingerprint=members[0].fingerprint,
                    label=members[0].environment,
                    starts_at=members[0].stands_at,
                )
                for index, members in enumerate(segments)
            ],
            gaps=self.gaps.of(series, points),
            caveats=self.examination.caveats_of_series(
                series.project_id,
                series.system_id,
                [point.campaign_id for point in points],
                (series.target, series.workload, series.load_label),
            ),
        )

    def _bands(
        self, series: Series, segments: Sequence[Sequence[StoredPoint]], steps: Collection[UUID]
    ) -> list[NoiseBandRead]:
        if series.cell_identity is None or series.side_family is None:
            return []
        of_series = (series.cell_identity, series.side_family, series.metric)
        keys = {
            point.place: NoiseKey(series.project_id, point.place, *of_series)
            for points in segments
            for point in points
            if point.place is not None
        }
        found = self.noise.floors(series.project_id, set(keys.values()))
        floors = {place: found[key] for place, key in keys.items() if key in found}
        return [
            band
            for index, points in enumerate(segments)
            for band in bands_read(index, on_main_line(points), steps, floors)
        ]

    def visible(self, caller: Caller, series_id: UUID) -> Series:
        """A series.

        :raises SeriesNotFound: when it is not the caller's to see.
        """
        series = self.repository.series(series_id)
        if series is None or series.project_id not in caller.project_ids:
            raise SeriesNotFound
        return series

    def latest(self, series_ids: Collection[UUID]) -> dict[UUID, SeriesPoint]:
        """The point that lists show of series that were listed, for features above."""
        return self.repository.latest(series_ids)

    def measured_in(self, series_ids: Collection[UUID]) -> dict[UUID, set[str]]:
        """Campaigns that series have points of, and whose targets' those are, for features above,
        which check access.
        """
        return self.repository.measured_in(series_ids)

    def has_point(self, series_id: UUID, campaign_id: UUID) -> bool:
        """Whether a campaign has a point in a series."""
        return self.repository.point(series_id, campaign_id) is not None

    def leave(self, campaign_id: UUID) -> list[UUID]:
        """Take a campaign out of all series, and remove those that had nothing else.

        :returns: those that go on without it, to be looked at again.
        """
        return self.repository.leave(campaign_id)

    def lock(self, series_id: UUID) -> Series | None:
        """A series, locked, for a feature above that writes what belongs to it; None: gone."""
        return self.repository.lock_series(series_id)

    def segments(self, series_id: UUID) -> list[list[StoredPoint]]:
        """The points of a series' main line by segment, oldest first, for features above."""
        return segments_of(on_main_line(self.repository.points(series_id)))


def on_main_line(points: Sequence[StoredPoint]) -> list[StoredPoint]:
    """Those in whose order a course is looked for."""
    return [point for point in points if not point.off_main_line]


def place_changes_of(points: Sequence[StoredPoint]) -> dict[UUID, tuple[str, ...]]:
    """Before which campaigns something of their machines changed that makes no other kind of them,
    in words.

    :param points: in their order.
    """
    found: dict[UUID, tuple[str, ...]] = {}
    for members in segments_of(points):
        stands = [Stand(one.place, one.kernel, one.memory_bytes) for one in members]
        changes = place_changes(stands)
        found |= {members[at].campaign_id: words for at, words in changes.items()}
    return found


def watched_points(points: Sequence[StoredPoint]) -> list[Point]:
    """Points of one segment as changes are looked for in them."""
    altered = place_changes_of(points)
    return [Point(one.value, one.place or "", altered=one.campaign_id in altered) for one in points]


def segments_of(points: Sequence[StoredPoint]) -> list[list[StoredPoint]]:
    """Points by segment: those of one environment, oldest first.

    A change of environment begins a new segment; when the old environment comes back, its segment
    goes on.
    """
    segments = segments_by_kind([point.fingerprint for point in points])
    return [[points[index] for index in segment.members] for segment in segments]


def bands_read(
    segment: int,
    points: Sequence[StoredPoint],
    steps: Collection[UUID],
    floors: Mapping[str, Floor],
) -> list[NoiseBandRead]:
    """The bands of one segment as they are shown; `floors` by place."""
    at = {point.campaign_id: point.stands_at for point in points}
    seen = [BandPoint(one.campaign_id, one.value, one.repeats, one.place) for one in points]
    return [
        NoiseBandRead(
            segment=segment,
            place=band.place,
            starts_at=at[band.first],
            ends_at=at[band.last],
            level=band.level,
            low=band.low,
            high=band.high,
            floor=band.floor,
            between_known=band.between_known,
        )
        for band in noise_bands(seen, steps, floors)
    ]


def facts_read(
    series: Series, latest: SeriesPoint | None, experiment_name: str, target_name: str
) -> SeriesFacts:
    """A series as it stands in a list."""
    return SeriesFacts(
        id=series.id,
        system_id=series.system_id,
        target=series.target,
        target_name=target_name,
        workload=series.workload,
        load_level=LoadLevelRead.model_validate(
            {"kind": series.load_kind, "value": series.load_value, "label": series.load_label}
        ),
        metric=series.metric,
        points_count=series.points_count,
        last_value=None if latest is None else latest.value,
        last_at=None if latest is None else latest.at,
        experiment=ExperimentOfSeries(id=series.experiment_id, name=experiment_name),
    )
