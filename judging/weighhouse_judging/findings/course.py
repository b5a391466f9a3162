"""Was the run in a steady state? The check of a run's course. Pure."""

from typing import Literal

from weighhouse_protocol.percent import percent, signed_percent

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import RunObservation
from weighhouse_judging.findings.steadiness import (
    FEWEST_INTERVALS,
    Steadiness,
    SteadyClass,
    assess,
)

WORDS: dict[SteadyClass, str] = {
    "flat": "flat",
    "warming_up": "warming up",
    "slowing_down": "slowing down",
    "periodic": "periodic",
    "unsteady": "unsteady",
    "overloaded": "overloaded",
    "not_assessable": "not assessable",
}
"""The classes, as people read them."""


def steady_state(run: RunObservation) -> Finding | None:
    """What the course of the measured phase was, unless it was flat.

    A system that is broken on purpose is not judged.
    """
    if run.course is None or run.broken_on_purpose:
        return None
    found = assess(run.course)
    if found.is_steady:
        return None
    severity: Literal["info", "caution", "error"] = "caution"
    if found.kind == "not_assessable":
        severity = "info"
    elif found.kind == "overloaded":
        severity = "error"
    numbers: dict[str, Number] = {
        "class": WORDS[found.kind],
        "intervals": found.intervals,
        "segments": len(found.segments),
        "throughput_change": found.throughput_change,
        "p99_change": found.p99_change,
        "lowest_share": found.lowest_share,
        "backlog_growth_seconds_per_second": found.backlog_growth,
        "coefficient_of_variation": found.coefficient_of_variation,
        "correlation_of_neighbours": found.correlation,
        "standard_error_of_the_mean": found.mean_error,
        "period_seconds": found.period_seconds,
        "standstill_seconds": found.standstill_seconds,
    }
    return checks.STEADY_STATE.found(severity, sentence(found), numbers)


def sentence(found: Steadiness) -> str:
    """What the class means, with its figures."""
    change = abs(found.throughput_change)
    latency = (
        "" if not found.p99_change else f" p99 changed by {signed_percent(found.p99_change, 0)}."
    )
    way = "rose" if found.throughput_change > 0 else "fell"
    by = f"throughput {way} by {percent(change)}" if change else "throughput stayed"
    growth = 0.0 if found.backlog_growth is None else found.backlog_growth
    return {
        "flat": "Flat: one figure describes the measured phase.",
        "warming_up": f"Warming up: {by} over the measured phase.{latency} The warm-up ended "
        "before the system had settled.",
        "slowing_down": f"Slowing down: {by} over the measured phase.{latency} The system degrades "
        "as it runs, so the figure depends on how long was measured.",
        "periodic": _periodic(found),
        "unsteady": _unsteady(found, latency),
        "overloaded": f"Overloaded: the backlog grew by {growth:.2g} s in every second. More is "
        "asked than the system can do; its latencies say how long was measured, nothing else.",
        "not_assessable": _few(found)
        if found.few_operations is not None
        else f"Not assessable: {found.intervals} intervals, and at least "
        f"{FEWEST_INTERVALS} with successes in most are needed to tell a course from noise. "
        "Whether the system had settled is not known.",
    }[found.kind]


def _periodic(found: Steadiness) -> str:
    period = found.period_seconds or 0.0
    what = (
        f"throughput falls to {percent(found.lowest_share, 0)} of its highest"
        if found.period_of == "throughput"
        else "p99 rises"
    )
    return (
        f"Periodic: {what} every {period:.3g} s or so. The figure depends on how many such periods "
        "the measured phase held, and where in one it began and ended."
    )


def _unsteady(found: Steadiness, latency: str) -> str:
    if found.standstill_seconds:
        return (
            f"Unsteady: for {found.standstill_seconds:.3g} s in all next to nothing was done. The "
            "figure is a mean of work and standstill."
        )
    if len(found.segments) == 1:
        return (
            "Unsteady: throughput wanders so widely that its mean is known to "
            f"± {percent(2 * found.mean_error, 0)} only."
        )
    return (
        f"Unsteady: {len(found.segments)} stretches of different level, the lowest at "
        f"{percent(found.lowest_share, 0)} of the highest's throughput.{latency} One figure "
        "describes none of them."
    )


def _few(found: Steadiness) -> str:
    many = "1 operation" if found.few_operations == 1 else f"{found.few_operations} operations"
    known = (
        f", by which its rate is known to ± {percent(2 * found.mean_error, 0)}"
        if found.mean_error
        else ""
    )
    return (
        f"Not assessable: {many} succeeded in all{known}: too few to tell a course from chance. "
        "Measure for longer."
    )
