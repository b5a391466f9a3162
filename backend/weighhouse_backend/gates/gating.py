"""The gate of a campaign: evidence of both campaigns in, verdict out."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.identity.sides import Change
from weighhouse_judging.verdicts import gate
from weighhouse_judging.verdicts.gate import CellEvidence, CellVerdict, GateResult

from weighhouse_backend.campaigns.bases import BaseChoice
from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.states import FINISHED_CAMPAIGNS
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService, checks_as_disclaimers
from weighhouse_backend.gates.bases import Bases, BaseService
from weighhouse_backend.gates.errors import CampaignStillOpen
from weighhouse_backend.gates.matching import GateKey, Matched, pooled, subject_of
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.schemas import ChangeRead, GateCellRead, GateRead, MismatchRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import FigureService, RunFigures

PINNED = "pinned"
"""Of campaigns from before there was a choice: the base they were started with."""


@dataclass(frozen=True)
class Decided:
    """A gate's result, with the runs its cells were judged by."""

    result: GateResult
    bases: Bases
    runs: dict[GateKey, RunFigures]
    """One run a cell, which tells its load level."""
    cells: Sequence[Matched] = ()
    subject: Sequence[Change] = ()
    """What differs between the sides: what the verdict is about."""

    @property
    def base_campaign_id(self) -> UUID | None:
        """The latest of the bases."""
        return next(iter(self.bases.campaigns), None)

    @property
    def message(self) -> str:
        """The verdict in words; its first line names the subject."""
        tried = ", ".join(str(change) for change in self.subject if not change.confounder)
        besides = ", ".join(str(change) for change in self.subject if change.confounder)
        first = f"{tried}: {self.result.message}" if tried else self.result.message
        return f"{first}\nDiffers too, undeclared: {besides}." if besides else first


@dataclass(frozen=True)
class GateService:
    """Decides whether a build may pass."""

    campaigns: CampaignService
    repository: GateRepository
    choosing: BaseService
    experiments: ExperimentService
    commits: CommitService
    disclosure: DisclosureService
    figures: FigureService
    examination: ExaminationService
    public_url: str

    def read(
        self,
        caller: Caller,
        campaign_id: UUID,
        threshold_percent: float | None = None,
        base: BaseChoice | None = None,
    ) -> GateRead:
        """The verdict of an ended campaign against its base.

        `threshold_percent` is the practical threshold for throughput; default: the experiment's.
        `base`: another one than it was settled with; what is kept stays as it is.

        :raises CampaignNotFound: when it is not the caller's to see.
        :raises CampaignStillOpen: while it has not ended.
        """
        campaign = self.campaigns.find(caller, campaign_id)
        if campaign.status not in FINISHED_CAMPAIGNS:
            raise CampaignStillOpen(f"campaign {campaign.number} is {campaign.status}")
        document = self.experiments.document(campaign.revision_id)
        percent = threshold_percent or document.thresholds.gate_percent
        bases = self._settled(campaign) if base is None else self.choosing.choose(campaign, base)
        decided = self.decide(campaign, bases, percent / 100)
        base_id = decided.base_campaign_id
        run_ids = {run.run_id for run in self.figures.of_campaigns([campaign.id])}
        checks = self.examination.of_runs({campaign.id}, run_ids)
        return GateRead(
            verdict=decided.result.verdict,
            exit_code=decided.result.exit_code,
            campaign_id=campaign.id,
            base_campaign_id=base_id,
            base_campaign_ids=list(bases.campaigns),
            anchor_campaign_id=bases.anchor,
            threshold_percent=percent,
            message=decided.message,
            link=self._link(campaign.id, base_id),
            comparisons=[
                self._difference(cell, campaign.id, base_id, decided)
                for cell in decided.result.cells
                if cell.judgement is not None and base_id is not None
            ],
            cells=[_cell_read(cell, decided) for cell in decided.result.cells],
            subject=[
                ChangeRead.model_validate(change, from_attributes=True)
                for change in decided.subject
            ],
            mismatches=_mismatches(decided),
            disclaimers=[
                *self.disclosure.disclaimers_of([campaign.project_id], document),
                *checks_as_disclaimers(checks),
            ],
        )

    def decide(self, campaign: Campaign, bases: Bases, threshold: float) -> Decided:
        """The verdict of a campaign against bases; `threshold` is relative (0.05 = 5 %)."""
        if not bases.campaigns:
            return Decided(gate.no_baseline(bases.reason), bases, {})
        seen = self.choosing.cells([*bases.campaigns, campaign.id])
        cells = pooled({one: seen[one] for one in bases.campaigns}, seen[campaign.id])
        latest = bases.campaigns[0]
        told = self.commits.of([latest, campaign.id])
        commits = {one: git.commit for one, git in told.items()}
        changes = subject_of(cells, (commits.get(latest), commits.get(campaign.id)))
        runs = {cell.key: cell.candidate.runs[0] for cell in cells}
        strange = [cell for cell in cells if cell.changes]
        if strange:
            fields = [str(change) for cell in strange for change in cell.changes]
            result = gate.not_comparable([cell.label for cell in strange], fields)
        else:
            evidence = [_evidence(cell) for cell in cells]
            result = gate.decide(evidence, threshold=threshold)
        return Decided(result, bases, runs, cells, changes)

    def bases(self, campaign: Campaign) -> Bases:
        """The bases a campaign is to be judged by: as it asked for, chosen anew."""
        if campaign.base == PINNED:
            named = campaign.base_campaign_id
            wanted = BaseChoice("none") if named is None else BaseChoice("campaign", str(named))
            return self.choosing.choose(campaign, wanted)
        return self.choosing.choose(campaign, BaseChoice.parse(campaign.base))

    def _settled(self, campaign: Campaign) -> Bases:
        """The bases it was judged by."""
        kept = self.repository.verdict(campaign.id)
        if kept is None or not kept.bases:
            return self.bases(campaign)
        there = {one.id for one in self.repository.campaigns([UUID(one) for one in kept.bases])}
        found = tuple(one for one in map(UUID, kept.bases) if one in there)
        return Bases(found, kept.anchor_campaign_id, "its bases are gone")

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


def _mismatches(decided: Decided) -> list[MismatchRead]:
    return [
        MismatchRead(
            target=cell.key[0],
            workload=cell.key[1],
            load_level=estimates.load_level(cell.candidate.runs[0]),
            field=change.field,
            base=change.before,
            candidate=change.after,
        )
        for cell in decided.cells
        for change in cell.changes
    ]


def _evidence(cell: Matched) -> CellEvidence:
    target, workload, load_label = cell.key
    base = [run for seen in cell.bases.values() for run in seen.runs]
    candidate = cell.candidate.runs
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
