"""Figures of a study beside each other: as printed, and as measured. Pure."""

from collections.abc import Sequence

from weighhouse_judging.studies.documents import PublishedFigure, Study
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.comparisons import estimates
from weighhouse_backend.results.figures import RunFigures
from weighhouse_backend.results.repeats import values
from weighhouse_backend.studies.schemas import StudyFigureRead

Cell = tuple[str, str, str]
"""Side, workload, label of the load level."""


def study_figures(study: Study, runs: Sequence[RunFigures]) -> list[StudyFigureRead]:
    """Every figure that the text prints, and ours of the same kinds in cells that it does not
    print; by figure and workload, sides in the study's order, loads rising.
    """
    cells: dict[Cell, list[RunFigures]] = {}
    for run in runs:
        cells.setdefault((run.target, run.workload, run.load_label), []).append(run)
    found = [_printed(one, cells) for one in study.published]
    printed = {(one.side, one.workload, one.load, one.figure) for one in study.published}
    told = {one.figure for one in study.published}
    kinds = [one.name for one in CATALOGUE if one.primary_of or one.name in told]
    for (side, workload, load), mine in cells.items():
        for figure in (one for one in kinds if CATALOGUE[one].scale != "size"):
            if (side, workload, load, figure) in printed:
                continue
            ours = estimates.estimate(values(mine, figure))
            if ours is not None:
                found.append(
                    StudyFigureRead(
                        side=side, workload=workload, load=load, load_value=mine[0].load_value,
                        figure=figure, printed=None, value=None, setting="", place="", ours=ours,
                    )
                )  # fmt: skip
    order = {side.name: at for at, side in enumerate(study.sides)}
    workloads = list(dict.fromkeys(one.workload for one in found))
    return sorted(
        found,
        key=lambda one: (
            CATALOGUE.cause_rank(one.figure),
            workloads.index(one.workload),
            order[one.side],
            _clients(one.load),
            one.load,
            one.setting,
        ),
    )


def _clients(label: str) -> float:
    """The number that a load's label begins with, so that loads rise."""
    first = label.split(" ", 1)[0].replace(",", "")
    return float(first) if first.replace(".", "", 1).isdigit() else 0.0


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
        ours=estimates.estimate(values(mine, one.figure)),
    )
