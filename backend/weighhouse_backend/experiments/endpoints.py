"""Experiments, their revisions, schedules and templates."""

# ruff: noqa: FAST003 - a dependency behind a name takes the path's parameter

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from fastapi.responses import PlainTextResponse
from weighhouse_protocol.configuration.translation import TargetFromFile

from weighhouse_backend.experiments.dependencies import (
    ExperimentServiceDep,
    ScheduleServiceDep,
    ValidationServiceDep,
)
from weighhouse_backend.experiments.fairness_schemas import DraftFairnessRead
from weighhouse_backend.experiments.models import Experiment
from weighhouse_backend.experiments.property_files import PropertyFile, WorkloadFromFile
from weighhouse_backend.experiments.schemas import (
    ConfigurationFile,
    DocumentSource,
    ExperimentCreate,
    ExperimentRevisionRead,
    ExperimentSummary,
    OccurrenceRead,
    RevisionDiff,
    SchedulePreview,
    SchedulePreviewRequest,
    ScheduleRead,
    ScheduleWrite,
    TemplateRead,
    ValidationRead,
)
from weighhouse_backend.experiments.service import read_revision
from weighhouse_backend.experiments.templates import read_templates
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.identity.senders import sender
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.downloads import content_disposition
from weighhouse_backend.kit.etags import ASK_AGAIN, etag
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.kit.problems import ProblemDocument
from weighhouse_backend.kit.schemas import read_of

router = APIRouter(
    route_class=BoundedRoute,
    prefix="/api/v1",
    tags=["experiments"],
    responses={
        401: {"model": ProblemDocument},
        403: {"model": ProblemDocument},
        404: {"model": ProblemDocument},
        422: {"model": ProblemDocument},
    },
)
DOCUMENT_BYTES = 2 * MEBIBYTE
"""A million characters of YAML, most of them ASCII, as a text in JSON."""
RevisionNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
"""As far as the database counts."""


def _found(
    caller: CallerDep,
    service: ExperimentServiceDep,
    experiment: Annotated[str, Path(description="Id or slug.", max_length=200)],
    project_id: UUID | None = None,
) -> Experiment:
    return service.find(caller, experiment, project_id)


ExperimentDep = Annotated[Experiment, Depends(_found)]


@router.get("/experiments")
def experiments_list(
    caller: CallerDep, service: ExperimentServiceDep, page: PageDep, project_id: UUID | None = None
) -> Page[ExperimentSummary]:
    """Experiments of a project, or of all the caller's, newest first."""
    return service.listed(caller, project_id, page)


@router.post(
    "/experiments",
    status_code=201,
    responses={200: {"model": ExperimentSummary}, 409: {"model": ProblemDocument}},
)
@takes(DOCUMENT_BYTES, sender)
def experiments_create(
    body: ExperimentCreate,
    caller: CallerDep,
    service: ExperimentServiceDep,
    response: Response,
    upsert: bool = False,
) -> ExperimentSummary:
    """Create an experiment from a document or YAML.

    With `upsert` a slug that exists gets a new revision, if the document differs (200).
    """
    project_id = caller.project_or_only(body.project_id)
    saved = service.create(caller, project_id, body, upsert=upsert)
    if not saved.created:
        response.status_code = 200
    response.headers["ETag"] = etag(saved.experiment.current_revision)
    return service.summary(saved.experiment)


@router.post("/experiments/validate")
@takes(DOCUMENT_BYTES, sender)
def experiments_validate(
    body: DocumentSource,
    caller: CallerDep,
    service: ValidationServiceDep,
    project_id: UUID | None = None,
) -> ValidationRead:
    """Say everything about a document without saving it: errors, plan, comparability.

    It is checked against what agents of the project offer; default: of all the caller's projects.
    """
    if project_id is not None:
        caller.require(project_id)
    return service.validate(body, [project_id] if project_id else caller.project_ids)


@router.post("/experiments/fairness")
@takes(DOCUMENT_BYTES, sender)
def experiments_fairness(
    body: DocumentSource,
    caller: CallerDep,
    service: ValidationServiceDep,
    project_id: UUID | None = None,
) -> DraftFairnessRead:
    """The fairness sheet of a document that has not run, and the changes that make its sides equal.

    Its targets are translated by the rules of their plugins, as comparisons do it with what really
    ran: what is not set has its default. Nothing is saved.
    """
    if project_id is not None:
        caller.require(project_id)
    return service.fairness(body, [project_id] if project_id else caller.project_ids)


@router.post("/experiments/target-from-file")
@takes(DOCUMENT_BYTES, sender)
def experiments_target_from_file(
    body: ConfigurationFile,
    caller: CallerDep,
    service: ValidationServiceDep,
    project_id: UUID | None = None,
) -> TargetFromFile:
    """What a system's configuration file comes to as a target: its parameters and settings, and
    each line that is neither, with why. Nothing is saved.

    The plugins of the project say what their systems' lines mean; default: of all the caller's
    projects.
    """
    if project_id is not None:
        caller.require(project_id)
    return service.target_from(body, [project_id] if project_id else caller.project_ids)


