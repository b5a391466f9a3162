"""Whether the platform is well, and which version it is."""

from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel
from redis import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

router = APIRouter(tags=["status"])
Condition = Literal["ok", "away"]


class HealthRead(BaseModel):
    """How the parts behind the API are doing."""

    status: Literal["ok", "degraded", "down"]
    database: Condition
    redis: Condition
    """Away: live views are slower, nothing is lost."""
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


@router.get("/api/v1/about")
def status_about(request: Request) -> AboutRead:
    """Version and address of this installation."""
    return AboutRead(
        version=version("weighhouse-backend"), public_url=request.app.state.settings.public_url
    )
