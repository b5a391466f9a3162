"""What speaks for a change at each point of a series, for all points and memories at once. Pure.

A change that begins at a point is a column of the design: a step is 1 from there on, a drift grows
by 1 a point. Free of a memory of two points, and in units of each point's spread, such a column
differs from that of another beginning in its first two entries alone, so that its products with
the rest and with the design are sums over all later points, and all places cost no more than one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TINY = 1e-10
"""Added to diagonals, so that equations can be solved where columns say the same."""

TOLD_APART = 1e-6
"""Share of a change's column that the design must leave unexplained for it to be seen at all."""


@dataclass(frozen=True)
class Memory:
    """How noise remembers, and how much its level wanders."""

    lag_one: float = 0.0
    """Correlation of neighbouring points."""
    lag_two: float = 0.0
    """Partial correlation of points two apart: what is not explained by the one between."""
    wander: float = 0.0
    """Standard deviation of what the level adds at each point, in spreads of a point."""
    prior: float = 1.0
    """How likely it is before anything is seen, beside a memory of 1."""
    beside_drift: float = 1.0
    """The same where a drift is asked for."""

    @property
    def weights(self) -> tuple[float, float]:
        """How much a point follows the one before it, and the one before that."""
        return self.lag_one * (1 - self.lag_two), self.lag_two

    @property
    def news(self) -> float:
        """Share of the noise's variance that is not remembered."""
        return (1 - self.lag_one**2) * (1 - self.lag_two**2)


@dataclass(frozen=True)
class Evidence:
    """Of one kind of change beginning at each point of a series; arrays as long as the series."""

    likelihood: Floats
    """Twice the logarithm of how much likelier the values are with the change."""
    size: Floats
    """What the change would add, logarithmic: a step's height, a drift's slope a point."""


@dataclass(frozen=True)
class Scan:
    """The whitened rest and design of each memory."""

    first: Floats
    """How much a point follows the one before, (memories, 1); `second`: the one before that."""
    second: Floats
    unit: Floats
    """What 1 in a column weighs at each point: the reciprocal of its spread."""
    columns: Floats
    """(memories, points, 1 + design): the rest, then the design."""
    inverse: Floats
    """Of the mixed model equations, (memories, design, design)."""
    error: Floats
    """Sum of squares left, for each memory."""
    belief: Floats
    """Logarithm of how well each memory explains the series, but for a constant."""
    freedom: int

    @classmethod
    def of(
        cls, values: Floats, design: Floats, spread: Floats, penalties: Floats,
        memories: Sequence[Memory], freedom: int, least: float,
    ) -> "Scan":  # fmt: skip
        """From values and design (points, design) with the spread of each point.

        `penalties` are (memories, design): for each column the reciprocal of its prior variance.
        `least` is the smallest sum of squares a point that counts as noise, in squared spreads.
        """
        unit = 1.0 / spread
        scaled = np.concatenate([values[:, None], design], 1) * unit[:, None]
        columns = _whitened(scaled, memories)
        values, design = columns[:, :, 0], columns[:, :, 1:]
        news = np.array([memory.news for memory in memories])
        penalties = news[:, None] * penalties
        transposed = np.swapaxes(design, 1, 2)
        equations = transposed @ design
        diagonal = np.arange(design.shape[2])
        # Beside figures that hardly scatter, what is tiny by itself is rounded away.
        equations[:, diagonal, diagonal] += penalties + TINY * max(1.0, float(unit.max())) ** 2
        inverse = np.asarray(np.linalg.inv(equations), dtype=np.float64)
        right = transposed @ values[:, :, None]
        weights = inverse @ right
        squares = (values**2).sum(1) - (right * weights).sum((1, 2))
        error = np.maximum(squares, values.shape[1] * least)
        columns[:, :, 0] = values - (design @ weights)[:, :, 0]
        priors = np.where(penalties > TINY, np.log(penalties + TINY), 0.0).sum(1)
        partial = np.array([1 - memory.lag_two**2 for memory in memories])
        belief: Floats = 0.5 * (
            2 * np.log([memory.prior for memory in memories]) + np.log(news) + np.log(partial)
            + priors - freedom * np.log(error) - np.linalg.slogdet(equations)[1]
        )  # fmt: skip
        weights_of = np.array([memory.weights for memory in memories])
        return cls(
            weights_of[:, :1], weights_of[:, 1:], unit, columns, inverse, error, belief, freedom
        )

    def steps(self) -> "Told":
        """A new level from each point on."""
        one, two = self.unit[None, :], self._next(self.unit)
        rest = one - self.first * _before(one, 1) - self.second * _before(one, 2)
        second = two - self.first * one * (two > 0)
        products = _times(one, self.columns) + _times(second, _after(self.columns, 1))
        products += _later(_times(rest, self.columns), 2)
        return self._evidence(products, one**2 + second**2 + _later(rest**2, 2))

    def ramps(self) -> "Told":
        """A slope after each point."""
        time = np.arange(self.unit.size, dtype=np.float64)[None, :]
        one, two = self.unit[None, :], self._next(self.unit)
        rest = one - self.first * _before(one, 1) - self.second * _before(one, 2)
        ramp = one * time
        growth = ramp - self.first * _before(ramp, 1) - self.second * _before(ramp, 2)
        products = _times(two, _after(self.columns, 1)) + _later(_times(growth, self.columns), 2)
        products -= _times(time, _later(_times(rest, self.columns), 2))
        squares = two**2 + _later(growth**2, 2)
        squares = squares - 2 * time * _later(growth * rest, 2) + time**2 * _later(rest**2, 2)
        return self._evidence(products, squares)

    @staticmethod
    def _next(unit: Floats) -> Floats:
        return np.append(unit[1:], 0.0)[None, :]

    def _evidence(self, products: Floats, squares: Floats) -> "Told":
        """From each candidate column's products with the rest and the design, and its square."""
        rest, design = products[:, :, 0], products[:, :, 1:]
        own = squares - ((design @ self.inverse) * design).sum(2)
        told_apart = own > TOLD_APART * np.maximum(squares, self.unit[None, :] ** 2)
        own = np.where(told_apart, own, 1.0)
        explained = np.where(told_apart, rest**2 / own, 0.0) / self.error[:, None]
        ratios = -0.5 * self.freedom * np.log1p(-np.minimum(explained, 1 - 1e-12))
        return ratios, np.where(told_apart, rest / own, 0.0)


