"""Noise floors as JSON, and back: what was known of the machine when sides were judged. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from weighhouse_judging.arithmetic.intervals import Between, Floats, Spread
from weighhouse_judging.verdicts.noise import Floor
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.comparisons.floors import FloorOf, SideCell, SideNoise
from weighhouse_backend.comparisons.sides import Side


def floors_told(sides: Iterable[Side], noise: SideNoise) -> Iterator[dict[str, Any]]:
    """The floors of all cells of sides, one after the other."""
    for side in sides:
        for cell in side.cells.cells:
            for figure in CATALOGUE.judged:
                floor = noise.floor_of((side.key, cell), figure.name)
                if floor is not None:
                    workload, load_level = cell
                    yield {
                        "side": side.key,
                        "workload": workload,
                        "load_level": load_level,
                        "figure": figure.name,
                        "floor": _floor_told(floor),
                    }


def floors_read(told: Iterable[Mapping[str, Any]]) -> FloorOf[SideCell]:
    """The floors again, by cell and figure.

    :raises KeyError: when one is not as it was told; TypeError, ValueError likewise.
    """
    found = {
        ((str(one["side"]), (str(one["workload"]), str(one["load_level"]))), str(one["figure"])): (
            _floor(one["floor"])
        )
        for one in told
    }
    return lambda cell, metric: found.get((cell, metric))


def _floor_told(floor: Floor) -> dict[str, Any]:
    between = floor.between
    return {
        "pairs": floor.pairs,
        "campaigns": floor.campaigns,
        "within": _spread_told(floor.within),
        "between": None
        if between is None
        else {
            "variance": float(between.variance),
            "freedom": float(between.freedom),
            "share": float(between.share),
            "tied": between.tied,
            "within": None if between.within is None else _spread_told(between.within),
        },
        "median_difference": floor.median_difference,
        "p95_difference": floor.p95_difference,
        "largest_difference": floor.largest_difference,
    }


def _spread_told(spread: Spread) -> dict[str, float]:
    return {
        "variance": float(spread.variance),
        "freedom": float(spread.freedom),
        "memory": float(spread.memory),
    }


def _floor(told: Mapping[str, Any]) -> Floor:
    between = told["between"]
    return Floor(
        pairs=int(told["pairs"]),
        campaigns=int(told["campaigns"]),
        within=_spread(told["within"]),
        between=None
        if between is None
        else Between(
            _number(between["variance"]),
            _number(between["freedom"]),
            _number(between["share"]),
            tied=bool(between["tied"]),
            within=None if between["within"] is None else _spread(between["within"]),
        ),
        median_difference=float(told["median_difference"]),
        p95_difference=float(told["p95_difference"]),
        largest_difference=float(told["largest_difference"]),
    )


def _spread(told: Mapping[str, Any]) -> Spread:
    """Bundles from before repeats were known to remember tell of no memory."""
    remembered = _number(told.get("memory", 0.0))
    return Spread(_number(told["variance"]), _number(told["freedom"]), remembered)


def _number(value: Any) -> Floats:
    return np.asarray(float(value))
