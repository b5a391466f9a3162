"""The feature's services in the graph, and for endpoints."""

from typing import Annotated

from weighhouse_backend.kit.services import provided, wired
from weighhouse_backend.scenarios.service import ScenarioService

SERVICES = provided(
    ScenarioService,
)

ScenarioServiceDep = Annotated[ScenarioService, wired(ScenarioService)]
