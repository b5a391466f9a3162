"""All that must stand beside the numbers of sides."""

from collections.abc import Iterable, Sequence

from weighhouse_judging.caveats.gathering import Beside, OfRun, Said, caveats
from weighhouse_judging.fairness.sheet import AspectRow
from weighhouse_judging.findings.checks import Finding

from weighhouse_backend.campaigns.states import RunStatus
from weighhouse_backend.comparisons.sides import Side, sides_read
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.schemas import DisclosureRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.caveats import caveats_read, left_out, of_run, said
from weighhouse_backend.findings.examination import RunFinding


def caveats_of_sides(
    sides: Sequence[Side],
    disclosure: DisclosureService,
    sheet: DisclosureRead,
    of_runs: Iterable[RunFinding],
    of_comparison: Sequence[Finding],
    rows: Sequence[AspectRow],
) -> list[CaveatRead]:
    """The one list of caveats of a comparison.

    :param sheet: the disclosure they are shown with.
    :param of_runs: what checks found of their runs, one by one.
    :param of_comparison: what checks found of the sides together.
    :param rows: the fairness sheet over the sides, in their order.
    """
    shown = Beside(
        sides=[side.key for side in sides],
        runs=sum(run.status == RunStatus.COMPLETED for side in sides for run in side.runs),
        said=list(_said(sides, disclosure)),
        found=list(_found(sides, of_runs)),
        of_comparison=of_comparison,
        rows=rows,
        labels={side.key: side.label for side in sides_read(sides)},
        completeness=sheet.completeness,
        not_disclosed=left_out(sheet),
    )
    return caveats_read(caveats(shown))


def _said(sides: Sequence[Side], disclosure: DisclosureService) -> Iterable[Said]:
    """What each side's target makes worth saying, of the sides that it is said of."""
    for side in sides:
        project, document = side.campaign.project_id, side.document
        for one in disclosure.disclaimers_of([project], document, {side.target.name}):
            yield said(one, [side.key])


def _found(sides: Sequence[Side], of_runs: Iterable[RunFinding]) -> Iterable[OfRun]:
    keys = {run.run_id: side.key for side in sides for run in side.runs}
    for one in of_runs:
        yield of_run(one.run_id, keys[one.run_id], one.finding)
