"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.analysis.comparing import ComparisonService
from weighhouse_backend.analysis.examination import ExaminationService
from weighhouse_backend.analysis.gating import GateService
from weighhouse_backend.analysis.history import HistoryService
from weighhouse_backend.analysis.repository import AnalysisRepository
from weighhouse_backend.analysis.settlement import CampaignSettlementService
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.results.dependencies import Results, ResultsDep


@dataclass(frozen=True)
class Analysis:
    """All services of the feature over one transaction."""

    results: Results

    @cached_property
    def repository(self) -> AnalysisRepository:
        """The feature's queries."""
        return AnalysisRepository(self.results.campaigns.session)

    @cached_property
    def disclosure(self) -> DisclosureService:
        """What must stand beside a number."""
        return DisclosureService(self.results.campaigns.catalog)

    @cached_property
    def examination(self) -> ExaminationService:
        """Checks runs."""
        return ExaminationService(
            self.repository,
            self.results.repository,
            self.results.reading,
            self.results.campaigns.experiments,
            self.disclosure,
        )

    @cached_property
    def comparisons(self) -> ComparisonService:
        """Puts sides beside each other."""
        campaigns = self.results.campaigns
        return ComparisonService(
            campaigns.campaigns,
            campaigns.experiments,
            campaigns.catalog,
            self.disclosure,
            self.results.figures,
            self.examination,
        )

    @cached_property
    def gates(self) -> GateService:
        """Decides whether a build may pass."""
        campaigns = self.results.campaigns
        return GateService(
            campaigns.campaigns,
            campaigns.experiments,
            self.disclosure,
            self.results.figures,
            self.examination,
            campaigns.settings.public_url,
        )

    @cached_property
    def history(self) -> HistoryService:
        """Keeps series and change points."""
        campaigns = self.results.campaigns
        return HistoryService(
            self.repository,
            campaigns.experiments,
            self.disclosure,
            campaigns.commits,
            campaigns.clock,
        )

    @cached_property
    def settlement(self) -> CampaignSettlementService:
        """Settles campaigns."""
        campaigns = self.results.campaigns
        return CampaignSettlementService(
            self.repository,
            campaigns.campaigns,
            campaigns.experiments,
            self.results.figures,
            self.examination,
            self.gates,
            self.history,
            campaigns.jobs,
            campaigns.clock,
        )


def _analysis(results: ResultsDep) -> Analysis:
    return Analysis(results)


AnalysisDep = Annotated[Analysis, Depends(_analysis)]
