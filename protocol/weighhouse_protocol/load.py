"""Load levels and the phases of a run."""

from typing import Annotated, Literal

from pydantic import Field

from weighhouse_protocol.base import Document

PhaseKind = Literal["load", "warmup", "measure"]
"""What the driver does in a phase."""


class ClosedLoad(Document):
    """A closed loop: each client waits for its answer before it asks again."""

    model: Literal["closed"] = "closed"
    clients: int = Field(ge=1, le=10_000)
    """Concurrent clients, each with a connection of its own."""
    pipeline: int = Field(default=1, ge=1, le=1000)
    """Requests a client keeps in flight."""
    think_time_us: int = Field(default=0, ge=0, le=60_000_000)
    """Pause of a client between answer and next request, µs."""

    @property
    def value(self) -> float:
        """The position on a chart's x axis: clients."""
        return float(self.clients)

    @property
    def label(self) -> str:
        """The level in words."""
        plural = "client" if self.clients == 1 else "clients"
        depth = f", pipeline {self.pipeline}" if self.pipeline > 1 else ""
        return f"{self.clients} {plural}{depth}"


class OpenLoad(Document):
    """An open loop: operations are due at their times, whether or not earlier ones returned."""

    model: Literal["open"]
    arrival: Literal["constant", "poisson"] = "constant"
    rate_per_second: float = Field(gt=0, le=50_000_000)
    connections: int = Field(default=8, ge=1, le=10_000)
    max_in_flight: int = Field(default=1024, ge=1, le=1_000_000)

    @property
    def value(self) -> float:
        """The position on a chart's x axis: operations per second."""
        return self.rate_per_second

    @property
    def label(self) -> str:
        """The level in words."""
        return f"{self.rate_per_second:g}/s {self.arrival}"


Load = Annotated[ClosedLoad | OpenLoad, Field(discriminator="model")]
"""A load level."""


class Phase(Document):
    """One phase of a driver's plan; ends at the first of its limits."""

    kind: PhaseKind
    duration_seconds: float | None = Field(default=None, gt=0, le=7 * 86_400)
    operation_count: int | None = Field(default=None, ge=1)
    clients: int | None = Field(default=None, ge=1, le=10_000)
    """Clients of a load phase; elsewhere the load level decides."""
