"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.provisions.service import ProvisionService

SERVICES = provided(ProvisionService)

ProvisionServiceDep = Annotated[ProvisionService, wired(ProvisionService)]
