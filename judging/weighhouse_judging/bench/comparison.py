"""How often a comparison of two sides is wrong, and how often it sees what is there."""

import numpy as np
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_judging.arithmetic.intervals import (
    Between,
    LogDifference,
    Spread,
    level,
    paired,
    two_level,
)
from weighhouse_judging.arithmetic.memory import told_memory
from weighhouse_judging.bench.trials import Bools, Floats, block_noise, median_of, repeats
from weighhouse_judging.verdicts.sides import FAMILY_LEVEL, LEVEL

THRESHOLD = CATALOGUE["throughput"].threshold
BLOCK_NOISE = 0.05
BETWEEN = 0.02
CAMPAIGNS = 10
METHODS = ("level", "paired", "two_level")


def cover(
    method: str, kind: str, size: int, cv: float, block_deviation: float, trials: int, seed: int
) -> float:
    """Share of trials whose 95 % interval holds the truth."""
    generator = np.random.default_rng([seed, METHODS.index(method), size])
    shape = (trials, size)
    if method == "level":
        blocks = block_noise(generator, block_deviation, shape)
        truth = median_of(kind, cv, block_deviation, seed)
        ends = level(np.exp(repeats(generator, kind, cv, shape, blocks)))
        assert ends is not None  # noqa: S101 - the bench asks for four repeats and more
        return float(np.mean((np.log(ends[0]) <= truth) & (truth <= np.log(ends[1]))))
    if method == "two_level":
        return _cover_of_campaigns(generator, kind, size, cv, block_deviation, trials)
    blocks = block_noise(generator, block_deviation, shape)
    a = repeats(generator, kind, cv, shape, blocks)
    difference = paired(repeats(generator, kind, cv, shape, blocks) - a)
    return float(np.mean(np.abs(difference.estimate) <= difference.half_width()))


def _cover_of_campaigns(
    generator: np.random.Generator,
    kind: str,
    size: int,
    cv: float,
    block_deviation: float,
    trials: int,
) -> float:
    difference = against_campaigns(
        *campaigns(generator, kind, (trials,), size, size, cv, BETWEEN, block_deviation)
    )
    return float(np.mean(np.abs(difference.estimate) <= difference.half_width()))


def campaigns(
    generator: np.random.Generator,
    kind: str,
    shape: tuple[int, ...],
    base_repeats: int,
    other_repeats: int,
    cv: float,
    between: float,
    block_deviation: float = 0.0,
) -> tuple[Floats, Floats]:
    """CAMPAIGNS base campaigns (…, campaign, repeat) and one more (…, repeat), all equal."""
    base_shape = (*shape, CAMPAIGNS, base_repeats)
    base = repeats(generator, kind, cv, base_shape) + block_noise(
        generator, block_deviation, base_shape
    )
    base = base + generator.normal(0.0, between, (*shape, CAMPAIGNS, 1))
    other_shape = (*shape, other_repeats)
    other = repeats(generator, kind, cv, other_shape) + block_noise(
        generator, block_deviation, other_shape
    )
    return base, other + generator.normal(0.0, between, (*shape, 1))


def against_campaigns(base: Floats, other: Floats, between: Between | None = None) -> LogDifference:
    """The two-level difference of many trials at once, as `noise.against_base` does it for one."""
    count = base.shape[-2]
    return two_level(
        other.mean(axis=-1) - base.mean(axis=(-1, -2)),
        count,
        1 / other.shape[-1] + 1 / base.shape[-1] / count,
        within(base, other),
        between or means_of(base),
    )


def means_of(base: Floats) -> Between:
    """`noise.means_of` for many trials at once."""
    return Between(
        base.mean(axis=-1).var(axis=-1, ddof=1),
        np.asarray(base.shape[-2] - 1.0),
        np.asarray(1 / base.shape[-1]),
        within=within(base),
    )


def within(base: Floats, other: Floats | None = None) -> Spread:
    """Pooled variance of repeats inside campaigns, of many trials at once."""
    freedom = float(base.shape[-2] * (base.shape[-1] - 1))
    squares = base.var(axis=-1).sum(axis=-1) * base.shape[-1]
    if other is not None:
        freedom += other.shape[-1] - 1
        squares = squares + other.var(axis=-1) * other.shape[-1]
    memory = told_memory(list(np.moveaxis(base, -2, 0)))
    return Spread(squares / freedom, np.asarray(freedom), memory)


def changed(
    difference: LogDifference, level_of_p: float = LEVEL, p_value: Floats | None = None
) -> Bools:
    """Which of many paired differences are called changed, alone (the rule of `verdicts.sides`)."""
    p = difference.p_two_sided() if p_value is None else p_value
    return np.asarray(
        (np.abs(np.expm1(difference.estimate)) > THRESHOLD)
        & (p <= level_of_p)
        & (np.abs(difference.estimate) > difference.half_width())
    )


def equal_called_changed(kind: str, size: int, cv: float, trials: int, seed: int) -> float:
    """Share of equal paired sides called changed, one difference alone."""
    generator = np.random.default_rng([seed, METHODS.index("paired"), size, round(cv * 1e4)])
    a = repeats(generator, kind, cv, (trials, size))
    b = repeats(generator, kind, cv, (trials, size))
    return float(changed(paired(b - a)).mean())


