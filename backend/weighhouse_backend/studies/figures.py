"""Figures of a study beside each other: as printed, and as measured. Pure."""

from collections.abc import Sequence

from weighhouse_judging.studies.documents import PublishedFigure, Study

from weighhouse_backend.comparisons import estimates
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.studies.schemas import StudyFigureRead

METRICS = (*estimates.ESTIMATED, "p9999_us")
SHOWN = ("throughput", "mean_us", "p95_us", "p99_us", "memory_before_bytes", "memory_after_bytes")
"""Figures of ours that are listed whether or not the text prints them."""
Cell = tuple[str, str, str]
"""Side, workload, label of the load level."""


def study_figures(study: Study, runs: Sequence[RunFigures]) -> list[StudyFigureRead]:
    """Every figure that the text prints or that was measured; printed ones first."""
    cells: dict[Cell, list[RunFigures]] = {}
    for run in runs:
        cells.setdefault((run.target, run.workload, run.load_label), []).append(run)
    found = [_printed(one, cells) for one in study.published]
    printed = {(one.side, one.workload, one.load, one.figure) for one in study.published}
    for (side, workload, load), mine in cells.items():
        for figure in SHOWN:
            if (side, workload, load, figure) in printed:
                continue
            ours = estimates.estimate(estimates.values(mine, figure))
            if ours is not None:
                found.append(
                    StudyFigureRead(
                        side=side, workload=workload, load=load, load_value=mine[0].load_value,
                        figure=figure, printed=None, value=None, setting="", place="", ours=ours,
                    )
                )  # fmt: skip
    return found


def _printed(one: PublishedFigure, cells: dict[Cell, list[RunFigures]]) -> StudyFigureRead:
    mine = cells.get((one.side, one.workload, one.load), [])
    return StudyFigureRead(
        side=one.side,
        workload=one.workload,
        load=one.load,
        load_value=mine[0].load_value if mine else None,
        figure=one.figure,
        printed=one.printed,
        value=one.read.value,
        setting=one.setting,
        place=one.place,
        ours=estimates.estimate(estimates.values(mine, one.figure)),
    )
