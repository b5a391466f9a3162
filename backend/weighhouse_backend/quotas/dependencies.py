"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.quotas.service import QuotaService

SERVICES = provided(
    QuotaGuard,
    QuotaService,
)

QuotaServiceDep = Annotated[QuotaService, wired(QuotaService)]
