"""Can these figures be true together, and are they what they are called? Checks of a run. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weighhouse_protocol.digits import number
from weighhouse_protocol.percent import percent

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import OperationFigures, PercentileKind, RunObservation
from weighhouse_judging.findings.words import (
    US_PER_SECOND,
    clients_in_words,
    duration_in_words,
    quantile_name,
)

LITTLE_TOLERANCE = 0.05
"""How far throughput × mean may exceed the number of clients: clocks and rounding."""
ACCOUNTED, CONTRADICTED = 0.8, 0.5
"""Share of the clients that has to be waiting for an answer, and the one below which latencies are
called wrong: drivers that count everything come to 0.98 and more, those that did not to 0.42-0.64.
"""
FILLED = 0.5
"""Share of the clients that figures in another unit have to fill before the unit is doubted."""
UNIT = 1000.0
OWN_WORK_US = 10.0
"""What a client may do for itself between an answer and the next question: draw a key, fill a
record. A database inside of the driver's process answers faster than that.
"""
OPERATIONS_BEYOND = 10
"""Operations that have to lie beyond a percentile before it is claimed."""
CLAIMED_QUANTILE = 0.99
"""Up to here a percentile is a headline figure; one beyond the data is a caution."""
KINDS_OF_PERCENTILES: Mapping[PercentileKind, str] = {
    "averaged": "the mean of the percentiles of intervals or connections",
    "of_one_connection": "the percentile of one connection's operations",
    "largest_of_intervals": "the largest percentile of an interval",
}


@dataclass(frozen=True)
class _Claim:
    """A figure of latency, and how many times the mean it may be at most."""

    name: str
    value_us: float
    times_mean: float


def littles_law(
    *,
    clients: int,
    throughput: float,
    mean_us: float | None = None,
    quantiles_us: Mapping[float, float] | None = None,
    pipeline: int = 1,
    think_time_us: float = 0.0,
) -> Finding | None:
    """Can these figures of a closed loop be true together? Works on imported figures too.

    `throughput` in operations a second, latencies in µs. In a closed loop no more than
    clients × pipeline operations are in flight, so the mean latency is at most that over the
    throughput, less the pause that a client makes after each answer; and since a share of 1 - q of
    the operations takes at least the q-quantile, the quantile is at most 1 / (1 - q) times the
    mean. Returns None when nothing contradicts.

    The unit is doubted when the figures divided by 1,000 not only fit but fill the clients: a mean
    of 0.3 µs fits any throughput and explains none.
    """
    in_flight = clients * pipeline
    if throughput <= 0 or in_flight <= 0:
        return None
    cycle = in_flight / throughput * US_PER_SECOND
    # With several requests of a client in flight, a pause is nobody's alone.
    pause = think_time_us if pipeline == 1 else 0.0
    most_mean, tolerated = max(0.0, cycle - pause), cycle * (1.0 + LITTLE_TOLERANCE) - pause
    claims: list[_Claim] = []
    if mean_us is not None:
        claims.append(_Claim("mean", mean_us, 1.0))
    for quantile, value in sorted((quantiles_us or {}).items()):
        claims.append(_Claim(quantile_name(quantile), value, 1.0 / (1.0 - quantile)))
    broken = [claim for claim in claims if claim.value_us > tolerated * claim.times_mean]
    if not broken:
        return None
    worst = max(broken, key=lambda claim: claim.value_us / claim.times_mean)
    name, value, limit = worst.name, worst.value_us, most_mean * worst.times_mean
    numbers: dict[str, Number] = {
        "clients": clients,
        "pipeline": pipeline,
        "think_time_us": think_time_us,
        "throughput": throughput,
        "claimed": name,
        "claimed_us": value,
        "largest_possible_us": limit,
        "largest_possible_mean_us": most_mean,
        "times_too_large": value / limit if limit > 0 else None,
    }
    less = f" ({value / limit:,.1f} times less)" if limit > 0 else ""
    message = (
        f"{clients_in_words(clients)} with {number(throughput)} operations a second cannot have a "
        f"{name} of {duration_in_words(value)}: at most {duration_in_words(limit)} is possible"
        f"{less}."
    )
    if _unit_explains(claims, most_mean):
        message += " The figures agree if the unit is µs and not ms."
        numbers["consistent_if_divided_by"] = int(UNIT)
    return checks.LITTLES_LAW.found("error", message, numbers)


def _unit_explains(claims: list[_Claim], most_mean: float) -> bool:
    """Whether figures a thousandth as large fit the clients, and fill them.

    A median may be well below the mean, a higher percentile hardly: all have to be at least half of
    what fills the clients.
    """
    scaled = [(claim.value_us / UNIT, claim.times_mean) for claim in claims]
    fits = all(value <= most_mean * times for value, times in scaled)
    return fits and all(value >= FILLED * most_mean for value, _ in scaled)


def littles_law_of(run: RunObservation) -> Finding | None:
    """Little's law from above, of a run."""
    if run.load_model != "closed" or run.clients is None:
        return None
    return littles_law(
        clients=run.clients,
        pipeline=run.pipeline,
        think_time_us=run.think_time_us,
        throughput=run.everything.throughput,
        mean_us=run.everything.mean_us,
        quantiles_us=run.everything.quantiles_us,
    )


