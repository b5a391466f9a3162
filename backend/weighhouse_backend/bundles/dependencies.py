"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.bundles.repository import ReproductionRepository
from weighhouse_backend.bundles.service import ReproductionService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(ReproductionRepository, ReproductionService)

ReproductionServiceDep = Annotated[ReproductionService, wired(ReproductionService)]
