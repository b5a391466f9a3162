"""Puts the feature's services together."""

from typing import Annotated

from fastapi import Depends

from weighhouse_backend.comparisons.dependencies import ComparisonsDep
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionDep
from weighhouse_backend.prices.cost_service import CostService
from weighhouse_backend.prices.repository import PriceRepository
from weighhouse_backend.prices.service import PriceService


def _prices(session: SessionDep) -> PriceService:
    return PriceService(PriceRepository(session), SystemClock())


PricesDep = Annotated[PriceService, Depends(_prices)]


def _costs(comparisons: ComparisonsDep, prices: PricesDep) -> CostService:
    return CostService(comparisons.findings.results.repository, prices)


CostsDep = Annotated[CostService, Depends(_costs)]
