"""Lists of systems and machines as files, narrowed as they are on screen."""

from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from weighhouse_protocol import pages

from weighhouse_backend.app.overviews import OverviewReading, SystemRead
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.exports import inventory_tables
from weighhouse_backend.exports.abouts import Leave, narrowed
from weighhouse_backend.exports.file_answers import FILES, FormQuery, answered
from weighhouse_backend.exports.inventory_endpoints import TextQuery
from weighhouse_backend.exports.inventory_tables import containing, words_of_agent
from weighhouse_backend.exports.lists import ListedService
from weighhouse_backend.exports.snapshots import Snapshot, SnapshotDep
from weighhouse_backend.exports.tables import Export, Row, Table
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.access import Caller, CallerDep
from weighhouse_backend.kit.bodies import BoundedRoute

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1/exports", tags=["exports"])


@router.get("/systems", response_class=StreamingResponse, responses=FILES)
def exports_list_systems(
    request: Request,
    caller: CallerDep,
    snapshot: SnapshotDep,
    project_id: UUID | None = None,
    form: FormQuery = "csv",
) -> Response:
    """All systems that agents' plugins describe, with what their licences say of benchmarks. There
    are no figures in it.
    """
    found = _reading(request, caller, snapshot).systems(project_id=project_id)
    projects = [project_id] if project_id else sorted(caller.project_ids)
    about = Leave(snapshot).about(
        "Systems",
        pages.SYSTEMS,
        [],
        snapshot.get(ListedService).caveats(projects, [one.id for one in found]),
        notes=narrowed(project_id=project_id),
    )
    table = Table("systems", inventory_tables.SYSTEMS, map(_system, found))
    return answered(Export("weighhouse", about, [table]), form, snapshot)


@router.get("/agents", response_class=StreamingResponse, responses=FILES)
def exports_list_agents(
    request: Request,
    caller: CallerDep,
    snapshot: SnapshotDep,
    project_id: UUID | None = None,
    text: TextQuery = None,
    form: FormQuery = "csv",
) -> Response:
    """All machines of a list, narrowed as the list is. There are no figures in it."""
    found = _reading(request, caller, snapshot).agents(project_id)
    about = Leave(snapshot).about(
        "Agents", pages.AGENTS, [], [], notes=narrowed(project_id=project_id, text=text)
    )
    table = inventory_tables.agents(one for one in found if containing(text, words_of_agent(one)))
    return answered(Export("weighhouse", about, [table]), form, snapshot)


def _reading(request: Request, caller: Caller, snapshot: Snapshot) -> OverviewReading:
    services = (snapshot.get(CatalogService), snapshot.get(DisclosureService),
                snapshot.get(FleetService))  # fmt: skip
    return OverviewReading(
        snapshot.session, caller, *services, request.app.state.agent_signs.silent
    )


def _system(one: SystemRead) -> Row:
    return (
        one.id, one.name, one.vendor, one.homepage, one.licence, one.kind, one.architecture,
        one.summary, one.plugin_version, one.manifest_digest, one.driver,
        ", ".join(one.operations), ", ".join(one.deployments), ", ".join(one.faults),
        one.benchmark_clause.policy, one.benchmark_clause.text, len(one.disclaimers),
        not one.conflicts, one.agents_count, one.last_run_at,
    )  # fmt: skip
