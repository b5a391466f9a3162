"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.directories.service import DirectoryService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    DirectoryService,
)

DirectoryServiceDep = Annotated[DirectoryService, wired(DirectoryService)]
