"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.prices.cost_service import CostService
from weighhouse_backend.prices.repository import PriceRepository
from weighhouse_backend.prices.service import PriceService

SERVICES = provided(CostService, PriceRepository, PriceService)

PriceServiceDep = Annotated[PriceService, wired(PriceService)]
CostServiceDep = Annotated[CostService, wired(CostService)]
