"""The course of a series: a level, shifts of it, places, noise that remembers. Pure.

A segment of a series is modelled as

    log value(t) = level + Σ steps before t + Σ ramps up to t + effect of the place + noise(t)

**Places.** Each machine has a level of its own, drawn from a normal distribution around that of its
kind (a random effect: Laird & Ware 1982, Random-Effects Models for Longitudinal Data, Biometrics
38). Machines in turn are so told apart without cutting the series; and where a level moves together
with the machine, only what machines do not usually differ by is called a shift. Fitted by
Henderson's mixed model equations, which are least squares with a penalty on the effects.

**Noise that remembers.** Neighbouring points are correlated by an unknown φ (an autoregression of
order one), so that n points are worth about n·(1 - φ)/(1 + φ). Every likelihood is taken at each φ
of a grid, of whitened values (Cochrane & Orcutt 1949, JASA 44), and averaged over the grid by how
well φ explains the whole series, the restricted likelihood of Patterson & Thompson (1971,
Biometrika 58), which does not read a short series as less correlated than it is.

**Outliers.** Values further than `Model.clip` robust standard deviations from the fit count as if
they were that far (Huber 1964, Robust Estimation of a Location Parameter, Annals of Mathematical
Statistics 35): two bad runs in a row are not a new level.

**Evidence.** For every place in the series at once: how much likelier are the values with a step
(or a ramp) that begins there? The sums over all later points are cumulative sums, so that all
places cost no more than one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from weighhouse_judging.arithmetic.statistics import MAD_TO_SIGMA

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Kind = Literal["step", "drift"]


@dataclass(frozen=True)
class Model:
    """What is taken for granted of every series; the bench varies it."""

    correlations: tuple[float, ...] = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75)
    """The grid of φ. Never negative: points that avoid each other would look like more evidence."""
    place_sigma: float | None = 0.05
    """By how much machines of one kind usually differ: standard deviation, relative. None: nothing
    is known of places, and they are not told apart.
    """
    clip: float = 2.5
    """Robust standard deviations from the fit beyond which a value weighs no more."""


MODEL = Model()

FITTING_ROUNDS = 3
"""Rounds of fitting and clipping; a further one moves the fit by less than a percent of a sigma."""

TINY = 1e-10
"""Added to diagonals, so that equations can be solved where columns say the same."""

SMALLEST_SIGMA = 1e-9
"""Relative noise below which a series counts as having none."""

FEWEST_FREE = 2
"""Degrees of freedom without which nothing is concluded: one for the spread, one for a change."""

TOLD_APART = 1e-6
"""Share of a change's column that the design must leave unexplained for it to be seen at all."""


@dataclass(frozen=True)
class Piece:
    """A change that is part of a course."""

    kind: Kind
    index: int
    """A step: the first point of the new level. A drift: the last point before it."""
    end: int | None = None
    """A drift that is over: the first point at its lasting level."""


@dataclass(frozen=True)
class Evidence:
    """Of one kind of change beginning at each point of a series; arrays as long as the series."""

    likelihood: Floats
    """Twice the logarithm of how much likelier the values are with the change."""
    size: Floats
    """What the change would add, logarithmic: a step's height, a drift's slope a point."""


@dataclass(frozen=True)
class Course:
    """A series, fitted by some pieces, and what speaks for one more."""

    step: Evidence
    drift: Evidence
    rest: Floats
    """What the fit leaves of each value, not clipped; logarithmic."""
    level: Floats
    """The fit without the effect of places, logarithmic."""
    sizes: tuple[float, ...]
    """Of each piece: the height of a step, the slope a point of a drift; logarithmic."""
    freedom: int
    """Degrees of freedom."""
    autocorrelation: float
    """The φ expected of this series."""

    def p_value(self, likelihood: float) -> float:
        """Two-sided p of one entry of `step` or `drift`, at a place chosen beforehand.

        That of Student's t with which, were the correlation known, the likelihood would go along.
        """
        freedom = self.freedom - 1
        t_squared = freedom * math.expm1(max(likelihood, 0.0) / self.freedom)
        return float(2 * special.stdtr(freedom, -math.sqrt(t_squared)))


def fitted(
    values: Floats, places: Codes, pieces: Sequence[Piece] = (), *, model: Model = MODEL
) -> Course | None:
    """Fit a course to logarithmic `values`, measured at `places` (codes 0, 1, …), oldest first.

    None when there are too few points to leave two degrees of freedom. Promises: deterministic.
    """
    fixed = np.stack([np.ones(values.size), *(column(values.size, piece) for piece in pieces)], 1)
    effects = _effects(places) if model.place_sigma is not None else fixed[:, :0]
    design = np.concatenate([fixed, effects], 1)
    freedom = values.size - fixed.shape[1] - max(0, effects.shape[1] - 1)
    if freedom < FEWEST_FREE:
        return None
    penalty = np.full(design.shape[1], TINY)
    if model.place_sigma is not None:
        penalty[fixed.shape[1] :] = model.place_sigma**-2
    cleaned, weights, sigma = _cleaned(values, design, penalty, freedom, model.clip)
    correlations = np.array(model.correlations, dtype=np.float64)
    whitened = _whitened(np.concatenate([cleaned[:, None], design], 1), correlations)
    innovations = sigma**2 * (1 - correlations**2)
    scan = _Scan.of(whitened, correlations, innovations[:, None] * penalty, freedom)
    return Course(
        step=scan.steps(),
        drift=scan.ramps(),
        rest=values - design @ weights,
        level=fixed @ weights[: fixed.shape[1]],
        sizes=tuple(float(weight) for weight in weights[1 : fixed.shape[1]]),
        freedom=freedom,
        autocorrelation=float(np.exp(scan.belief) @ correlations),
    )