def unaccounted_clients(run: RunObservation) -> Finding | None:
    """Little's law from below: in a closed loop every client waits for an answer, or thinks.

    Silent where clients wait for something else too: a system that is broken on purpose, several
    requests of one client with pauses between, a driver that is known to understate.
    """
    known = _everything_asked(run.everything, run.seconds)
    if run.load_model != "closed" or run.clients is None or known is None:
        return None
    paused_pipeline = run.pipeline > 1 and run.think_time_us > 0
    if run.broken_on_purpose or run.latency_understated or paused_pipeline:
        return None
    throughput, mean_us = known
    there = run.clients * run.pipeline
    waiting = throughput * mean_us / US_PER_SECOND
    thinking = throughput * run.think_time_us / US_PER_SECOND
    share = (waiting + thinking) / there
    if throughput <= 0 or share >= ACCOUNTED:
        return None
    untold_us = (there - waiting - thinking) / throughput * US_PER_SECOND
    if untold_us <= OWN_WORK_US:
        return None
    among = "" if run.pipeline == 1 else f" × {run.pipeline} in flight"
    thought = f" and {thinking:,.2g} thinking" if thinking else ""
    message = (
        f"{number(throughput)} operations a second of {duration_in_words(mean_us)} each are "
        f"{waiting:,.3g} waiting{thought} of {clients_in_words(run.clients)}{among}: "
        f"{percent(1 - share, 0)} of the clients' time is in no latency, "
        f"{duration_in_words(untold_us)} of each operation. Either the driver does not time "
        "all that its clients wait, or they were busy with something else; the latencies are too "
        "low for a public that waits."
    )
    numbers: dict[str, Number] = {
        "clients": run.clients,
        "pipeline": run.pipeline,
        "asked_per_second": throughput,
        "mean_us": mean_us,
        "think_time_us": run.think_time_us,
        "waiting": waiting,
        "thinking": thinking,
        "accounted_share": share,
        "untold_us": untold_us,
    }
    severity: Literal["caution", "error"] = "error" if share < CONTRADICTED else "caution"
    return checks.UNACCOUNTED_CLIENTS.found(severity, message, numbers)


def _everything_asked(
    figures: OperationFigures, seconds: float | None
) -> tuple[float, float] | None:
    """Operations a second and their mean, whatever became of them; None when that is not known."""
    if seconds and figures.asked_mean_us is not None:
        return figures.asked / seconds, figures.asked_mean_us
    # One time-out in a thousand takes longer than the thousand: what was not timed is not guessed.
    if figures.mean_us is None or figures.asked > figures.ok:
        return None
    return figures.throughput, figures.mean_us


