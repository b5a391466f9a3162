"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.comparisons.comparing import ComparisonService
from weighhouse_backend.comparisons.floors import FloorService
from weighhouse_backend.findings.dependencies import Findings, FindingsDep
from weighhouse_backend.noise.dependencies import noise_over


@dataclass(frozen=True)
class Comparisons:
    """All services of the feature over one transaction."""

    findings: Findings

    @cached_property
    def comparing(self) -> ComparisonService:
        """Puts sides beside each other."""
        results = self.findings.results
        return ComparisonService(
            results.campaigns.campaigns,
            results.campaigns.experiments,
            results.campaigns.catalog,
            self.findings.disclosure,
            results.figures,
            self.findings.examination,
            results.campaigns.looks,
            FloorService(noise_over(results.campaigns.session)),
        )


def _comparisons(findings: FindingsDep) -> Comparisons:
    return Comparisons(findings)


ComparisonsDep = Annotated[Comparisons, Depends(_comparisons)]
