"""Charts of a run over time, as the API shows them."""

from typing import Literal

from pydantic import BaseModel


class PhaseSpanRead(BaseModel):
    """When a phase was, in seconds from the run's first interval."""

    kind: Literal["load", "warmup", "measure", "drain"]
    """Drain: after the end of an open loop's phase, when what was due in it comes back."""
    start_seconds: float
    end_seconds: float


class ArrivalsRead(BaseModel):
    """What was due over the measured phase of an open loop, and what became of it; lists of one
    length. Times in seconds from the run's first interval; operations a second.
    """

    t: list[float]
    until: list[float]
    due: list[float]
    sent: list[float]
    """Whenever it was due."""
    answered: list[float]
    """Whenever it was due, and whatever came back."""
    never_sent: list[float]
    """Of what was due then."""
    backlog: list[int]
    """Operations that were due and not sent at `until`."""


class OperationLineRead(BaseModel):
    """One operation over time; lists of one length. Times in seconds, latencies in µs.

    A point stands for the time from `t` to `until`. Low and high are the extremes of the intervals
    that it was merged from; null where it is an interval as the driver reported it.
    """

    t: list[float]
    until: list[float]
    throughput: list[float]
    errors: list[float]
    not_found: list[float]
    p50_us: list[float | None]
    p99_us: list[float | None]
    p999_us: list[float | None]
    p9999_us: list[float | None]
    throughput_low: list[float | None]
    throughput_high: list[float | None]
    p99_low_us: list[float | None]
    p99_high_us: list[float | None]


class PayloadRead(BaseModel):
    """Bytes of values of one successful operation, on the average."""

    read: float | None
    """Null: it is not known, as of a scan."""
    written: float


class DetailRead(BaseModel):
    """How fine a run is shown, in seconds; medians over the measured phase."""

    point_seconds: float
    """Of one point."""
    extremes_seconds: float | None
    """Of the intervals whose extremes stand beside the points; null: the points are the
    intervals."""


class ResourceLines(BaseModel):
    """Resources over time; lists of one length."""

    t: list[float]
    cpu_percent: list[float | None]
    resident_bytes: list[int | None]
    driver_cpu_percent: list[float | None]
    disk_bytes: list[int | None]
    steal_percent: list[float | None]


class MachineLines(BaseModel):
    """What one member's machine and its part of the system used, over time."""

    member: int
    agent_name: str
    resources: ResourceLines


class SeriesMarkRead(BaseModel):
    """Something that happened, in seconds from the run's first interval."""

    kind: str
    label: str
    at_seconds: float


class CourseSegmentRead(BaseModel):
    """A stretch of the measured phase at one level, in seconds from the run's first interval."""

    start_seconds: float
    end_seconds: float
    throughput: float
    """Mean of its intervals."""
    p99_us: float | None
    """Median of its intervals' p99; none where they have too few operations for one."""


class CourseRead(BaseModel):
    """What the measured phase was like, as the check of steady state sees it."""

    kind: Literal[
        "flat", "warming_up", "slowing_down", "periodic", "unsteady", "overloaded", "not_assessable"
    ]
    label: str
    sentence: str
    segments: list[CourseSegmentRead]


class RunSeriesRead(BaseModel):
    """A run over time."""

    phases: list[PhaseSpanRead]
    marks: list[SeriesMarkRead]
    """Faults, events of the system, and what else happened; the beginning of phases aside."""
    operations: dict[str, OperationLineRead]
    """Of several drivers together."""
    payloads: dict[str, PayloadRead]
    """By operation, those above but `all`."""
    detail: DetailRead | None
    """None before anything was measured."""
    arrivals: ArrivalsRead | None
    """None in a closed loop, before anything was measured, and of drivers that did not tell."""
    course: CourseRead | None
    """None before anything was measured, and for a system that was broken on purpose."""
    resources: ResourceLines
    """Of the first member's machine."""
    machines: list[MachineLines]
    """Of every member's machine."""
