"""Whether the platform is well, and which version it is."""

from importlib.metadata import version
from typing import Literal

from anyio import CapacityLimiter, fail_after, to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from weighhouse_backend.app.parts import Looked, PartRead, Parts
from weighhouse_backend.kit.conditions import ConditionRead
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.packages.release import packages_of
from weighhouse_backend.packages.script import command

router = APIRouter(tags=["status"])
Condition = Literal["ok", "away"]
ANSWER_SECONDS = 2.0
"""Health is told within so long, whoever does not answer."""


class HealthRead(BaseModel):
    """How the parts behind the API are doing."""

    status: Literal["ok", "degraded", "down"]
    database: Condition
    redis: Condition
    """Away: live views are slower, nothing is lost."""
    version: str


class LiveRead(BaseModel):
    """That the process answers."""

    status: Literal["ok"] = "ok"
    version: str


class ReadyRead(BaseModel):
    """How each part does; one part's trouble is not the whole's."""

    status: Literal["ok", "degraded", "down"]
    """degraded: the API serves, and what is missing stands at its part."""
    parts: list[PartRead]
    conditions: list[ConditionRead]
    """What is wrong now, by name; the oldest first."""
    version: str


class AboutRead(BaseModel):
    """What this installation is."""

    version: str
    public_url: str
    command_install: str | None
    """What pip is told to install the command from here; null: no packages are served."""
    command_not_served: str | None
    """Why not, and what would mend it."""


@router.get("/health")
async def status_health(request: Request, response: Response) -> HealthRead:
    """For supervisors and load balancers; 503 when the database is away."""
    looked = await look(request)
    away = {part.name for part in looked.parts if part.condition == "away"}
    if "database" in away:
        response.status_code = 503
    return HealthRead(
        status="down" if "database" in away else "degraded" if "redis" in away else "ok",
        database="away" if "database" in away else "ok",
        redis="away" if "redis" in away else "ok",
        version=version("weighhouse-backend"),
    )


@router.get("/health/live")
async def status_live() -> LiveRead:
    """Whether the process answers at all; asks nobody. For whoever restarts it when it does not."""
    return LiveRead(version=version("weighhouse-backend"))


@router.get("/health/ready")
async def status_ready(request: Request, response: Response) -> ReadyRead:
    """How the parts do, what is missing meanwhile and how that is mended; as of two seconds ago at
    most. 503 only when the API cannot serve: without its database, or with tables older than it is.
    """
    looked = await look(request)
    well = not looked.conditions and all(
        part.condition in {"ok", "unknown"} for part in looked.parts
    )
    if not looked.can_serve:
        response.status_code = 503
    return ReadyRead(
        status="down" if not looked.can_serve else "ok" if well else "degraded",
        parts=list(looked.parts),
        conditions=list(looked.conditions),
        version=version("weighhouse-backend"),
    )


async def look(request: Request) -> Looked:
    """Look at the parts in a thread of the observers' own, whoever else waits for one; what does
    not answer within seconds is away.
    """
    state = request.app.state
    parts: Parts = state.parts
    threads: CapacityLimiter = state.observers
    if (known := parts.fresh()) is not None:
        return known
    try:
        with fail_after(ANSWER_SECONDS):
            return await to_thread.run_sync(parts.look, limiter=threads, abandon_on_cancel=True)
    except TimeoutError:
        return parts.unanswered()


@router.get("/api/v1/about")
def status_about(request: Request) -> AboutRead:
    """Version and address of this installation, and how the command is had from it."""
    settings: Settings = request.app.state.settings
    trouble = packages_of(settings.packages_dir).trouble()
    return AboutRead(
        version=version("weighhouse-backend"),
        public_url=settings.public_url,
        command_install=command(settings) if trouble is None else None,
        command_not_served=trouble,
    )
