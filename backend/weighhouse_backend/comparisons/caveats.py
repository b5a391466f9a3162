"""All that must stand beside the numbers of sides."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from weighhouse_judging.caveats.caveat_list import Beside, OfRun, Said, caveats
from weighhouse_judging.fairness.sheet import AspectRow
from weighhouse_judging.findings.checks import Finding

from weighhouse_backend.comparisons.readings import primary, undecided
from weighhouse_backend.comparisons.schemas import DifferenceRead
from weighhouse_backend.comparisons.sides import Side
from weighhouse_backend.disclosure.caveat_schemas import CaveatRead
from weighhouse_backend.disclosure.schemas import DisclosureRead
from weighhouse_backend.disclosure.service import DisclosureService
from weighhouse_backend.findings.caveats import answered, caveats_read, left_out, of_run, said
from weighhouse_backend.findings.schemas import RunFinding
from weighhouse_backend.runs.states import RunStatus

GRAVITY = ("bar", "caution", "note")


def caveats_of_sides(
    sides: Sequence[Side],
    labels: Mapping[str, str],
    disclosure: DisclosureService,
    sheet: DisclosureRead,
    of_runs: Iterable[RunFinding],
    of_comparison: Sequence[Finding],
    rows: Sequence[AspectRow],
    differences: Sequence[DifferenceRead],
) -> list[CaveatRead]:
    """The one list of caveats of a comparison.

    :param labels: what the sides are called, by key.
    :param sheet: the disclosure they are shown with.
    :param of_runs: what checks found of their runs, one by one.
    :param of_comparison: what checks found of the sides together.
    :param rows: the fairness sheet over the sides, in their order.
    """
    keys = {run.run_id: side.key for side in sides for run in side.runs}
    shown = Beside(
        sides=[side.key for side in sides],
        runs=sum(run.status == RunStatus.COMPLETED for side in sides for run in side.runs),
        said=list(_said(sides, disclosure)),
        found=_found(keys, of_runs),
        of_comparison=of_comparison,
        rows=rows,
        undecided=undecided(differences),
        judged=len(primary(differences)),
        tests=sum(one.p_holm is not None for one in differences),
        labels=labels,
        completeness=answered(sheet),
        not_disclosed=left_out(sheet),
    )
    return caveats_read(caveats(shown))


def gravest_first(found: Sequence[CaveatRead]) -> list[CaveatRead]:
    """Several lists as one; within a gravity as they came."""
    return sorted(found, key=lambda one: GRAVITY.index(one.severity))


def caveats_of_cell(
    sides: Sequence[Side],
    disclosure: DisclosureService,
    keys: Mapping[UUID, str],
    of_runs: Iterable[RunFinding],
) -> list[CaveatRead]:
    """Those of the list that concern one cell: statements, and what checks found of its runs.

    :param keys: of the sides of the cell's runs, by run.
    """
    shown = Beside(
        sides=[side.key for side in sides],
        runs=len(keys),
        said=list(_said(sides, disclosure)),
        found=_found(keys, of_runs),
    )
    return caveats_read(caveats(shown))


def _said(sides: Sequence[Side], disclosure: DisclosureService) -> Iterable[Said]:
    """What each side's target makes worth saying, of the sides that it is said of."""
    documents = {side.campaign.id: (side.campaign.project_id, side.document) for side in sides}
    by_target = {
        campaign_id: disclosure.disclaimers_by_target([project_id], document, campaign_id)
        for campaign_id, (project_id, document) in documents.items()
    }
    for side in sides:
        for one in by_target[side.campaign.id][side.target.name]:
            yield said(one, [side.key])


def _found(keys: Mapping[UUID, str], of_runs: Iterable[RunFinding]) -> list[OfRun]:
    return [of_run(one, keys[one.run_id]) for one in of_runs]
