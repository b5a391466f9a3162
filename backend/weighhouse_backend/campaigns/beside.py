"""The base beside a build: its targets, measured again in the same campaign. Pure.

They stand behind the targets of the campaign's own document, under names of their own, so that
nothing that goes by a target's name takes their figures for the build's.
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from weighhouse_protocol.experiment import Experiment as Document
from weighhouse_protocol.matrix import OperatingPoint, OwnPoints
from weighhouse_protocol.target import Target

from weighhouse_backend.campaigns.plan import PlannedCell

SUFFIX = ".base"
LONGEST_NAME = 63
LONGEST_LABEL = LONGEST_VERSION = 80


def base_targets(
    own: Sequence[Target], theirs: Sequence[Target], versions: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What of a base is measured again: each of its targets that the build has too, by name.

    :param versions: target → the version that ran in the base's campaign; where the base left the
        version open, that one is asked for.
    :returns: as `Campaign.beside` keeps them.
    """
    found: list[dict[str, Any]] = []
    there = {target.name: target for target in theirs}
    taken = {target.name for target in own}
    for target in own:
        base = there.get(target.name)
        if base is None:
            continue
        name = _free(target.name, taken)
        taken.add(name)
        label = (base.label or base.name)[: LONGEST_LABEL - len(" (base, measured again)")]
        ran = versions.get(base.name, "any")
        version = ran if base.version == "any" and len(ran) <= LONGEST_VERSION else base.version
        again = base.model_copy(
            update={"name": name, "label": f"{label} (base, measured again)", "version": version}
        )
        found.append({"of": target.name, "name": name, "target": again.model_dump(mode="json")})
    return found


def with_beside(document: Document, beside: Sequence[Mapping[str, Any]]) -> Document:
    """A campaign's document with the targets of its base behind its own."""
    if not beside:
        return document
    names = {str(one["of"]): str(one["name"]) for one in beside}
    targets = [Target.model_validate(one["target"]) for one in beside]
    levels = [
        level.model_copy(update={"points": (*level.points, *_points(level, names))})
        if isinstance(level, OwnPoints)
        else level
        for level in document.load_levels
    ]
    return document.model_copy(
        update={"targets": (*document.targets, *targets), "load_levels": tuple(levels)}
    )


def cells_beside(
    document: Document,
    beside: Sequence[Mapping[str, Any]],
    cells: Collection[PlannedCell] | None = None,
) -> tuple[PlannedCell, ...]:
    """The base's cells beside some of the campaign's own, or beside all.

    :param document: the campaign's own.
    """
    if cells is None:
        cells = tuple(itertools.starmap(PlannedCell, document.cells))
    places = {str(one["of"]): place for place, one in enumerate(beside, len(document.targets))}
    return tuple(
        PlannedCell(places[name], cell.workload_index, cell.load_index)
        for cell in cells
        if cell.target_index < len(document.targets)
        and (name := document.targets[cell.target_index].name) in places
    )


def _points(level: OwnPoints, names: Mapping[str, str]) -> list[OperatingPoint]:
    return [
        point.model_copy(update={"target": names[point.target]})
        for point in level.points
        if point.target in names
    ]


def _free(name: str, taken: Collection[str]) -> str:
    found, number = name[: LONGEST_NAME - len(SUFFIX)] + SUFFIX, 2
    while found in taken:
        ending = f"{SUFFIX}{number}"
        found, number = name[: LONGEST_NAME - len(ending)] + ending, number + 1
    return found
