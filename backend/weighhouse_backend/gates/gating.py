"""The gate of a campaign: evidence of both campaigns in, verdict out."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.verdicts import gate_verdict
from weighhouse_judging.verdicts.gate_cells import CellVerdict
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.gate_measures import Against
from weighhouse_judging.verdicts.gate_verdict import GateResult
from weighhouse_protocol.bases import BaseChoice

from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.states import FINISHED_CAMPAIGNS
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.floors import FloorOf, FloorService
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import ExaminationService, checks_as_disclaimers
from weighhouse_backend.gates.bases import Bases, BaseService
from weighhouse_backend.gates.errors import CampaignStillOpen
from weighhouse_backend.gates.limits import AS_THE_EXPERIMENT, Asked, Limits
from weighhouse_backend.gates.matching import GateKey, Matched, pooled, subject_of
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.schemas import GateCellRead, GateRead, MismatchRead, SubjectChangeRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import FigureService

PINNED = "pinned"
"""Of campaigns from before there was a choice: the base they were started with."""


@dataclass(frozen=True)
class Decided:
    """A gate's result, with the runs its cells were judged by."""

    result: GateResult
    bases: Bases
    cells: Sequence[Matched] = ()
    """As the result has them."""

    @property
    def base_campaign_id(self) -> UUID | None:
        """The latest of the bases."""
        return next(iter(self.bases.campaigns), None)


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
    looks: LookService
    floors: FloorService
    public_url: str

    def read(
        self,
        caller: Caller,
        campaign_id: UUID,
        asked: Asked = AS_THE_EXPERIMENT,
        base: BaseChoice | None = None,
    ) -> GateRead:
        """The verdict of an ended campaign against its base.

        `asked`: other thresholds than the experiment's.
        `base`: another one than it was settled with; what is kept stays as it is.

        :raises CampaignNotFound: when it is not the caller's to see.
        :raises CampaignStillOpen: while it has not ended.
        """
        campaign = self.campaigns.find(caller, campaign_id)
        if campaign.status not in FINISHED_CAMPAIGNS:
            raise CampaignStillOpen(f"campaign {campaign.number} is {campaign.status}")
        document = self.experiments.document(campaign.revision_id)
        limits = Limits.of(document, asked)
        bases = self._settled(campaign) if base is None else self.choosing.choose(campaign, base)
        decided = self.decide(campaign, bases, limits)
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
            threshold_percent=limits.base_percent,
            anchor_threshold_percent=limits.anchor_percent,
            message=decided.result.message,
            link=self._link(campaign.id, base_id),
            comparisons=[
                difference_read(against, verdict, cell, campaign.id, base_id)
                for verdict, cell in zip(decided.result.cells, decided.cells, strict=True)
                if base_id is not None and (against := verdict.base) is not None
            ],
            cells=[
                _cell_read(verdict, cell)
                for verdict, cell in zip(decided.result.cells, decided.cells, strict=True)
            ],
            subject=[
                SubjectChangeRead.model_validate(change, from_attributes=True)
                for change in decided.result.subject
            ],
            mismatches=_mismatches(decided),
            disclaimers=[
                *self.disclosure.disclaimers_of([campaign.project_id], document),
                *checks_as_disclaimers(checks),
            ],
        )

    def decide(self, campaign: Campaign, bases: Bases, limits: Limits) -> Decided:
        """The verdict of a campaign against bases."""
        if not bases.campaigns:
            return Decided(gate_verdict.no_baseline(bases.reason), bases)
        anchors = [] if bases.anchor is None else [bases.anchor]
        seen = self.choosing.cells([*dict.fromkeys([*bases.campaigns, *anchors, campaign.id])])
        cells = pooled({one: seen[one] for one in bases.campaigns}, seen[campaign.id])
        anchored = {
            cell.key: cell
            for cell in pooled({one: seen[one] for one in anchors}, seen[campaign.id])
        }
        latest = bases.campaigns[0]
        told = self.commits.of([latest, campaign.id])
        commits = {one: git.commit for one, git in told.items()}
        changes = subject_of(cells, (commits.get(latest), commits.get(campaign.id)))
        floor_of = self.floors.of_cells(campaign.project_id, seen[campaign.id])
        evidence = [_evidence(cell, anchored.get(cell.key), floor_of) for cell in cells]
        result = gate_verdict.decide(
            evidence,
            subject=changes,
            threshold=limits.base_percent / 100,
            anchor_threshold=limits.anchor_percent / 100,
            looked_at=self.looks.looked_at(campaign.id),
        )
        return Decided(result, bases, cells)

    def bases(self, campaign: Campaign) -> Bases:
        """The bases a campaign is to be judged by: as it asked for, chosen anew."""
        if campaign.base == PINNED:
            return self.choosing.pinned(campaign)
        return self.choosing.choose(campaign, BaseChoice.parse(campaign.base))

    def _settled(self, campaign: Campaign) -> Bases:
        """The bases it was judged by."""
        kept = self.repository.verdict(campaign.id)
        if kept is None or not kept.bases:
            return self.bases(campaign)
        there = {one.id for one in self.repository.campaigns([UUID(one) for one in kept.bases])}
        found = tuple(one for one in map(UUID, kept.bases) if one in there)
        return Bases(found, kept.anchor_campaign_id, "its bases are gone")

    def _link(self, campaign_id: UUID, base_id: UUID | None) -> str:
        url = self.public_url.rstrip("/")
        if base_id is None:
            return f"{url}/campaigns/{campaign_id}"
        return f"{url}/compare?campaign={campaign_id}&base={base_id}"


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


