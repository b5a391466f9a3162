"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.execution.dependencies import Execution
from weighhouse_backend.gates.dependencies import Gates, GatesDep, gates_over
from weighhouse_backend.retention.enforcement import CarryingOutService
from weighhouse_backend.retention.holds import HoldingService
from weighhouse_backend.retention.repository import RetentionRepository
from weighhouse_backend.retention.service import RetentionService


@dataclass(frozen=True)
class Retention:
    """All services of the feature over one transaction."""

    gates: Gates

    @cached_property
    def campaigns(self) -> Execution:
        """Those of campaigns."""
        return self.gates.results.campaigns

    @cached_property
    def repository(self) -> RetentionRepository:
        """The feature's queries."""
        return RetentionRepository(self.campaigns.session)

    @cached_property
    def holding(self) -> HoldingService:
        """What holds campaigns."""
        return HoldingService(
            self.repository,
            self.campaigns.leaving.publication,
            self.gates.verdicts,
            self.gates.alerts.watching,
            self.gates.noise,
        )

    @cached_property
    def service(self) -> RetentionService:
        """For people."""
        return RetentionService(
            self.repository,
            self.holding,
            self.gates.results.thinning,
            self.campaigns.campaigns,
            self.campaigns.experiments,
            self.campaigns.jobs,
            self.campaigns.clock,
        )

    @cached_property
    def carrying_out(self) -> CarryingOutService:
        """For the worker."""
        return CarryingOutService(
            self.repository,
            self.holding,
            self.gates.results.thinning,
            self.gates.series.history,
            self.campaigns.jobs,
            self.campaigns.clock,
        )


def retention_over(campaigns: Execution) -> Retention:
    """The feature over a transaction that a worker began."""
    return Retention(gates_over(campaigns))


def _retention(gates: GatesDep) -> RetentionService:
    return Retention(gates).service


RetentionDep = Annotated[RetentionService, Depends(_retention)]
