"""Comparisons of targets: in one campaign, over two, or of any sides."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from weighhouse_judging.fairness.sheet import AspectRow, fairness_sheet
from weighhouse_judging.findings.checks import Finding
from weighhouse_judging.findings.comparison_checks import CellRepeats, check_comparison
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_protocol.figures import CATALOGUE, Figure, UnknownFigure

from weighhouse_backend.campaigns.documents import own_levels
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.schemas import CompletenessRead
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.answer_schemas import AnswerRead
from weighhouse_backend.comparisons.caveats import caveats_of_sides
from weighhouse_backend.comparisons.disclosure import disclosed
from weighhouse_backend.comparisons.errors import ComparisonUnclear
from weighhouse_backend.comparisons.estimates import SideCells
from weighhouse_backend.comparisons.facts import side_facts
from weighhouse_backend.comparisons.floors import FloorOf, FloorService, SideCell, SideNoise
from weighhouse_backend.comparisons.leaders import (
    Weighed,
    headline_of,
    headline_read,
    leads,
    leads_read,
)
from weighhouse_backend.comparisons.measured import measured_rows
from weighhouse_backend.comparisons.rankings import rankings
from weighhouse_backend.comparisons.readings import readings
from weighhouse_backend.comparisons.schemas import ComparisonRead
from weighhouse_backend.comparisons.sides import (
    Choice,
    Question,
    Side,
    SideService,
    side_labels,
    sides_read,
)
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.experiments.fairness_schemas import AspectRead
from weighhouse_backend.findings.examination import ExaminationService, RunFinding
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.results.figures import FigureService
from weighhouse_backend.results.identities import CellSeen
from weighhouse_backend.results.machines import kinds_of, machine_rows, machines_of
from weighhouse_backend.results.repeats import CellKey, values
from weighhouse_backend.series.past import PastOf, PastService


@dataclass(frozen=True)
class ComparisonService:
    """Puts sides beside each other, with all that must stand beside them."""

    sides: SideService
    disclosure: DisclosureService
    figures: FigureService
    examination: ExaminationService
    looks: LookService
    floors: FloorService
    past: PastService

    def compare(
        self, caller: Caller, question: Question, also: Sequence[str] = ()
    ) -> ComparisonRead:
        """Compare sides.

        :param also: names of percentiles that are asked for beside the catalogue's figures.
        :raises ComparisonUnclear: when the question names no sides, too many, or a side that is not
            there.
        :raises CampaignNotFound: when a campaign is not the caller's to see.
        """
        choice = self.sides.chosen(caller, question)
        completeness = self.sides.completeness(choice)
        asked = _beside_the_catalogue(also)
        campaigns = {side.campaign.id for side in choice.sides}
        runs = self.figures.of_campaigns(campaigns, also=asked)
        return self._read(choice.with_runs(runs), question.cell, completeness, asked)

    def caveats(self, caller: Caller, question: Question) -> list[CaveatRead]:
        """What must stand beside the numbers of sides: the list that their comparison has.

        :raises ComparisonUnclear, CampaignNotFound: as `compare`.
        """
        return self.compare(caller, question).caveats

    def answer(
        self, caller: Caller, question: Question, figure: str | None, hidden: Collection[int]
    ) -> AnswerRead:
        """Who leads by a figure among the sides that are not hidden, and each against its baseline.

        :param figure: of a figure that sides are judged by, or of any percentile; each loop's
            primary figure when None.
        :param hidden: places of sides, as the comparison has them.
        :raises ComparisonUnclear, CampaignNotFound: as `compare`; also for a figure that is not
            compared.
        """
        metric = None if figure is None else judged_figure(figure).name
        choice = self.sides.chosen(caller, question)
        completeness = self.sides.completeness(choice)
        also = _beside_the_catalogue([] if metric is None else [metric])
        campaigns = {side.campaign.id for side in choice.sides}
        filled = choice.with_runs(self.figures.of_campaigns(campaigns, also=also))
        shown = {run.run_id for side in filled.sides for run in side.runs}
        weighed = self.weighed(filled, self.examination.of_each_run(shown), also)
        keys = [side.key for place, side in enumerate(filled.sides) if place in hidden]
        said = readings(weighed.opposed, weighed.labels, weighed.differences, metric, question.cell)
        return AnswerRead(
            completeness=completeness,
            leads=leads_read(leads(weighed, metric, keys, question.cell)),
            readings=[one for one in said if not {one.side, one.baseline_side} & set(keys)],
        )

    def weighed(
        self, choice: Choice, of_runs: Sequence[RunFinding], also: Collection[Figure] = ()
    ) -> Weighed:
        """Sides with their runs, and what is concluded of them.

        :param of_runs: what checks found of their runs.
        :param also: figures that are asked for beside the catalogue's; corrected as a table of
            their own, so that asking changes nothing that is said of the others.
        """
        sides = choice.sides
        opposed = [(base.cells, other.cells) for base, other in choice.opposed]
        noise = self._noise(sides)
        wanted = sides[choice.baseline].document.thresholds
        thresholds = estimates.thresholds_of(wanted, [*CATALOGUE.judged, *also])
        looked_at = any(self.looks.looked_at(one) for one in {side.campaign.id for side in sides})
        return Weighed(
            labels=side_labels(sides),
            cells=[side.cells for side in sides],
            opposed=opposed,
            paired=choice.paired,
            differences=[
                one
                for table in (CATALOGUE.judged, also)
                for one in estimates.differences(
                    opposed, thresholds, noise, looked_at=looked_at, figures=table
                )
            ],
            thresholds=thresholds,
            noise=noise,
            looked_at=looked_at,
            of_runs=of_runs,
        )

    def _read(
        self,
        whole: Choice,
        cell: CellKey | None,
        completeness: CompletenessRead,
        also: Collection[Figure],
    ) -> ComparisonRead:
        """What is said of sides over all their cells, with one or all of them shown."""
        choice = whole.only(cell)
        sides = choice.sides
        cells = [side.cells for side in sides]
        shown = {run.run_id for side in sides for run in side.runs}
        of_runs = self.examination.of_each_run(shown)
        weighed = self.weighed(whole, of_runs, also)
        labels = weighed.labels
        machines = machine_rows([machines_of(side.runs) for side in sides])
        rows = fairness_sheet(
            [
                side_facts(
                    side.key,
                    labels[side.key],
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
        of_comparison = _checked(cells, rows)
        sheet = self.disclosure.sheet(disclosed(sides))
        found = leads(weighed, cell=cell)
        differences = [
            one
            for one in weighed.differences
            if cell is None or (one.workload, one.load_level.label) == cell
        ]
        levels = {run.load_label: estimates.load_level(run) for side in sides for run in side.runs}
        levels |= own_levels([side.document for side in sides], levels)
        return ComparisonRead(
            completeness=completeness,
            sides=sides_read(whole.sides, labels),
            baseline=choice.baseline,
            workloads=list(dict.fromkeys(run.workload for side in sides for run in side.runs)),
            load_levels=sorted(
                levels.values(), key=lambda level: (level.own, level.kind, level.value)
            ),
            cells=[
                estimates.compared_cell(side.key, runs)
                for side in cells
                for runs in side.cells.values()
            ],
            headline=headline_read(
                headline_of(
                    found,
                    labels,
                    self.sides.run_counts(choice, all_cells=cell is None),
                    under_way=choice.under_way,
                )
            ),
            leads=leads_read(found),
            readings=readings(weighed.opposed, labels, differences, cell=cell),
            caveats=caveats_of_sides(
                sides, labels, self.disclosure, sheet, of_runs, of_comparison, rows, differences
            ),
            differences=differences,
            rankings=[]
            if choice.paired
            else rankings(cells, weighed.noise, looked_at=weighed.looked_at),
            fairness=[AspectRead.of(row) for row in rows],
            unmatched=estimates.unmatched(cells),
            disclosure=sheet,
        )

    def _noise(self, sides: Sequence[Side]) -> SideNoise:
        """What is known of the noise of sides; where they are of several campaigns, from those
        before the latest of them, so that what is said does not change with later ones.
        """
        compared = {side.campaign.id for side in sides}
        floors: dict[UUID, FloorOf[SideCell]] = {}
        pasts: dict[UUID, PastOf[SideCell]] = {}
        for side in sides:
            campaign = side.campaign
            if campaign.project_id not in floors:
                mine = [one for one in sides if one.campaign.project_id == campaign.project_id]
                floors[campaign.project_id] = self.floors.of_cells(campaign.project_id, _seen(mine))
            if len(compared) > 1 and campaign.experiment_id not in pasts:
                mine = [
                    one for one in sides if one.campaign.experiment_id == campaign.experiment_id
                ]
                pasts[campaign.experiment_id] = self.past.of_cells(
                    campaign.experiment_id,
                    _seen(mine),
                    before=max(compared),
                    without=compared,
                )
        of_side = {side.key: side.campaign for side in sides}

        def floor(cell: SideCell, metric: str) -> Floor | None:
            return floors[of_side[cell[0]].project_id](cell, metric)

        def past(cell: SideCell, metric: str) -> Sequence[PastCampaign]:
            found = pasts.get(of_side[cell[0]].experiment_id)
            return () if found is None else found(cell, metric)

        return SideNoise(floor, past)


def judged_figure(name: str) -> Figure:
    """The figure of a name, by which sides are judged.

    :raises ComparisonUnclear: when there is none, or it is shown and not judged.
    """
    try:
        found = CATALOGUE[name]
    except UnknownFigure as error:
        raise ComparisonUnclear(str(error)) from None
    if not found.is_judged:
        judged = ", ".join(one.name for one in CATALOGUE.judged)
        raise ComparisonUnclear(f"figure {name!r} is not compared; those that are: {judged}")
    return found


def _beside_the_catalogue(names: Sequence[str]) -> list[Figure]:
    """Figures that have no place in the catalogue, each once."""
    found = {one.name: one for one in map(judged_figure, names)}
    return [one for one in found.values() if one.name not in CATALOGUE]


def _seen(sides: Sequence[Side]) -> dict[SideCell, CellSeen]:
    return {
        (side.key, name): CellSeen(side.document, runs, side.manifest)
        for side in sides
        for name, runs in side.cells.cells.items()
    }


def _checked(cells: Sequence[SideCells], rows: Sequence[AspectRow]) -> list[Finding]:
    repeats = [
        CellRepeats(
            side.key,
            runs[0].workload,
            runs[0].load_label,
            runs[0].load_kind,
            len(values(runs, "throughput")),
        )
        for side in cells
        for runs in side.cells.values()
    ]
    return check_comparison(rows, repeats)
