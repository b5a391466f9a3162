"""Figures that people type as a text prints them: numbers with their units. Pure."""

from collections.abc import Iterable

from weighhouse_judging.studies.printed import printed
from weighhouse_protocol.figures import CATALOGUE

from weighhouse_backend.sources.schemas import FigureTyped, FigureUnderstood

PLATFORM_UNITS = {"rate": "ops/s", "time": "µs", "size": "bytes", "flow": "bytes/s"}


def understood(typed: Iterable[FigureTyped]) -> list[FigureUnderstood]:
    """What each stands for, or why it cannot be read."""
    return [_understood(one) for one in typed]


def _understood(typed: FigureTyped) -> FigureUnderstood:
    known = CATALOGUE.find(typed.figure)
    unit = "" if known is None else PLATFORM_UNITS.get(known.scale, known.unit)
    if known is None:
        problem = f"{typed.figure!r} is no figure; for example throughput, mean_us, p99_us"
        return FigureUnderstood(value=None, low=None, high=None, unit=unit, problem=problem)
    try:
        found = printed(typed.printed.strip(), known.name)
    except ValueError as error:
        return FigureUnderstood(value=None, low=None, high=None, unit=unit, problem=str(error))
    return FigureUnderstood(
        value=found.value, low=found.low, high=found.high, unit=unit, problem=""
    )