@router.post("/experiments/workload-from-file")
@takes(DOCUMENT_BYTES, sender)
def experiments_workload_from_file(
    body: PropertyFile,
    caller: CallerDep,
    service: ValidationServiceDep,
    project_id: UUID | None = None,
) -> WorkloadFromFile:
    """What a property file of YCSB's comes to: a workload, its load and length, and the targets
    that options of bindings mean; each property without an effect, with why. Nothing is saved.

    A file that cannot be carried out has no workload, and each problem with its line.
    """
    if project_id is not None:
        caller.require(project_id)
    return service.workload_from(body, [project_id] if project_id else caller.project_ids)


@router.get("/experiments/{experiment}")
def experiments_get(
    found: ExperimentDep, service: ExperimentServiceDep, response: Response
) -> ExperimentSummary:
    """An experiment by id or slug; its ETag is the current revision."""
    response.headers["ETag"] = etag(found.current_revision)
    return service.summary(found)


@router.get("/experiments/{experiment}/revisions")
def experiments_list_revisions(
    found: ExperimentDep, service: ExperimentServiceDep, page: PageDep
) -> Page[ExperimentRevisionRead]:
    """All revisions, newest first."""
    return service.revisions(found, page)


@router.post(
    "/experiments/{experiment}/revisions",
    status_code=201,
    responses={412: {"model": ProblemDocument}},
)
@takes(DOCUMENT_BYTES, sender)
def experiments_add_revision(
    body: DocumentSource,
    caller: CallerDep,
    found: ExperimentDep,
    service: ExperimentServiceDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> ExperimentRevisionRead:
    """Save a change; with If-Match only on top of the revision that was edited."""
    revision = service.add_revision(caller, found, body, if_match)
    response.headers["ETag"] = etag(revision.number)
    return read_revision(revision)


@router.get("/experiments/{experiment}/revisions/{number}")
def experiments_get_revision(
    found: ExperimentDep, number: RevisionNumber, service: ExperimentServiceDep, response: Response
) -> ExperimentRevisionRead:
    """A revision with its document."""
    revision = service.revision(found.id, number)
    response.headers["ETag"] = f'"{revision.content_hash}"'
    response.headers["Cache-Control"] = ASK_AGAIN
    return read_revision(revision)


@router.get(
    "/experiments/{experiment}/revisions/{number}/yaml",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/yaml": {}}}},
)
def experiments_get_revision_yaml(
    found: ExperimentDep, number: RevisionNumber, service: ExperimentServiceDep
) -> PlainTextResponse:
    """A revision as a file: canonical order, reads back to an equal document."""
    revision = service.revision(found.id, number)
    return PlainTextResponse(
        read_revision(revision).yaml,
        media_type="text/yaml",
        headers={"Content-Disposition": content_disposition(f"{found.slug}.yaml", "inline")},
    )


@router.get("/experiments/{experiment}/revisions/{from}/diff/{to}")
def experiments_diff(
    found: ExperimentDep,
    service: ExperimentServiceDep,
    before: Annotated[int, Path(alias="from", ge=1, le=2**31 - 1)],
    after: Annotated[int, Path(alias="to", ge=1, le=2**31 - 1)],
) -> RevisionDiff:
    """What changed from one revision to another."""
    return service.diff(found, before, after)


@router.get("/experiments/{experiment}/schedule")
def experiments_get_schedule(found: ExperimentDep, schedules: ScheduleServiceDep) -> ScheduleRead:
    """When the experiment starts by itself."""
    return schedules.get(found)


@router.put("/experiments/{experiment}/schedule")
def experiments_put_schedule(
    body: ScheduleWrite, caller: CallerDep, found: ExperimentDep, schedules: ScheduleServiceDep
) -> ScheduleRead:
    """Set the schedule."""
    return schedules.put(caller, found, body)


@router.delete("/experiments/{experiment}/schedule", status_code=204)
def experiments_delete_schedule(
    caller: CallerDep, found: ExperimentDep, schedules: ScheduleServiceDep
) -> None:
    """Remove the schedule."""
    schedules.delete(caller, found)


@router.get("/experiments/{experiment}/schedule/occurrences")
def experiments_list_occurrences(
    found: ExperimentDep, schedules: ScheduleServiceDep, page: PageDep
) -> Page[OccurrenceRead]:
    """What became of the schedule's dates, newest first; the latest 1,000 are kept.

    A date that started, waits, was skipped, missed, replaced by a later one, or failed, with the
    reason. It stays when the schedule is removed.
    """
    return schedules.occurrences.listed(found.id, page)


@router.post("/schedules/preview")
def experiments_preview_schedule(
    body: SchedulePreviewRequest, caller: CallerDep, schedules: ScheduleServiceDep
) -> SchedulePreview:
    """The dates a schedule would have."""
    del caller
    return SchedulePreview(next=schedules.preview(body.cron, body.time_zone))


@router.get("/experiment-templates")
def experiments_list_templates(request: Request, caller: CallerDep) -> list[TemplateRead]:
    """Ready-made experiments to begin from: a newcomer's, then the quickest first."""
    del caller
    return [
        read_of(TemplateRead, template)
        for template in read_templates(request.app.state.settings.experiments_dir)
    ]
