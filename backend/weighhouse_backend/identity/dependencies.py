"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.identity.audit import AuditService
from weighhouse_backend.identity.tokens import TokenService
from weighhouse_backend.kit.services import provided, wired

SERVICES = provided(
    AuditService,
    TokenService,
)

AuditServiceDep = Annotated[AuditService, wired(AuditService)]
TokenServiceDep = Annotated[TokenService, wired(TokenService)]
