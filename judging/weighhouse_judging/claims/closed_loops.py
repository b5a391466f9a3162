"""Throughput, latency and clients of a closed loop: can they be true together? Pure.

No more requests are under way than clients and pipelining allow, so that throughput × mean latency
is at most that (Little 1961, Operations Research 9). A share of 1 - q of the operations takes at
least the q-quantile, so that the mean is at least that share of it (Markov's inequality).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from weighhouse_protocol.digits import number
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.claims.commands import QuotedCommand
from weighhouse_judging.claims.remarks import Remark
from weighhouse_judging.claims.text import PLAIN, Stated, Text
from weighhouse_judging.findings.plausibility import FILLED, UNIT
from weighhouse_judging.findings.words import US_PER_SECOND
from weighhouse_judging.studies.outcomes import OF_A_LAW, share_beyond

MEAN = "mean_us"


@dataclass(frozen=True)
class _Loop:
    """How many requests are under way at most, and who says so."""

    there: float
    words: str
    command: QuotedCommand | None


def closed_loops(text: Text) -> Iterator[Remark]:
    """A remark for each latency that stands beside a throughput of the same operations."""
    for at, cell in enumerate(text.results.cells):
        loop = _loop(text, at)
        if loop is None:
            continue
        mine = [one for one in text.stated if one.cell is cell and one.figure.statistic in PLAIN]
        rates = [one for one in mine if one.figure.figure == "throughput"]
        for latency in (one for one in mine if _bounds_the_mean(one)):
            rate = _beside(latency, rates)
            if rate is not None:
                yield _remark(text, loop, rate, latency)


def _loop(text: Text, at: int) -> _Loop | None:
    load, command = text.results.cells[at].load, text.commands.get(at)
    closed = load.loop == "closed" or (
        load.loop == "unknown" and command is not None and command.rate is None
    )
    if not closed:
        return None
    if load.operations_in_flight is not None:
        return _Loop(load.operations_in_flight, "there are", command)
    if command is not None and command.outstanding is not None:
        return _Loop(command.outstanding, "its command allows", command)
    return None


def _bounds_the_mean(one: Stated) -> bool:
    found = CATALOGUE.find(one.figure.figure)
    return found is not None and (found.name == MEAN or found.quantile is not None)


def _beside(latency: Stated, rates: list[Stated]) -> Stated | None:
    """The throughput that belongs to a latency: of the same operations and setting, from the same
    place where there is one.
    """
    told = [
        one
        for one in rates
        if (one.figure.operation, one.figure.setting)
        == (latency.figure.operation, latency.figure.setting)
    ]
    return next((one for one in told if one.place == latency.place), told[0] if told else None)


def _remark(text: Text, loop: _Loop, rate: Stated, latency: Stated) -> Remark:
    share = share_beyond(latency.figure.figure)
    needed = rate.read.value * latency.read.value * share / US_PER_SECOND
    least = rate.read.low * latency.read.low * share / US_PER_SECOND
    part = "" if share == 1.0 else f"{share:g} × "
    words = (
        f"{part}{latency.said} × {rate.said} are {number(needed)} requests under way; "
        f"{number(loop.there)} {loop.words}"
    )
    where = latency.words(text.names)
    if least <= loop.there * (1 + OF_A_LAW):
        rounded = ", within rounding" if needed > loop.there else ""
        return Remark("closed-loop", "sound", where, latency.place, f"{words}{rounded}.")
    most = loop.there / rate.read.value * US_PER_SECOND / share
    reason = (
        f"{words}: it can be {number(most)} µs at most, and is {latency.read.value / most:,.3g} "
        f"times that.{_unit(loop, rate, latency)}{_of_the_tool(loop)}"
    )
    return Remark("closed-loop", "contradiction", where, latency.place, reason)


def _unit(loop: _Loop, rate: Stated, latency: Stated) -> str:
    """Would a thousandth fit, and fill the clients?"""
    cycle = loop.there / rate.read.value * US_PER_SECOND
    scaled, share = latency.read.value / UNIT, share_beyond(latency.figure.figure)
    fits = FILLED * cycle <= scaled and scaled * share <= cycle
    return " A thousandth of it fits: plausible as µs in place of ms." if fits else ""


def _of_the_tool(loop: _Loop) -> str:
    command = loop.command
    if command is None or command.tool != "memtier_benchmark" or command.operations is None:
        return ""
    return (
        " With a number of requests (-n) memtier_benchmark divides by the time of its last "
        "thread's clients alone, which may overstate the throughput."
    )
