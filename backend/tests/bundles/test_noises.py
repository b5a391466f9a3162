"""A floor is told in a bundle with all that sides are judged by."""

import json
from types import SimpleNamespace

import numpy as np
from weighhouse_backend.bundles.noises import floors_read, floors_told
from weighhouse_judging.arithmetic.intervals import Between, Floats, Spread
from weighhouse_judging.verdicts.noise import Floor

CELL = ("a" * 32, ("point-read", "t4c16"))


def number(value: float) -> Floats:
    return np.asarray(value)


def test_a_floor_is_read_as_it_was_told_and_older_ones_are_read() -> None:
    """Every field has a value of its own: one that a file leaves out would judge otherwise."""
    between = Between(
        *map(number, (0.01, 9.0, 0.2)), tied=True, within=Spread(*map(number, (0.02, 40.0, 0.3)))
    )
    within = Spread(*map(number, (0.03, 20.0, 0.5)))
    floor = Floor(7, 3, within, between, 0.01, 0.04, 0.05)
    side = SimpleNamespace(key=CELL[0], cells=SimpleNamespace(cells=[CELL[1]]))
    noise = SimpleNamespace(floor_of=lambda _, metric: floor if metric == "throughput" else None)
    told = json.loads(json.dumps(list(floors_told([side], noise))))
    assert floors_read(told)(CELL, "throughput") == floor
    assert floors_read(told)(CELL, "latency_p99") is None
    del told[0]["floor"]["within"]["memory"]
    older = floors_read(told)(CELL, "throughput")
    assert older is not None
    assert older.within == Spread(within.variance, within.freedom)
