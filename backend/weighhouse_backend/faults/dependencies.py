"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.faults.service import FaultService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    FaultService,
)

FaultServiceDep = Annotated[FaultService, wired(FaultService)]
