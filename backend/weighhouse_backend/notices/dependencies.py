"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from weighhouse_backend.kit.clock import Clock, SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.jobs import CeleryJobs, Jobs
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.membership.service import MembershipService
from weighhouse_backend.notices.channels import ChannelService
from weighhouse_backend.notices.deliveries import DeliveryService
from weighhouse_backend.notices.personal import BellService, PreferenceService
from weighhouse_backend.notices.recipients import SpreadingService
from weighhouse_backend.notices.repository import NoticeRepository


@dataclass(frozen=True)
class Notices:
    """All services of the feature over one transaction."""

    session: Session
    clock: Clock
    settings: Settings
    jobs: Jobs

    @cached_property
    def repository(self) -> NoticeRepository:
        """The feature's queries."""
        return NoticeRepository(self.session)

    @cached_property
    def people(self) -> MembershipService:
        """Who sees what."""
        return MembershipService(self.session, self.clock)

    @cached_property
    def bell(self) -> BellService:
        """What is under a person's bell."""
        return BellService(self.repository, self.clock)

    @cached_property
    def preferences(self) -> PreferenceService:
        """What people want to hear of."""
        return PreferenceService(self.repository, self.people, self.settings)

    @cached_property
    def channels(self) -> ChannelService:
        """Channels of projects."""
        return ChannelService(self.repository, self.clock, self.settings, self.jobs)

    @cached_property
    def spreading(self) -> SpreadingService:
        """Works out who gets what."""
        return SpreadingService(self.repository, self.people, self.clock, self.settings)

    @cached_property
    def delivering(self) -> DeliveryService:
        """Keeps what becomes of deliveries."""
        return DeliveryService(self.repository, self.people, self.clock, self.settings)


def _notices(request: Request, session: SessionDep) -> Notices:
    state = request.app.state
    return Notices(session, SystemClock(), state.settings, CeleryJobs(state.celery, session))


NoticesDep = Annotated[Notices, Depends(_notices)]
