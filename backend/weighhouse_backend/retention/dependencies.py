"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.retention.enforcement import CarryingOutService
from weighhouse_backend.retention.holds import HoldingService
from weighhouse_backend.retention.repository import RetentionRepository
from weighhouse_backend.retention.service import RetentionService

SERVICES = provided(
    CarryingOutService,
    HoldingService,
    RetentionRepository,
    RetentionService,
)

RetentionServiceDep = Annotated[RetentionService, wired(RetentionService)]
