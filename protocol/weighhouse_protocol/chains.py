"""What is wrong with a chain of measured phases: a sentence that begins with the field. Pure."""

from collections.abc import Iterator, Sequence

from weighhouse_protocol.load import OpenLoad
from weighhouse_protocol.matrix import Matrix, OwnPoints
from weighhouse_protocol.phases import ChainLink
from weighhouse_protocol.records import MADE_BY_LOADING
from weighhouse_protocol.workload import Workload

LEAST_LINKS = 2
CHANGES_KEYS = ("insert", "delete")
"""Operations after which a phase that follows would not know which keys there are."""


def cannot_chain(
    chain: Sequence[ChainLink], scenario: str, workloads: Sequence[Workload], matrix: Matrix
) -> str:
    """Whether something keeps measured phases from following each other on one loaded system.

    :param chain: not empty.
    :returns: the first thing that is wrong; empty: nothing.
    """
    if scenario != "fixed":
        return f"phases.chain: belongs to `scenario: fixed`, and this is `{scenario}`"
    problems = (
        *_names(chain, workloads),
        *_data(chain, workloads),
        *_keys(chain, workloads, matrix),
        *_holes(chain, workloads, matrix),
    )
    return next(iter(problems), "")


def _names(chain: Sequence[ChainLink], workloads: Sequence[Workload]) -> Iterator[str]:
    names = [link.measure for link in chain]
    known = [workload.name for workload in workloads]
    for place, name in enumerate(names):
        where = f"phases.chain[{place}].measure"
        if name not in known:
            yield f"{where}: no workload is called {name!r}; there are {', '.join(known)}"
        elif name in names[:place]:
            yield (
                f"{where}: {name} is measured before; list the workload once more under another "
                "name, so that each phase has figures of its own"
            )
    for place, name in enumerate(known):
        if name not in names:
            yield (
                f"workloads[{place}]: {name} is in no phase of the chain; add {{measure: {name}}} "
                "to phases.chain, or leave it out"
            )
    if len(chain) < LEAST_LINKS:
        yield "phases.chain: one phase is no chain; name at least two, or leave it out"


def _data(chain: Sequence[ChainLink], workloads: Sequence[Workload]) -> Iterator[str]:
    places = {workload.name: place for place, workload in enumerate(workloads)}
    if any(link.measure not in places for link in chain):
        return
    first = workloads[places[chain[0].measure]]
    for link in chain[1:]:
        workload = workloads[places[link.measure]]
        for field in MADE_BY_LOADING:
            own, loaded = getattr(workload, field), getattr(first, field)
            if own != loaded:
                yield (
                    f"workloads[{places[link.measure]}].{field}: {workload.name} has "
                    f"{_said(own)}, and {first.name}, whose records are loaded, {_said(loaded)}; "
                    "all phases of a chain work on the same records"
                )


def _keys(
    chain: Sequence[ChainLink], workloads: Sequence[Workload], matrix: Matrix
) -> Iterator[str]:
    by_name = {workload.name: (place, workload) for place, workload in enumerate(workloads)}
    for link in chain[:-1]:
        if link.measure not in by_name:
            continue
        place, workload = by_name[link.measure]
        for operation in CHANGES_KEYS:
            if getattr(workload.operations, operation):
                yield (
                    f"workloads[{place}].operations.{operation}: phases after {workload.name} "
                    f"would not know which records there are; {operation}s may be in the last "
                    "phase of a chain alone (updates may be in all)"
                )
    for index, level in enumerate(matrix.levels):
        own = [point.load for point in level.points] if isinstance(level, OwnPoints) else [level]
        for load in own:
            rates = load.operation_rates if isinstance(load, OpenLoad) else {}
            if found := [one for one in CHANGES_KEYS if one in rates]:
                yield (
                    f"load_levels[{index}].operation_rates.{found[0]}: goes for all phases of the "
                    "chain, and only the last may change which records there are"
                )


def _holes(
    chain: Sequence[ChainLink], workloads: Sequence[Workload], matrix: Matrix
) -> Iterator[str]:
    """A target measures the whole chain at a load level, or nothing of it."""
    del chain
    for place, target in enumerate(matrix.targets):
        levels = [set(matrix.levels_of(place, index)) for index in range(len(workloads))]
        whole = set.intersection(*levels)
        for index, found in enumerate(levels):
            for level in sorted(found - whole):
                yield (
                    f"exclusions: {target.name} measures {workloads[index].name} at "
                    f"{matrix.levels[level].label}, and not all of the chain; a chain is measured "
                    "as a whole or not at all, so leave out a target or a load level"
                )


def _said(value: object) -> str:
    return "none" if value in (None, ()) else str(value)
