"""Candidates for the knee of a load curve, and how often each finds it.

The truth of a candidate is what it says itself of a curve without noise, measured everywhere (a
brute-force grid); found is what it says of noisy doublings. A candidate has to be near its own
truth, and its truth may not move when the sweep goes further.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weighhouse_judging.scenarios import knees
from weighhouse_judging.scenarios.points import Estimate, Point

Floats = npt.NDArray[np.float64]
Curve = Callable[[Floats], Floats]
Candidate = Callable[[Floats, Floats], float]

SHORT_SWEEP, LONG_SWEEP = 64, 256
FINE = 200
"""Loads of the brute-force grid."""


def usl(sigma: float, kappa: float) -> Curve:
    """Gunther's law, λ = 10,000."""
    return lambda n: 1e4 * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def held(clients: float) -> Curve:
    """A server held by a limit of CPU: it grows with the load, then not at all."""
    return lambda n: 1e4 * np.minimum(n, clients)


def repairman(servers: int, pause: float) -> Curve:
    """Clients that pause, and c servers: mean value analysis with a rate that depends on the load.

    Source: Reiser & Lavenberg (1980), Journal of the ACM 27(2).
    """
    most = LONG_SWEEP
    throughput, waiting = np.zeros(most + 1), np.zeros(most + 1)
    waiting[0] = 1.0
    for n in range(1, most + 1):
        there = np.arange(1, n + 1)
        rate = np.minimum(there, servers)
        throughput[n] = n / (float((there / rate * waiting[:n]).sum()) + pause)
        after = np.zeros(most + 1)
        after[1 : n + 1] = throughput[n] / rate * waiting[:n]
        after[0] = max(0.0, 1.0 - after.sum())
        waiting = after
    return lambda n: np.asarray(np.interp(n, np.arange(1, most + 1), throughput[1:]))


CURVES: dict[str, Curve] = {
    "law σ 0.02 κ 0.0005": usl(0.02, 0.0005),
    "law σ 0.1 κ 0.001": usl(0.1, 0.001),
    "law σ 0.05 κ 0": usl(0.05, 0.0),
    "law σ 0 κ 0.002": usl(0.0, 0.002),
    "held at 12 clients": held(12),
    "held at 40 clients": held(40),
    "4 servers, pause 3": repairman(4, 3.0),
    "1 server, pause 10": repairman(1, 10.0),
    "8 servers, pause 0.5": repairman(8, 0.5),
}

PEAKS = {"law σ 0.02 κ 0.0005": 44.0, "law σ 0.1 κ 0.001": 30.0, "law σ 0 κ 0.002": 22.4}
"""Those that have one, and at how many clients."""


def shipped(n: Floats, x: Floats) -> float:
    """The greatest power, by the function that judges real sweeps."""
    points = [
        Point(
            level, Estimate(value, value, value, is_interval=False, repeats=1), None, None, 1, (), 0
        )
        for level, value in zip(n.tolist(), x.tolist(), strict=True)
    ]
    place = knees.knee(points, closed=True)
    return points[0 if place is None else place].level


def kneedle(n: Floats, x: Floats) -> float:
    """The greatest distance above the diagonal from first to last point.

    Source: Satopää, Albrecht, Irwin & Raghavan, Finding a "Kneedle" in a Haystack, ICDCS Workshops
    2011.
    """
    along, up = (n - n[0]) / (n[-1] - n[0]), (x - x.min()) / max(1e-12, np.ptp(x))
    return float(n[int(np.argmax(up - along))])


def kneedle_of_logarithm(n: Floats, x: Floats) -> float:
    """The same over the logarithm of the load."""
    return float(np.exp(kneedle(np.log(n), x)))


def standstill(n: Floats, x: Floats) -> float:
    """The least load that reaches all throughput but for 5 % (saturation)."""
    return float(n[int(np.argmax(x >= x.max() / (1 + knees.STANDSTILL)))])


def hinge(n: Floats, x: Floats) -> float:
    """Where two straight lines in logarithms fit best (operational analysis' asymptotes)."""
    u, y = np.log(n), np.log(x)
    best, at = math.inf, float(u[0])
    for bend in np.linspace(u[0], u[-1], 61)[1:-1]:
        lines = np.stack([np.ones_like(u), np.minimum(u, bend), np.maximum(u - bend, 0.0)], axis=1)
        weights = np.linalg.lstsq(lines, y, rcond=None)[0]
        left = float(((y - lines @ weights) ** 2).sum())
        if left < best:
            best, at = left, float(bend)
    return float(n[int(np.argmin(np.abs(u - at)))])


CANDIDATES: dict[str, Candidate] = {
    "power (shipped)": shipped,
    "kneedle": kneedle,
    "kneedle of the logarithm": kneedle_of_logarithm,
    "standstill": standstill,
    "hinge": hinge,
}


@dataclass(frozen=True)
class Found:
    """How a candidate does on one curve."""

    truth: float
    within_a_step: float
    """Share of sweeps whose knee is within a doubling of the truth."""
    moves: float
    """Doublings by which its truth moves when the sweep goes four times as far."""


def score(candidate: str, curve: str, sweeps: int, noise: float, seed: int) -> Found:
    """Noisy doublings from 1 to 64, against the brute-force grid."""
    find, law = CANDIDATES[candidate], CURVES[curve]
    truths = []
    for end in (SHORT_SWEEP, LONG_SWEEP):
        grid = np.asarray(np.unique(np.round(np.geomspace(1, end, FINE))), dtype=np.float64)
        truths.append(find(grid, law(grid)))
    n = np.asarray(2.0 ** np.arange(int(math.log2(SHORT_SWEEP)) + 1), dtype=np.float64)
    generator = np.random.default_rng([seed, list(CURVES).index(curve)])
    near = 0
    for _ in range(sweeps):
        seen = find(n, law(n) * np.exp(generator.normal(0.0, noise, n.size)))
        near += abs(math.log2(seen / truths[0])) <= 1.0
    return Found(truths[0], near / sweeps, abs(math.log2(truths[1] / truths[0])))
