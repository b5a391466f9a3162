"""Results: taken in from agents, and read by people."""

# ruff: noqa: FAST003 - a dependency behind a name takes the path's parameter

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse, StreamingResponse
from weighhouse_protocol.report import EventBatch, EventsAccepted

from weighhouse_backend.execution.dependencies import MemberDep, sending_member
from weighhouse_backend.faults.dependencies import FaultServiceDep
from weighhouse_backend.faults.schemas import FaultsRead
from weighhouse_backend.files.artifacts import MOST_BYTES
from weighhouse_backend.files.dependencies import (
    ArtifactServiceDep,
    ArtifactStoreDep,
    LogServiceDep,
)
from weighhouse_backend.files.logs import MOST_PIECE_BYTES
from weighhouse_backend.files.uploads import UploadDep
from weighhouse_backend.fleet.pace import Pace, waited
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.downloads import content_disposition, file_name
from weighhouse_backend.kit.etags import ASK_AGAIN, etag, is_known
from weighhouse_backend.kit.pages import Page, PageDep
from weighhouse_backend.measurements.charts import MOST_COLUMNS, MOST_POINTS
from weighhouse_backend.measurements.errors import ResultNotThere
from weighhouse_backend.quotas.errors import QUOTA_ANSWER
from weighhouse_backend.results.chart_schemas import HeatMapRead, SpectrumRead
from weighhouse_backend.results.dependencies import (
    EventServiceDep,
    GaugeReadServiceDep,
    RunReadServiceDep,
    ScenarioReadServiceDep,
    VisibleRunDep,
)
from weighhouse_backend.results.gauge_schemas import GaugesRead
from weighhouse_backend.results.scenario_schemas import RunScenarioRead
from weighhouse_backend.results.schemas import (
    LogAccepted,
    RunListed,
)
from weighhouse_backend.results.series_schemas import (
    RunSeriesRead,
)
from weighhouse_backend.runs.models import Run
from weighhouse_backend.runs.states import RunStatus

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["runs"])
agent_router = APIRouter(route_class=BoundedRoute, prefix="/agent/v1", tags=["agent protocol"])

Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]
Stream = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]
Points = Annotated[int, Query(ge=10, le=MOST_POINTS)]
Columns = Annotated[int, Query(ge=10, le=MOST_COLUMNS)]


async def _piece(request: Request) -> bytes:
    return await request.body()


@agent_router.post("/attempts/{attempt_id}/events")
@takes(8 * MEBIBYTE, sending_member)
def results_store_events(
    request: Request, member: MemberDep, body: EventBatch, events: EventServiceDep
) -> EventsAccepted:
    """Store numbered events; what is stored already is passed over.

    The answer tells the next sequence that is expected. It is lower than the batch's when events
    before it are missing. Where many send, it tells how long to gather the next ones.
    """
    pace: Pace = request.app.state.batches_pace
    expected = events.store(member.attempt_id, body.events, member.index)
    return EventsAccepted(next_sequence=expected, pause_seconds=pace.take(waited(request)))


# What a body becomes comes first: while it arrives, nothing of the database is held.


@agent_router.put("/attempts/{attempt_id}/logs/{stream}", status_code=202)
@takes(MOST_PIECE_BYTES, sending_member)
def results_append_log(
    piece: Annotated[bytes, Depends(_piece)],
    member: MemberDep,
    stream: Stream,
    offset: Annotated[int, Query(ge=0, le=2**62)],
    logs: LogServiceDep,
    response: Response,
) -> LogAccepted:
    """Store the piece of a log that begins at an offset; 416 when bytes before it are missing."""
    following = logs.append(member.attempt_id, stream, offset, piece, member.index)
    response.headers["Upload-Offset"] = str(following)
    return LogAccepted(next_offset=following)


@agent_router.head("/attempts/{attempt_id}/artifacts/{sha256}")
def results_has_artifact(
    member: MemberDep, sha256: Sha256, artifacts: ArtifactServiceDep
) -> Response:
    """200 when the attempt has left a file with this hash here already, else 404."""
    if not artifacts.has(member, sha256):
        raise ResultNotThere
    return Response()


@agent_router.put(
    "/attempts/{attempt_id}/artifacts/{sha256}", status_code=201, responses=QUOTA_ANSWER
)
@takes(MOST_BYTES, sending_member, as_file=True)
def results_put_artifact(
    content: UploadDep,
    member: MemberDep,
    sha256: Sha256,
    request: Request,
    artifacts: ArtifactServiceDep,
    response: Response,
    name: Annotated[str, Query(max_length=200)] = "file",
) -> None:
    """Store a file under its hash; 200 when the attempt had it already."""
    media_type = request.headers.get("Content-Type", "application/octet-stream")[:200]
    new = artifacts.put(
        member.attempt_id,
        sha256,
        content,
        name=file_name(name),
        media_type=media_type,
        member=member.index,
    )
    if not new:
        response.status_code = 200


