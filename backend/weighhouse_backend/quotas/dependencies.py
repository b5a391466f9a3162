"""Puts the feature's service together."""

from typing import Annotated

from fastapi import Depends, Request

from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.kit.jobs import CeleryJobs
from weighhouse_backend.quotas.service import QuotaService


def _quotas(request: Request, session: SessionDep) -> QuotaService:
    state = request.app.state
    return QuotaService(session, SystemClock(), CeleryJobs(state.celery, session, state.redis))


QuotasDep = Annotated[QuotaService, Depends(_quotas)]
