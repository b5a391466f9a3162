"""What is wrong with an experiment whose runs last until something is full, or for hours. Pure.

Each function returns a sentence that begins with the field; empty: nothing is wrong.
"""

from collections.abc import Sequence

from weighhouse_protocol.load import Load, OpenLoad
from weighhouse_protocol.scenarios import FillUntil, Sustained
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Workload

SOAK_INTERVALS = 100
"""Fewest intervals of a soak: of fewer nobody tells a drift from noise."""


def soaks_too_short(measure_seconds: float, interval_seconds: float) -> str:
    """Of `scenario: soak`: whether there are too few intervals to tell a drift."""
    intervals = measure_seconds / interval_seconds
    if intervals >= SOAK_INTERVALS:
        return ""
    return (
        f"phases.measure_seconds: {measure_seconds:g} s are {intervals:.0f} intervals; a soak "
        f"takes at least {SOAK_INTERVALS}, and hours tell more"
    )


def cannot_fill(
    sustained: Sustained | None,
    workloads: Sequence[Workload],
    levels: Sequence[Load],
    targets: Sequence[Target],
    measure_operations: int | None,
) -> str:
    """Of `scenario: sustained`: whether something keeps it from ever being full.

    :param measure_operations: after which the measured phase would end.
    """
    if sustained is None:
        return (
            "sustained: `scenario: sustained` needs it: {until: {records: 1000000}} fills up to a "
            "million records"
        )
    if measure_operations is not None:
        return (
            "phases.measure_operations: a fill ends when it is full, or after measure_seconds; "
            "leave it out"
        )
    for place, workload in enumerate(workloads):
        if message := _fills_nothing(workload, levels, sustained.until):
            return f"workloads[{place}].{message}"
    return _measures_nothing(targets, sustained.until)


def _fills_nothing(workload: Workload, levels: Sequence[Load], until: FillUntil) -> str:
    own = [level.operation_rates for level in levels if isinstance(level, OpenLoad)]
    plain = len(own) < len(levels) or not all(own)
    if (plain and not workload.operations.insert) or any(
        rates and "insert" not in rates for rates in own
    ):
        return (
            f"operations.insert: {workload.name} inserts nothing, so nothing fills; give inserts a "
            "share, for example {insert: 1} or {read: 0.5, insert: 0.5}"
        )
    loaded = workload.records_to_load
    if until.records is not None and until.records <= loaded:
        return (
            f"record_count: {workload.name} loads {loaded:,} records, and is full with "
            f"{until.records:,}; load fewer, or fill up to more"
        )
    return ""


def _measures_nothing(targets: Sequence[Target], until: FillUntil) -> str:
    for place, target in enumerate(targets):
        if until.records is None and target.deployment == "external":
            return (
                f"targets[{place}].deployment: nobody sees how much memory or disk the external "
                f"{target.name} takes; fill by records"
            )
        if until.memory_share is not None and target.limits.memory_mebibytes is None:
            return (
                f"targets[{place}].limits.memory_mebibytes: {target.name} has no memory limit that "
                "memory_share could be a share of; give it one, or say memory_bytes"
            )
    return ""
