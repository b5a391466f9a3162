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


def weigh(laboratory: Laboratory) -> None:
    """Measure the noise of the usual experiment's cells, so that it is known by how much campaigns
    differ: four A/A campaigns, of three blocks each."""
    document = experiment("weighed", scenario="noise", repetitions=3)
    for _ in range(4):
        laboratory.carry_out(document, report)


def base_alike_slower(laboratory: Laboratory, before: int = 0) -> tuple[str, str, str]:
    """Three campaigns of one experiment: a base, one like it, one a fifth slower.

    :param before: campaigns before them, from which is learned how much campaigns differ.
    """
    document = experiment("compared")
    for _ in range(before):
        laboratory.carry_out(document, report)
    base = laboratory.carry_out(document, report)
    alike = laboratory.carry_out(document, lambda order: report(order, factor=1.002))
    slower = laboratory.carry_out(document, lambda order: report(order, factor=0.8))
    return base, alike, slower
