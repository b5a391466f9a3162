"""Hands disclosure to endpoints."""

from typing import Annotated

from fastapi import Depends

from weighhouse_backend.catalog.dependencies import CatalogServiceDep
from weighhouse_backend.disclosure.service import DisclosureService


def _service(catalog: CatalogServiceDep) -> DisclosureService:
    return DisclosureService(catalog)


DisclosureServiceDep = Annotated[DisclosureService, Depends(_service)]
