"""Whether the platform is well, and which version it is."""

from importlib.metadata import version
from typing import Literal

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from redis import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from weighhouse_backend.app.parts import Looked, PartRead

router = APIRouter(tags=["status"])
Condition = Literal["ok", "away"]


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
    version: str


class AboutRead(BaseModel):
    """What this installation is."""

    version: str
    public_url: str


@router.get("/health")
def status_health(request: Request, response: Response) -> HealthRead:
    """For supervisors and load balancers; 503 when the database is away."""
    database: Condition = "ok"
    broker: Condition = "ok"
    try:
        with request.app.state.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError:
        database = "away"
        response.status_code = 503
    try:
        request.app.state.redis.ping()
    except RedisError:
        broker = "away"
    whole = "down" if database == "away" else "ok" if broker == "ok" else "degraded"
    return HealthRead(
        status=whole, database=database, redis=broker, version=version("weighhouse-backend")
    )


@router.get("/health/live")
async def status_live() -> LiveRead:
    """Whether the process answers at all; asks nobody. For whoever restarts it when it does not."""
    return LiveRead(version=version("weighhouse-backend"))


@router.get("/health/ready")
async def status_ready(request: Request, response: Response) -> ReadyRead:
    """How the parts do, what is missing meanwhile and how that is mended; as of five seconds ago at
    most. 503 only when the API cannot serve: without its database, or with tables older than it is.
    """
    looked = await look(request)
    well = all(part.condition in {"ok", "unknown"} for part in looked.parts)
    if not looked.can_serve:
        response.status_code = 503
    return ReadyRead(
        status="down" if not looked.can_serve else "ok" if well else "degraded",
        parts=list(looked.parts),
        version=version("weighhouse-backend"),
    )


async def look(request: Request) -> Looked:
    """Look at the parts in a thread of the observers' own, whoever else waits for one."""
    state = request.app.state
    threads: CapacityLimiter = state.observers
    found: Looked = await to_thread.run_sync(state.parts.look, limiter=threads)
    return found


@router.get("/api/v1/about")
def status_about(request: Request) -> AboutRead:
    """Version and address of this installation."""
    return AboutRead(
        version=version("weighhouse-backend"), public_url=request.app.state.settings.public_url
    )