@router.get("/runs")
def results_list_runs(
    caller: CallerDep, reading: RunReadServiceDep, page: PageDep, campaign_id: UUID | None = None
) -> Page[RunListed]:
    """Runs, newest first."""
    return reading.listed(caller, page, campaign_id=campaign_id)


@router.get("/runs/{run_id}/series")
def results_read_series(
    run: VisibleRunDep, reading: RunReadServiceDep, response: Response, points: Points = MOST_POINTS
) -> RunSeriesRead:
    """A run over time. Neighbouring intervals are merged where there are more than `points`;
    percentiles come out of the merged histograms.
    """
    _keep(run, response)
    return reading.series(run, points)


@router.get("/runs/{run_id}/gauges")
def results_read_gauges(
    run: VisibleRunDep,
    gauges: GaugeReadServiceDep,
    response: Response,
    points: Points = MOST_POINTS,
) -> GaugesRead:
    """What the system said of itself over the run, and what passed disks and network, machine by
    machine; a long run is thinned to about `points` samples.
    """
    _keep(run, response)
    return gauges.of_run(run, points)


@router.get("/runs/{run_id}/scenario")
def results_read_scenario(
    run: VisibleRunDep,
    scenarios: ScenarioReadServiceDep,
    response: Response,
    points: Points = MOST_POINTS,
) -> RunScenarioRead:
    """What the scenario of a run gave: of `sustained` figures by progress, of `soak` its drift."""
    _keep(run, response)
    return scenarios.of_run(run, points)


@router.get("/runs/{run_id}/spectrum")
def results_read_spectrum(
    run: VisibleRunDep, reading: RunReadServiceDep, response: Response
) -> SpectrumRead:
    """Latency by percentile over the measured phase; empty before the run is settled."""
    _keep(run, response)
    return reading.spectrum(run)


@router.get("/runs/{run_id}/faults")
def results_read_faults(run: VisibleRunDep, faults: FaultServiceDep) -> FaultsRead:
    """What each fault of a run cost: figures before, during and after it, and how the system came
    back. Empty for a run in which nothing was broken on purpose, and before it completed.
    """
    return faults.of_run(run)


@router.get("/runs/{run_id}/heatmap")
def results_read_heatmap(
    run: VisibleRunDep,
    reading: RunReadServiceDep,
    response: Response,
    columns: Columns = MOST_COLUMNS,
) -> HeatMapRead:
    """Successful operations by time and latency."""
    _keep(run, response)
    return reading.heat_map(run, columns)


@router.get("/runs/{run_id}/logs/{stream}", response_class=PlainTextResponse)
def results_read_log(
    run: VisibleRunDep,
    stream: Stream,
    reading: RunReadServiceDep,
    member: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    offset: Annotated[int, Query(ge=0, le=2**62)] = 0,
) -> PlainTextResponse:
    """A log as text; of a run on several machines that of a member, by default the first.

    A log that grows is followed by asking for what comes at `Next-Offset` of the last answer.
    """
    data = reading.log(run, stream, member, offset)
    text = data.decode("utf-8", errors="replace")
    return PlainTextResponse(text, headers={"Next-Offset": str(offset + len(data))})


@router.get("/runs/{run_id}/artifacts/{sha256}", response_class=FileResponse)
def results_read_artifact(
    run: VisibleRunDep,
    sha256: Sha256,
    reading: RunReadServiceDep,
    artifacts: ArtifactServiceDep,
    store: ArtifactStoreDep,
    if_none_match: Annotated[str | None, Header()] = None,
) -> Response:
    """A file the run left, to download."""
    attempt_id = reading.shown_id(run)
    if attempt_id is None:
        raise ResultNotThere
    item = artifacts.find(attempt_id, sha256)
    media_type = "application/octet-stream"
    headers = {
        "Content-Disposition": content_disposition(item.name),
        "Cache-Control": ASK_AGAIN,
        "ETag": etag(sha256),
        "Vary": "Cookie, Authorization",
    }
    if is_known(if_none_match, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    if path := store.local(item.project_id, sha256):
        return FileResponse(path, headers=headers, media_type=media_type)
    headers["Content-Length"] = str(item.size_bytes)
    pieces = artifacts.pieces(item)
    return StreamingResponse(pieces, media_type=media_type, headers=headers)


def _keep(run: Run, response: Response) -> None:
    """A completed run hardly changes again; browsers keep what they were told of it, and ask."""
    if run.status == RunStatus.COMPLETED:
        response.headers["Cache-Control"] = ASK_AGAIN
