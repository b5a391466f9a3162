"""What faults cost, as it is stored and as the API shows it."""

from typing import Literal

from pydantic import BaseModel


class StretchOperationRead(BaseModel):
    """One operation over one stretch. Latencies in µs, of the successes, out of the histograms of
    its intervals, merged.
    """

    ok: int
    failed: int
    """Errors, and what came back wrong."""
    not_found: int
    never_sent: int | None = None
    """Due in an open loop, and given up; null of runs from before it was told."""
    throughput: float
    """Successes within the phase, a second."""
    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    p999_us: float | None
    p9999_us: float | None
    max_us: float | None


class StretchRead(BaseModel):
    """Before, during or after a fault. Seconds from the measured phase's begin."""

    stretch: Literal["before", "during", "after"]
    begin_seconds: float
    end_seconds: float
    intervals: int
    late: int
    """Successes slower than `FaultsRead.late_us`."""
    operations: dict[str, StretchOperationRead]
    """By operation; `all` is their sum. Empty where the stretch has no interval."""


class RecoveryRead(BaseModel):
    """How the system came back. Seconds from the fault's begin, to within `resolution_seconds`."""

    outcome: Literal["returned", "not_returned"]
    sentence: str
    detected_seconds: float | None
    """The first interval in which an operation failed, throughput fell below half, or p99 doubled;
    null: nobody noticed."""
    first_success_seconds: float | None
    """The first success after an interval without one; null: there was none without, or nothing
    succeeded again."""
    without_success_seconds: float
    """How long in all nothing succeeded."""
    returned_seconds: float | None
    """From when on p99 stayed inside the band around what it was; null: it did not return."""
    band: float
    """Relative: 0.1 = 10 % above."""
    band_by: Literal["asked", "own_scatter"]
    """`own_scatter`: it is as wide as the intervals before the fault scattered by themselves."""
    old_latency_us: float | None
    """Median of the intervals' p99 before the first fault."""
    operations_failed: int
    operations_late: int | None
    operations_missing: float
    """Of the old throughput, until it returned."""
    resolution_seconds: float


class FaultVerbRead(BaseModel):
    """One thing that was done."""

    label: str
    """As on the timeline: `kill node 2`."""
    begin_seconds: float
    end_seconds: float | None
    """Null: it was under way when the phase ended."""
    became: str
    """What came of it: `node 2: killed`."""
    done: bool


class RedistributionRead(BaseModel):
    """Data went from node to node, so that each has its share again. Seconds from the measured
    phase's begin, as the system tells them.
    """

    begin_seconds: float
    end_seconds: float | None
    """Of the last of it. Null: it had not ended when the system was stopped."""
    moving_seconds: float | None
    """How long data went, on whichever node; pauses are none of it. Null where `end_seconds` is."""
    stretches: int
    """How often it went, with pauses between."""
    bytes: int | None
    """Null: the system does not tell."""
    transfers: int | None
    failed: int
    """Transfers among them that failed."""


class FaultRead(BaseModel):
    """Something was broken, until it was mended; what overlaps is one fault. Seconds from the
    measured phase's begin.
    """

    label: str
    """What broke it: `kill node 2`."""
    begin_seconds: float
    end_seconds: float
    """When the last of it was mended; the phase's end where nothing was."""
    mended: bool
    verbs: list[FaultVerbRead]
    stretches: list[StretchRead]
    """Before the first fault; during this one; after it, until the next."""
    recovery: RecoveryRead | None
    not_told: str | None
    """Why no recovery is told."""
    redistribution: RedistributionRead | None = None
    """Null: there was none, or the system does not tell."""


class FaultsRead(BaseModel):
    """What the faults of a run cost."""

    faults: list[FaultRead]
    late_us: float | None
    """Twice the p99 of all intervals before the first fault, merged."""
