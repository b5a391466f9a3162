"""Runs for whoever looks at them: lists, facts, charts, logs."""

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from sqlalchemy import select
from weighhouse_judging.arithmetic.histograms import Histogram
from weighhouse_judging.findings.steadiness import Course
from weighhouse_protocol.payloads import payload_of

from weighhouse_backend.campaigns.completeness import of_run
from weighhouse_backend.campaigns.documents import document_of, measured_document
from weighhouse_backend.campaigns.names import measured_names
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.execution.chain_runs import ChainService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.pages import Page, PageQuery, page_of
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.measurements import charts
from weighhouse_backend.measurements.errors import ResultNotThere
from weighhouse_backend.measurements.expired import thinned_read
from weighhouse_backend.measurements.interval_rows import RAW
from weighhouse_backend.measurements.level_service import LevelService
from weighhouse_backend.measurements.packed_intervals import ALL
from weighhouse_backend.measurements.points import Window
from weighhouse_backend.measurements.repository import ResultRepository
from weighhouse_backend.measurements.samples import SampleService
from weighhouse_backend.measurements.summaries import US_PER_SECOND
from weighhouse_backend.results import counts, figure_rows, views
from weighhouse_backend.results.chart_schemas import (
    HeatMapRead,
    SpectrumPointRead,
    SpectrumRead,
)
from weighhouse_backend.results.courses import course_of, course_read
from weighhouse_backend.results.failures import failures_of, phases_told
from weighhouse_backend.results.schemas import (
    ArtifactRead,
    RunFacts,
    RunListed,
    TimelineItem,
)
from weighhouse_backend.results.series_schemas import (
    ArrivalsRead,
    DetailRead,
    MachineLines,
    OperationLineRead,
    PayloadRead,
    PhaseSpanRead,
    RunSeriesRead,
    SeriesMarkRead,
)
from weighhouse_backend.runs.instants import microseconds
from weighhouse_backend.runs.models import Campaign, Run
from weighhouse_backend.runs.states import RunStatus


@dataclass(frozen=True)
class Drawing:
    """The windows that a run is drawn in."""

    windows: Sequence[Window]
    """In order of time."""
    lengths_us: Sequence[float]
    """Of the intervals of the measured phase whose extremes are known."""


