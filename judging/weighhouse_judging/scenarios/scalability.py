"""The Universal Scalability Law, fitted with honest intervals. Pure.

X(n) = λ n / (1 + σ (n - 1) + κ n (n - 1)): λ the throughput of one client, σ ≥ 0 the share that
waits its turn (contention), κ ≥ 0 what everybody costs everybody else (coherency). Source: Gunther,
Guerrilla Capacity Planning (2007), chapters 4 to 6; Gunther, A General Theory of Computational
Scalability Based on Rational Functions, arXiv:0808.1431 (2008). With κ > 0 and σ < 1 throughput is
greatest at n* = √((1 - σ) / κ).

Noise of throughput multiplies, so least squares are on logarithms. Given σ and κ, ln λ is a mean,
so two parameters are searched. Intervals are profiles of the likelihood with the quantile of
F(1, m - 3) (Bates & Watts, Nonlinear Regression Analysis and Its Applications (1988), section 6.1):
what of σ can be meant if κ may be whatever suits it best. They end at 0 where the law ends, and
need no draw. σ and κ are one statement, so each has 97.5 % and both together hold with 95 %
(Bonferroni); how often they do, at the ends as well, the bench shows.

Nothing is said of loads beyond twice the highest that was measured. Other servers have other
curves: one that is simply full fits the law with a high R² and a peak that is not there. So where
repeats say how far chance alone goes, what the law leaves is held against that (lack of fit: Draper
& Smith, Applied Regression Analysis (1998), section 2.1); and a peak is told only where the highest
load measurably does less than another (Bonferroni's bound over the others, for Dunnett's many
comparisons with one).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special
from weighhouse_protocol.percent import percent

from weighhouse_judging.arithmetic.intervals import CONFIDENCE, RESOLUTION, Bounds

Floats = npt.NDArray[np.float64]

FEWEST_LEVELS = 4
"""Different numbers of clients that three parameters and an error take."""
FURTHEST = 2.0
"""How many times the highest measured load may be spoken of."""
MOST_SIGMA, MOST_KAPPA = 20.0, 20.0
"""Past these nothing is searched: the second client would halve the first one's throughput many
times over."""
EACH = 1.0 - (1.0 - CONFIDENCE) / 2.0
"""Confidence of each of two intervals that hold together."""
MISFIT = 0.01
"""How often a law that holds may be refused."""
FALL = 0.01
"""How often a throughput that only stands still may be said to fall."""
FEWEST_REPEATED = 3
"""Degrees of freedom from which on repeats tell the noise; else what the law leaves tells it."""
HALVINGS = 16
LEAST = 1e-9
"""Coefficients below this are 0."""


@dataclass(frozen=True)
class Parameter:
    """A parameter with its interval; `high` None: nothing bounds it from above."""

    value: float
    low: float
    high: float | None


@dataclass(frozen=True)
class Peak:
    """Where throughput is greatest by the law."""

    clients: Parameter
    throughput: float


@dataclass(frozen=True)
class NotSaid:
    """What the law does not say, typed, and why."""

    kind: Literal[
        "too_few_levels", "not_for_rates", "not_asked", "does_not_fit", "no_peak", "beyond_range"
    ]
    sentence: str


@dataclass(frozen=True)
class Scalability:
    """A fitted law."""

    throughput_of_one: float
    """λ, operations a second."""
    contention: Parameter
    """σ; with κ in both intervals with 95 %."""
    coherency: Parameter
    """κ."""
    r_squared: float
    """Of the logarithms of throughput: the share of their variance that the law explains."""
    noise: float
    """Standard deviation about the law, relative: 0.03 = 3 %."""
    measurements: int
    least: float
    highest: float
    """Fewest and most clients that were measured."""
    peak: Peak | NotSaid

    def throughput(self, clients: float) -> float | NotSaid:
        """What the law says of so many clients; refused beyond twice the measured range."""
        if not 1 <= clients <= FURTHEST * self.highest:
            sentence = (
                f"The law was fitted on 1 to {self.highest:g} clients; of {clients:g} it says "
                f"nothing (at most {FURTHEST * self.highest:g})."
            )
            return NotSaid("beyond_range", sentence)
        return float(self._says(np.asarray([clients], dtype=np.float64))[0])

    def line(self, steps: int = 33) -> tuple[tuple[float, float], ...]:
        """Clients and what the law says of them, evenly by logarithm over what was measured."""
        clients = np.geomspace(self.least, self.highest, steps)
        return tuple(zip(clients.tolist(), self._says(clients).tolist(), strict=True))

    def _says(self, clients: Floats) -> Floats:
        logs = _shape(clients, self.contention.value, self.coherency.value)
        return np.asarray(self.throughput_of_one * np.exp(logs))


def fit(clients: Sequence[float], throughputs: Sequence[float]) -> Scalability | NotSaid:
    """The law of these measurements, a pair each, throughputs above 0."""
    n = np.asarray(clients, dtype=np.float64)
    levels = int(np.unique(n).size)
    if levels < FEWEST_LEVELS:
        sentence = (
            f"{levels} numbers of clients cannot tell contention from coherency; "
            f"measure at least {FEWEST_LEVELS}."
        )
        return NotSaid("too_few_levels", sentence)
    logs = np.log(np.asarray(throughputs, dtype=np.float64))
    fitted = _Fit(n, logs)
    return fitted.refused() or fitted.told()


@dataclass(frozen=True)
class _Levels:
    """Repeats by level: means of logarithms, and what chance does to each."""

    clients: Floats
    means: Floats
    counts: Floats
    squares: float
    """Of repeats about the mean of their level."""
    freedom: int

    @classmethod
    def of(cls, n: Floats, logs: Floats) -> "_Levels":
        """Those of single measurements."""
        clients, place, counts = np.unique(n, return_inverse=True, return_counts=True)
        means = np.bincount(place, weights=logs) / counts
        squares = float(((logs - means[place]) ** 2).sum())
        return cls(clients, means, counts.astype(np.float64), squares, n.size - clients.size)

    def falls(self, noise: float, freedom: int) -> bool:
        """Whether the highest load does less than another, by more than noise explains."""
        least = float(special.stdtrit(freedom, 1.0 - FALL / (self.clients.size - 1)))
        deviations = noise * np.sqrt(1.0 / self.counts[:-1] + 1.0 / self.counts[-1])
        return bool(((self.means[:-1] - self.means[-1]) > least * deviations).any())


def _shape(n: Floats, sigma: float, kappa: float) -> Floats:
    """Logarithm of the law at λ = 1."""
    return np.asarray(np.log(n) - np.log1p(sigma * (n - 1.0) + kappa * n * (n - 1.0)))


Along = Callable[[Floats], tuple[Floats, Floats]]
"""Values of one parameter → σ and κ of each."""


class _Fit:
    """Least squares of one set of points, and the profiles around them."""

    def __init__(self, n: Floats, logs: Floats) -> None:
        self.n, self.logs = n, logs
        self.sigma, self.kappa, self.squares = self._best()
        self.freedom = n.size - 3
        self.least = max(self.squares, n.size * RESOLUTION**2)
        self.levels = _Levels.of(n, logs)

    def refused(self) -> NotSaid | None:
        """Why nothing is said of the law: it leaves more than repeats of one load differ by."""
        levels = self.levels
        beyond, left = levels.clients.size - 3, self.squares - levels.squares
        chance = max(levels.squares, self.n.size * RESOLUTION**2)
        if levels.freedom < FEWEST_REPEATED:
            return None
        ratio = max(0.0, left) / beyond / (chance / levels.freedom)
        if float(special.fdtrc(beyond, levels.freedom, ratio)) >= MISFIT:
            return None
        off = math.sqrt(max(0.0, left) / self.n.size)
        sentence = (
            f"The law does not fit: it is off by {percent(off)}, more than repeats of one load "
            f"explain ({percent(math.sqrt(chance / levels.freedom))}). Another curve "
            "than the law's, of a server that is simply full for example, has no such contention "
            "or coherency."
        )
        return NotSaid("does_not_fit", sentence)

    def allowed(self, confidence: float) -> float:
        """Squares up to which a parameter can be meant."""
        return self.least * (1.0 + float(special.fdtri(1, self.freedom, confidence)) / self.freedom)

    def told(self) -> Scalability:
        """What is said of the fit."""
        residual_logs = self.logs - _shape(self.n, self.sigma, self.kappa)
        lam = float(np.exp(residual_logs.mean()))
        total = float(((self.logs - self.logs.mean()) ** 2).sum())
        sigma = self._interval(self.sigma, self._given_sigma, MOST_SIGMA)
        kappa = self._interval(self.kappa, self._given_kappa, MOST_KAPPA)
        return Scalability(
            lam,
            sigma,
            kappa,
            1.0 - self.squares / total if total > 0 else 0.0,
            math.sqrt(self.squares / self.freedom),
            int(self.n.size),
            float(self.n.min()),
            float(self.n.max()),
            self._peak(lam),
        )

    def _left(self, sigma: Floats, kappa: Floats) -> Floats:
        """Squares left by each pair of σ and κ."""
        waits = sigma[:, None] * (self.n - 1.0) + (kappa[:, None] * self.n) * (self.n - 1.0)
        rest = self.logs - np.log(self.n) + np.log1p(waits)
        return np.asarray(((rest - rest.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))

    def _best(self) -> tuple[float, float, float]:
        """σ, κ and the squares they leave; begins at the linear form n/X = a + b(n-1) + cn(n-1)."""
        regressors = np.stack([np.ones_like(self.n), self.n - 1, self.n * (self.n - 1)], axis=1)
        ratio = self.n / np.exp(self.logs - self.logs.max())
        found, _ = scipy.optimize.nnls(regressors / ratio[:, None], np.ones_like(ratio))
        begin = np.clip(found[1:] / max(found[0], LEAST), 1e-9, MOST_KAPPA / 2)

        def rest(both: Floats) -> Floats:
            values = self.logs - _shape(self.n, float(both[0]), float(both[1]))
            return np.asarray(values - values.mean())

        scale = np.asarray([1.0 / self.n.max(), 1.0 / self.n.max() ** 2])
        inside = scipy.optimize.least_squares(
            rest, begin, bounds=([0.0, 0.0], [MOST_SIGMA, MOST_KAPPA]), x_scale=scale, xtol=1e-12
        )
        candidates = [(float(inside.x[0]), float(inside.x[1]))]
        candidates += [(self._given_kappa(0.0)[1], 0.0), (0.0, self._given_sigma(0.0)[1])]
        pairs = np.asarray(candidates)
        pairs[pairs < LEAST] = 0.0
        left = self._left(pairs[:, 0], pairs[:, 1])
        best = int(np.argmin(left))
        return float(pairs[best, 0]), float(pairs[best, 1]), float(left[best])

    def _given_sigma(self, sigma: float) -> tuple[float, float]:
        """The least squares with this σ, and the κ that leaves them."""
        return self._least(lambda kappa: (np.full_like(kappa, sigma), kappa), MOST_KAPPA)

    def _given_kappa(self, kappa: float) -> tuple[float, float]:
        """The least squares with this κ, and the σ that leaves them."""
        return self._least(lambda sigma: (sigma, np.full_like(sigma, kappa)), MOST_SIGMA)

    def _interval(
        self, value: float, given: Callable[[float], tuple[float, float]], most: float
    ) -> Parameter:
        allowed = self.allowed(EACH)

        def over(at: float) -> float:
            return given(at)[0] - allowed

        low = 0.0
        if value > 0 and over(0.0) > 0:
            low = _edge(over, value, 0.0)
        step = max(value, 1e-6)
        while over(value + step) < 0:
            step *= 2.0
            if value + step > most:
                return Parameter(value, low, None)
        return Parameter(value, low, _edge(over, value, value + step))

    def _peak(self, lam: float) -> Peak | NotSaid:
        highest, sigma, kappa = float(self.n.max()), self.sigma, self.kappa
        peak = math.inf if kappa <= 0 else math.sqrt(max(0.0, 1.0 - sigma) / kappa)
        if not math.isfinite(peak):
            sentence = "No peak: without coherency (κ = 0) throughput never falls by the law."
            return NotSaid("no_peak", sentence)
        if peak > FURTHEST * highest:
            sentence = (
                f"No peak is told: by the law it would lie beyond {FURTHEST * highest:g} clients, "
                f"twice the {highest:g} that were measured."
            )
            return NotSaid("beyond_range", sentence)
        levels, freedom, squares = self.levels, self.freedom, self.least
        if levels.freedom >= FEWEST_REPEATED:
            freedom, squares = levels.freedom, levels.squares
        noise = max(RESOLUTION, math.sqrt(squares / freedom))
        if not levels.falls(noise, freedom):
            sentence = (
                f"No peak is told: {highest:g} clients, the most that were measured, do not do "
                "measurably less than fewer."
            )
            return NotSaid("no_peak", sentence)
        peak = max(1.0, peak)
        ends = self._peak_ends(peak, highest)
        most = lam * math.exp(float(_shape(np.asarray([peak]), sigma, kappa)[0]))
        return Peak(
            Parameter(peak, ends.low, ends.high if math.isfinite(ends.high) else None), most
        )

    def _peak_ends(self, peak: float, highest: float) -> Bounds:
        """The profile of n*, by κ = (1 - σ) / n*²; it ends at twice the range, or nowhere."""
        allowed = self.allowed(CONFIDENCE)

        def over(at: float) -> float:
            return self._least(lambda sigma: (sigma, (1.0 - sigma) / at**2), 1.0)[0] - allowed

        furthest = FURTHEST * highest
        low = 1.0
        if peak > 1.0 and over(1.0) > 0 > over(peak):
            low = _edge(over, peak, 1.0)
        if over(furthest) <= 0:
            return Bounds(low, math.inf)
        if over(peak) >= 0:
            return Bounds(low, peak)
        return Bounds(low, _edge(over, peak, furthest))

    def _least(self, along: Along, most: float) -> tuple[float, float]:
        """The least squares along one parameter from 0 on, and where.

        They have one valley along either parameter, so the best of a coarse walk and its neighbours
        hold it.
        """
        walk = np.concatenate([[0.0], np.geomspace(1e-9, most, 60)])
        for _ in range(4):
            values = self._left(*along(walk))
            place = int(np.argmin(values))
            low, high = walk[max(0, place - 1)], walk[min(walk.size - 1, place + 1)]
            walk = np.linspace(float(low), float(high), 25)
        values = self._left(*along(walk))
        place = int(np.argmin(values))
        return float(values[place]), float(walk[place])


def _edge(over: Callable[[float], float], inside: float, outside: float) -> float:
    """Where a profile leaves what is allowed, by halving; exact to 2^-16 of the way."""
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2.0
        if over(middle) > 0:
            outside = middle
        else:
            inside = middle
    return (inside + outside) / 2.0
