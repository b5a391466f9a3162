"""Lists as files, narrowed as they are on screen, and the latest figures for dashboards."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from fastapi.responses import StreamingResponse
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST
from weighhouse_protocol import pages

from weighhouse_backend.alerts.alert_reader import AlertReading
from weighhouse_backend.alerts.dependencies import WantedAlertsDep
from weighhouse_backend.alerts.schemas import SeriesSummaryRead
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.campaigns.completeness import CompletenessService
from weighhouse_backend.campaigns.filters import CampaignFilter, CampaignSearch
from weighhouse_backend.campaigns.schemas import CampaignSummary
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.exports import list_tables
from weighhouse_backend.exports.abouts import Leave, narrowed
from weighhouse_backend.exports.file_answers import FILES, FormQuery, answered
from weighhouse_backend.exports.inventory_endpoints import TextQuery
from weighhouse_backend.exports.inventory_tables import containing, words_of_series
from weighhouse_backend.exports.lists import ListedService
from weighhouse_backend.exports.open_metrics import Latest, open_metrics
from weighhouse_backend.exports.snapshots import Snapshot, SnapshotDep
from weighhouse_backend.exports.tables import Export
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.identity.access import Caller, CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.kit.pages import Page, PageQuery
from weighhouse_backend.results.run_service import RunReadService
from weighhouse_backend.series.filters import SeriesFilter

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/exports", tags=["exports"])


@router.get("/campaigns", response_class=StreamingResponse, responses=FILES)
def exports_list_campaigns(
    caller: CallerDep,
    snapshot: SnapshotDep,
    wanted: Annotated[CampaignFilter, Depends()],
    project_id: UUID | None = None,
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """All campaigns of a list, narrowed as the list is, the newest first."""
    if project_id is not None:
        caller.require(project_id)
    projects = [project_id] if project_id else sorted(caller.project_ids)
    search, views = snapshot.get(CampaignSearch), snapshot.get(CampaignViews)
    listed = snapshot.get(ListedService)

    def shown(query: PageQuery) -> Page[CampaignSummary]:
        page = search.listed(caller, query, wanted, project_id)
        return page.of(views.summaries(page.items))

    leaving = []
    if audience != "internal":
        leaving = listed.of_targets({one.id: None for one in list_tables.every(shown)})
    about = Leave(snapshot, audience).about(
        "Campaigns",
        pages.CAMPAIGNS,
        leaving,
        listed.caveats(projects, listed.systems_measured(projects)),
        notes=[
            *narrowed(project_id=project_id, **vars(wanted)),
            "interim: more may come of that campaign; a verdict is not its last word",
        ],
    )
    table = list_tables.campaigns(shown)
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/runs", response_class=StreamingResponse, responses=FILES)
def exports_list_runs(
    caller: CallerDep,
    snapshot: SnapshotDep,
    campaign_id: UUID | None = None,
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """All runs, or a campaign's, with their figures and findings, the newest first."""
    projects, interim = sorted(caller.project_ids), ""
    listed = snapshot.get(ListedService)
    if campaign_id is not None:
        campaign = snapshot.get(CampaignService).find(caller, campaign_id)
        projects, leaving = [campaign.project_id], [listed.leaving.of(campaign)]
        interim = snapshot.get(CompletenessService).of([campaign]).words
    else:
        leaving = [] if audience == "internal" else listed.of_projects(projects)
    about = Leave(snapshot, audience).about(
        "Runs",
        pages.CAMPAIGNS if campaign_id is None else pages.campaign(campaign_id),
        leaving,
        listed.caveats(projects, listed.systems_measured(projects, campaign_id)),
        interim,
        [
            *narrowed(campaign_id=campaign_id),
            "findings: what checks have to say of that run's figures",
        ],
    )
    reading = snapshot.get(RunReadService)
    table = list_tables.runs(
        partial(reading.listed, caller, campaign_id=campaign_id), snapshot.get(ExaminationService)
    )
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/series", response_class=StreamingResponse, responses=FILES)
def exports_list_series(
    caller: CallerDep,
    snapshot: SnapshotDep,
    wanted: Annotated[SeriesFilter, Depends()],
    text: TextQuery = None,
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """All series of a list, narrowed as the list is, each with its latest figure."""
    watching = snapshot.get(WatchService)

    def shown(query: PageQuery) -> Page[SeriesSummaryRead]:
        page = watching.listed(caller, query, wanted)
        return page.of(one for one in page.items if containing(text, words_of_series(one)))

    leaving = [] if audience == "internal" else _of_series(snapshot, list_tables.every(shown))
    about = Leave(snapshot, audience).about(
        "Series",
        pages.HISTORY,
        leaving,
        _caveats_of_series(snapshot, _projects(caller, snapshot, wanted)),
        notes=narrowed(**vars(wanted), text=text),
    )
    table = list_tables.series(shown)
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/alerts", response_class=StreamingResponse, responses=FILES)
def exports_list_alerts(
    caller: CallerDep,
    snapshot: SnapshotDep,
    wanted: WantedAlertsDep,
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """All alerts of a list, narrowed as the list is."""
    reading, listed = snapshot.get(AlertReading), snapshot.get(ListedService)
    shown = partial(reading.listed, caller, wanted=wanted)
    # An alert names campaigns before and after its own.
    leaving = [] if audience == "internal" else listed.of_projects(caller.project_ids)
    about = Leave(snapshot, audience).about(
        "Alerts",
        pages.ALERTS,
        leaving,
        _caveats_of_series(snapshot, caller.project_ids),
        notes=narrowed(**vars(wanted)),
    )
    table = list_tables.alerts(shown)
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get(
    "/openmetrics",
    response_class=Response,
    responses={200: {"content": {CONTENT_TYPE_LATEST: {"schema": {"type": "string"}}}}},
)
def exports_read_metrics(
    caller: CallerDep,
    snapshot: SnapshotDep,
    wanted: Annotated[SeriesFilter, Depends()],
    audience: AudienceDep = "internal",
) -> Response:
    """The latest figures of series as OpenMetrics, to be scraped by people's own dashboards; with
    what must stand beside them, and whether more may come of their campaigns.
    """
    watching = snapshot.get(WatchService)
    found = list(list_tables.every(lambda query: watching.listed(caller, query, wanted)))
    snapshot.get(ListedService).leaving.publication.require(
        [] if audience == "internal" else _of_series(snapshot, found), audience
    )
    points = watching.history.latest([one.id for one in found])
    campaigns = snapshot.get(CampaignService)
    under_way = snapshot.get(CompletenessService)
    words = {
        one: under_way.of([campaigns.get(one)]).words
        for one in {point.campaign_id for point in points.values()}
    }
    latest = [
        Latest(one, points[one.id], words[points[one.id].campaign_id])
        for one in found
        if one.id in points
    ]
    told = open_metrics(latest, _caveats_of_series(snapshot, _projects(caller, snapshot, wanted)))
    return Response(told, media_type=CONTENT_TYPE_LATEST)


def _projects(caller: Caller, snapshot: Snapshot, wanted: SeriesFilter) -> Collection[UUID]:
    """Whose series are wanted; a stranger's are refused before anything is sent."""
    if wanted.project_id is not None:
        caller.require(wanted.project_id)
    if wanted.campaign_id is not None:
        snapshot.get(CampaignService).find(caller, wanted.campaign_id)
    return [wanted.project_id] if wanted.project_id else caller.project_ids


def _of_series(snapshot: Snapshot, found: Iterable[SeriesSummaryRead]) -> list[Leaving]:
    measured = snapshot.get(WatchService).history.measured_in([one.id for one in found])
    return snapshot.get(ListedService).of_targets(measured)


def _caveats_of_series(snapshot: Snapshot, projects: Collection[UUID]) -> list[CaveatRead]:
    listed = snapshot.get(ListedService)
    return listed.caveats(projects, listed.systems_watched(projects))
