"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated
from uuid import UUID

from fastapi import Depends, FastAPI, Request
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.allocation import Allocator
from weighhouse_backend.campaigns.attempts import AttemptService
from weighhouse_backend.campaigns.blocks import BlockService
from weighhouse_backend.campaigns.chaining import ChainService
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.completeness import CompletenessService
from weighhouse_backend.campaigns.errors import AttemptTokenInvalid
from weighhouse_backend.campaigns.filters import CampaignSearch
from weighhouse_backend.campaigns.gang_repository import GangRepository
from weighhouse_backend.campaigns.gangs import GangService
from weighhouse_backend.campaigns.intake import IntakeService
from weighhouse_backend.campaigns.latest import LatestService
from weighhouse_backend.campaigns.leases import LeaseService
from weighhouse_backend.campaigns.leaving import LeavingService
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.models import AttemptMember
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.rendezvous import RendezvousService
from weighhouse_backend.campaigns.repository import CampaignRepository
from weighhouse_backend.campaigns.runs import RunService
from weighhouse_backend.campaigns.scheduling import SchedulingService
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.standing import StandingService
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.dependencies import experiment_service, schedule_service
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.dependencies import bearer
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock, SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.events import Events, RedisEvents
from weighhouse_backend.kit.jobs import CeleryJobs, Jobs
from weighhouse_backend.kit.rates import has_tenant, of_tenant
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.tenancy import confine
from weighhouse_backend.quotas.guard import QuotaGuard


@dataclass(frozen=True)
class Campaigns:
    """All services of the feature over one transaction."""

    session: Session
    jobs: Jobs
    events: Events
    clock: Clock
    settings: Settings

    @cached_property
    def repository(self) -> CampaignRepository:
        """The feature's queries."""
        return CampaignRepository(self.session)

    @cached_property
    def gangs(self) -> GangRepository:
        """Queries of attempts and members."""
        return GangRepository(self.session, self.repository)

    @cached_property
    def catalog(self) -> CatalogService:
        """Manifests of plugins."""
        return CatalogService(self.session, self.clock)

    @cached_property
    def experiments(self) -> ExperimentService:
        """Experiments and revisions."""
        return experiment_service(self.session, self.clock)

    @cached_property
    def fleet(self) -> FleetService:
        """Agents."""
        return FleetService(self.session, self.clock, self.settings, self.catalog)

    @cached_property
    def quotas(self) -> QuotaGuard:
        """What may be used."""
        return QuotaGuard(self.session, self.clock)

    @cached_property
    def commits(self) -> CommitService:
        """What campaigns were started for."""
        return CommitService(self.session)

    @cached_property
    def views(self) -> CampaignViews:
        """Campaigns for reading."""
        disclosure = DisclosureService(self.catalog)
        return CampaignViews(
            self.repository, self.experiments, self.catalog, disclosure, self.commits, self.clock
        )

    @cached_property
    def completeness(self) -> CompletenessService:
        """Tells whether figures are all there will be."""
        return CompletenessService(self.repository, self.clock)

    @cached_property
    def search(self) -> CampaignSearch:
        """Narrows lists."""
        return CampaignSearch(self.session, self.experiments)

    @cached_property
    def latest(self) -> LatestService:
        """The newest campaigns of experiments."""
        return LatestService(self.repository)

    @cached_property
    def leaving(self) -> LeavingService:
        """Asks whether figures may leave."""
        return LeavingService(DisclosureService(self.catalog).publication, self.experiments)

    @cached_property
    def outbox(self) -> Outbox:
        """What people watch."""
        return Outbox(self.session, self.views, self.events, self.clock)

    @cached_property
    def transitions(self) -> Transitions:
        """The writer of every status."""
        return Transitions(
            self.repository, self.gangs, self.experiments, self.outbox, self.jobs, self.clock
        )

    @cached_property
    def gang(self) -> GangService:
        """Moves gangs as a whole."""
        return GangService(self.session, self.gangs, self.transitions, self.clock)

    @cached_property
    def campaigns(self) -> CampaignService:
        """What people do with campaigns."""
        return CampaignService(
            self.session,
            self.repository,
            self.gangs,
            self.transitions,
            self.experiments,
            self.commits,
            self.fleet,
            self.quotas,
            self.jobs,
            self.clock,
        )

    @cached_property
    def looks(self) -> LookService:
        """Campaigns that grow."""
        return LookService(
            self.session,
            self.repository,
            self.campaigns,
            self.transitions,
            self.outbox,
            self.experiments,
            self.jobs,
            self.clock,
        )

    @cached_property
    def standing(self) -> StandingService:
        """What people say of ended campaigns."""
        return StandingService(
            self.session, self.repository, self.campaigns, self.transitions, self.clock
        )

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
    def runs(self) -> RunService:
        """Runs for the features above."""
        return RunService(self.repository, self.transitions)

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

    @cached_property
    def scheduling(self) -> SchedulingService:
        """Starts what is due."""
        schedules = schedule_service(self.session, self.clock)
        return SchedulingService(self.session, self.repository, schedules, self.campaigns)


def campaigns_of(app: FastAPI, session: Session) -> Campaigns:
    """The services over a session, with the application's ports."""
    state = app.state
    return Campaigns(
        session=session,
        jobs=CeleryJobs(state.celery, session, state.redis),
        events=RedisEvents(state.redis, session),
        clock=SystemClock(),
        settings=state.settings,
    )


def _campaigns(request: Request, session: SessionDep) -> Campaigns:
    return campaigns_of(request.app, session)


CampaignsDep = Annotated[Campaigns, Depends(_campaigns)]


def _campaign_service(campaigns: CampaignsDep) -> CampaignService:
    return campaigns.campaigns


def _run_service(campaigns: CampaignsDep) -> RunService:
    return campaigns.runs


def _attempt_service(campaigns: CampaignsDep) -> AttemptService:
    return campaigns.attempts


CampaignServiceDep = Annotated[CampaignService, Depends(_campaign_service)]
RunServiceDep = Annotated[RunService, Depends(_run_service)]
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
    attempts = campaigns_of(request.app, session).attempts
    member = attempts.authenticate(attempt_id, bearer(request))
    return attempts.fleet.agent(member.agent_id).organization_id


MemberDep = Annotated[AttemptMember, Depends(_member)]
"""The member of the path's attempt whose own token the caller has; nobody else gets in."""
