"""The feature's services in the graph, and for endpoints."""

from typing import Annotated
from uuid import UUID

from fastapi import Request
from sqlalchemy.orm import Session
from weighhouse_protocol.updates import USER_AGENT

from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.fleet.sessions import require_version
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


def known_version(request: Request) -> None:
    """Refuse by name the versions of agents that one does not work with, whatever else they send.

    :raises AgentVersionRefused: with how it is mended.
    """
    told = USER_AGENT.search(request.headers.get("User-Agent", "")[:500])
    if told is not None:
        require_version(told[1], request.app.state.settings)


def sending_agent(request: Request, session: Session) -> UUID:
    """The organization of the agent whose token a large body comes with.

    :raises AgentRefused: when it is nobody's.
    """
    with services_of(request.app, session) as services:
        # It has not called before it is heard: a home that moved would be taken for a copy.
        return services.get(FleetService).known(bearer(request)).organization_id
