"""Hands the catalog to endpoints."""

from typing import Annotated

from fastapi import Depends

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep


def _service(session: SessionDep) -> CatalogService:
    return CatalogService(session, SystemClock())


CatalogServiceDep = Annotated[CatalogService, Depends(_service)]
