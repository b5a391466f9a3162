"""The course of a series: a level, shifts of it, places, noise that remembers. Pure.

A segment of a series is modelled as

    log value(t) = level + Σ steps before t + Σ ramps up to t + effect of the place + noise(t)

**Places.** Each machine has a level of its own, drawn from a normal distribution around that of its
kind (a random effect: Laird & Ware 1982, Random-Effects Models for Longitudinal Data, Biometrics
38). Machines in turn are so told apart without cutting the series; and where a level moves together
with the machine, only what machines do not usually differ by is called a shift. Fitted by
Henderson's mixed model equations, which are least squares with a penalty on the effects.

**Noise that remembers.** Neighbouring points are correlated by an unknown amount, and those two
apart by what the one between does not explain (an autoregression of order two), so that n points
are worth fewer. Every likelihood is taken by each memory of a grid, of whitened values (Cochrane &
Orcutt 1949, JASA 44), and averaged over the grid by how well a memory explains the whole series,
the restricted likelihood of Patterson & Thompson (1971, Biometrika 58), which does not read a short
series as less correlated than it is.

**A level that wanders.** One entry of the grid lets the level take a small random step every few
points (Romano, Rigaill, Runge & Fearnhead 2022, Detecting Abrupt Changes in the Presence of Local
Fluctuations and Autocorrelated Noise, JASA 117), as random effects like those of places.

**Spread.** It is one between two changes of spread; points are weighed by it.

**Outliers.** Values further than `Model.clip` robust standard deviations from the fit count as if
they were that far (Huber 1964, Robust Estimation of a Location Parameter, Annals of Mathematical
Statistics 35): two bad runs in a row are not a new level.

**Evidence.** For every place in the series at once: how much likelier are the values with a step
(or a ramp) that begins there (`scan`)? A change of spread is a step of how restless the rest is.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.statistics import MAD_TO_SIGMA
from weighhouse_judging.series.scan import TINY, Evidence, Memory, Scan, Scans

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Kind = Literal["step", "drift", "spread", "moved"]


MEMORIES = (
    *(Memory(lag_one) for lag_one in (0.0, 0.15, 0.3, 0.45, 0.6, 0.75)),
    *(Memory(lag_one, 0.2, prior=0.5) for lag_one in (0.3, 0.45, 0.6, 0.75)),
    Memory(wander=0.08, beside_drift=0.3),
)
"""How noise may remember. Never negative: points that avoid each other would look like more
evidence. A level that wanders explains most drifts as well; so it is less likely beside one.
"""


@dataclass(frozen=True)
class Model:
    """What is taken for granted of every series; the bench varies it."""

    memories: tuple[Memory, ...] = MEMORIES
    place_sigma: float | None = 0.05
    """By how much machines of one kind usually differ: standard deviation, relative. None: nothing
    is known of places, and they are not told apart.
    """
    clip: float = 2.5
    """Robust standard deviations from the fit beyond which a value weighs no more."""


MODEL = Model()

RESTLESSNESS = Model(memories=tuple(Memory(lag_one) for lag_one in (0.0, 0.15, 0.3, 0.45, 0.6)))
"""What is taken for granted of how restless a series is."""

EXCESS = 1.5
"""Spreads by which an outlier is more restless than it weighs."""

FITTING_ROUNDS = 3
"""Rounds of fitting and clipping; a further one moves the fit by less than a percent of a sigma."""

SMALLEST_SIGMA = 1e-9
"""Relative noise below which a series counts as having none."""

FEWEST_FREE = 2
"""Degrees of freedom without which nothing is concluded: one for the spread, one for a change."""

WANDERING = 10
"""Points between the places where the level of a course may wander."""


@dataclass(frozen=True)
class Piece:
    """A change that is part of a course."""

    kind: Kind
    index: int
    """A drift: the last point before it. All others: the first point of what is new."""
    end: int | None = None
    """A drift that is over: the first point at its lasting level."""


@dataclass(frozen=True)
class Course:
    """A series, fitted by some pieces, and what speaks for one more."""

    step: Evidence
    drift: Evidence
    rest: Floats
    """What the fit leaves of each value, not clipped; logarithmic."""
    spread: Floats
    """Robust standard deviation of each point, and how many of them a value weighs at most."""
    clip: float
    news: Floats
    """What is left of each point once all that it remembers is taken away, in spreads."""
    level: Floats
    """The fit without the effect of places, logarithmic."""
    sizes: tuple[float, ...]
    """Of each piece: the height of a step, the slope a point of a drift; logarithmic."""
    freedom: int
    """Degrees of freedom."""
    autocorrelation: float
    """The φ expected of this series."""

    def restlessness(self) -> "Course | None":
        """The course of how far from the fit points are; a step of it is a change of spread.

        Of √|news|, which is nearly normal where the news are (Hawkins 1981, A CUSUM for a Scale
        Parameter, Journal of Quality Technology 13).
        """
        places = np.zeros(self.news.size, dtype=np.int64)
        return fitted(np.sqrt(np.abs(self.news)), places, model=RESTLESSNESS)

    def p_value(self, likelihood: float) -> float:
        """Two-sided p of one entry of `step` or `drift`, at a place chosen beforehand.

        That of Student's t with which, were the correlation known, the likelihood would go along.
        """
        freedom = self.freedom - 1
        t_squared = freedom * math.expm1(max(likelihood, 0.0) / self.freedom)
        return float(2 * special.stdtr(freedom, -math.sqrt(t_squared)))


def fitted(
    values: Floats,
    places: Codes,
    pieces: Sequence[Piece] = (),
    *,
    model: Model = MODEL,
    spread: Floats | None = None,
) -> Course | None:
    """Fit a course to logarithmic `values`, measured at `places` (codes 0, 1, …), oldest first.

    `spread` is that of each point but for a factor, where another fit has told it: without a step
    that is there, its points would look as if they scattered.
    None when there are too few points to leave two degrees of freedom. Promises: deterministic.
    """
    levels = [piece for piece in pieces if piece.kind != "spread"]
    fixed = np.stack([np.ones(values.size), *(column(values.size, piece) for piece in levels)], 1)
    effects = _effects(places) if model.place_sigma is not None else fixed[:, :0]
    design = np.concatenate([fixed, effects], 1)
    freedom = values.size - fixed.shape[1] - max(0, effects.shape[1] - 1)
    if freedom < FEWEST_FREE:
        return None
    # What is tiny holds a level back by a share of itself: it is told from where the values lie.
    middle = float(np.median(values))
    values = values - middle
    penalty = np.full(design.shape[1], TINY)
    if model.place_sigma is not None:
        penalty[fixed.shape[1] :] = model.place_sigma**-2
    cuts = sorted(piece.index for piece in pieces if piece.kind == "spread")
    shape = np.ones(values.size) if spread is None else spread / float(np.median(spread))
    parts = [slice(None)] if spread is not None else _parts(values.size, cuts)
    cleaned, weights, spread = _cleaned(values, design, penalty, freedom, model.clip, shape, parts)
    scans = _scans(cleaned, design, penalty, spread, model.memories, freedom)
    sizes = iter(weights[1:])
    return Course(
        step=scans.steps(),
        drift=scans.ramps(),
        rest=values - design @ weights,
        spread=spread,
        clip=model.clip,
        news=scans.news() + np.clip((values - cleaned) / spread, -EXCESS, EXCESS),
        level=fixed @ weights[: fixed.shape[1]] + middle,
        sizes=tuple(0.0 if piece.kind == "spread" else float(next(sizes)) for piece in pieces),
        freedom=freedom,
        autocorrelation=float(
            scans.belief @ [one.lag_one for one in sorted(model.memories, key=_wanders)]
        ),
    )


def column(size: int, piece: Piece) -> Floats:
    """What a piece adds to each point, in units of its size."""
    time = np.arange(size, dtype=np.float64)
    if piece.kind != "drift":
        return np.asarray(time >= piece.index, dtype=np.float64)
    last = size if piece.end is None else piece.end
    ramp: Floats = np.minimum(np.maximum(time - piece.index, 0.0), last - piece.index)
    return ramp


def _effects(places: Codes) -> Floats:
    """A column for each place, none where there is but one."""
    machines = int(places.max()) + 1 if places.size else 0
    if machines <= 1:
        return np.empty((places.size, 0))
    return np.asarray(places[:, None] == np.arange(machines)[None, :], dtype=np.float64)


def _scans(
    values: Floats,
    design: Floats,
    penalty: Floats,
    spread: Floats,
    memories: Sequence[Memory],
    freedom: int,
) -> Scans:
    """By memories whose level stands still, and by those whose level wanders."""
    least = (SMALLEST_SIGMA / float(spread.min())) ** 2
    parts = []
    for wanders in (False, True):
        grid = [memory for memory in memories if _wanders(memory) is wanders]
        knots = np.arange(WANDERING, values.size if wanders else 0, WANDERING)
        if not grid:
            continue
        wander = np.asarray(np.arange(values.size)[:, None] >= knots, dtype=np.float64)
        typical = float(np.median(spread))
        variances = [WANDERING * max(one.wander * typical, TINY) ** 2 for one in grid]
        added = np.outer(1 / np.array(variances), np.ones(knots.size))
        penalties = np.concatenate([np.tile(penalty, (len(grid), 1)), added], 1)
        whole = np.concatenate([design, wander], 1)
        parts.append(Scan.of(values, whole, spread, penalties, grid, freedom, least))
    return Scans(
        tuple(parts), np.array([one.beside_drift for one in sorted(memories, key=_wanders)])
    )


def _wanders(memory: Memory) -> bool:
    return memory.wander > 0


def _parts(size: int, cuts: Sequence[int]) -> list[slice]:
    return [slice(start, end) for start, end in itertools.pairwise((0, *cuts, size))]


def _cleaned(
    values: Floats,
    design: Floats,
    penalty: Floats,
    freedom: int,
    clip: float,
    shape: Floats,
    parts: Sequence[slice],
) -> tuple[Floats, Floats, Floats]:
    """Values with outliers drawn in, the weights of the design's columns, and each point's spread.

    The spread has the `shape` given, and a factor of its own in each of the `parts`.
    """
    correction = math.sqrt(values.size / freedom)
    spread = np.full(values.size, max(_spread(values - np.median(values)), SMALLEST_SIGMA))
    cleaned = values
    weights: Floats = np.zeros(design.shape[1])
    for _ in range(FITTING_ROUNDS):
        scaled = design / spread[:, None]
        weights = np.asarray(
            np.linalg.solve(
                scaled.T @ scaled + np.diag(penalty + TINY / spread.min() ** 2),
                scaled.T @ (cleaned / spread),
            ),
            dtype=np.float64,
        )
        fit = design @ weights
        rest = values - fit
        for part in parts:
            factor = _spread(rest[part] / shape[part]) * correction
            spread[part] = np.maximum(factor * shape[part], SMALLEST_SIGMA)
        cleaned = fit + np.clip(rest, -clip * spread, clip * spread)
    return cleaned, weights, spread


def _spread(rest: Floats) -> float:
    """Robust standard deviation around zero."""
    ordered = np.sort(np.abs(rest))  # several times as fast as numpy.median at this size
    middle = ordered.size // 2
    return float(MAD_TO_SIGMA * (ordered[middle] + ordered[-1 - middle]) / 2)
