"""Two systems that are measured again and again, for features that compare."""

from itertools import count

from .laboratory import Laboratory, experiment
from .reports import whole_run

runs = count()


def report(order, *, memcached=1.5, factor=1.0, **target):
    """Redis at 400 a second, Memcached `memcached` times as quick; half a percent of noise.

    The noise goes round from run to run: drawn at random, all repeats are alike now and then.
    """
    name = order["target"]["name"]
    place = next(runs) % 5
    noise = place - 2
    rate = round((400 if name == "redis" else 400 * memcached) * factor) + noise
    return whole_run(
        seed=place,
        rate=rate,
        median_us=100.0 / factor,
        memory=10_000_000 if name == "redis" else 8_000_000,
        version="7.0.15" if name == "redis" else "1.6.18",
        **target,
    )


def base_alike_slower(laboratory: Laboratory) -> tuple[str, str, str]:
    """Three campaigns of one experiment: a base, one like it, one a fifth slower."""
    document = experiment("compared")
    base = laboratory.carry_out(document, report)
    alike = laboratory.carry_out(document, lambda order: report(order, factor=1.002))
    slower = laboratory.carry_out(document, lambda order: report(order, factor=0.8))
    return base, alike, slower
