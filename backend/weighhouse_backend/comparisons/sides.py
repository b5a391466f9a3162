"""Sides of a comparison: which targets of which campaigns are set beside each other."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from weighhouse_judging.identity.digests import Identity
from weighhouse_judging.identity.names import Bearer, Origin, bearer, names
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.target import Target

from weighhouse_backend.campaigns.completeness import CompletenessService, is_under_way
from weighhouse_backend.campaigns.documents import document_of
from weighhouse_backend.campaigns.names import (
    UNKNOWN_COLOUR,
    UNKNOWN_MARK,
    hollow,
)
from weighhouse_backend.campaigns.schemas import CompletenessRead
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.catalog.service import CatalogService
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.estimates import SideCells
from weighhouse_backend.comparisons.schemas import SideRead
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.identities import CellSeen
from weighhouse_backend.results.repeats import CellKey, by_cell
from weighhouse_backend.runs.models import Campaign
from weighhouse_backend.runs.progress import RunCounts, count_runs
from weighhouse_backend.runs.states import FINISHED_RUNS

MOST_SIDES = 40


@dataclass(frozen=True)
class Question:
    """What somebody wants compared, in one of three ways.

    `sides`: each `CAMPAIGN~TARGET`; the others are set against the one at `baseline`.
    `campaign_id`: all its targets as sides. With `base_id` too: the targets that both campaigns
    have, each against itself.

    `cell`: shows one cell alone. It hides the others; what is concluded of it stays what it is
    among all of them.

    `published`: sides of published sources that stand beside these, each `SOURCE~SIDE`.
    """

    sides: Sequence[str] = ()
    campaign_id: UUID | None = None
    base_id: UUID | None = None
    baseline: int = 0
    cell: CellKey | None = None
    published: Sequence[str] = ()


@dataclass(frozen=True)
class Side:
    """A target in a campaign, with its runs once they are read."""

    campaign: Campaign
    document: Experiment
    target_index: int
    manifest: Manifest | None
    tool: Manifest | None
    """Of the load tool in the driver's place."""
    runs: Sequence[RunFigures] = ()

    @cached_property
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

    @cached_property
    def cells(self) -> SideCells:
        """The runs by cell."""
        return SideCells(self.key, by_cell(self.runs), self._left_out)

    @property
    def _left_out(self) -> dict[CellKey, str]:
        """Cells that the experiment says this side has not, with its reasons."""
        matrix = self.document.matrix
        if not matrix.exclusions:
            return {}
        return {
            (workload.name, level.label): found.reason
            for workload in self.document.workloads
            for level in self.document.load_levels
            if (found := matrix.excluding(self.target, workload.name, level.label))
        }

    @cached_property
    def seen(self) -> dict[CellKey, CellSeen]:
        """What its runs found of its cells."""
        return {
            name: CellSeen(self.document, runs, self.manifest)
            for name, runs in self.cells.cells.items()
        }

    @property
    def measured(self) -> dict[CellKey, Identity]:
        """What its cells were, for those that gave figures."""
        return {name: cell.identity() for name, cell in self.seen.items() if cell.records}

    @property
    def version(self) -> str | None:
        """The version that ran; None before any run said so."""
        versions = [run.record.version for run in self.runs if run.record is not None]
        return next((version for version in versions if version is not None), None)


@dataclass(frozen=True)
class Choice:
    """What is compared with what."""

    sides: Sequence[Side]
    baseline: int
    paired: bool
    """Is each target set against itself: the first side against the second, and so on? Else all
    others against the baseline."""

    @property
    def opposed(self) -> list[tuple[Side, Side]]:
        """Pairs of (baseline, other)."""
        if self.paired:
            return list(zip(self.sides[::2], self.sides[1::2], strict=True))
        reference = self.sides[self.baseline]
        others = [side for place, side in enumerate(self.sides) if place != self.baseline]
        return [(reference, other) for other in others]

    @property
    def whole(self) -> UUID | None:
        """The campaign whose targets, all of them, are the sides; None of other sides."""
        campaigns = {side.campaign.id for side in self.sides}
        if len(campaigns) > 1 or len(self.sides) < len(self.sides[0].document.targets):
            return None
        return campaigns.pop()

    @property
    def under_way(self) -> bool:
        """Is any of its campaigns still being measured?"""
        return any(is_under_way(side.campaign) for side in self.sides)

    def with_runs(self, runs: Iterable[RunFigures]) -> "Choice":
        """The same sides, each with its own of these runs."""
        by_side: dict[tuple[UUID, str], list[RunFigures]] = {}
        for run in runs:
            by_side.setdefault((run.campaign_id, run.target), []).append(run)
        filled = [
            replace(side, runs=by_side.get((side.campaign.id, side.target.name), []))
            for side in self.sides
        ]
        return replace(self, sides=filled)

    def only(self, cell: CellKey | None) -> "Choice":
        """The same sides with the runs of one cell; with all of them for None.

        :raises ComparisonUnclear: when no side has that cell.
        """
        if cell is None:
            return self
        kept = [
            replace(side, runs=[run for run in side.runs if run.cell == cell])
            for side in self.sides
        ]
        if not any(side.runs for side in kept):
            raise ComparisonUnclear(f"no side has the cell {cell_key(cell)!r}")
        return replace(self, sides=kept)


