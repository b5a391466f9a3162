"""Hands the feature's services to endpoints."""

from typing import Annotated

from fastapi import Depends

from weighhouse_backend.identity.service import IdentityService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep


def _service(session: SessionDep) -> IdentityService:
    return IdentityService(session, SystemClock())


IdentityServiceDep = Annotated[IdentityService, Depends(_service)]
