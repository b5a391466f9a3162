"""Hands the feature's services to endpoints."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.jobs import CeleryJobs
from weighhouse_backend.sign_in.browsers import BrowserService
from weighhouse_backend.sign_in.passwords import PasswordService
from weighhouse_backend.sign_in.provider_sign_in import SignInService
from weighhouse_backend.sign_in.providers import ProviderService


def _browsers(session: SessionDep) -> BrowserService:
    return BrowserService(session, SystemClock())


def _passwords(request: Request, session: SessionDep) -> PasswordService:
    state = request.app.state
    return PasswordService(
        session, SystemClock(), state.settings, CeleryJobs(state.celery, session)
    )


def _providers(request: Request, session: SessionDep) -> ProviderService:
    return ProviderService(session, SystemClock(), request.app.state.settings)


def _sign_ins(session: SessionDep) -> SignInService:
    return SignInService(session, SystemClock())


BrowserServiceDep = Annotated[BrowserService, Depends(_browsers)]
PasswordServiceDep = Annotated[PasswordService, Depends(_passwords)]
ProviderServiceDep = Annotated[ProviderService, Depends(_providers)]
SignInServiceDep = Annotated[SignInService, Depends(_sign_ins)]
