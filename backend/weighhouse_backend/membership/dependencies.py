"""Hands the feature's services to endpoints."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.jobs import CeleryJobs
from weighhouse_backend.membership.invitations import InvitationService
from weighhouse_backend.membership.service import MembershipService


def _service(session: SessionDep) -> MembershipService:
    return MembershipService(session, SystemClock())


def _invitations(request: Request, session: SessionDep) -> InvitationService:
    state = request.app.state
    return InvitationService(
        session, SystemClock(), state.settings, CeleryJobs(state.celery, session)
    )


MembershipServiceDep = Annotated[MembershipService, Depends(_service)]
InvitationServiceDep = Annotated[InvitationService, Depends(_invitations)]
