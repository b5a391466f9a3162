"""Who leads among the sides of a comparison, by its own differences. Pure."""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from weighhouse_judging.verdicts.headlines import Headline, Runs, headline
from weighhouse_judging.verdicts.lead_cells import LeadCell, Pair
from weighhouse_judging.verdicts.leads import Lead, lead, lead_of_targets
from weighhouse_judging.verdicts.readings import word_of
from weighhouse_protocol.figures import CATALOGUE, LOAD_KINDS, Figure, LoadKind

from weighhouse_backend.comparisons.answer_schemas import HeadlineRead, LeadRead
from weighhouse_backend.comparisons.estimates import (
    Asked,
    SideCells,
    differences,
    judged_together,
)
from weighhouse_backend.comparisons.floors import SideNoise
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.results.repeats import CellKey, values
from weighhouse_backend.runs.progress import RunCounts


@dataclass(frozen=True)
class Weighed:
    """Sides with what was concluded of them."""

    labels: Mapping[str, str]
    """By key, in their order."""
    cells: Sequence[SideCells]
    opposed: Sequence[tuple[SideCells, SideCells]]
    """Pairs of (baseline, other)."""
    paired: bool
    """Is each target set against itself?"""
    differences: Sequence[DifferenceRead]
    """Of the opposed, corrected together."""
    thresholds: Mapping[str, float]
    noise: SideNoise
    looked_at: bool
    barred: Sequence[RunFinding]
    """What checks found of figures that cannot be true."""

    def judged(self, table: Collection[Figure]) -> list[DifferenceRead]:
        """The opposed by some figures, corrected together."""
        return differences(
            self.opposed, self.thresholds, self.noise, looked_at=self.looked_at, figures=table
        )


def leads(
    weighed: Weighed,
    figure: str | None = None,
    hidden: Collection[str] = (),
    cell: CellKey | None = None,
) -> dict[LoadKind, Lead]:
    """Who leads, a lead a kind of loop.

    What is said of two sides is said of them whatever else is on show: hiding sides or cells takes
    them out of the sentence and changes no verdict.

    :param figure: the name of one that sides are judged by; each loop's primary figure when None.
    :param hidden: keys of sides that have no part in it.
    :param cell: the one that it is said of; all for None.
    """
    kinds = {name: runs[0] for side in weighed.cells for name, runs in side.cells.items()}
    found: dict[LoadKind, Lead] = {}
    for kind in LOAD_KINDS:
        cells = {name: run for name, run in kinds.items() if run.load_kind == kind}
        told = {name: run for name, run in cells.items() if cell in {None, name}}
        if not told:
            continue
        metric = figure or CATALOGUE.primary(kind).name
        judged = _pairs(weighed, metric, cells)
        shown = {key: label for key, label in weighed.labels.items() if key not in hidden}
        rows = [
            LeadCell(
                workload=name[0],
                load=name[1],
                level=run.load_value,
                repeats={
                    side.key: len(values(side.cells.get(name, ()), metric))
                    for side in weighed.cells
                },
                pairs=judged.get(name, []),
            )
            for name, run in told.items()
        ]
        barred = list(_bars(weighed, shown, cell))
        opposed = [
            (base.key, other.key)
            for base, other in weighed.opposed
            if base.key in shown and other.key in shown
        ]
        if weighed.paired and len(opposed) > 1:
            found[kind] = lead_of_targets(metric, shown, rows, opposed, barred)
        else:
            found[kind] = lead(metric, shown, rows, barred)
    return found


def _pairs(weighed: Weighed, metric: str, cells: Collection[CellKey]) -> dict[CellKey, list[Pair]]:
    """Every two sides, by cell. Those with the baseline are the comparison's own differences, word
    for word; the others are judged likewise, and corrected together as a table of their own.
    """
    found: dict[CellKey, list[Pair]] = {}
    for told in weighed.differences:
        cell = (told.workload, told.load_level.label)
        if told.metric == metric and cell in cells:
            pair = Pair(told.baseline_side, told.side, told.word, 1 + told.relative)
            found.setdefault(cell, []).append(pair)
    if weighed.paired:
        return found
    baselines = {base.key for base, _ in weighed.opposed}
    others = [side for side in weighed.cells if side.key not in baselines]
    asked = [
        Asked(pair, cell, CATALOGUE[metric])
        for cell in cells
        for pair in itertools.combinations(others, 2)
    ]
    for one_asked, judgement in judged_together(
        asked, weighed.thresholds, weighed.noise, looked_at=weighed.looked_at
    ):
        first, second = one_asked.sides
        word = word_of(judgement.verdict, judgement.relative)
        found.setdefault(one_asked.cell, []).append(
            Pair(first.key, second.key, word, 1 + judgement.relative)
        )
    return found


def _bars(weighed: Weighed, shown: Collection[str], cell: CellKey | None) -> Iterable[str]:
    """What checks found of figures that cannot be true, of how many runs."""
    runs = {
        run.run_id
        for side in weighed.cells
        if side.key in shown
        for name, mine in side.cells.items()
        if cell in {None, name}
        for run in mine
    }
    titles: dict[str, set[UUID]] = {}
    for one in weighed.barred:
        if one.run_id in runs:
            titles.setdefault(one.title, set()).add(one.run_id)
    for title, concerned in titles.items():
        yield f"{title}, {len(concerned)} of {len(runs)} runs"


def headline_of(
    found: Mapping[LoadKind, Lead],
    labels: Mapping[str, str],
    counts: RunCounts,
    *,
    under_way: bool,
) -> Headline:
    """What sides came to.

    :param labels: of all of them, by key.
    :param under_way: whether more is to come.
    """
    runs = Runs(counts.total, counts.completed, counts.failed, counts.cancelled)
    return headline(found, labels, runs, under_way=under_way)


def headline_read(told: Headline) -> HeadlineRead:
    """A headline as it is shown."""
    return HeadlineRead.model_validate(asdict(told))


def leads_read(found: Mapping[LoadKind, Lead]) -> list[LeadRead]:
    """Leads as they are shown."""
    return [
        LeadRead.model_validate({**asdict(one), "load_kind": kind}) for kind, one in found.items()
    ]