@dataclass(frozen=True)
class RunReadService:
    """Reads runs within what the caller may see."""

    repository: ResultRepository
    levels: LevelService
    sampling: SampleService
    runs: RunService
    experiments: ExperimentService
    chains: ChainService
    catalog: CatalogService
    clock: Clock

    def listed(
        self, caller: Caller, query: PageQuery, *, campaign_id: UUID | None = None
    ) -> Page[RunListed]:
        """Runs of the caller's projects, newest first; of one campaign when it is given."""
        statement = select(Run).where(Run.project_id.in_(list(caller.project_ids)))
        if campaign_id is not None:
            statement = statement.where(Run.campaign_id == campaign_id)
        page: Page[Run] = page_of(self.repository.session, statement, Run.id, query, _same)
        return page.of(self.views(page.items))

    def views(self, runs: Sequence[Run]) -> list[RunListed]:
        """Runs with their figures, in the given order; as many queries for all as for one."""
        cells = self.repository.cells({run.cell_id for run in runs})
        attempts = self.repository.attempts({run.id for run in runs})
        winners = {run.result_attempt_id for run in runs if run.result_attempt_id is not None}
        summaries = figure_rows.operations(self.repository.session, winners)
        facts = figure_rows.facts(self.repository.session, winners)
        shown = {run.id: views.shown_attempt(run, attempts[run.id]) for run in runs}
        members = self.repository.members({one.id for one in shown.values() if one is not None})
        found = []
        for run in runs:
            attempt = shown[run.id]
            cell, winner = cells[run.cell_id], run.result_attempt_id
            summary = None
            if winner is not None:
                summary = views.run_summary(summaries[winner], facts.get(winner), cell.load_kind)
            taking_part = [] if attempt is None else members[attempt.id]
            found.append(views.listed(run, cell, taking_part, summary))
        return found

    def facts(self, run: Run) -> RunFacts:
        """A run with all its facts."""
        repository = self.repository
        attempts = repository.attempts([run.id])[run.id]
        shown = views.shown_attempt(run, attempts)
        members = repository.members([attempt.id for attempt in attempts])
        record = None if shown is None else repository.record(shown.id)
        told = {} if record is None else {part.member: part for part in record.members}
        streams = {} if shown is None else repository.log_streams(shown.id)
        campaign = repository.session.get_one(Campaign, run.campaign_id)
        cell = repository.cells([run.cell_id])[run.cell_id]
        document = measured_document(self.experiments, campaign)
        manifests = self.catalog.manifests([campaign.project_id])
        names = measured_names(document_of(self.experiments, campaign), campaign.beside, manifests)
        return RunFacts(
            **dict(self.views([run])[0]),
            completeness=of_run(run.status, self.clock.now()),
            target_name=names[cell.target],
            chain=self._chain(run),
            attempts=[views.attempt_read(attempt, members[attempt.id]) for attempt in attempts],
            waiting_for=campaign.waiting_for if run.status == RunStatus.QUEUED else None,
            members=[
                views.member_read(member, told.get(member.index), streams.get(member.index, []))
                for member in ([] if shown is None else members[shown.id])
            ],
            environment={} if record is None else record.facts,
            target=views.target_of_run(record),
            reproduce=views.reproduce(
                document, campaign, cell, run, None if record is None else record.version
            ),
            errors=[] if record is None else failures_of(phases_told(record)),
            reconciliation=counts.read_of_run(record, document, cell, manifests),
            timeline=[
                read_of(TimelineItem, mark)
                for mark in ([] if shown is None else repository.marks(shown.id))
            ],
            log_streams=streams.get(min(streams, default=0), []),
            artifacts=[
                read_of(ArtifactRead, item)
                for item in ([] if shown is None else repository.artifacts(shown.id))
            ],
            thinned=None if shown is None else thinned_read(repository.thinned(shown.id)),
        )

    def _chain(self, run: Run) -> list[RunListed]:
        found = self.chains.of(run)
        return self.views(found) if len(found) > 1 else []

    def series(self, run: Run, points: int) -> RunSeriesRead:
        """A run over time, in at most about `points` points."""
        attempt_id = self.shown_id(run)
        if attempt_id is None:
            return RunSeriesRead(
                phases=[],
                marks=[],
                operations={},
                payloads={},
                detail=None,
                arrivals=None,
                course=None,
                resources=views.resource_lines([], 0),
                machines=[],
            )
        course = self.drawn(attempt_id, points)
        members = self.repository.members([attempt_id])[attempt_id]
        samples = self.sampling.steps(attempt_id, points)
        first = samples[min(samples)] if samples else []
        starts = [window.start_us for window in course.windows]
        origin = min(starts or [step.at_us for step in first[:1]], default=0)
        drawn = charts.series(course.windows, origin)
        campaign = self.repository.session.get_one(Campaign, run.campaign_id)
        document = measured_document(self.experiments, campaign)
        cell = self.repository.cells([run.cell_id])[run.cell_id]
        workload = document.workloads[cell.workload_index]
        return RunSeriesRead(
            phases=[PhaseSpanRead(**asdict(phase)) for phase in drawn.phases],
            marks=[
                SeriesMarkRead(
                    kind=mark.kind,
                    label=mark.label,
                    at_seconds=(microseconds(mark.at) - origin) / US_PER_SECOND,
                )
                for mark in self.repository.marks(attempt_id)
                if mark.kind != "phase"
            ],
            operations={
                name: OperationLineRead(**vars(line)) for name, line in drawn.operations.items()
            },
            payloads={
                name: PayloadRead(**vars(payload_of(workload, name)))
                for name in drawn.operations
                if name != ALL
            },
            detail=detail_of(course, drawn),
            arrivals=None if drawn.arrivals is None else ArrivalsRead(**vars(drawn.arrivals)),
            course=None if document.faults else course_read(drawn.measured),
            resources=views.resource_lines(first, origin),
            machines=[
                MachineLines(
                    member=member.index,
                    agent_name=member.agent_name,
                    resources=views.resource_lines(
                        samples.get(member.index, []),
                        origin - (member.clock_offset_us or 0) if len(members) > 1 else origin,
                    ),
                )
                for member in members
            ],
        )

    def course(self, attempt_id: UUID) -> Course:
        """The course of an attempt's measured phase, at the resolution that its charts have."""
        return _course(self.drawn(attempt_id, charts.MOST_POINTS).windows)

    def courses(self, attempt_ids: Collection[UUID]) -> dict[UUID, Course]:
        """The same of each of several attempts."""
        long = self.levels.levels.leveled(attempt_ids)
        found = {one: self.course(one) if one in long else Course(()) for one in attempt_ids}
        for one, intervals in self.repository.each_course(found.keys() - long):
            found[one] = _course(list(charts.windows(intervals)))
        return found

    def heat_map(self, run: Run, columns: int) -> HeatMapRead:
        """Operations of a run by time and latency, in at most about `columns` columns."""
        attempt_id = self.shown_id(run)
        windows: Sequence[Window] = []
        if attempt_id is not None:
            windows = self.drawn(attempt_id, columns, heat=True).windows
        origin = min((window.start_us for window in windows), default=0)
        return HeatMapRead(**vars(charts.heat_map(windows, origin)))

    def spectrum(self, run: Run) -> SpectrumRead:
        """Latency by percentile over the measured phase, by operation; empty before settling."""
        winner = run.result_attempt_id
        merged = {} if winner is None else self.repository.histograms(winner, "measure")
        return SpectrumRead(
            operations={
                name: [
                    SpectrumPointRead(**asdict(point))
                    for point in charts.spectrum(Histogram.merged([encoded]))
                ]
                for name, encoded in merged.items()
            }
        )

    def log(self, run: Run, stream: str, member: int | None = None, offset: int = 0) -> bytes:
        """A log of the attempt a run is shown by.

        :param member: whose; default: the first that has logs.
        :param offset: bytes before it are left out.
        :raises ResultNotThere: when there is none of that name; it says which there are.
        """
        attempt_id = self.shown_id(run)
        streams = {} if attempt_id is None else self.repository.log_streams(attempt_id)
        whose = min(streams, default=0) if member is None else member
        found = None
        if attempt_id is not None:
            found = self.repository.log(attempt_id, stream, whose, offset)
        if found is None:
            raise ResultNotThere(f"the run has no log {stream!r}{logs_in_words(streams, whose)}")
        return found

    def shown_id(self, run: Run) -> UUID | None:
        """The attempt a run is shown by: its result's, else the latest."""
        shown = views.shown_attempt(run, self.repository.attempts([run.id])[run.id])
        return None if shown is None else shown.id

    def drawn(self, attempt_id: UUID, points: int, *, heat: bool = False) -> Drawing:
        """What is drawn of an attempt, in at most about `points` windows.

        Of a long run from its levels; of a short one, and of a run from before levels were kept,
        from its intervals.

        :param heat: distributions of latency; else figures.
        """
        stored = self.levels.drawn(attempt_id, points, heat=heat)
        if stored is not None:
            each = [
                (one.window.end_us - one.window.start_us) / one.merged
                for one in stored
                if one.window.phase == "measure"
            ]
            return Drawing([one.window for one in stored], each)
        span = self.repository.coarsest_span(attempt_id)
        span = span if points <= charts.MOST_POINTS else RAW
        intervals = self.repository.intervals(attempt_id, span=span)
        kept = span if any(one.extremes for one in intervals) else 1
        lengths = [one.duration_us / kept for one in intervals if one.phase == "measure"]
        return Drawing(list(charts.windows(intervals, points)), lengths)


def logs_in_words(streams: Mapping[int, Sequence[str]], whose: int) -> str:
    """Which logs there are where one is not: those of the member, and of others whose they are."""
    if not streams:
        return ": it has no logs"
    several = len(streams) > 1 or whose not in streams
    told = [
        (f"of member {member}: " if several else "") + ", ".join(names)
        for member, names in sorted(streams.items())
    ]
    return f"; there are: {'; '.join(told)}"


def detail_of(course: Drawing, drawn: charts.Series) -> DetailRead | None:
    """How fine a run is drawn."""
    points = [one.end_seconds - one.start_seconds for one in drawn.measured]
    if not course.lengths_us or not points:
        return None
    merged = any(high is not None for high in drawn.operations[ALL].throughput_high)
    each = statistics.median(course.lengths_us) / US_PER_SECOND
    return DetailRead(
        point_seconds=statistics.median(points), extremes_seconds=each if merged else None
    )


def _course(windows: Sequence[Window]) -> Course:
    origin = min((window.start_us for window in windows), default=0)
    return course_of(charts.series(windows, origin).measured)


def _same(run: Run) -> Run:
    return run
