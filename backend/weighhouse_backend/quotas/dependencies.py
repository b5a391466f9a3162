"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.quotas.guard import QuotaGuard
from weighhouse_backend.quotas.quota_warnings import QuotaWarningService
from weighhouse_backend.quotas.service import QuotaService

SERVICES = provided(
    QuotaGuard,
    QuotaService,
    QuotaWarningService,
)

QuotaServiceDep = Annotated[QuotaService, wired(QuotaService)]
