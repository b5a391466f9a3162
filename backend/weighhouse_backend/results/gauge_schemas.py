"""Gauges as the API shows them."""

from pydantic import BaseModel

from weighhouse_backend.measurements.gauges import Source, Unit


class GaugeRead(BaseModel):
    """One figure over time; as many values as its machine has instants."""

    name: str
    """As it was sampled; the system's own word where `source` is `system`."""
    label: str
    source: Source
    """`disk`: the system's processes, by the kernel; `network`: interfaces of the namespace that
    the system is in, of the machine where it has none of its own; loopback counts what is sent and,
    again, what is received."""
    unit: Unit
    """Of the system's own, as far as the name tells."""
    values: list[float | None]
    per_second: list[float | None] | None
    """Of what is counted since sampling began; null for all that is read as it stands."""
    total: float | None
    """Of what is counted: over the whole run, load and warm-up included."""


class MachineGaugesRead(BaseModel):
    """Of one member's machine and its part of the system."""

    member: int
    agent_name: str
    t: list[float]
    """Seconds from the run's first interval."""
    gauges: list[GaugeRead]


class GaugesRead(BaseModel):
    """What was sampled of a run besides processor and memory."""

    every: int
    """A value is that of the last of so many samples: a long run is thinned, not averaged."""
    machines: list[MachineGaugesRead]