def _evidence(cell: Matched, anchor: Matched | None, floor_of: FloorOf[GateKey]) -> CellEvidence:
    candidate = cell.candidate.runs
    before = [run for seen in cell.bases.values() for run in seen.runs]
    metric = "throughput" if candidate[0].load_kind == "closed" else "p99_us"
    return CellEvidence(
        identity=cell.candidate.identity().digest,
        label=cell.label,
        load_model=candidate[0].load_kind,
        candidate=estimates.blocks(candidate, metric),
        base={str(one): estimates.blocks(seen.runs, metric) for one, seen in cell.bases.items()},
        anchor={}
        if anchor is None
        else {str(one): estimates.blocks(seen.runs, metric) for one, seen in anchor.bases.items()},
        floor=floor_of(cell.key, metric),
        candidate_attempts=estimates.attempts(candidate),
        base_attempts=estimates.attempts(before),
        mismatches=tuple(cell.changes),
    )


def _cell_read(verdict: CellVerdict, cell: Matched) -> GateCellRead:
    target, workload, _ = cell.key
    return GateCellRead(
        target=target,
        workload=workload,
        load_level=estimates.load_level(cell.candidate.runs[0]),
        metric=verdict.evidence.metric.name,
        outcome=verdict.outcome,
        p_worse=None if verdict.base is None else verdict.base.p_worse,
        stopped_by=verdict.stopped_by,
        p_failures=verdict.p_failures,
        between_known=None if verdict.base is None else verdict.base.between_known,
    )


def difference_read(
    against: Against, verdict: CellVerdict, cell: Matched, campaign_id: UUID, base_id: UUID
) -> DifferenceRead:
    """A cell of the gate as comparisons are shown."""
    target, workload, _ = cell.key
    worse = verdict.outcome == "worse"
    changed = worse or verdict.outcome == "better"
    equivalent = verdict.outcome == "equivalent"
    certain = max(0.0, against.low, -against.high)
    return DifferenceRead(
        metric=verdict.evidence.metric.name,
        workload=workload,
        load_level=estimates.load_level(cell.candidate.runs[0]),
        baseline_side=f"{base_id}~{target}",
        side=f"{campaign_id}~{target}",
        baseline_median=against.base_median,
        median=against.median,
        relative=against.relative,
        low=against.low,
        high=against.high,
        kind="interval",
        method=against.method,
        baseline_repeats=against.base_repeats,
        repeats=against.repeats,
        left_out=0,
        p_value=None,
        p_holm=min(1.0, 2 * min(against.p_worse, against.p_better)),
        verdict="changed" if changed else "equivalent" if equivalent else "inconclusive",
        decided_by="family" if changed else "interval",
        better=not worse if changed else None,
        significance=certain / against.threshold,
        threshold=against.threshold,
        floor=against.floor,
        repeats_needed=None,
    )
