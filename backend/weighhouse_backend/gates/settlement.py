"""Settles a campaign: findings, verdict, series."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.verdicts.gate_verdict import not_judged
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.gate import Thresholds

from weighhouse_backend.alerts.detection import owe_detection
from weighhouse_backend.campaigns.documents import begun_of, document_of
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.transitions import CameTo
from weighhouse_backend.comparisons.headlines import HeadlineService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.gates.aa_campaigns import LearningService
from weighhouse_backend.gates.answers import Decided
from weighhouse_backend.gates.bases import Bases
from weighhouse_backend.gates.confirmation import ConfirmingService
from weighhouse_backend.gates.growth import GrowthService
from weighhouse_backend.gates.limits import Limits
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.service import GateService
from weighhouse_backend.gates.verdicts import VerdictService
from weighhouse_backend.kit.jobs import Jobs
from weighhouse_backend.results.figures import FigureService, RunFigures
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import CampaignStatus, Verdict
from weighhouse_backend.scenarios.searches import regular
from weighhouse_backend.series.history import HistoryService


@dataclass(frozen=True)
class CampaignSettlementService:
    """What follows when the last run of a campaign has ended."""

    repository: GateRepository
    campaigns: CampaignService
    experiments: ExperimentService
    figures: FigureService
    examination: ExaminationService
    gates: GateService
    history: HistoryService
    growth: GrowthService
    confirming: ConfirmingService
    learning: LearningService
    verdicts: VerdictService
    headlines: HeadlineService
    jobs: Jobs

    def settle_campaign(self, campaign_id: UUID) -> None:
        """Look whether cells are undecided and get more blocks, or seem worse and are measured
        once more; if not, keep findings and verdict, extend the series, and end the campaign. One
        that measured noise has no verdict, and is in no series.

        Idempotent: repeating gives the same rows. A campaign that is not settling is left alone.
        """
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None or campaign.status != CampaignStatus.SETTLING:
            return
        document = document_of(self.experiments, campaign)
        if self.growth.goes_on(campaign, document):
            return
        if campaign.noise:
            self.examination.keep(campaign)
            self.learning.learn(campaign, document)
            self.campaigns.set_verdict(campaign.id, None, self._came_to(campaign))
            return
        limits = Limits.of(document)
        bases = self.gates.bases(campaign)
        decided = self.gates.decide(campaign, bases, limits)
        if self.confirming.goes_on(campaign, document, decided):
            return
        self.examination.keep(campaign)
        self.verdicts.keep(campaign, decided, "more was measured")
        kept = self._kept(campaign, document)
        touched = self.history.extend(campaign, document, kept, decided.regressed)
        self.campaigns.set_verdict(
            campaign.id, Verdict(decided.result.verdict), self._came_to(campaign)
        )
        now = self.campaigns.clock.now()
        owe_detection(self.repository.session, self.jobs, now, campaign_id, touched)

    def give_up(self, campaign_id: UUID, reason: str) -> None:
        """End a campaign that nobody could judge, with the reason in its verdict. Idempotent."""
        campaign = self.repository.lock_campaign(campaign_id)
        if campaign is None or campaign.status != CampaignStatus.SETTLING:
            return
        if not campaign.noise:
            decided = Decided(campaign.id, not_judged(reason), Bases(), self._limits(campaign))
            self.verdicts.keep(campaign, decided, "it could not be judged again")
        self.campaigns.set_verdict(campaign.id, None if campaign.noise else Verdict.INFRASTRUCTURE)

    def _came_to(self, campaign: Campaign) -> CameTo:
        headline = self.headlines.at_its_end(campaign)
        return CameTo(headline.badge, headline.words)

    def _limits(self, campaign: Campaign) -> Limits:
        try:
            return Limits.of(document_of(self.experiments, campaign))
        except ValueError:  # that it cannot be read may be why nobody could judge it
            usual = Thresholds().gate_percent
            return Limits(usual, usual)

    def _kept(self, campaign: Campaign, document: Experiment) -> list[RunFigures]:
        """The runs that belong in series: of searches those at loads every campaign has."""
        runs = self.figures.of_campaigns([campaign.id])
        if not document.searches:
            return runs
        loads = regular(document, begun_of(document, campaign))
        return [run for run in runs if run.load_label in loads]
