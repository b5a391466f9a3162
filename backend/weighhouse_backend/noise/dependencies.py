"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.noise.repository import NoiseRepository
from weighhouse_backend.noise.service import NoiseService

SERVICES = provided(
    NoiseRepository,
    NoiseService,
)

NoiseServiceDep = Annotated[NoiseService, wired(NoiseService)]
