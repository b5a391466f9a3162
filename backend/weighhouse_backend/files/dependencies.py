"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.files.artifacts import ArtifactService
from weighhouse_backend.files.logs import LogService
from weighhouse_backend.files.stores import ArtifactStore, store_of
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    ArtifactService,
    LogService,
    by=(store_of,),
)

ArtifactServiceDep = Annotated[ArtifactService, wired(ArtifactService)]
ArtifactStoreDep = Annotated[ArtifactStore, wired(ArtifactStore)]
LogServiceDep = Annotated[LogService, wired(LogService)]
