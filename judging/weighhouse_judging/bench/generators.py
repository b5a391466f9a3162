"""Series whose truth is known: noise of several kinds, levels that step or drift. Pure.

Each is a function of a generator of random numbers, a length and a coefficient of variation, and
gives relative deviations from the level, and the place that measured each point.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weighhouse_judging.series.changes import Point

Floats = npt.NDArray[np.float64]

LEVEL = 100_000.0
"""Operations a second, on a machine without a name."""

OUTLIERS = 0.03
"""Share of outliers among the points."""

SECOND_MACHINE = -0.08
"""By how much the second of two machines differs from the first, relative."""

LONGER_MEMORY = (0.5, 0.2)
"""By how much a point remembers the one before it, and the one before that."""

WANDERING = 0.003
"""Standard deviation of what a level that wanders adds at each point, relative."""

SETTLING = 50
"""Points after which an autoregression has forgotten how it began."""

SHAPE = 0.5
"""Standard deviation of the logarithms of skewed noise."""


@dataclass(frozen=True)
class Noise:
    """Points around a level of one."""

    deviations: Floats
    """Relative."""
    places: tuple[str, ...]

    def points(self, course: Floats | float = 1.0) -> list[Point]:
        """As figures of campaigns, around a level that takes this course (times LEVEL)."""
        values = LEVEL * course * (1.0 + self.deviations)
        return [
            Point(float(value), place) for value, place in zip(values, self.places, strict=True)
        ]


Kind = Callable[[np.random.Generator, int, float], Noise]


def normal(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Normal noise."""
    return _one_machine(generator.normal(0.0, spread, size))


def lognormal(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Skewed noise: lognormal with a shape of 0.5, centred on its median, scaled to the spread."""
    deviation = float(np.sqrt((np.exp(SHAPE**2) - 1) * np.exp(SHAPE**2)))
    return _one_machine(spread * (generator.lognormal(0.0, SHAPE, size) - 1.0) / deviation)


def outliers(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Normal noise, where 3 % of the points are 10 to 20 % lower."""
    disturbed = generator.random(size) < OUTLIERS
    regular = generator.normal(0.0, spread, size)
    return _one_machine(regular - disturbed * generator.uniform(0.1, 0.2, size))


def autoregressive(correlation: float) -> Kind:
    """Normal noise, of which each point remembers the one before; the spread is the whole one."""

    def kind(generator: np.random.Generator, size: int, spread: float) -> Noise:
        news = generator.normal(0.0, spread * np.sqrt(1 - correlation**2), size + SETTLING)
        noise = np.zeros(size + SETTLING)
        for index in range(1, noise.size):
            noise[index] = correlation * noise[index - 1] + news[index]
        return _one_machine(noise[SETTLING:])

    return kind


def longer_memory(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Normal noise that remembers two points, by 0.5 and 0.2; the spread is the whole one."""
    first, second = LONGER_MEMORY
    lag_one = first / (1 - second)
    share = (1 - lag_one**2) * (1 - second**2)
    news = generator.normal(0.0, spread * np.sqrt(share), size + SETTLING)
    noise = np.zeros(size + SETTLING)
    for index in range(2, noise.size):
        noise[index] = first * noise[index - 1] + second * noise[index - 2] + news[index]
    return _one_machine(noise[SETTLING:])


def wandering(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Normal noise around a level that takes a step of WANDERING at each point, up or down."""
    level = np.cumsum(generator.normal(0.0, WANDERING, size))
    return _one_machine(level + generator.normal(0.0, spread, size))


def tripling(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Normal noise, three times as wide in the second half."""
    return _one_machine(generator.normal(0.0, spread, size) * tripled(size, size // 2))


def falling(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Normal noise, three times as wide in the first half."""
    return _one_machine(generator.normal(0.0, spread, size) * tripled(size, size // 2)[::-1])


def heavy(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Student's t with three degrees of freedom, scaled to the spread."""
    return _one_machine(spread / np.sqrt(3.0) * generator.standard_t(3.0, size))


def clustered(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Noise that is calm and restless by turns, of no fixed length: a variance that remembers.

    Source: Bollerslev (1986), Generalized Autoregressive Conditional Heteroskedasticity, Journal of
    Econometrics 31(3).
    """
    draws = generator.normal(0.0, 1.0, size + SETTLING)
    variance, noise = 1.0, np.zeros(size + SETTLING)
    for index in range(noise.size):
        noise[index] = np.sqrt(variance) * draws[index]
        variance = 0.1 + 0.15 * noise[index] ** 2 + 0.75 * variance
    return _one_machine(spread * noise[SETTLING:])


def replaced(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """A machine, and another like it in its place in the second half."""
    return _handed_over(generator.normal(0.0, spread, size), size // 2)


def replaced_at(begin: int) -> Kind:
    """A machine, and another like it in its place from `begin` on."""

    def kind(generator: np.random.Generator, size: int, spread: float) -> Noise:
        return _handed_over(generator.normal(0.0, spread, size), begin)

    return kind


def in_turn(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Two machines, 8 % apart, which measure in turn."""
    return _two_machines(generator.normal(0.0, spread, size), np.arange(size) % 2 == 1)


def by_lot(generator: np.random.Generator, size: int, spread: float) -> Noise:
    """Two machines, 8 % apart, either of which may be free."""
    second = generator.random(size) < 0.5  # noqa: PLR2004 - as often one as the other
    return _two_machines(generator.normal(0.0, spread, size), second)


KINDS: dict[str, Kind] = {
    "normal": normal,
    "lognormal": lognormal,
    "outliers": outliers,
    "ar 0.3": autoregressive(0.3),
    "ar 0.5": autoregressive(0.5),
    "ar 0.5 0.2": longer_memory,
    "wandering level": wandering,
    "noise that triples": tripling,
    "noise that falls to a third": falling,
    "heavy tails": heavy,
    "restless by turns": clustered,
    "a machine replaced": replaced,
    "machines in turn": in_turn,
    "machines by lot": by_lot,
}


def step(size: int, begin: int, relative: float) -> Floats:
    """A level of one, and another from `begin` on."""
    return np.asarray(1.0 + relative * (np.arange(size) >= begin), dtype=np.float64)


def tripled(size: int, begin: int) -> Floats:
    """A spread of one, and three from `begin` on."""
    return step(size, begin, 2.0)


def drift(size: int, begin: int, rate: float) -> Floats:
    """A level of one, changing by `rate` a run from `begin` on."""
    runs: Floats = np.maximum(np.arange(size, dtype=np.float64) - begin + 1, 0.0)
    return 1.0 + rate * runs


def _one_machine(deviations: Floats) -> Noise:
    return Noise(deviations, ("one",) * deviations.size)


def _handed_over(deviations: Floats, begin: int) -> Noise:
    places = tuple("one" if index < begin else "two" for index in range(deviations.size))
    return Noise(deviations, places)


def _two_machines(deviations: Floats, second: npt.NDArray[np.bool_]) -> Noise:
    levels = np.where(second, 1.0 + SECOND_MACHINE, 1.0)
    places = tuple("two" if other else "one" for other in second)
    return Noise(levels * (1.0 + deviations) - 1.0, places)
