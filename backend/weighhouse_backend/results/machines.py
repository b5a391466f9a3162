"""The machines of sides, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from weighhouse_protocol.facts import MachineFacts

from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.figures import RunFigures

GIBIBYTE = 2**30


def machines_of(runs: Sequence[RunFigures]) -> Counter[str]:
    """On which machines runs were measured, in words, with how many runs; a gang's together."""
    found: Counter[str] = Counter()
    for run in runs:
        if run.record is not None and run.record.machine_ids:
            found[" + ".join(sorted(_machine_names(run.record)))] += 1
    return found


def machine_rows(sides: Sequence[Counter[str]]) -> list[str | None]:
    """The machines of each side, in words; None for all when all were measured on the same one."""
    if len({name for side in sides for name in side}) <= 1:
        return [None for _ in sides]
    return [_machine_words(side) for side in sides]


def _machine_words(side: Counter[str]) -> str:
    if len(side) <= 1:
        return next(iter(side), "not known")
    counted = ", ".join(
        f"{name} ({'1 run' if count == 1 else f'{count} runs'})"
        for name, count in sorted(side.items())
    )
    return f"{len(side)} different: {counted}"


def _machine_names(record: AttemptRecord) -> set[str]:
    return {
        f"{part.facts.get('hostname', 'unknown')} ({str(part.facts['machine_id'])[:8]})"
        for part in record.members
        if part.facts.get("machine_id")
    }


def kinds_of(runs: Sequence[RunFigures]) -> str | None:
    """The kinds of machines that runs were measured on, in words; None when none is known."""
    kinds = {
        machine_words(run.record.facts)
        for run in runs
        if run.record is not None and run.record.facts
    }
    return " and ".join(sorted(kinds)) or None


def machine_words(facts: Mapping[str, Any]) -> str:
    """A machine in words: what makes results of two machines comparable."""
    known = MachineFacts.as_kept(facts)
    return (
        f"{known.cpu_model}, {known.cores} cores, {known.memory_bytes / GIBIBYTE:.1f} GiB, "
        f"kernel {known.kernel}"
    )
