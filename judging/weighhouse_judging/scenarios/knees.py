"""Where a load curve bends: knee, saturation, efficiency. Pure.

**Knee**: the load at which power, throughput over mean response time, is greatest. Sources:
Giessler, Haenle, König & Pade, Free Buffer Allocation, Computer Networks 2 (1978); Kleinrock, Power
and Deterministic Rules of Thumb for Probabilistic Problems in Computer Communications, ICC 1979;
as the definition of the knee: Jain, The Art of Computer Systems Performance Analysis (1991),
section 3.3. In a closed loop without think time the response time is clients over throughput
(Little), so power is X(n)²/n: past its greatest value, doubling the clients gains less than √2 of
throughput and costs more than √2 of response time.

It needs no range (Kneedle scales by first and last load, so that its knee moves when the sweep goes
further) and no threshold. Of the candidates in `weighhouse_judging.bench.knees` it alone both stays
where it is in a longer sweep and is found within a step in at least 97 % of noisy sweeps.

**Saturation**: the least load that reaches the greatest throughput but for 5 %. More load than that
only waits.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weighhouse_judging.arithmetic.intervals import Bounds
from weighhouse_judging.arithmetic.rank_intervals import rank_interval
from weighhouse_judging.scenarios.points import Point

STANDSTILL = 0.05
"""Throughput that is no more to be gained at saturation."""


@dataclass(frozen=True)
class Efficiency:
    """Throughput at a level over what the first level's would be, were it to grow with the load."""

    level: float
    share: float
    """X(n) / (n/n₀ × X(n₀)) of the medians: 1.0 = grows with the load."""
    bounds: Bounds | None = None
    """Of the share; None of the first level, and where there is one repeat of each."""
    is_interval: bool = False
    """Do the bounds hold it with 95 %? Else they are the least and the greatest that two repeats
    give, one of either level."""


def power(level: float, throughput: float, response: float | None) -> float:
    """Logarithm of throughput over response time; by Little's law where that is not known."""
    if response is None:
        return 2.0 * math.log(throughput) - math.log(level)
    return math.log(throughput) - math.log(response)


def knee(points: Sequence[Point], *, closed: bool) -> int | None:
    """The place of the knee among points of rising level; None of fewer than three.

    The first and the last can be it as well: then the curve bends before, or after, what was
    measured.
    """
    known = [
        (place, point, point.throughput)
        for place, point in enumerate(points)
        if point.throughput is not None
    ]
    if len(known) < 3:  # noqa: PLR2004 - two points bend nowhere
        return None
    timed = not closed and all(point.mean_us is not None for _, point, _ in known)
    powers = [
        power(
            point.level,
            throughput.median,
            point.mean_us.median if timed and point.mean_us is not None else None,
        )
        for _, point, throughput in known
    ]
    return known[max(range(len(known)), key=lambda place: (powers[place], -place))][0]


def saturation(points: Sequence[Point]) -> int | None:
    """The place of the least level that reaches the greatest throughput but for 5 %."""
    values = [0.0 if point.throughput is None else point.throughput.median for point in points]
    if not values or max(values) <= 0:
        return None
    enough = max(values) / (1.0 + STANDSTILL)
    return next(place for place, value in enumerate(values) if value >= enough)


def efficiencies(
    points: Sequence[Point], repeats: Mapping[float, Sequence[float]]
) -> tuple[Efficiency, ...]:
    """Scaling efficiency of each point that was measured, against the first of them.

    Runs of two levels share no block, so the interval is that of two sides that are not paired: the
    exact Mann-Whitney test, inverted (`rank_interval`); what it cannot reach is a range.

    :param repeats: throughput of each repeat by level, all above 0.
    """
    known = [(point.level, point.throughput.median) for point in points if point.throughput]
    if not known:
        return ()
    level, first = known[0]
    return (
        Efficiency(level, 1.0),
        *(
            _efficiency(n, value / (n / level * first), n / level, (repeats[level], repeats[n]))
            for n, value in known[1:]
        ),
    )


def _efficiency(
    level: float, share: float, times: float, repeats: tuple[Sequence[float], Sequence[float]]
) -> Efficiency:
    base, other = (np.log(np.asarray(values, dtype=np.float64)) for values in repeats)
    if base.size * other.size == 1:
        return Efficiency(level, share)
    found = rank_interval(base, other)
    if found is None:
        low, high = other.min() - base.max(), other.max() - base.min()
    else:
        _, low, high = found
    # The medians' own ratio is what is told, so it lies inside.
    bounds = Bounds(
        min(share, math.exp(float(low)) / times), max(share, math.exp(float(high)) / times)
    )
    return Efficiency(level, share, bounds, found is not None)