def beyond_range(run: RunObservation) -> Finding | None:
    """Did answers take longer than the histograms reach that the percentiles are of?"""
    figures = run.everything
    beyond, all_timed = figures.beyond_range, figures.ok + figures.beyond_range
    if beyond == 0:
        return None
    reached = [f"p{quantile * 100:g}" for quantile in sorted(figures.quantiles_us)
               if quantile * all_timed > figures.ok]  # fmt: skip
    message = (
        f"{beyond:,} answers took longer than the histograms reach, and are in no percentile: "
        f"{_listed([*reached, 'the longest'])} lie beyond what is told, and the mean and every "
        "other percentile are too low."
    )
    numbers: dict[str, Number] = {"beyond_range": beyond, "ok": figures.ok}
    return checks.BEYOND_RANGE.found("error", message, numbers)


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def samples(run: RunObservation) -> Finding | None:
    """Do enough operations lie beyond each percentile, of all together and of each kind?"""
    lacking: list[tuple[str, OperationFigures, list[float]]] = []
    for name, figures in {"all": run.everything, **run.operations}.items():
        short = [
            quantile
            for quantile in sorted(figures.quantiles_us)
            if figures.ok * (1.0 - quantile) < OPERATIONS_BEYOND * (1.0 - 1e-9)
        ]
        if short and figures.ok > 0:
            lacking.append((name, figures, short))
    if not lacking:
        return None
    # The sum comes first, then the operation that tells least.
    name, figures, short = min(lacking, key=lambda one: (one[0] != "all", one[2][0], one[1].ok))
    names = ", ".join(quantile_name(quantile) for quantile in short)
    needed = OPERATIONS_BEYOND / (1.0 - short[0])
    what = "operations" if name == "all" else f"operations of kind {name}"
    message = (
        f"{figures.ok:,} {what} are too few for {names}: fewer than {OPERATIONS_BEYOND} lie "
        f"beyond it. {quantile_name(short[0])} needs {needed:,.0f}."
    )
    others = [f"{one} ({quantile_name(least[0])})" for one, _, least in lacking if one != name]
    if others:
        message += f" Nor does the number do for {', '.join(others)}."
    least = min(one[2][0] for one in lacking)
    severity: Literal["info", "caution"] = "caution" if least <= CLAIMED_QUANTILE else "info"
    numbers: dict[str, Number] = {
        "operation": name,
        "operations": figures.ok,
        "percentiles": names,
        "operations_needed": round(needed),
        "operations_short": ", ".join(one for one, _, _ in lacking),
    }
    return checks.SAMPLES.found(severity, message, numbers)


def coordinated_omission(run: RunObservation) -> Finding | None:
    """A closed loop's latencies are service times."""
    if run.load_model != "closed":
        return None
    message = (
        "Each client waited for its answer before it asked again, so the latencies are service "
        "times under this load and no response times of an arriving public."
    )
    return checks.COORDINATED_OMISSION.found("info", message, {"clients": run.clients})


def averaged_percentiles(kind: PercentileKind, quantiles: Mapping[float, float]) -> Finding | None:
    """Are the percentiles of imported figures percentiles of the run?

    :param kind: what the document they come from says, or its tool is known to print.
    :param quantiles: quantile → latency, those that are shown.
    """
    if kind == "of_all" or not quantiles:
        return None
    names = ", ".join(quantile_name(quantile) for quantile in sorted(quantiles))
    message = (
        f"What is called {names} is {KINDS_OF_PERCENTILES[kind]}. It may lie far from the "
        "percentile of all operations, in either direction, and cannot be merged or compared with "
        "one."
    )
    numbers: dict[str, Number] = {"statistic": kind, "percentiles": names}
    return checks.AVERAGED_PERCENTILES.found("caution", message, numbers)


def averaged_percentiles_of(run: RunObservation) -> Finding | None:
    """The same of an observation."""
    return averaged_percentiles(run.percentile_kind, run.everything.quantiles_us)


def latency_understated(run: RunObservation) -> Finding | None:
    """Drivers of before a repair left waiting out."""
    if not run.latency_understated:
        return None
    message = (
        "The driver of this run is from before its closed loop counted the time that a client "
        "waits behind the driver's others: with several clients the latencies are too low, by up "
        "to half. Throughput is right. Measure again to compare latencies."
    )
    numbers: dict[str, Number] = {} if run.clients is None else {"clients": run.clients}
    return checks.LATENCY_UNDERSTATED.found("error", message, numbers)