Told = tuple[Floats, Floats]
"""By each memory, (memories, points): logarithm of how much likelier the values are; the size."""


@dataclass(frozen=True)
class Scans:
    """Scans of the same values by memories that want designs of their own."""

    parts: tuple[Scan, ...]

    beside_drifts: Floats
    """(memories,): how likely each is before anything is seen, where a drift is asked for."""

    @property
    def belief(self) -> Floats:
        """How likely each memory is, (memories,); their sum is one."""
        return self._belief(np.ones(1))

    def _belief(self, prior: Floats) -> Floats:
        belief = np.concatenate([part.belief for part in self.parts]) + np.log(prior)
        return np.asarray(np.exp(belief - np.logaddexp.reduce(belief)), dtype=np.float64)

    def news(self) -> Floats:
        """What is left of each point, free of what it remembers and of where the level wandered."""
        rest = np.concatenate([part.columns[:, :, 0] for part in self.parts])
        return np.asarray(self.belief @ rest, dtype=np.float64)

    def steps(self) -> Evidence:
        """A new level from each point on."""
        return self._evidence(self.belief, [part.steps() for part in self.parts])

    def ramps(self) -> Evidence:
        """A slope after each point."""
        belief = self._belief(self.beside_drifts)
        return self._evidence(belief, [part.ramps() for part in self.parts])

    @staticmethod
    def _evidence(belief: Floats, told: Sequence[Told]) -> Evidence:
        ratios = np.concatenate([ratio for ratio, _ in told])
        weighed = np.log(belief + TINY**4)[:, None] + ratios
        evidence = np.logaddexp.reduce(weighed, axis=0)
        sizes = np.concatenate([size for _, size in told])
        return Evidence(2 * evidence, (np.exp(weighed - evidence[None, :]) * sizes).sum(0))


def _whitened(columns: Floats, memories: Sequence[Memory]) -> Floats:
    """Columns (points, c) free of what each memory explains, (memories, points, c)."""
    whitened = np.empty((len(memories), *columns.shape))
    for row, memory in zip(whitened, memories, strict=True):
        first, second = memory.weights
        row[:] = columns
        row[1:] -= first * columns[:-1]
        row[2:] -= second * columns[:-2]
        row[0] *= math.sqrt(memory.news)
        row[1:2] = math.sqrt(1 - second**2) * (columns[1:2] - memory.lag_one * columns[:1])
    return whitened


def _times(weights: Floats, columns: Floats) -> Floats:
    return np.asarray(weights[:, :, None] * columns, dtype=np.float64)


def _before(values: Floats, points: int) -> Floats:
    """(…, points): each entry's predecessor so many points before, 0 where there is none."""
    shifted = np.zeros_like(values)
    shifted[:, points:] = values[:, :-points]
    return shifted


def _after(values: Floats, points: int) -> Floats:
    shifted = np.zeros_like(values)
    shifted[:, :-points] = values[:, points:]
    return shifted


def _later(values: Floats, points: int) -> Floats:
    """(…, points, …): sums over all points that many after each, and later."""
    return _after(np.ascontiguousarray(values[:, ::-1].cumsum(1)[:, ::-1]), points)
