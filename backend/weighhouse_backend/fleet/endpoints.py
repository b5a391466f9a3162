"""Enrolment and sessions of agents."""

from collections.abc import Mapping

from fastapi import APIRouter, Depends, Request
from weighhouse_protocol.order import Registered, Registration, SessionOpened
from weighhouse_protocol.text import seen
from weighhouse_protocol.updates import UpdateOrder, UpdateProgress

from weighhouse_backend.catalog.service import sorted_out
from weighhouse_backend.fleet.agent_signs import AgentSigns
from weighhouse_backend.fleet.dependencies import (
    FleetServiceDep,
    bearer,
    known_version,
    sending_agent,
)
from weighhouse_backend.fleet.schemas import (
    RegistrationTokenCreate,
    RegistrationTokenMade,
    SessionBody,
)
from weighhouse_backend.fleet.updates import AgentUpdates
from weighhouse_backend.identity.access import CallerDep
from weighhouse_backend.kit.bodies import MEBIBYTE, BoundedRoute, takes
from weighhouse_backend.kit.rates import has_tenant, of_tenant
from weighhouse_backend.quotas.errors import QUOTA_ANSWER

router = APIRouter(route_class=BoundedRoute, prefix="/api/v1", tags=["agents"])
agent_router = APIRouter(
    route_class=BoundedRoute, prefix="/agent/v1", tags=["agent protocol"],
    dependencies=[Depends(known_version)],
)  # fmt: skip


@router.post("/agent-registration-tokens", status_code=201)
def fleet_make_registration_token(
    body: RegistrationTokenCreate, caller: CallerDep, service: FleetServiceDep
) -> RegistrationTokenMade:
    """A token with which one machine may enrol, once; takes a maintainer."""
    return service.make_registration_token(caller, body)


@agent_router.post("/register", status_code=201, responses=QUOTA_ANSWER)
def fleet_register(request: Request, body: Registration, service: FleetServiceDep) -> Registered:
    """Enrol with a registration token; the same machine may repeat the call."""
    return service.register(bearer(request), body)


@agent_router.put("/session")
@takes(4 * MEBIBYTE, sending_agent)
def fleet_open_session(
    request: Request, body: SessionBody, service: FleetServiceDep
) -> SessionOpened:
    """Open a session: versions, plugins, facts; the answer says how often to call.

    A manifest that this server cannot read is set aside, and shown with the reason; so is a plugin
    that the agent itself cannot use.
    """
    readable, aside = sorted_out(body.manifests)
    opening = body.model_copy(update={"manifests": readable})
    if not has_tenant(request):
        of_tenant(request, service.known(bearer(request)).organization_id)
    opened = service.open_session(bearer(request), opening, {**_seen(body.broken), **aside})
    signs: AgentSigns = request.app.state.agent_signs
    signs.begin(opened.agent_id)
    return opened


@agent_router.get("/update")
def fleet_read_update(request: Request, service: FleetServiceDep) -> UpdateOrder:
    """What this agent is to install: the platform's version, each file with its digest."""
    of_tenant(request, service.known(bearer(request)).organization_id)
    return AgentUpdates(service).order(bearer(request))


@agent_router.post("/update", status_code=204)
def fleet_report_update(request: Request, body: UpdateProgress, service: FleetServiceDep) -> None:
    """How far this agent is with its update; may be repeated."""
    of_tenant(request, service.known(bearer(request)).organization_id)
    AgentUpdates(service).progress(bearer(request), body)


def _seen(broken: Mapping[str, str]) -> dict[str, str]:
    """What an agent says of its plugins, as a page shows it."""
    return {seen(name)[:80]: seen(reason)[:500] for name, reason in broken.items() if seen(name)}
