"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.findings.dependencies import Findings, FindingsDep
from weighhouse_backend.noise.dependencies import noise_over
from weighhouse_backend.series.gaps import GapService
from weighhouse_backend.series.history import HistoryService
from weighhouse_backend.series.legacy_cells import CarryingService
from weighhouse_backend.series.past import PastService
from weighhouse_backend.series.repository import SeriesRepository


@dataclass(frozen=True)
class SeriesKept:
    """All services of the feature over one transaction."""

    findings: Findings

    @cached_property
    def repository(self) -> SeriesRepository:
        """The feature's queries."""
        return SeriesRepository(self.findings.results.campaigns.session)

    @cached_property
    def history(self) -> HistoryService:
        """Keeps series."""
        results = self.findings.results
        campaigns = results.campaigns
        carrying = CarryingService(
            self.repository,
            campaigns.campaigns,
            campaigns.experiments,
            campaigns.catalog,
            results.figures,
        )
        return HistoryService(
            self.repository,
            carrying,
            campaigns.catalog,
            campaigns.experiments,
            self.findings.examination,
            campaigns.commits,
            noise_over(campaigns.session),
            GapService(campaigns.campaigns, campaigns.experiments),
        )

    @cached_property
    def past(self) -> PastService:
        """Finds the campaigns of cells."""
        return PastService(self.repository)


def _series(findings: FindingsDep) -> SeriesKept:
    return SeriesKept(findings)


SeriesDep = Annotated[SeriesKept, Depends(_series)]