@dataclass(frozen=True)
class SideService:
    """Finds the sides that a question names."""

    campaigns: CampaignService
    experiments: ExperimentService
    catalog: CatalogService
    complete: CompletenessService

    def completeness(self, choice: Choice) -> CompletenessRead:
        """Whether figures of sides are all there will be: asked before the figures are read, so
        that none are called complete that are not.
        """
        return self.complete.of(side.campaign for side in choice.sides)

    def chosen(self, caller: Caller, question: Question) -> Choice:
        """The sides of a comparison, without their runs.

        :raises ComparisonUnclear: when the question names no sides, too many, or a side that is not
            there.
        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        campaign_id, base_id = question.campaign_id, question.base_id
        if question.sides:
            keys = [_parsed(side) for side in question.sides]
        elif campaign_id is not None:
            keys = []
        else:
            raise ComparisonUnclear("give `side` twice or more, or `campaign`")
        wanted = {key for key, _ in keys} | {one for one in (campaign_id, base_id) if one}
        found = self._sides([self.campaigns.find(caller, one) for one in wanted])
        if keys:
            named = [_chosen(found, key, target) for key, target in keys]
            choice = Choice(named, question.baseline, paired=False)
        elif base_id is None:
            mine = [side for side in found if side.campaign.id == campaign_id]
            choice = Choice(mine, question.baseline, paired=False)
        else:
            both = [side for pair in pairs(found, campaign_id, base_id) for side in pair]
            choice = Choice(both, 0, paired=True)
        if not choice.sides:
            raise ComparisonUnclear("the two campaigns have no target in common")
        if not 0 <= choice.baseline < len(choice.sides):
            raise ComparisonUnclear(
                f"baseline {choice.baseline} is not one of {len(choice.sides)} sides"
            )
        if len(choice.sides) > MOST_SIDES:
            raise ComparisonUnclear(f"{len(choice.sides)} sides are more than {MOST_SIDES}")
        return choice

    def run_counts(self, choice: Choice, *, all_cells: bool = True) -> RunCounts:
        """Runs by where they stand: of a whole campaign all of them, as lists count them; else
        those of the sides.

        :param all_cells: whether the sides have the runs of all their cells.
        """
        if all_cells and (whole := choice.whole) is not None:
            return self.campaigns.run_counts([whole])[whole]
        return count_runs(Counter(str(run.status) for side in choice.sides for run in side.runs))

    def all_of(self, campaign: Campaign) -> Choice:
        """All targets of a campaign, without their runs; for features that checked access.

        :raises ValueError: when its document cannot be read.
        """
        return Choice(self._sides([campaign]), 0, paired=False)

    def _sides(self, campaigns: Sequence[Campaign]) -> list[Side]:
        projects = {campaign.project_id for campaign in campaigns}
        manifests = {one: self.catalog.manifests([one]) for one in projects}
        found = []
        for campaign in campaigns:
            document = document_of(self.experiments, campaign)
            known = manifests[campaign.project_id]
            found += [
                Side(
                    campaign,
                    document,
                    index,
                    known.get(target.system),
                    known.get(target.tool or ""),
                )
                for index, target in enumerate(document.targets)
            ]
        return found


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


def side_labels(sides: Sequence[Side]) -> dict[str, str]:
    """What sides that are shown together are called, by key: on pages, in pictures and in files."""
    called = names([_bearer(side) for side in sides])
    return {side.key: name for side, name in zip(sides, called, strict=True)}


def _bearer(side: Side) -> Bearer:
    campaign = side.campaign
    return bearer(
        side.target,
        side.manifest,
        side.tool,
        ran=side.version,
        origin=Origin(campaign.number, campaign.created_at.date().isoformat(), side.document.name),
    )


def sides_read(sides: Sequence[Side], labels: Mapping[str, str]) -> list[SideRead]:
    """Sides as they are shown together; of one system all but the first have a hollow mark.

    :param labels: as of `side_labels`.
    """
    marked = zip(sides, hollow([side.system_id for side in sides]), strict=True)
    return [_side_read(side, labels[side.key], is_hollow=each) for side, each in marked]


def _side_read(side: Side, label: str, *, is_hollow: bool) -> SideRead:
    target, manifest = side.target, side.manifest
    return SideRead(
        key=side.key,
        label=label,
        campaign_id=side.campaign.id,
        campaign_number=side.campaign.number,
        target=target.name,
        system_id=target.system,
        colour=UNKNOWN_COLOUR if manifest is None else manifest.colour,
        mark=UNKNOWN_MARK if manifest is None else manifest.mark,
        hollow=is_hollow,
        version=side.version,
        under_way=is_under_way(side.campaign),
        runs_ended=sum(run.status in FINISHED_RUNS for run in side.runs),
        runs_completed=sum(run.status == "completed" for run in side.runs),
        runs=len(side.runs),
    )


def cell_key(cell: CellKey) -> str:
    """A cell as it stands in addresses: `WORKLOAD~LOAD`."""
    return "~".join(cell)


def cell_named(text: str) -> CellKey:
    """The cell that `WORKLOAD~LOAD` names.

    :raises ComparisonUnclear: when the text names none.
    """
    workload, _, level = text.partition("~")
    if not workload or not level:
        raise ComparisonUnclear(f"{text!r} is not WORKLOAD~LOAD, such as `reads~8 clients`")
    return workload, level


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
