"""Puts the feature's services together: for endpoints, and for the worker's tasks."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from fastapi import Depends

from weighhouse_backend.alerts.dependencies import Alerts, AlertsDep
from weighhouse_backend.comparisons.dependencies import Comparisons
from weighhouse_backend.comparisons.floors import FloorService
from weighhouse_backend.execution.dependencies import Execution
from weighhouse_backend.findings.dependencies import Findings
from weighhouse_backend.gates.aa_campaigns import LearningService
from weighhouse_backend.gates.bases import BaseService
from weighhouse_backend.gates.confirmation import ConfirmingService
from weighhouse_backend.gates.growth import GrowthService
from weighhouse_backend.gates.rejudgement_repository import RejudgementRepository
from weighhouse_backend.gates.rejudgement_service import RejudgingService
from weighhouse_backend.gates.rejudgements import RejudgementService
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.service import GateService
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.gates.track_record import TrackRecordService
from weighhouse_backend.gates.verdicts import VerdictService
from weighhouse_backend.noise.dependencies import noise_over
from weighhouse_backend.noise.service import NoiseService
from weighhouse_backend.results.dependencies import Results
from weighhouse_backend.scenarios.dependencies import Scenarios
from weighhouse_backend.series.dependencies import SeriesKept


@dataclass(frozen=True)
class Gates:
    """All services of the feature over one transaction, and those of the floors below."""

    alerts: Alerts

    @cached_property
    def series(self) -> SeriesKept:
        """Cells over campaigns."""
        return self.alerts.series

    @cached_property
    def findings(self) -> Findings:
        """What checks have to say."""
        return self.series.findings

    @cached_property
    def results(self) -> Results:
        """What attempts reported."""
        return self.findings.results

    @cached_property
    def repository(self) -> GateRepository:
        """The feature's queries."""
        return GateRepository(self.results.campaigns.session)

    @cached_property
    def choosing(self) -> BaseService:
        """Chooses bases."""
        campaigns = self.results.campaigns
        return BaseService(
            self.repository,
            self.alerts.watching,
            campaigns.experiments,
            campaigns.catalog,
            campaigns.commits,
            self.results.figures,
        )

    @cached_property
    def gating(self) -> GateService:
        """Decides whether a build may pass."""
        campaigns = self.results.campaigns
        return GateService(
            campaigns.campaigns,
            self.repository,
            self.choosing,
            campaigns.experiments,
            campaigns.commits,
            Comparisons(self.findings).comparing,
            campaigns.looks,
            self.floors,
            self.series.past,
            campaigns.settings.public_url,
        )

    @cached_property
    def noise(self) -> NoiseService:
        """What machines cannot tell."""
        return noise_over(self.results.campaigns.session)

    @cached_property
    def floors(self) -> FloorService:
        """What machines cannot tell of cells."""
        return FloorService(self.noise)

    @cached_property
    def learning(self) -> LearningService:
        """Learns from A/A campaigns."""
        campaigns = self.results.campaigns
        return LearningService(
            self.noise, self.results.figures, campaigns.catalog, campaigns.runs, campaigns.clock
        )

    @cached_property
    def verdicts(self) -> VerdictService:
        """Keeps verdicts."""
        return VerdictService(self.repository, self.results.campaigns.clock)

    @cached_property
    def rejudging(self) -> RejudgingService:
        """Judges campaigns again."""
        campaigns = self.results.campaigns
        return RejudgingService(
            self.repository,
            campaigns.campaigns,
            campaigns.experiments,
            self.findings.examination,
            self.choosing,
            self.gating,
            self.series.history,
            self.verdicts,
        )

    @cached_property
    def rejudgements(self) -> RejudgementService:
        """Keeps what is to be judged again."""
        campaigns = self.results.campaigns
        return RejudgementService(
            RejudgementRepository(campaigns.session),
            self.rejudging,
            campaigns.campaigns,
            campaigns.experiments,
            campaigns.jobs,
            campaigns.clock,
        )

    @cached_property
    def track_record(self) -> TrackRecordService:
        """Counts what verdicts and alerts came to."""
        return TrackRecordService(self.repository, self.alerts.reading, self.noise)

    @cached_property
    def growth(self) -> GrowthService:
        """Looks at campaigns that grow."""
        campaigns = self.results.campaigns
        return GrowthService(
            campaigns.looks,
            self.gating,
            self.choosing,
            self.floors,
            self.series.past,
            self.results.figures,
            Scenarios(self.results).choosing,
            campaigns.catalog,
        )

    @cached_property
    def confirming(self) -> ConfirmingService:
        """Has measured again what seems worse."""
        return ConfirmingService(self.results.campaigns.looks)

    @cached_property
    def settlement(self) -> CampaignSettlementService:
        """Settles campaigns."""
        campaigns = self.results.campaigns
        return CampaignSettlementService(
            self.repository,
            campaigns.campaigns,
            campaigns.experiments,
            self.results.figures,
            self.findings.examination,
            self.gating,
            self.series.history,
            self.growth,
            self.confirming,
            self.learning,
            self.verdicts,
            Comparisons(self.findings).headlines,
            campaigns.jobs,
        )


def gates_over(campaigns: Execution) -> Gates:
    """The feature over a transaction that a worker began."""
    return Gates(Alerts(SeriesKept(Findings(Results(campaigns)))))


def _gates(alerts: AlertsDep) -> Gates:
    return Gates(alerts)


GatesDep = Annotated[Gates, Depends(_gates)]
