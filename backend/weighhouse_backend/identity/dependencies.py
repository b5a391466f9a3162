"""Hands the feature's services to endpoints."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.identity.browsers import BrowserService
from weighhouse_backend.identity.invitations import InvitationService
from weighhouse_backend.identity.passwords import PasswordService
from weighhouse_backend.identity.providers import ProviderService
from weighhouse_backend.identity.service import IdentityService
from weighhouse_backend.identity.sign_in import SignInService
from weighhouse_backend.identity.tokens import TokenService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.jobs import CeleryJobs


def _service(session: SessionDep) -> IdentityService:
    return IdentityService(session, SystemClock())


def _tokens(session: SessionDep) -> TokenService:
    return TokenService(session, SystemClock())


def _browsers(session: SessionDep) -> BrowserService:
    return BrowserService(session, SystemClock())


def _invitations(request: Request, session: SessionDep) -> InvitationService:
    state = request.app.state
    return InvitationService(
        session, SystemClock(), state.settings, CeleryJobs(state.celery, session)
    )


def _passwords(request: Request, session: SessionDep) -> PasswordService:
    state = request.app.state
    return PasswordService(
        session, SystemClock(), state.settings, CeleryJobs(state.celery, session)
    )


def _providers(request: Request, session: SessionDep) -> ProviderService:
    return ProviderService(session, SystemClock(), request.app.state.settings)


def _sign_ins(session: SessionDep) -> SignInService:
    return SignInService(session, SystemClock())


IdentityServiceDep = Annotated[IdentityService, Depends(_service)]
TokenServiceDep = Annotated[TokenService, Depends(_tokens)]
BrowserServiceDep = Annotated[BrowserService, Depends(_browsers)]
InvitationServiceDep = Annotated[InvitationService, Depends(_invitations)]
PasswordServiceDep = Annotated[PasswordService, Depends(_passwords)]
ProviderServiceDep = Annotated[ProviderService, Depends(_providers)]
SignInServiceDep = Annotated[SignInService, Depends(_sign_ins)]
