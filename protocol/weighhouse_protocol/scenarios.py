"""Scenarios whose loads are chosen while they are measured: from where, how far, by which rule.

Each load level of the file is where one search begins. What varies is its clients in a closed loop
and its rate in an open one; all else of the level stays.
"""

from typing import Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document
from weighhouse_protocol.load import ClosedLoad, OpenLoad

PERCENTILES = (50.0, 95.0, 99.0, 99.9, 99.99)
"""Those that every run has of its merged histogram."""


class LatencyEnvelope(Document):
    """The latency a result has to stay inside to count."""

    percentile: float = Field(default=99.0, gt=0, lt=100)
    limit_us: float = Field(gt=0)

    @property
    def words(self) -> str:
        """For example `p99 within 1,000 µs`."""
        return f"p{self.percentile:g} within {self.limit_us:,g} µs"


class Sweep(Document):
    """The load curve: doubled from each load level up to a limit, then refined around the knee."""

    to: float = Field(gt=0, le=50_000_000)
    """The highest load: clients of a closed loop, operations a second of an open one."""
    refine: int = Field(default=4, ge=0, le=20)
    """Points besides the doublings that may be spent around the knee."""
    stop_at: LatencyEnvelope | None = None
    """The sweep goes no higher once a point is outside; default: only throughput that falls ends it
    before `to`."""

    @model_validator(mode="after")
    def _has_a_percentile_of_runs(self) -> Self:
        require_percentile(self.stop_at, "stop_at")
        return self


class Calibrate(Document):
    """The most load inside the experiment's latency envelope, for each target on its own."""

    at_most: float | None = Field(default=None, gt=0, le=50_000_000)
    """No load beyond is tried: clients of a closed loop, operations a second of an open one;
    default: what a load level may have."""
    measurements: int = Field(default=12, ge=4, le=50)
    """Runs a search may take, those that confirm what it found among them."""
    precision_percent: float = Field(default=3.0, ge=0.5, le=50)
    """How near the answer has to be, relative."""


def require_percentile(envelope: LatencyEnvelope | None, where: str) -> None:
    """:raises ValueError: when runs have no figure for an envelope's percentile."""
    if envelope is not None and envelope.percentile not in PERCENTILES:
        known = ", ".join(f"{one:g}" for one in PERCENTILES)
        message = f"{where}.percentile: {envelope.percentile:g} is none of {known}"
        raise ValueError(message)


MOST_CLIENTS = 10_000
MOST_RATE = 50_000_000.0


def most_of(load: ClosedLoad | OpenLoad) -> float:
    """The highest value a load level can have: clients, or operations a second."""
    return float(MOST_CLIENTS) if isinstance(load, ClosedLoad) else MOST_RATE


def varied(load: ClosedLoad | OpenLoad, value: float) -> ClosedLoad | OpenLoad:
    """A load level with other clients (rounded to whole ones), or at another rate.

    :raises ValueError: when a level cannot have that value.
    """
    if isinstance(load, ClosedLoad):
        return ClosedLoad.model_validate(load.model_dump() | {"clients": round(value)})
    factor = value / load.rate_per_second
    rates = {operation: rate * factor for operation, rate in load.operation_rates.items()}
    return OpenLoad.model_validate(
        load.model_dump() | {"rate_per_second": value, "operation_rates": rates}
    )
