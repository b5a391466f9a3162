"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    CatalogService,
)

CatalogServiceDep = Annotated[CatalogService, wired(CatalogService)]
