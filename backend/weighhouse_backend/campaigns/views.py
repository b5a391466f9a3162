"""Campaigns as the API shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.provisioner import PROVISION

from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.completeness import Counted, completeness
from weighhouse_backend.campaigns.courses import CellState, latest, look_read, sequential_read
from weighhouse_backend.campaigns.documents import (
    begun_of,
    document_of,
    level_read,
    measured_document,
)
from weighhouse_backend.campaigns.names import (
    UNKNOWN_COLOUR,
    UNKNOWN_MARK,
    hollow,
    measured_names,
)
from weighhouse_backend.campaigns.plan import PlannedCell
from weighhouse_backend.campaigns.schemas import (
    Acceptance,
    AgentOfCampaign,
    AheadRead,
    CampaignLinks,
    CampaignRead,
    CampaignSummary,
    CellRead,
    CellRun,
    ExperimentOfCampaign,
    FailureRead,
    LoadLevelRead,
    ProgressEvent,
    RunCountsRead,
    TargetOfCampaign,
)
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.disclosure.publication import Leaving
from weighhouse_backend.disclosure.service import Disclosed, DisclosureService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.schemas import read_of
from weighhouse_backend.runs.attempt_repository import GangRepository
from weighhouse_backend.runs.models import Campaign, Cell, Run
from weighhouse_backend.runs.progress import RunGroup, count_groups, count_runs, seconds_left
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import (
    FINISHED_CAMPAIGNS,
    CampaignStatus,
    RunStatus,
    Trigger,
    Verdict,
    state_of,
)


@dataclass(frozen=True)
class CampaignViews:
    """Puts campaigns together for reading; changes nothing."""

    repository: CampaignRepository
    experiments: ExperimentService
    catalog: CatalogService
    disclosure: DisclosureService
    commits: CommitService
    clock: Clock

    @property
    def gangs(self) -> GangRepository:
        """Queries of attempts and members."""
        return GangRepository(self.repository.session, self.repository)

    def summaries(self, campaigns: Sequence[Campaign]) -> list[CampaignSummary]:
        """Campaigns without their matrices, in the given order; four queries, however many."""
        counts = self.repository.counts(campaign.id for campaign in campaigns)
        runs = {one.id: count_runs(counts.get(one.id, {})) for one in campaigns}
        now = self.clock.now()
        commits = self.commits.of(campaign.id for campaign in campaigns)
        names = self.experiments.get_many({campaign.experiment_id for campaign in campaigns})
        return [
            read_of(
                CampaignSummary,
                campaign,
                experiment=ExperimentOfCampaign(
                    id=campaign.experiment_id,
                    slug=names[campaign.experiment_id].slug,
                    name=names[campaign.experiment_id].name,
                ),
                revision=campaign.revision_number,
                status=CampaignStatus(campaign.status),
                state=state_of(campaign.status, paused=campaign.paused),
                verdict=Verdict(campaign.verdict) if campaign.verdict else None,
                trigger=Trigger(campaign.trigger),
                runs=RunCountsRead(**asdict(runs[campaign.id])),
                completeness=completeness([Counted(campaign, runs[campaign.id])], now),
                git=commits.get(campaign.id),
                accepted=_acceptance(campaign),
            )
            for campaign in campaigns
        ]

    def campaign(self, campaign: Campaign) -> CampaignRead:
        """A campaign with its matrix."""
        document = document_of(self.experiments, campaign)
        measured = measured_document(self.experiments, campaign)
        cells = self.repository.cells(campaign.id)
        runs = self.repository.runs(campaign.id)
        agents = self.gangs.agents_of(campaign.id)
        looks = self.repository.looks(campaign.id)
        states = latest(looks)
        planned = _planned([cell for cell in cells if not cell.beside], runs)
        rule = document.sequential
        address = f"/api/v1/campaigns/{campaign.id}"
        return CampaignRead(
            **dict(self.summaries([campaign])[0]),
            seed=campaign.seed,
            targets=self._targets(campaign, document, measured),
            workloads=[workload.name for workload in document.workloads],
            scenario=document.scenario,
            load_levels=_in_order(document, campaign),
            repetitions=campaign.repetitions,
            sequential=None if rule is None else sequential_read(rule, states, planned),
            looks=[look_read(look) for look in looks],
            cells=_cells(cells, runs, states),
            seconds_left=self.progress(campaign).seconds_left,
            ahead=self._ahead(campaign),
            agents=[AgentOfCampaign(id=agent_id, name=name) for agent_id, name in agents],
            provisioned=PROVISION in campaign.labels,
            base=campaign.base,
            base_campaign_id=campaign.base_campaign_id,
            disclosure=self.disclosure.sheet(
                [Disclosed(Leaving(campaign.project_id, document, campaign.id))]
            ),
            links=CampaignLinks(
                self=address,
                events=f"{address}/events",
                comparison=f"/api/v1/comparisons?campaign={campaign.id}",
                gate=f"{address}/gate",
            ),
        )

    def progress(self, campaign: Campaign) -> ProgressEvent:
        """How far a campaign is."""
        now = self.clock.now()
        groups = self.repository.run_groups(campaign.id, now)
        runs = count_groups(groups)
        return ProgressEvent(
            runs=RunCountsRead(**asdict(runs)),
            completeness=completeness([Counted(campaign, runs)], now),
            seconds_left=self._seconds_left(campaign, groups),
        )

    def _ahead(self, campaign: Campaign) -> AheadRead | None:
        held = campaign.paused or campaign.cancel_requested_at or campaign.set_aside
        if campaign.status != CampaignStatus.QUEUED or held:
            return None
        campaigns, runs = self.repository.ahead_of(campaign)
        return AheadRead(campaigns=campaigns, runs=runs)

    def _seconds_left(self, campaign: Campaign, groups: Sequence[RunGroup]) -> float | None:
        waiting = campaign.status == CampaignStatus.QUEUED
        if campaign.status in FINISHED_CAMPAIGNS or campaign.paused or waiting:
            return None
        return seconds_left(groups, self.gangs.attempts_under_way(campaign.id))

    def _targets(
        self, campaign: Campaign, document: Document, measured: Document
    ) -> list[TargetOfCampaign]:
        manifests = self.catalog.manifests([campaign.project_id])
        names = measured_names(document, campaign.beside, manifests)
        hollows = hollow([target.system for target in measured.targets])
        found = []
        for index, target in enumerate(measured.targets):
            manifest = manifests.get(target.system)
            found.append(
                TargetOfCampaign(
                    name=target.name,
                    label=names[target.name],
                    beside=index >= len(document.targets),
                    system_id=target.system,
                    colour=manifest.colour if manifest else UNKNOWN_COLOUR,
                    mark=manifest.mark if manifest else UNKNOWN_MARK,
                    hollow=hollows[index],
                )
            )
        return found


def _in_order(document: Document, campaign: Campaign) -> list[LoadLevelRead]:
    """Load levels as the file lists them, each followed by those that a search chose from it."""
    begun = begun_of(document, campaign)
    levels = [level_read(level) for level in document.load_levels]
    values = [
        document.varies(level) if document.searches else read.value
        for level, read in zip(document.load_levels, levels, strict=True)
    ]
    places = sorted(range(len(levels)), key=lambda place: (begun[place], values[place]))
    return [levels[place] for place in places]


def _point(cell: Cell) -> PlannedCell:
    return PlannedCell(cell.target_index, cell.workload_index, cell.load_index)


def _planned(cells: Sequence[Cell], runs: Sequence[Run]) -> dict[PlannedCell, int]:
    points = {cell.id: _point(cell) for cell in cells}
    counts: dict[PlannedCell, int] = {}
    for run in runs:
        if run.twin == 0 and run.cell_id in points:
            counts[points[run.cell_id]] = counts.get(points[run.cell_id], 0) + 1
    return counts


def _cells(
    cells: Sequence[Cell], runs: Sequence[Run], states: Mapping[PlannedCell, CellState]
) -> list[CellRead]:
    by_cell: dict[UUID, list[Run]] = {}
    for run in runs:
        by_cell.setdefault(run.cell_id, []).append(run)
    return [
        read_of(
            CellRead,
            cell,
            load_level=LoadLevelRead.model_validate(
                {"kind": cell.load_kind, "value": cell.load_value, "label": cell.load_label}
            ),
            runs=[
                read_of(
                    CellRun,
                    run,
                    status=RunStatus(run.status),
                    failure=FailureRead.model_validate(run.failure) if run.failure else None,
                )
                for run in sorted(
                    by_cell.get(cell.id, []), key=lambda run: (run.repetition, run.twin)
                )
            ],
            course=None if (state := states.get(_point(cell))) is None else state.course,
            course_reason=None if state is None else state.reason,
        )
        for cell in cells
    ]


def _acceptance(campaign: Campaign) -> Acceptance | None:
    if campaign.accepted_at is None:
        return None
    return Acceptance(
        by=campaign.accepted_by or "",
        note=campaign.accepted_note or "",
        at=campaign.accepted_at,
    )
