"""Puts the feature's services together: for endpoints, and for features above."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.results.dependencies import Results, ResultsDep
from weighhouse_backend.scenarios.service import ScenarioService


@dataclass(frozen=True)
class Scenarios:
    """All services of the feature over one transaction."""

    results: Results

    @cached_property
    def choosing(self) -> ScenarioService:
        """Chooses loads."""
        campaigns = self.results.campaigns
        return ScenarioService(
            campaigns.looks, campaigns.experiments, self.results.figures, campaigns.completeness
        )


def _scenarios(results: ResultsDep) -> Scenarios:
    return Scenarios(results)


ScenariosDep = Annotated[Scenarios, Depends(_scenarios)]
