"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated
from uuid import UUID

from fastapi import Depends, FastAPI, Request
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.dependencies import Campaigns
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.blocks import BlockService
from weighhouse_backend.execution.chain_runs import ChainService
from weighhouse_backend.execution.gangs import GangService
from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.execution.leases import LeaseService
from weighhouse_backend.execution.rendezvous import RendezvousService
from weighhouse_backend.fleet.dependencies import bearer
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.events import RedisEvents
from weighhouse_backend.kit.jobs import CeleryJobs
from weighhouse_backend.kit.rates import has_tenant, of_tenant
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.runs.errors import AttemptTokenInvalid
from weighhouse_backend.runs.models import AttemptMember


@dataclass(frozen=True)
class Execution(Campaigns):
    """Those of campaigns, and what agents do with them, over one transaction."""

    @cached_property
    def gang(self) -> GangService:
        """Moves gangs as a whole."""
        return GangService(self.session, self.gangs, self.transitions, self.clock)

    @cached_property
    def attempts(self) -> AttemptService:
        """What agents do with attempts."""
        return AttemptService(
            self.session,
            self.repository,
            self.gangs,
            self.gang,
            self.transitions,
            self.experiments,
            self.fleet,
            self.clock,
        )

    @cached_property
    def rendezvous(self) -> RendezvousService:
        """Where the members of a gang meet."""
        return RendezvousService(
            self.repository,
            self.gangs,
            self.gang,
            self.transitions,
            self.experiments,
            self.clock,
        )

    @cached_property
    def intake(self) -> IntakeService:
        """Opens members for what they deliver."""
        return IntakeService(self.repository, self.gangs, self.transitions)

    @cached_property
    def chains(self) -> ChainService:
        """Runs that one attempt measures."""
        return ChainService(self.session, self.repository, self.transitions)

    @cached_property
    def blocks(self) -> BlockService:
        """Which machines a block is on."""
        return BlockService(self.session, self.repository, self.gangs, self.transitions, self.fleet)

    @cached_property
    def allocator(self) -> Allocator:
        """Gives runs to agents."""
        return Allocator(
            self.session,
            self.repository,
            self.gangs,
            self.blocks,
            self.transitions,
            self.outbox,
            self.fleet,
            self.experiments,
            self.quotas,
            self.clock,
        )

    @cached_property
    def leases(self) -> LeaseService:
        """Looks after what is silent or stuck."""
        return LeaseService(
            self.gangs,
            self.gang,
            self.transitions,
            self.experiments,
            self.fleet,
            self.jobs,
            self.clock,
            self.settings,
        )


def execution_of(app: FastAPI, session: Session) -> Execution:
    """The services over a session, with the application's ports."""
    state = app.state
    return Execution(
        session=session,
        jobs=CeleryJobs(state.celery, session, state.redis),
        events=RedisEvents(state.redis, session),
        clock=SystemClock(),
        settings=state.settings,
    )


def _execution(request: Request, session: SessionDep) -> Execution:
    return execution_of(request.app, session)


ExecutionDep = Annotated[Execution, Depends(_execution)]


def _attempt_service(execution: ExecutionDep) -> AttemptService:
    return execution.attempts


AttemptServiceDep = Annotated[AttemptService, Depends(_attempt_service)]


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
    attempts = execution_of(request.app, session).attempts
    member = attempts.authenticate(attempt_id, bearer(request))
    return attempts.fleet.agent(member.agent_id).organization_id


MemberDep = Annotated[AttemptMember, Depends(_member)]
"""The member of the path's attempt whose own token the caller has; nobody else gets in."""
