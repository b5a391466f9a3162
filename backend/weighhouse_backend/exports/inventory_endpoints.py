"""Experiments, studies, what others published and reports as files: lists without figures."""

from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from weighhouse_protocol import pages

from weighhouse_backend.disclosure.dependencies import AudienceDep
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.exports import inventory_tables, list_tables
from weighhouse_backend.exports.abouts import Leave, narrowed
from weighhouse_backend.exports.file_answers import FILES, FormQuery, answered
from weighhouse_backend.exports.inventory_tables import containing, words_of_experiment
from weighhouse_backend.exports.lists import ListedService
from weighhouse_backend.exports.snapshots import SnapshotDep
from weighhouse_backend.exports.tables import Export
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute
from weighhouse_backend.reports.service import ReportService
from weighhouse_backend.sources.service import PublishedSourceService
from weighhouse_backend.studies.service import StudyService

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/exports", tags=["exports"])

TextQuery = Annotated[
    str | None,
    Query(max_length=200, description="Words; all of them have to be in it."),
]


@router.get("/experiments", response_class=StreamingResponse, responses=FILES)
def exports_list_experiments(
    caller: CallerDep,
    snapshot: SnapshotDep,
    project_id: UUID | None = None,
    text: TextQuery = None,
    form: FormQuery = "csv",
) -> Response:
    """All experiments of a list, narrowed as the list is. There are no figures in it."""
    if project_id is not None:
        caller.require(project_id)
    service = snapshot.get(ExperimentService)
    about = Leave(snapshot).about(
        "Experiments", pages.EXPERIMENTS, [], [], notes=narrowed(project_id=project_id, text=text)
    )
    table = list_tables.experiments(
        one
        for one in list_tables.every(partial(service.listed, caller, project_id))
        if containing(text, words_of_experiment(one))
    )
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/studies", response_class=StreamingResponse, responses=FILES)
def exports_list_studies(
    caller: CallerDep,
    snapshot: SnapshotDep,
    project_id: UUID | None = None,
    form: FormQuery = "csv",
    audience: AudienceDep = "internal",
) -> Response:
    """All studies, with how many of their claims hold here."""
    if project_id is not None:
        caller.require(project_id)
    projects = [project_id] if project_id else sorted(caller.project_ids)
    listed = snapshot.get(ListedService)
    # A verdict rests on what was measured of any system that a study names.
    leaving = [] if audience == "internal" else listed.of_projects(projects)
    about = Leave(snapshot, audience).about(
        "Studies",
        pages.STUDIES,
        leaving,
        listed.caveats(projects, listed.systems_measured(projects)),
        notes=[
            *narrowed(project_id=project_id),
            "claims_…: how many claims have that verdict, at the scale that was measured last",
        ],
    )
    table = inventory_tables.studies(snapshot.get(StudyService).listed(caller, project_id))
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/published-sources", response_class=StreamingResponse, responses=FILES)
def exports_list_published_sources(
    caller: CallerDep,
    snapshot: SnapshotDep,
    project_id: UUID | None = None,
    form: FormQuery = "csv",
) -> Response:
    """What others published and is kept, with its terms. There are no figures in it."""
    if project_id is not None:
        caller.require(project_id)
    service = snapshot.get(PublishedSourceService)
    about = Leave(snapshot).about(
        "Published results", pages.PUBLISHED_SOURCES, [], [],
        notes=narrowed(project_id=project_id),
    )  # fmt: skip
    table = inventory_tables.published(lambda query: service.listed(caller, query, project_id))
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/reports", response_class=StreamingResponse, responses=FILES)
def exports_list_reports(
    caller: CallerDep,
    snapshot: SnapshotDep,
    project_id: UUID | None = None,
    form: FormQuery = "csv",
) -> Response:
    """All reports of a list. Neither texts nor figures are in it."""
    if project_id is not None:
        caller.require(project_id)
    about = Leave(snapshot).about(
        "Reports", pages.REPORTS, [], [], notes=narrowed(project_id=project_id)
    )
    service = snapshot.get(ReportService)
    table = inventory_tables.reports(partial(service.listed, caller, project_id))
    return answered(Export("weighhouse", about, [table]), form, snapshot)
