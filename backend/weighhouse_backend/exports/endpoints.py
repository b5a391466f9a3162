"""Campaigns, comparisons, runs and series as files."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from weighhouse_protocol import pages
from weighhouse_protocol.text import numbered

from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.campaigns.completeness import of_run
from weighhouse_backend.campaigns.publication import LeavingService
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.comparisons.comparison import Comparison
from weighhouse_backend.comparisons.disclosure import leaving as leaving_of
from weighhouse_backend.comparisons.endpoints import QuestionDep
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.service import (
    ComparisonService,
    comparison_read,
    require_published,
)
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.exports import comparison_tables, list_tables, run_tables, series_tables
from weighhouse_backend.exports.abouts import Leave
from weighhouse_backend.exports.file_answers import FILES, FormQuery, answered, streamed
from weighhouse_backend.exports.interval_logs import log_pieces
from weighhouse_backend.exports.lists import ListedService
from weighhouse_backend.exports.run_tables import Shown
from weighhouse_backend.exports.snapshots import Snapshot, SnapshotDep
from weighhouse_backend.exports.spool import Spool
from weighhouse_backend.exports.tables import About, Export, Table
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.identity.access import Caller, CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.measurements.evidence import EvidenceService
from weighhouse_backend.measurements.interval_rows import MeasuredRowService
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.results.schemas import RunListed
from weighhouse_backend.runs.models import Run

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/exports", tags=["exports"])

Compared = Literal["figures", "differences", "repeats", "published", "all"]
OfCampaign = Literal[
    "figures", "differences", "repeats", "runs", "operations", "intervals", "resources", "all"
]
OfRun = Literal["operations", "intervals", "resources", "all"]
OfSeries = Literal["points", "changes", "all"]
ALL = "`all`: an archive of every table, all of one snapshot."


@router.get("/comparison", response_class=StreamingResponse, responses=FILES)
def exports_read_comparison(
    caller: CallerDep,
    snapshot: SnapshotDep,
    question: QuestionDep,
    table: Annotated[Compared, Query(description=ALL)] = "figures",
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """What sides came to, how they differ, or what each repeat gave: with the cell that is shown,
    or all. The sides are named as for the comparison itself.
    """
    comparison = snapshot.get(ComparisonService).chosen(caller, question)
    if table == "published" and not comparison.published:
        raise ComparisonUnclear("no published side stands in it; name one with `published`")
    if question.campaign_id is None:
        view = pages.sides(list(question.sides), question.baseline)
    else:
        view = pages.comparison(question.campaign_id, question.base_id)
    about, export = _compared(comparison, Leave(snapshot, audience), view)
    return answered(Export("comparison", about, export), form, snapshot, table)


@router.get("/campaigns/{campaign_id}", response_class=StreamingResponse, responses=FILES)
def exports_read_campaign(
    campaign_id: UUID,
    caller: CallerDep,
    snapshot: SnapshotDep,
    table: Annotated[OfCampaign, Query(description=ALL)] = "figures",
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """A campaign: the comparison of its targets, its runs, and each of their intervals."""
    campaign = snapshot.get(CampaignService).find(caller, campaign_id)
    comparison = snapshot.get(ComparisonService).chosen(caller, Question(campaign_id=campaign_id))
    view = pages.campaign(campaign_id)
    about, compared = _compared(comparison, Leave(snapshot, audience), view)
    rows, reading = snapshot.get(MeasuredRowService), snapshot.get(RunReadService)
    listed = partial(reading.listed, caller, campaign_id=campaign_id)

    def shown() -> Iterator[Shown]:
        for run in list_tables.every(listed):
            yield _shown(snapshot, caller, run)

    tables = [
        *compared,
        list_tables.runs(listed, snapshot.get(ExaminationService)),
        run_tables.operations(list_tables.every(listed)),
        run_tables.intervals(rows, shown()),
        run_tables.resources(rows, shown()),
    ]
    return answered(Export(f"campaign-{campaign.number}", about, tables), form, snapshot, table)


@router.get("/runs/{run_id}", response_class=StreamingResponse, responses=FILES)
def exports_read_run(
    run_id: UUID,
    caller: CallerDep,
    snapshot: SnapshotDep,
    table: Annotated[OfRun, Query(description=ALL)] = "operations",
    form: Annotated[
        Literal["csv", "parquet", "jsonl", "hlog"],
        Query(
            alias="format",
            description="`jsonl`: an object a line. `hlog`: HdrHistogram's interval log, a line an "
            "interval and operation, whatever the table.",
        ),
    ] = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """A run: its figures by phase and operation, its intervals as drivers reported them, what
    system, driver and machine used, or the histograms of its intervals.
    """
    run = snapshot.get(RunService).visible(caller, run_id)
    about = _of_run(snapshot, run, Leave(snapshot, audience))
    rows = snapshot.get(MeasuredRowService)
    (listed,) = snapshot.get(RunReadService).views([run])
    shown = _shown(snapshot, caller, listed)
    name = f"run-{str(run_id)[-12:]}"
    if form == "hlog":
        return streamed(
            f"{'so-far-' if about.interim else ''}{name}.hlog",
            snapshot,
            partial(_write_log, about, rows, shown),
        )
    tables = [
        run_tables.operations([listed]),
        run_tables.intervals(rows, [shown]),
        run_tables.resources(rows, [shown]),
    ]
    return answered(Export(name, about, tables), form, snapshot, table)


@router.get("/series/{series_id}", response_class=StreamingResponse, responses=FILES)
def exports_read_series(
    series_id: UUID,
    caller: CallerDep,
    snapshot: SnapshotDep,
    table: Annotated[OfSeries, Query(description=ALL)] = "points",
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """A series: its points, or where it shifted."""
    watching = snapshot.get(WatchService)
    found = watching.read(caller, series_id)
    about = Leave(snapshot, audience).about(
        f"{found.target_name} · {found.workload} · {found.load_level.label} · {found.metric}",
        pages.series(series_id, found.metric),
        snapshot.get(ListedService).of_targets(watching.history.measured_in([series_id])),
        found.caveats,
        notes=["at is where a campaign stands in its history; asked_at is when it was asked for"],
    )
    name = f"series-{str(series_id)[-12:]}"
    return answered(Export(name, about, series_tables.tables(found)), form, snapshot, table)


def _compared(
    comparison: Comparison, leave: Leave, view: pages.PagePath
) -> tuple[About, list[Table]]:
    """Released before anything of it is worked out."""
    leaving = leaving_of(comparison.choice.sides)
    leave.require(leaving)
    require_published(comparison, leave.audience)
    found = comparison_read(comparison)
    about = leave.about(
        " · ".join(side.label for side in found.sides),
        view,
        leaving,
        found.caveats,
        found.completeness.words,
        comparison_tables.BOUNDS,
    )
    return about, comparison_tables.tables(found)


def _of_run(snapshot: Snapshot, run: Run, leave: Leave) -> About:
    campaign = snapshot.get(CampaignService).get(run.campaign_id)
    cell = snapshot.get(EvidenceService).cell(run.cell_id)
    leaving = [snapshot.get(LeavingService).of(campaign, {cell.target})]
    leave.require(leaving)
    examination = snapshot.get(ExaminationService)
    found = [RunFinding.of(run.id, one) for one in examination.found(campaign, run)]
    return leave.about(
        f"{cell.target} · {cell.workload} · {cell.load_label} · repeat {run.repetition} of "
        f"campaign {numbered(campaign.number)}",
        pages.run(run.id),
        leaving,
        examination.caveats_of_target(campaign, cell.target, found, 1),
        of_run(run.status, snapshot.at).words,
        run_tables.CLOCKS,
    )


def _shown(snapshot: Snapshot, caller: Caller, listed: RunListed) -> Shown:
    run = snapshot.get(RunService).visible(caller, listed.id)
    return Shown(listed, snapshot.get(RunReadService).shown_id(run))


def _write_log(about: About, rows: MeasuredRowService, shown: Shown, spool: Spool) -> None:
    for piece in log_pieces(about, rows, [shown]):
        spool.write(piece)
