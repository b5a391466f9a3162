"""What checks have to say of results that others published. Pure.

A run of ours is checked with all that was recorded; of published results only what is printed is
known. A check is asked where its question can be, over every value that the printed one may have
been rounded from, and says nothing where a figure, a loop or a statistic is not told.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from weighhouse_protocol.digits import number
from weighhouse_protocol.published.cells import PublishedCell
from weighhouse_protocol.published.figures import PublishedFigure, PublishedStatistic
from weighhouse_protocol.published.results import PublishedResults

from weighhouse_judging.findings import checks
from weighhouse_judging.findings.checks import Finding, Number
from weighhouse_judging.findings.observation import PercentileKind
from weighhouse_judging.findings.plausibility import averaged_percentiles, littles_law
from weighhouse_judging.findings.words import (
    US_PER_SECOND,
    clients_in_words,
    duration_in_words,
    quantile_name,
)

KINDS: Mapping[PublishedStatistic, PercentileKind] = {
    "averaged": "averaged",
    "one_connection": "of_one_connection",
    "highest_of_intervals": "largest_of_intervals",
}
"""Statistics under which a percentile is none of the run."""
ALWAYS_WAITING = 0.02
"""How near throughput × mean comes to the clients when each of them always waits."""
RATE_KEPT = 0.99
"""Share of an asked rate from which on it counts as kept."""


@dataclass(frozen=True)
class PublishedFinding:
    """What a check found of one published cell."""

    cell: int
    """Its place in the document, from 0."""
    side: str
    finding: Finding


def published_findings(results: PublishedResults) -> list[PublishedFinding]:
    """All that checks have to say, cell by cell in the document's order."""
    return [
        PublishedFinding(place, cell.side, finding)
        for place, cell in enumerate(results.cells)
        for finding in _of_cell(cell)
    ]


def quantiles_of(
    cell: PublishedCell, operation: str, setting: str = ""
) -> dict[float, PublishedFigure]:
    """The percentiles of an operation, quantile → figure, those whose value is known."""
    return {
        known.quantile: one
        for one in cell.figures
        if one.operation == operation and one.setting == setting and one.value is not None
        and (known := one.known) is not None and known.quantile is not None
    }  # fmt: skip


def _of_cell(cell: PublishedCell) -> Iterator[Finding]:
    groups = list(dict.fromkeys((one.operation, one.setting) for one in cell.figures))
    for operation, setting in groups:
        yield from _of_operation(cell, operation, setting)
    yield from _averaged(cell)
    asked = _rate_of_waiting_clients(cell)
    if asked is not None:
        yield asked


def _of_operation(cell: PublishedCell, operation: str, setting: str) -> Iterator[Finding]:
    quantiles = quantiles_of(cell, operation, setting)
    named = {
        one.figure: one
        for one in cell.figures
        if (one.operation, one.setting) == (operation, setting) and one.value is not None
    }
    throughput, mean = named.get("throughput"), named.get("mean_us")
    plain = {
        quantile: _least(one) for quantile, one in quantiles.items() if one.statistic not in KINDS
    }
    in_flight = cell.load.operations_in_flight
    if cell.load.loop == "closed" and in_flight is not None and throughput is not None:
        found = littles_law(
            clients=cell.load.clients or 1,
            pipeline=cell.load.pipeline or 1,
            throughput=_least(throughput),
            mean_us=None if mean is None else _least(mean),
            quantiles_us=plain,
        )
        if found is not None:
            yield found
    ordered = _out_of_order(quantiles, operation)
    if ordered is not None:
        yield ordered
    if throughput is not None and mean is not None:
        closed = _closed_as_open(cell, throughput, mean)
        if closed is not None:
            yield closed


def _least(figure: PublishedFigure) -> float:
    value = figure.value if figure.low is None else figure.low
    return 0.0 if value is None else value


def _most(figure: PublishedFigure) -> float:
    value = figure.value if figure.high is None else figure.high
    return 0.0 if value is None else value


def _out_of_order(quantiles: Mapping[float, PublishedFigure], operation: str) -> Finding | None:
    """Percentiles of one distribution never fall."""
    rising = sorted(quantiles.items())
    for (low, lower), (high, higher) in pairwise(rising):
        one_kind = lower.statistic == higher.statistic and lower.statistic != "averaged"
        if one_kind and _least(lower) > _most(higher):
            first, second = quantile_name(low), quantile_name(high)
            of = "" if operation == "all" else f" of {operation}"
            message = (
                f"{first}{of} is {lower.printed or duration_in_words(_least(lower))} and {second} "
                f"is {higher.printed or duration_in_words(_most(higher))}: a higher percentile of "
                "the same operations is never less. One of the two is another figure, or of "
                "other operations."
            )
            numbers: dict[str, Number] = {
                "operation": operation,
                "lower": first,
                "lower_us": _least(lower),
                "higher": second,
                "higher_us": _most(higher),
            }
            return checks.PERCENTILE_ORDER.found("error", message, numbers)
    return None


def _averaged(cell: PublishedCell) -> Iterator[Finding]:
    """Percentiles that are none of the run, once for each way in which they are not."""
    for statistic, kind in KINDS.items():
        found = {
            known.quantile: one.value
            for one in cell.figures
            if one.statistic == statistic and one.value is not None
            and (known := one.known) is not None and known.quantile is not None
        }  # fmt: skip
        finding = averaged_percentiles(kind, found)
        if finding is not None:
            yield finding


def _closed_as_open(
    cell: PublishedCell, throughput: PublishedFigure, mean: PublishedFigure
) -> Finding | None:
    """Is what is said to be an open loop one in which every client always waits?"""
    load, in_flight = cell.load, cell.load.operations_in_flight
    if load.loop != "open" or in_flight is None or throughput.value is None:
        return None
    waiting = throughput.value * (mean.value or 0.0) / US_PER_SECOND
    reached = load.rate is None or throughput.value >= RATE_KEPT * load.rate
    if reached or abs(waiting / in_flight - 1.0) > ALWAYS_WAITING:
        return None
    message = (
        f"Said to be an open loop of {number(load.rate or 0.0)} operations a second; yet "
        f"{number(throughput.value)} a second of {duration_in_words(mean.value or 0.0)} each are "
        f"{waiting:,.3g} on the way at any time, as many as {clients_in_words(load.clients or 1)} "
        "can have: each waited for its answer before it asked again, so these are service times "
        "of a closed loop."
    )
    numbers = {
        "clients": load.clients,
        "pipeline": load.pipeline,
        "rate": load.rate,
        throughput.figure: throughput.value,
        mean.figure: mean.value,
        "in_flight": waiting,
    }
    return checks.CLOSED_AS_OPEN.found("error", message, numbers)


def _rate_of_waiting_clients(cell: PublishedCell) -> Finding | None:
    """A rate that was asked of clients that wait is no arrival of requests."""
    load = cell.load
    if load.loop != "closed" or load.rate is None:
        return None
    message = (
        f"A rate of {number(load.rate)} operations a second was asked of clients that wait for "
        "their answers: while the system is late none of them asks, and what should have been "
        "asked meanwhile is in no latency. The rate reads as that of an open loop, and is none."
    )
    numbers = {"rate": load.rate, "clients": load.clients}
    return checks.CLOSED_AS_OPEN.found("caution", message, numbers)
