"""Hands the fleet to endpoints."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from weighhouse_backend.catalog.dependencies import CatalogServiceDep
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep


def bearer(request: Request) -> str:
    """The token of a call.

    :raises AgentRefused: when there is none.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise AgentRefused("the Authorization header is not `Bearer TOKEN`")
    return token.strip()


def _service(request: Request, session: SessionDep, catalog: CatalogServiceDep) -> FleetService:
    return FleetService(session, SystemClock(), request.app.state.settings, catalog)


def sending_agent(request: Request, session: Session) -> UUID:
    """The organization of the agent whose token a large body comes with.

    :raises AgentRefused: when it is nobody's.
    """
    catalog = CatalogService(session, SystemClock())
    service = FleetService(session, SystemClock(), request.app.state.settings, catalog)
    # It has not called before it is heard: a home that moved would be taken for a copy.
    return service.known(bearer(request)).organization_id


FleetServiceDep = Annotated[FleetService, Depends(_service)]
