"""Comparisons of targets: in one campaign, over two, or of any sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.fairness.sheet import AspectRow, fairness_sheet
from weighhouse_judging.findings.comparison_checks import CellRepeats, check_comparison
from weighhouse_judging.identity.digests import Identity
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.models import Campaign
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.views import UNKNOWN_COLOUR
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.estimates import SideCells
from weighhouse_backend.comparisons.facts import side_facts
from weighhouse_backend.comparisons.floors import FloorOf, FloorService
from weighhouse_backend.comparisons.identities import CellSeen
from weighhouse_backend.comparisons.machines import kinds_of, machine_rows, machines_of
from weighhouse_backend.comparisons.measured import measured_rows
from weighhouse_backend.comparisons.schemas import ComparisonRead, SideRead
from weighhouse_backend.disclosure.schemas import DisclaimerRead, DisclosureRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.fairness_schemas import AspectRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.findings.examination import (
    GRAVITY,
    ExaminationService,
    checks_as_disclaimers,
)
from weighhouse_backend.findings.schemas import FindingRead
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import FigureService, RunFigures

MOST_SIDES = 40
UNKNOWN_MARK = "◆"


@dataclass(frozen=True)
class Side:
    """A target in a campaign, with its runs."""

    campaign: Campaign
    document: Experiment
    target_index: int
    manifest: Manifest | None
    tool: Manifest | None
    """Of the load tool in the driver's place."""
    runs: Sequence[RunFigures]

    @property
    def key(self) -> str:
        """`CAMPAIGN~TARGET`."""
        return f"{self.campaign.id}~{self.document.targets[self.target_index].name}"

    @property
    def target(self) -> Target:
        """The target, as the document has it."""
        return self.document.targets[self.target_index]

    @property
    def system_id(self) -> str:
        """The system's identifier."""
        return self.target.system

    @property
    def cells(self) -> SideCells:
        """The runs by cell."""
        return SideCells(self.key, estimates.by_cell(self.runs))

    @property
    def measured(self) -> dict[estimates.CellKey, Identity]:
        """What its cells were, for those that gave figures."""
        seen = {
            name: CellSeen(self.document, runs, self.manifest)
            for name, runs in self.cells.cells.items()
        }
        return {name: cell.identity() for name, cell in seen.items() if cell.records}

    @property
    def version(self) -> str | None:
        """The version that ran; None before any run said so."""
        versions = [run.record.version for run in self.runs if run.record is not None]
        return next((version for version in versions if version is not None), None)


