"""A comparison as a value: sides that were chosen, and all that is concluded of them.

Chosen once, judged once: each part is worked out when somebody first asks for it, out of the same
figures, and kept as long as the value. So the page, the answer, costs, caveats and replies say the
same, and what nobody asks for is not worked out: how sides scale takes no verdict.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from weighhouse_judging.fairness.sheet import AspectRow, fairness_sheet
from weighhouse_judging.findings.checks import Finding
from weighhouse_judging.findings.comparison_checks import CellRepeats, SideBuild, check_comparison
from weighhouse_judging.verdicts.campaigns import PastCampaign
from weighhouse_judging.verdicts.headlines import Headline
from weighhouse_judging.verdicts.leads import Lead
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_protocol.figures import CATALOGUE, Figure, LoadKind

from weighhouse_backend.campaigns.commits import CommitService
from weighhouse_backend.campaigns.looks import LookService
from weighhouse_backend.campaigns.schemas import CompletenessRead
from weighhouse_backend.comparisons import estimates
from weighhouse_backend.comparisons.answer_schemas import ReadingRead
from weighhouse_backend.comparisons.caveats import caveats_of_sides, gravest_first
from weighhouse_backend.comparisons.disclosure import disclosed
from weighhouse_backend.comparisons.facts import side_facts
from weighhouse_backend.comparisons.floors import FloorOf, FloorService, SideCell, SideNoise
from weighhouse_backend.comparisons.leaders import Weighed, headline_of, leads
from weighhouse_backend.comparisons.measured import measured_rows
from weighhouse_backend.comparisons.published_sides import (
    ChosenPublished,
    PublishedSideService,
    published_caveats_read,
)
from weighhouse_backend.comparisons.rankings import rankings
from weighhouse_backend.comparisons.readings import readings
from weighhouse_backend.comparisons.schemas import DifferenceRead, RankingRead
from weighhouse_backend.comparisons.sides import Choice, Side, SideService, side_labels
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.schemas import DisclosureRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.examination import ExaminationService
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.results.figures import FigureService, RunFigures
from weighhouse_backend.results.identities import CellSeen
from weighhouse_backend.results.machines import kinds_of, machine_rows, machines_of
from weighhouse_backend.results.repeats import CellKey, values
from weighhouse_backend.series.past import PastOf, PastService


@dataclass(frozen=True)
class Sources:
    """What a comparison is worked out of."""

    sides: SideService
    disclosure: DisclosureService
    figures: FigureService
    examination: ExaminationService
    looks: LookService
    floors: FloorService
    past: PastService
    commits: CommitService
    published: PublishedSideService


@dataclass(frozen=True, eq=False)
class Comparison:
    """Sides beside each other, with all that must stand beside them."""

    sources: Sources
    choice: Choice
    """The sides, without their runs."""
    completeness: CompletenessRead
    """Asked before the figures are read, so that none are called complete that are not."""
    cell: CellKey | None = None
    """The one that is shown; what is concluded of it stays what it is among all of them."""
    also: Collection[Figure] = ()
    """Figures beside the catalogue's; corrected as a table of their own, so that asking changes
    nothing that is said of the others."""
    runs: Sequence[RunFigures] | None = None
    """Of all sides, by whom has read them already."""
    found: Sequence[RunFinding] | None = None
    """What bars figures of the runs from use, likewise."""
    published: Sequence[ChosenPublished] = ()
    """Results of others that stand beside the sides; nothing is concluded of them."""

    def with_figures(self, figures: Iterable[Figure]) -> "Comparison":
        """The same, nothing of it worked out yet, with figures that are asked for by name."""
        named = {one.name: one for one in figures if one.name not in CATALOGUE}
        return replace(self, also=tuple(named.values()))

    @cached_property
    def whole(self) -> Choice:
        """The sides with all their runs."""
        if self.runs is not None:
            return self.choice.with_runs(self.runs)
        campaigns = {side.campaign.id for side in self.choice.sides}
        return self.choice.with_runs(self.sources.figures.of_campaigns(campaigns, also=self.also))

    @cached_property
    def shown(self) -> Choice:
        """The sides with the runs that are shown.

        :raises ComparisonUnclear: when no side has the cell that was asked for.
        """
        return self.whole.only(self.cell)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What the sides are called, by key, in their order."""
        return side_labels(self.whole.sides)

    @cached_property
    def of_runs(self) -> Sequence[RunFinding]:
        """What checks found of the runs that are shown, one by one."""
        shown = {run.run_id for side in self.shown.sides for run in side.runs}
        return self.sources.examination.of_each_run(shown)

    @cached_property
    def barred(self) -> Sequence[RunFinding]:
        """What checks found of figures that cannot be true."""
        if self.found is not None:
            return self.found
        every = {run.run_id for side in self.whole.sides for run in side.runs}
        return self.sources.examination.of_each_run(every, "error")

    @cached_property
    def weighed(self) -> Weighed:
        """The sides over all their cells, judged."""
        looked_at = any(
            self.sources.looks.looked_at(one)
            for one in {side.campaign.id for side in self.whole.sides}
        )
        return weigh(
            self.whole, self.labels, self.noise, self.barred, looked_at=looked_at, also=self.also
        )

    @cached_property
    def resources(self) -> Weighed:
        """The same by what the sides take to do it: a table of its own."""
        return by_resources(self.weighed)

    def judged_by(self, figure: str | None) -> Weighed:
        """The sides as they are judged by a figure; None: by the primary ones."""
        found = None if figure is None else CATALOGUE.find(figure)
        is_resource = found is not None and found.family == "resources"
        return self.resources if is_resource else self.weighed

    @cached_property
    def differences(self) -> list[DifferenceRead]:
        """Those that are shown, with the verdicts that they have among all of their table; in the
        order that people read figures in.
        """
        found = [*self.weighed.differences, *self.resources.differences]
        return sorted(self._shown(found), key=lambda one: CATALOGUE[one.metric].read_at)

    def _shown(self, differences: Iterable[DifferenceRead]) -> list[DifferenceRead]:
        return [
            one for one in differences if self.cell in {None, (one.workload, one.load_level.label)}
        ]

    def leads(
        self, figure: str | None = None, hidden: Collection[str] = ()
    ) -> dict[LoadKind, Lead]:
        """Who leads, a lead a kind of loop; see `leading.leads`."""
        return leads(self.judged_by(figure), figure, hidden, self.cell)

    def readings(self, figure: str | None = None) -> list[ReadingRead]:
        """What may be said of each side against its baseline; see `readings.readings`."""
        weighed = self.judged_by(figure)
        return readings(weighed.opposed, self.labels, weighed.differences, figure, self.cell)

    def headline(self, found: Mapping[LoadKind, Lead], *, over: bool = False) -> Headline:
        """What the sides came to.

        :param found: who leads.
        :param over: nothing more is to come, whatever the campaigns' states say.
        """
        counts = self.sources.sides.run_counts(self.shown, all_cells=self.cell is None)
        return headline_of(found, self.labels, counts, under_way=self.choice.under_way and not over)

    @cached_property
    def rankings(self) -> list[RankingRead]:
        """Of three sides or more, in the cells that are shown; none of targets that are each set
        against themselves.
        """
        if self.choice.paired:
            return []
        cells = [side.cells for side in self.shown.sides]
        return rankings(cells, self.weighed.noise, looked_at=self.weighed.looked_at)

    @cached_property
    def fairness(self) -> list[AspectRow]:
        """The fairness sheet over the sides, in their order."""
        sides = self.shown.sides
        machines = machine_rows([machines_of(side.runs) for side in sides])
        rows = fairness_sheet(
            [
                side_facts(
                    side.key,
                    self.labels[side.key],
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
        return [*rows, *measured_rows([side.measured for side in sides])]

    @cached_property
    def sheet(self) -> DisclosureRead:
        """The disclosure that the sides are shown with."""
        return self.sources.disclosure.sheet(disclosed(self.shown.sides))

    @cached_property
    def caveats(self) -> list[CaveatRead]:
        """All that must stand beside the numbers, each once, the gravest first."""
        ours = caveats_of_sides(
            self.shown.sides,
            self.labels,
            self.sources.disclosure,
            self.sheet,
            self.of_runs,
            _checked(self.shown.sides, self.fairness, self._builds),
            self.fairness,
            self._shown(self.weighed.differences),
        )
        return gravest_first([*ours, *published_caveats_read(self.published)])

    @cached_property
    def _builds(self) -> list[SideBuild]:
        """What the sides are said to be, and what they really were; without those never run."""
        sides = self.shown.sides
        git = self.sources.commits.of([*{side.campaign.id for side in sides}])
        found = []
        for side in sides:
            seen = next((cell for cell in side.seen.values() if cell.records), None)
            told = git.get(side.campaign.id)
            if seen is not None:
                commit = None if told is None else told.commit
                found.append(SideBuild(self.labels[side.key], seen.side, commit, seen.program))
        return found

    @cached_property
    def noise(self) -> SideNoise:
        """What is known of the noise of the sides; where they are of several campaigns, from those
        before the latest of them, so that what is said does not change with later ones.
        """
        sides = self.whole.sides
        compared = {side.campaign.id for side in sides}
        floors: dict[UUID, FloorOf[SideCell]] = {}
        pasts: dict[UUID, PastOf[SideCell]] = {}
        for side in sides:
            campaign = side.campaign
            if campaign.project_id not in floors:
                mine = [one for one in sides if one.campaign.project_id == campaign.project_id]
                floors[campaign.project_id] = self.sources.floors.of_cells(
                    campaign.project_id, _seen(mine)
                )
            if len(compared) > 1 and campaign.experiment_id not in pasts:
                mine = [
                    one for one in sides if one.campaign.experiment_id == campaign.experiment_id
                ]
                pasts[campaign.experiment_id] = self.sources.past.of_cells(
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


def weigh(
    choice: Choice,
    labels: Mapping[str, str],
    noise: SideNoise,
    barred: Sequence[RunFinding],
    *,
    looked_at: bool,
    also: Collection[Figure] = (),
) -> Weighed:
    """Sides over all their cells, judged by what clients see.

    :param choice: with all their runs.
    :param labels: what the sides are called, by key.
    :param noise: what is known of it.
    :param barred: what checks found of figures that cannot be true.
    :param looked_at: whether somebody saw figures while they grew.
    :param also: figures beside the catalogue's, corrected as a table of their own.
    """
    wanted = choice.sides[choice.baseline].document.thresholds
    found = Weighed(
        labels=labels,
        cells=[side.cells for side in choice.sides],
        opposed=[(base.cells, other.cells) for base, other in choice.opposed],
        paired=choice.paired,
        differences=[],
        thresholds=estimates.thresholds_of(wanted, [*CATALOGUE.judged, *also]),
        noise=noise,
        looked_at=looked_at,
        barred=barred,
    )
    clients = (CATALOGUE.judged_in("performance"), also)
    return replace(found, differences=[one for table in clients for one in found.judged(table)])


def by_resources(weighed: Weighed) -> Weighed:
    """The same sides by what they take to do it: a table of its own."""
    return replace(weighed, differences=weighed.judged(CATALOGUE.judged_in("resources")))


def _seen(sides: Sequence[Side]) -> dict[SideCell, CellSeen]:
    return {(side.key, name): cell for side in sides for name, cell in side.seen.items()}


def _checked(
    sides: Sequence[Side], rows: Sequence[AspectRow], builds: Sequence[SideBuild]
) -> list[Finding]:
    repeats = [
        CellRepeats(
            side.key,
            runs[0].workload,
            runs[0].load_label,
            runs[0].load_kind,
            len(values(runs, "throughput")),
        )
        for side in sides
        for runs in side.cells.cells.values()
    ]
    return check_comparison(rows, repeats, builds)
