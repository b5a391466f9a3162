"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.histograms import HistogramService
from weighhouse_backend.findings.repository import FindingRepository
from weighhouse_backend.results.dependencies import Results, ResultsDep


@dataclass(frozen=True)
class Findings:
    """All services of the feature over one transaction."""

    results: Results

    @cached_property
    def repository(self) -> FindingRepository:
        """The feature's queries."""
        return FindingRepository(self.results.campaigns.session)

    @cached_property
    def disclosure(self) -> DisclosureService:
        """What must stand beside a number."""
        return DisclosureService(self.results.campaigns.catalog)

    @cached_property
    def examination(self) -> ExaminationService:
        """Checks runs."""
        return ExaminationService(
            self.repository,
            self.results.evidence,
            self.results.reading,
            self.results.campaigns.experiments,
            self.disclosure,
            self.results.campaigns.catalog,
        )

    @cached_property
    def histograms(self) -> HistogramService:
        """Histograms that leave the house."""
        campaigns = self.results.campaigns
        return HistogramService(
            self.repository,
            self.results.evidence,
            self.results.distributions,
            campaigns.experiments,
            campaigns.catalog,
            self.examination,
            campaigns.completeness,
            campaigns.clock,
            campaigns.settings.public_url,
        )


def _findings(results: ResultsDep) -> Findings:
    return Findings(results)


FindingsDep = Annotated[Findings, Depends(_findings)]
