"""Enrolment and sessions of agents, and what people do with agents."""

from uuid import UUID

from fastapi import APIRouter, Request
from weighhouse_protocol.order import Registered, Registration, SessionOpened, SessionOpening

from weighhouse_backend.fleet.dependencies import FleetServiceDep, bearer
from weighhouse_backend.fleet.schemas import (
    AgentRead,
    RegistrationTokenCreate,
    RegistrationTokenMade,
)
from weighhouse_backend.identity.access import CallerDep

router = APIRouter(prefix="/api/v1", tags=["agents"])
agent_router = APIRouter(prefix="/agent/v1", tags=["agent protocol"])


@router.post("/agent-registration-tokens", status_code=201)
def fleet_make_registration_token(
    body: RegistrationTokenCreate, caller: CallerDep, service: FleetServiceDep
) -> RegistrationTokenMade:
    """A token with which one machine may enrol, once; takes a maintainer."""
    return service.make_registration_token(caller, body)


@router.post("/agents/{agent_id}/drain")
def fleet_drain_agent(agent_id: UUID, caller: CallerDep, service: FleetServiceDep) -> AgentRead:
    """Give an agent no new runs."""
    return service.read(service.set_draining(caller, agent_id, draining=True), None)


@router.post("/agents/{agent_id}/undrain")
def fleet_undrain_agent(agent_id: UUID, caller: CallerDep, service: FleetServiceDep) -> AgentRead:
    """Give an agent runs again."""
    return service.read(service.set_draining(caller, agent_id, draining=False), None)


@router.post("/agents/{agent_id}/revoke")
def fleet_revoke_agent(agent_id: UUID, caller: CallerDep, service: FleetServiceDep) -> AgentRead:
    """Make an agent's token worthless."""
    return service.read(service.revoke(caller, agent_id), None)


@agent_router.post("/register", status_code=201)
def fleet_register(request: Request, body: Registration, service: FleetServiceDep) -> Registered:
    """Enrol with a registration token; the same machine may repeat the call."""
    return service.register(bearer(request), body)


@agent_router.put("/session")
def fleet_open_session(
    request: Request, body: SessionOpening, service: FleetServiceDep
) -> SessionOpened:
    """Open a session: versions, plugins, facts; the answer says how often to call."""
    return service.open_session(bearer(request), body)
