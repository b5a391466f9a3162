"""The identity of a cell: what was measured, whoever was measured by it. Pure.

A cell is its workload (all of it, the number of records with the rest), its load level, its phases,
its scenario with the faults, what was measured before it on the same system (in a chain), and what
made the load: the driver, its version, its threads. Names and descriptions are no part of it: a
workload by another name is the same workload.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.load import Load
from weighhouse_protocol.workload import Workload

from weighhouse_judging.identity.digests import Identity, flattened, identity_of, joined

NAMES = {"name", "description"}


@dataclass(frozen=True)
class DriverSeen:
    """What made the load of one repeat; None is not known."""

    name: str | None
    version: str | None = None
    threads: int | None = None


def cell_identity(
    document: Experiment, workload: Workload, load: Load, drivers: Sequence[DriverSeen]
) -> Identity:
    """The identity of one cell of an experiment, as its repeats were measured.

    Fields left at their defaults are not hashed, so that a field which a later version adds leaves
    identities as they are; all are named, so that a difference can be.

    :param drivers: of the repeats that gave a figure; none: nothing of the driver is known.
    """
    driver = {
        "name": joined([one.name for one in drivers]),
        "version": joined([one.version for one in drivers]),
        "threads": joined([_number(one.threads) for one in drivers]),
    }
    content = {
        "workload": workload.model_dump(mode="json", exclude=NAMES, exclude_defaults=True),
        "load": load.model_dump(mode="json", exclude_defaults=True) | {"model": load.model},
        "phases": document.phases.under(workload.name).model_dump(
            mode="json", exclude_defaults=True
        ),
        "scenario": _scenario(document),
        "faults": [
            fault.model_dump(mode="json", exclude_defaults=True) for fault in document.faults
        ],
        "driver": driver,
    }
    if before := _before(document, workload, exclude_defaults=True):
        content["before"] = before
    return identity_of(content, dict(_fields(document, workload, load, driver)))


def _fields(
    document: Experiment, workload: Workload, load: Load, driver: dict[str, str]
) -> Iterator[tuple[str, str]]:
    parts: list[tuple[str, Any]] = [
        ("workload", workload.model_dump(mode="json", exclude=NAMES)),
        ("load_level", load.model_dump(mode="json")),
        (
            "phases",
            document.phases.under(workload.name).model_dump(mode="json", exclude={"chain"}),
        ),
        ("before", _before(document, workload)),
        ("scenario", _scenario(document)),
        ("faults", [fault.model_dump(mode="json") for fault in document.faults]),
        ("driver", driver),
    ]
    for path, value in parts:
        yield from flattened(value, path)


def _before(
    document: Experiment, workload: Workload, *, exclude_defaults: bool = False
) -> list[dict[str, Any]]:
    """What was done to the same data before: the earlier phases of a chain, in their order. The
    first phase of a chain is what it is without one.
    """
    by_name = {one.name: one for one in document.workloads}
    return [
        {
            "workload": by_name[name].model_dump(
                mode="json", exclude=NAMES, exclude_defaults=exclude_defaults
            ),
            "phases": document.phases.under(name).model_dump(
                mode="json", exclude={"chain"}, exclude_defaults=exclude_defaults
            ),
        }
        for name in document.phases.before(workload.name)
    ]


def _scenario(document: Experiment) -> str:
    """What is done to the system. Noise is measured by the same cells, twice, and a search by the
    same cells at loads it chose; a soak is a fixed load that lasts.
    """
    if document.sustained is not None:
        kind, value = document.sustained.until.said
        return f"sustained until {kind} {value:.12g}"
    return "fault" if document.scenario == "fault" else "fixed"


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)
