"""Load levels and the phases of a run."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document, Rate
from weighhouse_protocol.workload import Operation

MOST_FACTOR = 1000
RATE_TOLERANCE = 1e-6

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


class SineProfile(Document):
    """A rate that swings: rate × (1 + amplitude × sin(2π t / period))."""

    shape: Literal["sine"] = "sine"
    period_seconds: float = Field(gt=0, le=7 * 86_400)
    amplitude: float = Field(default=0.5, gt=0, le=1)
    """Swing as a share of the rate."""


class StepProfile(Document):
    """A rate in steps: rate × each factor in turn, over and over."""

    shape: Literal["steps"] = "steps"
    step_seconds: float = Field(gt=0, le=7 * 86_400)
    factors: tuple[Annotated[float, Field(ge=0, le=MOST_FACTOR)], ...] = Field(
        min_length=1, max_length=1000
    )

    @model_validator(mode="after")
    def _factors_lead_somewhere(self) -> Self:
        if not all(0 <= factor <= MOST_FACTOR for factor in self.factors) or not any(self.factors):
            message = f"factors: each within 0 and {MOST_FACTOR}, and one above 0"
            raise ValueError(message)
        return self


Profile = Annotated[SineProfile | StepProfile, Field(discriminator="shape")]
"""How the rate of an open loop changes over a phase."""


class OpenLoad(Document):
    """An open loop: operations are due at their times, whether or not earlier ones returned."""

    model: Literal["open"]
    arrival: Literal["constant", "poisson"] = "constant"
    rate_per_second: Rate
    profile: Profile | None = None
    """How the rate changes from the phase's start on; default: not at all."""
    operation_rates: dict[Operation, Rate] = Field(default_factory=dict, max_length=20)
    """Operations due a second of each kind, in place of the workload's mix; they add up to
    `rate_per_second`."""
    connections: int = Field(default=8, ge=1, le=10_000)
    max_in_flight: int = Field(default=1024, ge=1, le=1_000_000)

    @property
    def value(self) -> float:
        """The position on a chart's x axis: operations per second."""
        return self.rate_per_second

    @property
    def label(self) -> str:
        """The level in words."""
        shape = f", {self.profile.shape}" if self.profile else ""
        own = ", per operation" if self.operation_rates else ""
        return f"{self.rate_per_second:g}/s {self.arrival}{shape}{own}"

    @model_validator(mode="after")
    def _rates_add_up(self) -> Self:
        if not self.operation_rates:
            return self
        if any(not rate > 0 for rate in self.operation_rates.values()):
            message = "operation_rates: each above 0; leave out what does not occur"
            raise ValueError(message)
        total = sum(self.operation_rates.values())
        if abs(total - self.rate_per_second) > RATE_TOLERANCE * self.rate_per_second:
            message = (
                f"operation_rates add up to {total:g}, not to rate_per_second "
                f"{self.rate_per_second:g}"
            )
            raise ValueError(message)
        return self


Load = Annotated[ClosedLoad | OpenLoad, Field(discriminator="model")]
"""A load level."""


class Share(Document):
    """One driver's part of a load that several drivers make together.

    A load phase inserts the part's slice of the records, `count * index // of` to
    `count * (index + 1) // of`; keys that the run inserts are dealt in turn: the part's are
    `first + index + k * of`. Clients, rates and operation counts in an order are the part's own
    already.
    """

    index: int = Field(default=0, ge=0, lt=1000)
    of: int = Field(default=1, ge=1, le=1000)

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.index >= self.of:
            message = f"index: {self.index} of {self.of}; parts count from 0"
            raise ValueError(message)
        return self


class Phase(Document):
    """One phase of a driver's plan; ends at the first of its limits."""

    kind: PhaseKind
    duration_seconds: float | None = Field(default=None, gt=0, le=7 * 86_400)
    operation_count: int | None = Field(default=None, ge=1, le=10**15)
    clients: int | None = Field(default=None, ge=1, le=10_000)
    """Clients of a load phase; elsewhere the load level decides."""