def column(size: int, piece: Piece) -> Floats:
    """What a piece adds to each point, in units of its size."""
    time = np.arange(size, dtype=np.float64)
    if piece.kind == "step":
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


def _cleaned(
    values: Floats, design: Floats, penalty: Floats, freedom: int, clip: float
) -> tuple[Floats, Floats, float]:
    """Values with outliers drawn in, the weights of the design's columns, and the noise."""
    correction = math.sqrt(values.size / freedom)
    sigma = max(_spread(values - np.median(values)), SMALLEST_SIGMA)
    cleaned = values
    weights: Floats = np.zeros(design.shape[1])
    equations = design.T @ design
    for _ in range(FITTING_ROUNDS):
        penalties = np.diag(sigma**2 * penalty + TINY)
        weights = np.asarray(
            np.linalg.solve(equations + penalties, design.T @ cleaned), dtype=np.float64
        )
        fit = design @ weights
        rest = values - fit
        sigma = max(_spread(rest) * correction, SMALLEST_SIGMA)
        cleaned = fit + np.clip(rest, -clip * sigma, clip * sigma)
    return cleaned, weights, sigma


def _spread(rest: Floats) -> float:
    """Robust standard deviation around zero."""
    ordered = np.sort(np.abs(rest))  # several times as fast as numpy.median at this size
    middle = ordered.size // 2
    return float(MAD_TO_SIGMA * (ordered[middle] + ordered[-1 - middle]) / 2)


def _whitened(columns: Floats, correlations: Floats) -> Floats:
    """Columns (points, c) free of each φ's correlation, (correlations, points, c)."""
    whitened = np.empty((correlations.size, *columns.shape))
    whitened[:, 0] = np.sqrt(1 - correlations**2)[:, None] * columns[0]
    whitened[:, 1:] = columns[1:] - correlations[:, None, None] * columns[:-1]
    return whitened


@dataclass(frozen=True)
class _Scan:
    """The whitened rest and design, and their sums over all later points."""

    correlations: Floats
    columns: Floats
    """(correlations, points, 1 + design): the rest, then the design."""
    later: Floats
    """Sums of `columns` over the points after each."""
    inverse: Floats
    """Of the mixed model equations, (correlations, design, design)."""
    error: Floats
    """Sum of squares left, for each φ."""
    belief: Floats
    """Logarithm of how well each φ explains the series; its exponentials sum to one."""
    freedom: int

    @classmethod
    def of(cls, whitened: Floats, correlations: Floats, penalties: Floats, freedom: int) -> "_Scan":
        """From whitened columns, the values first, and penalties (correlations, design)."""
        values, design = whitened[:, :, 0], whitened[:, :, 1:]
        transposed = np.swapaxes(design, 1, 2)
        equations = transposed @ design
        diagonal = np.arange(design.shape[2])
        equations[:, diagonal, diagonal] += penalties + TINY
        inverse = np.asarray(np.linalg.inv(equations), dtype=np.float64)
        right = transposed @ values[:, :, None]
        weights = inverse @ right
        squares = np.einsum("jn,jn->j", values, values) - np.einsum("jqi,jqi->j", right, weights)
        error = np.maximum(squares, values.shape[1] * SMALLEST_SIGMA**2)
        columns = whitened.copy()
        columns[:, :, 0] = values - (design @ weights)[:, :, 0]
        later = np.zeros_like(columns)
        later[:, :-1] = columns[:, :0:-1].cumsum(1)[:, ::-1]
        belief: Floats = 0.5 * (
            np.log(1 - correlations**2) - freedom * np.log(error) - np.linalg.slogdet(equations)[1]
        )
        belief = belief - np.logaddexp.reduce(belief)
        return cls(correlations, columns, later, inverse, error, belief, freedom)

    def steps(self) -> Evidence:
        """A new level from each point on."""
        rate = (1 - self.correlations)[:, None]
        products = self.columns + rate[:, :, None] * self.later
        return self._evidence(products, 1 + self._remaining() * rate**2)

    def ramps(self) -> Evidence:
        """A slope after each point."""
        phi, rate = self.correlations[:, None], (1 - self.correlations)[:, None]
        twice = self.later[:, ::-1].cumsum(1)[:, ::-1]
        products = rate[:, :, None] * twice + phi[:, :, None] * self.later
        left = self._remaining()
        pairs = left * (left + 1)
        squares = rate**2 * pairs * (2 * left + 1) / 6 + rate * phi * pairs + phi**2 * left
        return self._evidence(products, squares)

    def _remaining(self) -> Floats:
        """Points after each, (1, points)."""
        return np.arange(self.columns.shape[1] - 1, -1, -1, dtype=np.float64)[None, :]

    def _evidence(self, products: Floats, squares: Floats) -> Evidence:
        """From each candidate column's products with the rest and the design, and its square."""
        rest, design = products[:, :, 0], products[:, :, 1:]
        own = squares - np.einsum("jnq,jnq->jn", design @ self.inverse, design)
        told_apart = own > TOLD_APART * np.maximum(squares, 1.0)
        own = np.where(told_apart, own, 1.0)
        explained = np.where(told_apart, rest**2 / own, 0.0) / self.error[:, None]
        ratios = -0.5 * self.freedom * np.log1p(-np.minimum(explained, 1 - 1e-12))
        weighed = self.belief[:, None] + ratios
        evidence = np.logaddexp.reduce(weighed, axis=0)
        sizes = np.where(told_apart, rest / own, 0.0)
        size = np.einsum("jn,jn->n", np.exp(weighed - evidence[None, :]), sizes)
        return Evidence(likelihood=2 * evidence, size=size)
