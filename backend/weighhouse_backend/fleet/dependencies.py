"""The feature's services in the graph, and for endpoints."""

from typing import Annotated
from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session

from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.services import provided, services_of, wired

SERVICES = provided(
    FleetService,
)

FleetServiceDep = Annotated[FleetService, wired(FleetService)]


def bearer(request: Request) -> str:
    """The token of a call.

    :raises AgentRefused: when there is none.
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise AgentRefused("the Authorization header is not `Bearer TOKEN`")
    return token.strip()


def sending_agent(request: Request, session: Session) -> UUID:
    """The organization of the agent whose token a large body comes with.

    :raises AgentRefused: when it is nobody's.
    """
    with services_of(request.app, session) as services:
        # It has not called before it is heard: a home that moved would be taken for a copy.
        return services.get(FleetService).known(bearer(request)).organization_id