@dataclass(frozen=True)
class ComparisonService:
    """Puts sides beside each other, with all that must stand beside them."""

    campaigns: CampaignService
    experiments: ExperimentService
    catalog: CatalogService
    disclosure: DisclosureService
    figures: FigureService
    examination: ExaminationService
    looks: LookService
    floors: FloorService

    def compare(
        self,
        caller: Caller,
        *,
        sides: Sequence[str] = (),
        campaign_id: UUID | None = None,
        base_id: UUID | None = None,
        baseline: int = 0,
    ) -> ComparisonRead:
        """Compare sides, in one of three ways.

        `sides`: each `CAMPAIGN~TARGET`; the others are set against the one at `baseline`.
        `campaign_id`: all its targets as sides. With `base_id` too: the targets that both campaigns
        have, each against itself.

        :raises ComparisonUnclear: when the question names no sides, or a side that is not there.
        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        if sides:
            keys = [_parsed(side) for side in sides]
        elif campaign_id is not None:
            keys = []
        else:
            raise ComparisonUnclear("give `side` twice or more, or `campaign`")
        wanted = {key for key, _ in keys} | {one for one in (campaign_id, base_id) if one}
        campaigns = {one: self.campaigns.find(caller, one) for one in wanted}
        found = self._sides(campaigns)
        if keys:
            chosen = [_chosen(found, key, target) for key, target in keys]
        elif base_id is None:
            chosen = [side for side in found if side.campaign.id == campaign_id]
        else:
            return self._read(
                [side for pair in pairs(found, campaign_id, base_id) for side in pair],
                0,
                paired=True,
            )
        if not 0 <= baseline < len(chosen):
            raise ComparisonUnclear(f"baseline {baseline} is not one of {len(chosen)} sides")
        return self._read(chosen, baseline, paired=False)

    def _sides(self, campaigns: dict[UUID, Campaign]) -> list[Side]:
        projects = {campaign.project_id for campaign in campaigns.values()}
        manifests = {one: self.catalog.manifests([one]) for one in projects}
        runs = self.figures.of_campaigns(campaigns)
        found = []
        for campaign in campaigns.values():
            document = self.experiments.document(campaign.revision_id)
            found += [
                Side(
                    campaign,
                    document,
                    index,
                    manifests[campaign.project_id].get(target.system),
                    manifests[campaign.project_id].get(target.tool or ""),
                    [
                        run
                        for run in runs
                        if run.campaign_id == campaign.id and run.target == target.name
                    ],
                )
                for index, target in enumerate(document.targets)
            ]
        return found

    def _read(self, sides: Sequence[Side], baseline: int, *, paired: bool) -> ComparisonRead:
        if not sides:
            raise ComparisonUnclear("the two campaigns have no target in common")
        if len(sides) > MOST_SIDES:
            raise ComparisonUnclear(f"{len(sides)} sides are more than {MOST_SIDES}")
        cells = [side.cells for side in sides]
        if paired:
            opposed = list(zip(cells[::2], cells[1::2], strict=True))
        else:
            others = [one for place, one in enumerate(cells) if place != baseline]
            opposed = [(cells[baseline], other) for other in others]
        reference = sides[baseline]
        machines = machine_rows([machines_of(side.runs) for side in sides])
        rows = fairness_sheet(
            [
                side_facts(
                    side.key,
                    side_label(side),
                    side.document,
                    side.document.targets[side.target_index],
                    side.manifest,
                    side.tool,
                    next((run.record for run in side.runs if run.record is not None), None),
                    side.campaign.repetitions,
                    kinds_of(side.runs),
                    machines[place],
                )
                for place, side in enumerate(sides)
            ]
        )
        rows += measured_rows([side.measured for side in sides])
        found = self._findings(sides, cells, rows)
        levels = {run.load_label: estimates.load_level(run) for side in sides for run in side.runs}
        return ComparisonRead(
            sides=[side_read(side, several=_several(sides)) for side in sides],
            baseline=baseline,
            workloads=list(dict.fromkeys(run.workload for side in sides for run in side.runs)),
            load_levels=sorted(levels.values(), key=lambda level: (level.kind, level.value)),
            cells=[
                estimates.compared_cell(side.key, runs)
                for side in cells
                for runs in side.cells.values()
            ],
            differences=estimates.differences(
                opposed,
                estimates.thresholds_of(reference.document.thresholds),
                self._floors(sides),
                looked_at=any(
                    self.looks.looked_at(one) for one in {side.campaign.id for side in sides}
                ),
            ),
            fairness=[AspectRead.of(row) for row in rows],
            findings=found,
            disclaimers=self._disclaimers(sides, found),
            unmatched=estimates.unmatched(cells),
            disclosure=self._disclosure(sides, reference),
        )

    def _floors(self, sides: Sequence[Side]) -> FloorOf[tuple[str, estimates.CellKey]]:
        found = {}
        for project_id in {side.campaign.project_id for side in sides}:
            found[project_id] = self.floors.of_cells(
                project_id,
                {
                    (side.key, name): CellSeen(side.document, runs, side.manifest)
                    for side in sides
                    if side.campaign.project_id == project_id
                    for name, runs in side.cells.cells.items()
                },
            )
        projects = {side.key: side.campaign.project_id for side in sides}
        return lambda cell, metric: found[projects[cell[0]]](cell, metric)

    def _findings(
        self, sides: Sequence[Side], cells: Sequence[SideCells], rows: Sequence[AspectRow]
    ) -> list[FindingRead]:
        repeats = [
            CellRepeats(
                side.key,
                runs[0].workload,
                runs[0].load_label,
                runs[0].load_kind,
                len(estimates.values(runs, "throughput")),
            )
            for side in cells
            for runs in side.cells.values()
        ]
        of_comparison = [FindingRead.of(one) for one in check_comparison(rows, repeats)]
        shown = {run.run_id for side in sides for run in side.runs}
        campaigns = {side.campaign.id for side in sides}
        of_runs = self.examination.of_runs(campaigns, shown)
        return sorted([*of_comparison, *of_runs], key=lambda finding: GRAVITY[finding.severity])

    def _disclaimers(
        self, sides: Sequence[Side], found: Sequence[FindingRead]
    ) -> list[DisclaimerRead]:
        statements: dict[tuple[str, str], DisclaimerRead] = {}
        documents = {
            side.campaign.revision_id: (side.campaign.project_id, side.document) for side in sides
        }
        for revision_id, (project_id, document) in documents.items():
            shown = {side.target.name for side in sides if side.campaign.revision_id == revision_id}
            for one in self.disclosure.disclaimers_of([project_id], document, shown):
                statements.setdefault((one.id, one.text), one)
        return [*statements.values(), *checks_as_disclaimers(found)]

    def _disclosure(self, sides: Sequence[Side], reference: Side) -> DisclosureRead:
        return self.disclosure.sheet(
            {side.campaign.project_id for side in sides},
            {side.system_id for side in sides},
            reference.document.disclosure,
        )


def pairs(
    found: Sequence[Side], campaign_id: UUID | None, base_id: UUID
) -> list[tuple[Side, Side]]:
    """Targets that two campaigns have, by name: (in the base, in the campaign)."""
    bases = {
        side.document.targets[side.target_index].name: side
        for side in found
        if side.campaign.id == base_id
    }
    return [
        (bases[name], side)
        for side in found
        if side.campaign.id == campaign_id
        and (name := side.document.targets[side.target_index].name) in bases
    ]


def side_label(side: Side) -> str:
    """What charts print for a side."""
    target = side.document.targets[side.target_index]
    system = side.manifest.name if side.manifest is not None else target.system
    same = sum(one.system == target.system for one in side.document.targets) > 1
    return target.label or (target.name if same else system)


def side_read(side: Side, *, several: bool) -> SideRead:
    """A side as it is shown; its campaign's number stands in the label when there are several."""
    target, manifest = side.document.targets[side.target_index], side.manifest
    suffix = f" #{side.campaign.number}" if several else ""
    return SideRead(
        key=side.key,
        label=side_label(side) + suffix,
        campaign_id=side.campaign.id,
        campaign_number=side.campaign.number,
        target=target.name,
        system_id=target.system,
        colour=UNKNOWN_COLOUR if manifest is None else manifest.colour,
        mark=UNKNOWN_MARK if manifest is None else manifest.mark,
        version=side.version,
    )


def _several(sides: Sequence[Side]) -> bool:
    return len({side.campaign.id for side in sides}) > 1


def _parsed(side: str) -> tuple[UUID, str]:
    campaign, _, target = side.partition("~")
    try:
        return UUID(campaign), target
    except ValueError as error:
        raise ComparisonUnclear(f"{side!r} is not CAMPAIGN~TARGET") from error


def _chosen(found: Sequence[Side], campaign_id: UUID, target: str) -> Side:
    for side in found:
        if side.key == f"{campaign_id}~{target}":
            return side
    raise ComparisonUnclear(f"campaign {campaign_id} has no target {target!r}")
