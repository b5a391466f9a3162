"""The gate of a campaign: evidence of both campaigns in, verdict out."""

from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.verdicts import gate
from weighhouse_judging.verdicts.gate import CellEvidence, CellVerdict, GateResult

from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.states import FINISHED_CAMPAIGNS
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService, checks_as_disclaimers
from weighhouse_backend.gates.errors import CampaignStillOpen
from weighhouse_backend.gates.schemas import GateCellRead, GateRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import FigureService, RunFigures

GateKey = tuple[str, str, str]
"""Target, workload, label of the load level."""


@dataclass(frozen=True)
class Decided:
    """A gate's result, with the runs its cells were judged by."""

    result: GateResult
    base_campaign_id: UUID | None
    runs: dict[GateKey, RunFigures]
    """One run a cell, which tells its load level."""


@dataclass(frozen=True)
class GateService:
    """Decides whether a build may pass."""

    campaigns: CampaignService
    experiments: ExperimentService
    disclosure: DisclosureService
    figures: FigureService
    examination: ExaminationService
    public_url: str

    def read(
        self, caller: Caller, campaign_id: UUID, threshold_percent: float | None = None
    ) -> GateRead:
        """The verdict of an ended campaign against its base.

        `threshold_percent` is the practical threshold for throughput; default: the experiment's.

        :raises CampaignNotFound: when it is not the caller's to see.
        :raises CampaignStillOpen: while it has not ended.
        """
        campaign = self.campaigns.find(caller, campaign_id)
        if campaign.status not in FINISHED_CAMPAIGNS:
            raise CampaignStillOpen(f"campaign {campaign.number} is {campaign.status}")
        document = self.experiments.document(campaign.revision_id)
        percent = threshold_percent or document.thresholds.gate_percent
        decided = self.decide(campaign, percent / 100)
        base_id = decided.base_campaign_id
        run_ids = {run.run_id for run in self.figures.of_campaigns([campaign.id])}
        checks = self.examination.of_runs({campaign.id}, run_ids)
        return GateRead(
            verdict=decided.result.verdict,
            exit_code=decided.result.exit_code,
            campaign_id=campaign.id,
            base_campaign_id=base_id,
            threshold_percent=percent,
            message=decided.result.message,
            link=self._link(campaign.id, base_id),
            comparisons=[
                self._difference(cell, campaign.id, base_id, decided)
                for cell in decided.result.cells
                if cell.judgement is not None and base_id is not None
            ],
            cells=[_cell_read(cell, decided) for cell in decided.result.cells],
            disclaimers=[
                *self.disclosure.disclaimers_of([campaign.project_id], document),
                *checks_as_disclaimers(checks),
            ],
        )

    def decide(self, campaign: Campaign, threshold: float) -> Decided:
        """The verdict of a campaign against its base; `threshold` is relative (0.05 = 5 %)."""
        base_id = campaign.base_campaign_id
        if base_id is None:
            return Decided(gate.no_baseline(), None, {})
        by_campaign: dict[UUID, dict[GateKey, list[RunFigures]]] = {base_id: {}, campaign.id: {}}
        for run in self.figures.of_campaigns([base_id, campaign.id]):
            by_campaign[run.campaign_id].setdefault((run.target, *run.cell), []).append(run)
        base, candidate = by_campaign[base_id], by_campaign[campaign.id]
        shared = [key for key in candidate if key in base]
        evidence = [_evidence(key, base[key], candidate[key]) for key in shared]
        result = gate.decide(evidence, threshold=threshold)
        return Decided(result, base_id, {key: candidate[key][0] for key in shared})

    def _difference(
        self, cell: CellVerdict, campaign_id: UUID, base_id: UUID | None, decided: Decided
    ) -> DifferenceRead:
        judgement = cell.judgement
        assert judgement is not None  # noqa: S101 - the caller asks for judged cells only
        target = cell.evidence.target
        run = decided.runs[_key(cell.evidence)]
        return estimates.difference_read(
            judgement, f"{base_id}~{target}", f"{campaign_id}~{target}", run
        )

    def _link(self, campaign_id: UUID, base_id: UUID | None) -> str:
        url = self.public_url.rstrip("/")
        if base_id is None:
            return f"{url}/campaigns/{campaign_id}"
        return f"{url}/compare?campaign={campaign_id}&base={base_id}"


def _key(evidence: CellEvidence) -> GateKey:
    return evidence.target, evidence.workload, evidence.load_label


def _evidence(key: GateKey, base: list[RunFigures], candidate: list[RunFigures]) -> CellEvidence:
    target, workload, load_label = key
    metric = "throughput" if candidate[0].load_kind == "closed" else "p99_us"
    failures = [run.failure_kind or str(run.status) for run in candidate]
    completed = estimates.values(candidate, metric)
    ended_badly = [
        kind
        for kind, run in zip(failures, candidate, strict=True)
        if run.status in {"failed", "cancelled"}
    ]
    return CellEvidence(
        target=target,
        workload=workload,
        load_label=load_label,
        load_model=candidate[0].load_kind,
        baseline=tuple(estimates.values(base, metric)),
        candidate=tuple(completed),
        candidate_failures=tuple(ended_badly),
    )


def _cell_read(cell: CellVerdict, decided: Decided) -> GateCellRead:
    evidence = cell.evidence
    return GateCellRead(
        target=evidence.target,
        workload=evidence.workload,
        load_level=estimates.load_level(decided.runs[_key(evidence)]),
        metric=evidence.metric.name,
        outcome=cell.outcome,
        p_worse=cell.p_worse,
    )
