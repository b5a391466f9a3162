"""From money an hour and operations a second to money for operations. Pure.

Source of the formulas: units. A set-up that costs `h` an hour and does `x` operations a second does
3,600 `x` of them for `h`.
"""

import math
from dataclasses import dataclass

from weighhouse_judging.cost.prices import HOURS_A_YEAR

SECONDS_AN_HOUR = 3600
MILLION = 1_000_000


def for_a_million(hourly: float, throughput: float) -> float:
    """Money for a million operations.

    :param hourly: money an hour, of the whole set-up.
    :param throughput: operations a second that succeed; above 0.
    :raises ValueError: for a throughput that is not above 0.
    """
    _require_positive("throughput", throughput)
    return hourly / (SECONDS_AN_HOUR * throughput) * MILLION


@dataclass(frozen=True)
class YearCost:
    """What it takes to serve a rate all year with whole copies of what was measured."""

    copies: int
    amount: float
    """Money."""
    busy: float
    """Which share of what the copies did while they were measured the rate takes; 0 to 1."""


def for_a_year(hourly: float, throughput: float, rate: float) -> YearCost:
    """Money for a year at a rate.

    Machines are paid whole: it is the least number of copies whose throughput reaches the rate. It
    takes for granted that two copies do twice as much, which nobody measured, and leaves no room
    above the rate.

    :param hourly: money an hour, of one set-up.
    :param throughput: operations a second of one set-up; above 0.
    :param rate: operations a second that are to be served; above 0.
    :raises ValueError: for a throughput or rate that is not above 0.
    """
    _require_positive("throughput", throughput)
    _require_positive("rate", rate)
    copies = math.ceil(rate / throughput)
    return YearCost(copies, copies * hourly * HOURS_A_YEAR, rate / (copies * throughput))


def _require_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        message = f"a {name} of {value} serves nothing"
        raise ValueError(message)
