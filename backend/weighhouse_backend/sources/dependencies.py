"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.sources.repository import PublishedSourceRepository
from weighhouse_backend.sources.service import PublishedSourceService

SERVICES = provided(
    PublishedSourceRepository,
    PublishedSourceService,
)

PublishedSourceServiceDep = Annotated[PublishedSourceService, wired(PublishedSourceService)]
