"""The gate of a campaign: evidence of both campaigns in, verdict out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from weighhouse_judging.verdicts import gate_verdict
from weighhouse_judging.verdicts.gate_evidence import CellEvidence
from weighhouse_judging.verdicts.measured_again import ThenAndNow, machine_changed
from weighhouse_protocol import pages
from weighhouse_protocol.bases import BaseChoice
from weighhouse_protocol.figures import CATALOGUE
from weighhouse_protocol.pages import PagePath
from weighhouse_protocol.text import numbered

from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.comparisons.floors import FloorOf, FloorService
from weighhouse_backend.comparisons.service import ComparisonService
from weighhouse_backend.comparisons.sides import Question
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.gates.answers import Decided, as_kept, as_worked_out, superseded_read
from weighhouse_backend.gates.bases import Bases, BaseService, is_beside
from weighhouse_backend.gates.cell_match import (
    GateKey,
    Matched,
    in_words,
    no_comparison,
    of_one_program,
    other_places,
    pooled,
    subject_of,
    untold,
)
from weighhouse_backend.gates.errors import CampaignStillOpen
from weighhouse_backend.gates.limits import AS_THE_EXPERIMENT, Asked, Limits
from weighhouse_backend.gates.models import CampaignVerdict
from weighhouse_backend.gates.proposals import proposal
from weighhouse_backend.gates.repository import GateRepository
from weighhouse_backend.gates.schemas import GateRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.identities import CellSeen, mismatches, place_of_runs
from weighhouse_backend.results.repeats import attempts, blocks
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.states import FINISHED_CAMPAIGNS, RunStatus
from weighhouse_backend.series.past import PastService

PINNED = "pinned"
"""Of campaigns from before there was a choice: the base they were started with."""
OF_NO_BUILD = (
    "Both commits ran the same program with the same settings: what differs is the machine's or "
    "chance, and no build's."
)


@dataclass(frozen=True)
class GateService:
    """Decides whether a build may pass."""

    campaigns: CampaignService
    repository: GateRepository
    choosing: BaseService
    experiments: ExperimentService
    commits: CommitService
    comparing: ComparisonService
    looks: LookService
    floors: FloorService
    past: PastService
    settings: Settings

    def read(
        self,
        caller: Caller,
        campaign_id: UUID,
        asked: Asked = AS_THE_EXPERIMENT,
        base: BaseChoice | None = None,
    ) -> GateRead:
        """The verdict of an ended campaign against its base: the one that is kept, where neither
        another threshold nor another base is asked for.

        `asked`: other thresholds than the experiment's.
        `base`: another one than it was judged by. What is kept stays as it is.

        :raises CampaignNotFound: when it is not the caller's to see.
        :raises CampaignStillOpen: while it has not ended.
        """
        campaign = self.campaigns.find(caller, campaign_id)
        if campaign.status not in FINISHED_CAMPAIGNS:
            raise CampaignStillOpen(f"campaign {numbered(campaign.number)} is {campaign.status}")
        document = document_of(self.experiments, campaign)
        if asked == AS_THE_EXPERIMENT and base is None:
            kept = self.repository.holding(campaign)
        else:
            kept = None
        if kept is None:
            bases = (
                self._judged_by(campaign) if base is None else self.choosing.choose(campaign, base)
            )
            answer = as_worked_out(self.decide(campaign, bases, Limits.of(document, asked)))
        else:
            answer = as_kept(kept, self._there(campaign, kept))
        former = self.repository.former(campaign)
        return GateRead(
            **dict(answer),
            campaign_id=campaign.id,
            link=pages.at(self.settings.public_url, _page(campaign, answer.base_campaign_ids)),
            superseded=[superseded_read(one) for one in former],
            proposal=proposal(
                campaign, document, answer, lambda: self.campaigns.repository.runs(campaign.id)
            ),
            caveats=self.comparing.chosen(caller, Question(campaign_id=campaign.id)).caveats,
        )

    def decide(self, campaign: Campaign, bases: Bases, limits: Limits) -> Decided:
        """The verdict of a campaign against bases."""
        own = self.choosing.cells([campaign.id])[campaign.id]
        runs = [run for cell in own.values() for run in cell.runs]
        refused = [
            in_words(cell, of)
            for cell, of in own.items()
            if any(run.failure_kind == "refused" for run in of.runs)
        ]
        if refused and not any(run.status == RunStatus.COMPLETED for run in runs):
            return Decided(campaign.id, gate_verdict.refused("; ".join(refused)), bases, limits)
        if not bases.campaigns:
            return Decided(campaign.id, gate_verdict.no_baseline(bases.reason), bases, limits)
        anchors = [] if bases.anchor is None else [bases.anchor]
        seen = self.choosing.cells([*dict.fromkeys([*bases.campaigns, *anchors, campaign.id])])
        cells = self.choosing.against(campaign, bases, seen)
        anchored = {
            cell.key: cell
            for cell in pooled({one: seen[one] for one in anchors}, seen[campaign.id])
        }
        latest = bases.campaigns[0]
        told = self.commits.of([latest, campaign.id])
        commits = {one: git.commit for one, git in told.items()}
        both = (commits.get(latest), commits.get(campaign.id))
        same = [of_one_program(cell, both) for cell in cells]
        cells = [
            cell if one is None or not (one.versions or bases.beside) else no_comparison(cell, one)
            for cell, one in zip(cells, same, strict=True)
        ]
        if bases.beside and not any(same) and (unknown := untold(cells, both)) is not None:
            cells = [replace(cell, changes=(*cell.changes, unknown)) for cell in cells]
        changes = subject_of(cells, both)
        floor_of = self.floors.of_cells(campaign.project_id, seen[campaign.id])
        own = seen[campaign.id]
        past_of = self.past.of_cells(campaign.experiment_id, own, before=campaign.id)
        next_of = self.past.next_to(campaign.experiment_id, own, bases.anchor, before=campaign.id)
        second = self.choosing.second(campaign.id)
        evidence = [
            replace(
                _evidence(cell, anchored.get(cell.key), second.get(cell.key, ()), floor_of),
                past=past_of(cell.key, _watched(cell)),
                next_to_anchor=next_of(cell.key, _watched(cell)),
            )
            for cell in cells
        ]
        result = gate_verdict.decide(
            evidence,
            subject=changes,
            threshold=limits.base_percent / 100,
            anchor_threshold=limits.anchor_percent / 100,
            looked_at=self.looks.looked_at(campaign.id),
            told=[
                *(() if bases.sentence is None else (bases.sentence,)),
                *other_places(cells),
                *((OF_NO_BUILD,) if cells and all(same) and not bases.beside else ()),
                *(_of_the_machine(cells, seen[latest], limits) if bases.beside else ()),
            ],
        )
        return Decided(campaign.id, result, bases, limits, cells)

    def bases(self, campaign: Campaign) -> Bases:
        """The bases a campaign is to be judged by: as it asked for, chosen anew."""
        if campaign.base == PINNED:
            return self.choosing.pinned(campaign)
        return self.choosing.choose(campaign, BaseChoice.parse(campaign.base))

    def _judged_by(self, campaign: Campaign) -> Bases:
        """The bases it was judged by; where none are kept, as it asked for."""
        kept = self.repository.holding(campaign)
        if kept is None or not kept.bases:
            return self.bases(campaign)
        return self._there(campaign, kept)

    def _there(self, campaign: Campaign, kept: CampaignVerdict) -> Bases:
        """The bases of a verdict that are still there."""
        there = {one.id for one in self.repository.campaigns([UUID(one) for one in kept.bases])}
        found = tuple(one for one in map(UUID, kept.bases) if one in there)
        beside = is_beside(campaign, found)
        return Bases(found, kept.anchor_campaign_id, "its bases are gone", beside=beside)


def _page(campaign: Campaign, bases: Sequence[UUID]) -> PagePath:
    """The page with the figures that a verdict rests on: the comparison with its base; where they
    are of several bases, or of one that was measured again beside it, the campaign's own.
    """
    if len(bases) == 1 and not is_beside(campaign, bases):
        return pages.comparison(campaign.id, bases[0])
    return pages.campaign(campaign.id)


def _of_the_machine(
    cells: Sequence[Matched], then: Mapping[GateKey, CellSeen], limits: Limits
) -> Sequence[str]:
    """What a base that was measured again says of the machine."""
    found = []
    for cell in cells:
        before = then.get(cell.key)
        if before is None or cell.changes or mismatches(before, cell.base):
            continue
        run = cell.candidate.runs[0]
        metric = CATALOGUE.primary(run.load_kind)
        values = [tuple(blocks(one.runs, metric.name).values()) for one in (before, cell.base)]
        found.append(ThenAndNow(cell.label, metric, *values))
    said = machine_changed(found, limits.base_percent / 100)
    return () if said is None else (said,)


def _watched(cell: Matched) -> str:
    return CATALOGUE.primary(cell.candidate.runs[0].load_kind).name


def _evidence(
    cell: Matched,
    anchor: Matched | None,
    second: Sequence[RunFigures],
    floor_of: FloorOf[GateKey],
) -> CellEvidence:
    candidate = cell.candidate.runs
    before = [run for seen in cell.bases.values() for run in seen.runs]
    metric = _watched(cell)
    anchors = {} if anchor is None else anchor.bases
    return CellEvidence(
        identity=cell.candidate.identity().digest,
        label=cell.label,
        load_model=candidate[0].load_kind,
        candidate=blocks(candidate, metric),
        base={str(one): blocks(seen.runs, metric) for one, seen in cell.bases.items()},
        anchor={str(one): blocks(seen.runs, metric) for one, seen in anchors.items()},
        again=blocks(second, metric),
        place=place_of_runs(candidate) or "",
        places={
            str(one): place_of_runs(seen.runs) or ""
            for one, seen in [*cell.bases.items(), *anchors.items()]
        },
        floor=floor_of(cell.key, metric),
        candidate_attempts=attempts(candidate),
        base_attempts=attempts(before),
        mismatches=tuple(cell.changes),
    )
