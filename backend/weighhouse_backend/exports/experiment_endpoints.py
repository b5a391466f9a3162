"""What became of an experiment and what was written beside its results, as files."""

from functools import partial
from uuid import UUID

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from weighhouse_protocol import pages

from weighhouse_backend.annotations.schemas import AnnotationRead
from weighhouse_backend.annotations.service import AnnotationService
from weighhouse_backend.experiments.occurrences import OccurrenceLog
from weighhouse_backend.experiments.schemas import ExperimentRevisionRead, OccurrenceRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.exports.abouts import Leave
from weighhouse_backend.exports.file_answers import FILES, FormQuery, answered
from weighhouse_backend.exports.list_tables import every
from weighhouse_backend.exports.model_tables import table_of
from weighhouse_backend.exports.snapshots import Snapshot, SnapshotDep
from weighhouse_backend.exports.tables import Export, Table
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/exports", tags=["exports"])


@router.get("/revisions", response_class=StreamingResponse, responses=FILES)
def exports_list_revisions(
    experiment_id: UUID, caller: CallerDep, snapshot: SnapshotDep, form: FormQuery = "csv"
) -> Response:
    """All revisions of an experiment, newest first, each as its file."""
    service = snapshot.get(ExperimentService)
    found = service.find(caller, str(experiment_id))
    listed = partial(service.revisions, found)
    revisions = every(listed)
    table = table_of("revisions", ExperimentRevisionRead, revisions, {"document"})
    return _answered(table, found.slug, snapshot, form)


@router.get("/occurrences", response_class=StreamingResponse, responses=FILES)
def exports_list_occurrences(
    experiment_id: UUID, caller: CallerDep, snapshot: SnapshotDep, form: FormQuery = "csv"
) -> Response:
    """What became of the dates of an experiment's schedule, newest first."""
    found = snapshot.get(ExperimentService).find(caller, str(experiment_id))
    listed = partial(snapshot.get(OccurrenceLog).listed, found.id)
    occurrences = every(listed)
    table = table_of("occurrences", OccurrenceRead, occurrences)
    return _answered(table, found.slug, snapshot, form)


@router.get("/annotations", response_class=StreamingResponse, responses=FILES)
def exports_list_annotations(
    caller: CallerDep, snapshot: SnapshotDep, form: FormQuery = "csv"
) -> Response:
    """All annotations of the caller's projects, newest first."""
    listed = partial(snapshot.get(AnnotationService).listed, caller)
    about = Leave(snapshot).about("Annotations", pages.EXPERIMENTS, [], [])
    annotations = every(listed)
    table = table_of("annotations", AnnotationRead, annotations, {"mine", "version"})
    return answered(Export("weighhouse", about, [table]), form, snapshot)


def _answered(table: Table, slug: str, snapshot: Snapshot, form: FormQuery) -> Response:
    view = pages.experiment(slug, "revisions" if table.name == "revisions" else "schedule")
    title = f"{table.name.capitalize()} of {slug}"
    about = Leave(snapshot).about(title, view, [], [])
    return answered(Export(slug, about, [table]), form, snapshot)
