"""Did a run do what it was to do, or did it only come to its end? Pure.

A run whose load or measured phase failed for the most part measured how quickly a server says no.
It ends as failed, with the server's words, and is nobody's base, repeat or point of a series.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from weighhouse_judging.findings.words import LONGEST_WORDS, cut
from weighhouse_protocol.causes import Cause
from weighhouse_protocol.report import Failure

from weighhouse_backend.measurements.packed_intervals import PhaseKind
from weighhouse_backend.measurements.summaries import OperationSum, PhaseSum
from weighhouse_backend.results.causes import hint_of
from weighhouse_backend.results.failures import failures_of, first_of
from weighhouse_backend.results.schemas import PhaseRecord

MOST = 0.5
"""Share of what was answered, or of the records to be loaded, that may fail; beyond it the phase
failed for the most part.
"""
TAKES_NOT = ("refused", "full", "too_large")
"""Kinds of errors by which a server says that it does not take what it is asked."""
WORDS = {"load": "load phase", "measure": "measured phase"}


def failure_of(
    phases: Mapping[PhaseKind, PhaseSum],
    told: Sequence[PhaseRecord],
    *,
    records: int,
    loaded_before: OperationSum | None = None,
    broken_on_purpose: bool,
    causes: Sequence[Cause] = (),
) -> Failure | None:
    """Why a run failed that was measured to its end; None: it did not.

    A record whose insert failed is asked for again, so that a load is judged by its records.

    :param told: what the drivers said of their phases.
    :param records: that were to be loaded.
    :param loaded_before: what the load came to in the run that leads a chain, of one that follows.
    :param broken_on_purpose: the measured phase may fail.
    :param causes: what the system's words mean, by its manifest.
    """
    load = phases["load"].everything() if "load" in phases else loaded_before
    if load is not None and load.errors and records - load.ok > MOST * records:
        done = f"{load.ok:,} of {records:,} records were loaded"
        return _failed("load", done, load, told, causes)
    if "measure" in phases and not broken_on_purpose:
        measure = phases["measure"].everything()
        # Where it is not told what was never sent, timeouts may be that, and no failure.
        untold = 0 if phases["measure"].tells_due else measure.errors_by_kind.get("timeout", 0)
        if measure.errors - untold > MOST * (measure.answered - untold):
            done = f"{measure.errors:,} of {measure.answered:,} operations failed"
            return _failed("measure", done, measure, told, causes)
    return None


def _failed(
    phase: str,
    done: str,
    everything: OperationSum,
    told: Sequence[PhaseRecord],
    causes: Sequence[Cause],
) -> Failure:
    kinds = Counter(everything.errors_by_kind)
    (most, _), *_ = kinds.most_common(1)
    first = first_of(failures_of(told), phase, most)
    said = None if first is None else first.words
    quoted = cut(said, LONGEST_WORDS) if said else ""
    words = f": “{quoted}”" if quoted else ""
    others = "".join(f", {count:,} {kind}" for kind, count in kinds.most_common() if kind != most)
    return Failure(
        kind="refused" if most in TAKES_NOT else "database",
        message=(
            f"The {WORDS[phase]} failed for the most part: {done} ({kinds[most]:,} errors "
            f"{most}{others}){words}"
        ),
        hint=hint_of(most, said, causes),
        log_lines=(said,) if said and quoted != said else (),
    )
