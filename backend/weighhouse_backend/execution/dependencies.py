"""The feature's services in the graph, and for endpoints."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.blocks import BlockService
from weighhouse_backend.execution.chain_runs import ChainService
from weighhouse_backend.execution.gangs import GangService
from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.execution.leases import LeaseService
from weighhouse_backend.execution.rendezvous import RendezvousService
from weighhouse_backend.fleet.dependencies import bearer
from weighhouse_backend.kit.rates import has_tenant, of_tenant
from weighhouse_backend.kit.services import provided, services_of, wired
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.runs.errors import AttemptTokenInvalid
from weighhouse_backend.runs.models import AttemptMember

SERVICES = provided(
    Allocator,
    AttemptService,
    BlockService,
    ChainService,
    GangService,
    IntakeService,
    LeaseService,
    RendezvousService,
)

AttemptServiceDep = Annotated[AttemptService, wired(AttemptService)]


def _member(request: Request, attempt_id: UUID, attempts: AttemptServiceDep) -> AttemptMember:
    member = attempts.authenticate(attempt_id, bearer(request))
    if not has_tenant(request):
        of_tenant(request, attempts.fleet.agent(member.agent_id).organization_id)
    confine(attempts.session, [member.project_id])
    return member


def sending_member(request: Request, session: Session) -> UUID:
    """The organization of the member whose token a large body comes with.

    :raises AttemptTokenInvalid: when it is nobody's.
    :raises AgentRefused: when its agent was revoked.
    """
    try:
        attempt_id = UUID(request.path_params["attempt_id"])
    except ValueError as error:
        raise AttemptTokenInvalid from error
    with services_of(request.app, session) as services:
        attempts = services.get(AttemptService)
        member = attempts.authenticate(attempt_id, bearer(request))
        return attempts.fleet.agent(member.agent_id).organization_id


MemberDep = Annotated[AttemptMember, Depends(_member)]
"""The member of the path's attempt whose own token the caller has; nobody else gets in."""
