"""What failed in the phases of a run, and what was said first of it. Pure."""

from collections.abc import Iterable, Sequence

from weighhouse_backend.measurements.records import AttemptRecord
from weighhouse_backend.results.schemas import ErrorsRead, PhaseRecord
from weighhouse_backend.runs.instants import instant

PHASES = ("check", "load", "warmup", "measure")


def failures_of(told: Iterable[PhaseRecord]) -> list[ErrorsRead]:
    """By phase in their order, then the commonest first; of several drivers together, with the
    earliest words.

    :param told: what the drivers said of their phases, of all members.
    """
    found: dict[tuple[str, str | None, str], ErrorsRead] = {}
    for one in (each for phase in told for each in _of(phase)):
        before = found.setdefault((one.phase, one.operation, one.kind), one)
        if before is one:
            continue
        before.count += one.count
        if one.at is not None and (before.at is None or one.at < before.at):
            before.at, before.words = one.at, one.words
    return sorted(found.values(), key=lambda one: (PHASES.index(one.phase), -one.count))


def phases_told(record: AttemptRecord) -> list[PhaseRecord]:
    """What the drivers of an attempt said of their phases."""
    return [PhaseRecord.as_kept(item) for item in record.phases]


def first_of(failures: Sequence[ErrorsRead], phase: str, kind: str) -> ErrorsRead | None:
    """What was said first in a phase of a kind of error, by whatever operation."""
    said = [
        (one.at, place)
        for place, one in enumerate(failures)
        if (one.phase, one.kind) == (phase, kind) and one.at is not None
    ]
    return failures[min(said)[1]] if said else None


def _of(phase: PhaseRecord) -> Iterable[ErrorsRead]:
    for one in phase.failed:
        first = one.first
        yield ErrorsRead(
            phase=phase.phase,
            operation=one.operation,
            kind=one.kind,
            count=one.count,
            words=None if first is None else first.words,
            at=None if first is None else instant(first.at_us),
        )
    if phase.failed:
        return
    # An agent from before tells the kinds of all operations together.
    for kind, count in phase.errors.items():
        said = phase.said.get(kind)
        yield ErrorsRead(
            phase=phase.phase,
            operation=None,
            kind=kind,
            count=count,
            words=None if said is None else said.words,
            at=None if said is None else instant(said.at_us),
        )
