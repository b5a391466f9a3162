"""The experiment that measures what a calibration found: each target at its own operating point.
Pure.
"""

from collections.abc import Sequence
from typing import Literal

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import Load
from weighhouse_protocol.matrix import OperatingPoint, OwnPoints
from weighhouse_protocol.scenarios import varied
from weighhouse_protocol.text import numbered
from weighhouse_protocol.yaml_document import experiment_to_yaml

from weighhouse_backend.scenarios.schemas import (
    NotFoundRead,
    OperatingPointRead,
    OperatingPointsRead,
    SearchesRead,
    SearchRead,
)

End = Literal["value", "low"]
"""Of an operating point: itself, or the lower end of its interval, which stays inside almost
surely."""
MOST_SLUG = 63


def operating_points(
    document: Experiment, number: int, asked: SearchesRead, end: End
) -> OperatingPointsRead:
    """What was found as a file to measure at, and what was not. The file begins with of how many
    runs it is, while more may come.

    :param document: of the calibration, with the levels it chose.
    :param number: the campaign's.
    :param asked: all of its searches.
    """
    searches, completeness = asked.searches, asked.completeness
    found: dict[int, list[OperatingPoint]] = {}
    missing = []
    begins = {level.label: place for place, level in enumerate(document.load_levels)}
    for search in searches:
        place = begins[search.load_level.label]
        if search.operating_point is None:
            missing.append(_not_found(search))
            continue
        load = _load(document.begun(place), search.operating_point, end)
        found.setdefault(place, []).append(
            OperatingPoint(target=search.target, workload=search.workload, load=load)
        )
    levels = [
        OwnPoints(
            model="own",
            name=_name(document, place, several=len(found) > 1),
            points=_joined(points, len(document.workloads)),
            origin=f"calibration in campaign {numbered(number)}: {_taken(end)}",
        )
        for place, points in sorted(found.items())
    ]
    text = experiment_to_yaml(_measuring(document, levels)) if levels else None
    if text is not None and completeness.words:
        text = f"# {completeness.words}\n{text}"
    return OperatingPointsRead(completeness=completeness, yaml=text, missing=missing)


def _measuring(document: Experiment, levels: Sequence[OwnPoints]) -> Experiment:
    """The calibration's experiment, measured at its answers; targets without any stay out."""
    named = {point.target for level in levels for point in level.points}
    workloads = [
        workload
        for workload in document.workloads
        if any(level.load_of(name, workload.name) for level in levels for name in named)
    ]
    kept = {workload.name for workload in workloads}
    systems = {target.system for target in document.targets if target.name in named}
    return document.model_copy(
        update={
            "slug": f"{document.slug[: MOST_SLUG - 7].rstrip('-._')}-points",
            "name": f"{document.name[:90]}, at its operating points",
            "targets": tuple(one for one in document.targets if one.name in named),
            "workloads": tuple(workloads),
            "exclusions": tuple(
                one
                for one in document.exclusions
                if one.load is None
                and one.target in {None, *named}
                and one.system in {None, *systems}
                and one.workload in {None, *kept}
            ),
            "load_levels": tuple(levels),
            "scenario": "fixed",
            "calibrate": None,
            "repetitions": max(5, document.least_repetitions),
        }
    )


def _load(begun: Load, point: OperatingPointRead, end: End) -> Load:
    value = point.value if end == "value" else point.low
    if begun.model == "closed":
        return varied(begun, max(1, int(value)))
    # A rate of six figures is as exact as any that was found, and can be read.
    return varied(begun, float(f"{value:.6g}"))


def _joined(points: Sequence[OperatingPoint], workloads: int) -> tuple[OperatingPoint, ...]:
    """Points of one workload need no word of it."""
    if workloads > 1:
        return tuple(points)
    return tuple(point.model_copy(update={"workload": None}) for point in points)


def _name(document: Experiment, place: int, *, several: bool) -> str:
    envelope = document.latency_envelope
    name = "operating points" if envelope is None else envelope.words
    return f"{name}, from {document.load_levels[place].label}"[:80] if several else name


def _taken(end: End) -> str:
    return "as found" if end == "value" else "the lower end of each interval"


def _not_found(search: SearchRead) -> NotFoundRead:
    return NotFoundRead(
        target=search.target,
        workload=search.workload,
        load_level=search.load_level,
        reason=search.sentence,
    )
