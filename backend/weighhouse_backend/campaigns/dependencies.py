"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from sqlalchemy.orm import Session

from weighhouse_backend.campaigns.acceptance import StandingService
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.completeness import CompletenessService
from weighhouse_backend.campaigns.due_schedules import SchedulingService
from weighhouse_backend.campaigns.filters import CampaignSearch
from weighhouse_backend.campaigns.latest import LatestService
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.outbox import Outbox
from weighhouse_backend.campaigns.publication import LeavingService
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.transitions import Transitions
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.dependencies import experiment_service, schedule_service
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.kit.clock import Clock, SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.events import Events, RedisEvents
from weighhouse_backend.kit.jobs import CeleryJobs, Jobs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.repository import CampaignRepository


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
    def runs(self) -> RunService:
        """Runs for the features above."""
        return RunService(self.repository, self.gangs, self.transitions)

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


CampaignServiceDep = Annotated[CampaignService, Depends(_campaign_service)]
RunServiceDep = Annotated[RunService, Depends(_run_service)]