def equal_paired_at(level_of_p: float, cv: float, trials: int, seed: int, size: int = 5) -> float:
    """Share of equal paired sides called changed, were the level another."""
    generator = np.random.default_rng([seed, size, round(cv * 1e4)])
    sides = [repeats(generator, "normal", cv, (trials, size)) for _ in range(2)]
    return float(changed(paired(sides[1] - sides[0]), level_of_p=level_of_p).mean())


def step_found(
    step: float, size: int, residual: float, trials: int, seed: int, level_of_p: float = LEVEL
) -> float:
    """Share of trials in which a step between paired sides is called changed; nothing is known of
    the machine. Block noise of 5 % cancels in pairs.
    """
    generator = np.random.default_rng([seed, size, 0])
    blocks = block_noise(generator, BLOCK_NOISE, (trials, size))
    a = repeats(generator, "normal", residual, (trials, size), blocks)
    b = repeats(generator, "normal", residual, (trials, size), blocks) + np.log1p(step)
    return float(changed(paired(b - a), level_of_p=level_of_p).mean())


def tables_with_a_change(
    size: int, cv: float, tables: int, seed: int, shared: float, rule: str = "holm"
) -> float:
    """Share of tables of equal sides (12 cells of 7 metrics) in which any difference is "changed".

    `shared` is how much of a cell's noise its metrics have in common (0: none).
    """
    p_values, sizes = _table(size, cv, tables, seed, shared, np.zeros(84))
    return float((_called(p_values, sizes, rule)).any(axis=-1).mean())


def found_in_tables(
    step: float, truly: int, size: int, cv: float, tables: int, seed: int, rule: str
) -> float:
    """Share of truly changed differences that a table calls changed, `truly` of 84."""
    shifts = np.zeros(84)
    shifts[:truly] = np.log1p(step)
    p_values, sizes = _table(size, cv, tables, seed, 0.0, shifts)
    return float(_called(p_values, sizes, rule)[:, :truly].mean())


def _table(
    size: int, cv: float, tables: int, seed: int, shared: float, shifts: Floats
) -> tuple[Floats, Floats]:
    generator = np.random.default_rng([seed, size, round(cv * 1e4), round(shared * 10)])
    own = generator.normal(0.0, cv * np.sqrt(2 * (1 - shared)), (tables, 12, 7, size))
    common = generator.normal(0.0, cv * np.sqrt(2 * shared), (tables, 12, 1, size))
    difference = paired((own + common).reshape(tables, 84, size) + shifts[:, None])
    return difference.p_two_sided(), np.abs(np.expm1(difference.estimate))


def _called(p_values: Floats, sizes: Floats, rule: str) -> Bools:
    count = p_values.shape[-1]
    ordered = np.sort(p_values, axis=-1)
    place = np.arange(1, count + 1)
    if rule == "holm":
        passes = np.logical_and.accumulate(ordered <= FAMILY_LEVEL / (count - place + 1), axis=-1)
    else:
        passes = ordered <= FAMILY_LEVEL * place / count / np.sum(1.0 / place)
        passes = np.logical_or.accumulate(passes[..., ::-1], axis=-1)[..., ::-1]
    largest = np.max(np.where(passes, ordered, -1.0), axis=-1, keepdims=True)
    thresholds = np.tile([metric.threshold for metric in CATALOGUE.judged_in("performance")], 12)
    return np.asarray((p_values <= largest) & (p_values <= LEVEL) & (sizes > thresholds))


def least_false_alarms(cv: float, trials: int, seed: int, size: int = 5) -> float:
    """The fewest false alarms of *any* rule that finds 99 % of steps of -5 % (residual 1 %, five
    pairs), when equal sides scatter by `cv`.

    By the most powerful test of the one against the other (Neyman & Pearson 1933, Philosophical
    Transactions A 231), which no honest rule can reach: it knows the step and both noises in
    advance, and calls -10 % at 2 % noise "equal".
    """
    generator = np.random.default_rng([seed, size, round(cv * 1e4)])
    step, residual = -float(np.log1p(-0.05)), 0.01 * np.sqrt(2)
    stepped = generator.normal(-step, residual, (trials, size))
    equal = generator.normal(0.0, cv * np.sqrt(2), (trials, size))
    scores = [
        _log_likelihood(data, step, residual) - _log_likelihood(data, 0.0, cv * np.sqrt(2))
        for data in (stepped, equal)
    ]
    return float(np.mean(scores[1] >= np.quantile(scores[0], 0.01)))


def _log_likelihood(data: Floats, step: float, deviation: float) -> Floats:
    """Of a step of this size to either side, up to a constant."""
    size = data.shape[-1]
    squares = np.square(data).sum(axis=-1) + size * step**2
    turned = step * data.sum(axis=-1) / deviation**2
    both = np.logaddexp(turned, -turned)
    return np.asarray(both - squares / (2 * deviation**2) - size * np.log(deviation))
