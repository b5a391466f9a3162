"""The driver's protocol: an order on standard input, events line by line on standard output."""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, SerializerFunctionWrapHandler, TypeAdapter, model_serializer

from weighhouse_protocol.base import (
    Count,
    Document,
    Elapsed,
    Few,
    FewBy,
    Instant,
    Label,
    Length,
    Many,
    Measure,
    Order,
    Page,
    Percent,
    Report,
    Scalar,
    Sentence,
    SmallJson,
    Told,
)
from weighhouse_protocol.counts import Counts
from weighhouse_protocol.load import Load, Phase, PhaseKind, Share
from weighhouse_protocol.workload import Workload


class DriverTarget(Document):
    """Where the driver finds the system."""

    endpoints: Few[Label] = Field(min_length=1)
    """`tcp://HOST:PORT`, `tls://HOST:PORT`, `unix:///PATH` or, for an embedded engine,
    `file:///DIRECTORY`."""
    hosts: FewBy[Few[Label]] = Field(default_factory=dict)
    """Name of a host in the endpoints → its addresses, in the order in which they are tried: a
    driver looks up none of these names, and holds a certificate against the name."""
    address_map: FewBy[Label] = Field(default_factory=dict)
    """What servers announce (`HOST:PORT`, an IPv6 address in brackets) → where that is reached, as
    in the endpoints: a driver that is sent elsewhere goes there."""
    options: FewBy[Scalar] = Field(default_factory=dict)

    @model_serializer(mode="wrap")
    def _as_drivers_know_it(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without names, and without a map, where there are none."""
        written: dict[str, Any] = handler(self)
        if not self.hosts:
            written.pop("hosts", None)
        if not self.address_map:
            written.pop("address_map", None)
        return written


class DriverOrder(Document):
    """What a driver reads on standard input."""

    protocol: Literal[1] = 1
    workload: Workload
    target: DriverTarget
    load: Load
    phases: Few[Phase] = Field(min_length=1)
    seed: int = Field(ge=0, lt=2**64)
    interval_seconds: float = Field(default=1.0, ge=0.05, le=60)
    shards: int = Field(default=1, ge=1, le=256)
    """Threads that make load."""
    share: Share = Share()
    """Which part of a common load this driver makes. All parts have the run's seed: values follow
    from it alone, choices from it and the part's index."""
    verify: Literal["values", "shape"] = "values"
    """What is asked of values that are verified: that they were written for their key with the
    order's seed; or that they have the workload's fields and lengths, whoever wrote them."""
    hold: bool = False
    """Whether each phase waits for a line on standard input, a `Go`."""

    @model_serializer(mode="wrap")
    def _as_drivers_know_it(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without what asks for nothing: a driver that works alone need not know of gangs."""
        written: dict[str, Any] = handler(self)
        if self.share == Share():
            written.pop("share", None)
        if not self.hold:
            written.pop("hold", None)
        if self.verify == "values":
            written.pop("verify", None)
        return written


class Go(Document):
    """A line on a held driver's standard input: when a phase begins.

    The phase begins at the instant by the driver's own clock, and its intervals are cut at whole
    multiples of the interval from there; one that has passed already means at once, with a first
    interval that is as much shorter. The end of standard input while a phase is awaited ends the
    driver in good order, with `interrupted`.
    """

    go: Order
    """Index of the phase in the order."""
    at_us: Instant
    """Unix time, µs."""


class DriverDescription(Report):
    """What `DRIVER --describe` prints."""

    driver: Label
    version: Label
    protocol: Order
    operations: Few[Label]
    features: Few[Label] = ()
    distributions: Few[Label]
    load_models: Few[Label]
    endpoint_kinds: Few[Label] = ()
    target_fields: Few[Label] = ()
    """Fields of `DriverTarget`, besides endpoints and options, that it takes; it gets no others."""
    options: SmallJson = Field(default_factory=dict)


class Recorded(Report):
    """Operations with one outcome: how many, and how long they took."""

    count: Count
    response: Page | None = None
    """HdrHistogram, V2 deflate base64, ns: from due to done; in a closed loop an operation is due
    with the answer before it, or at the end of the pause."""
    service: Page | None = None
    """The same from sent to done; only in an open loop."""
    overflow: Count = 0
    """Of drivers and tools whose histograms end somewhere: values beyond, counted and in no
    histogram."""


class OperationInterval(Report):
    """One operation in one interval, by outcome; an outcome that did not occur is absent."""

    ok: Recorded | None = None
    not_found: Recorded | None = None
    errors: FewBy[Recorded] = Field(default_factory=dict)
    verify_failed: Recorded | None = None
    never_sent: Recorded | None = None
    """Due, and given up in this interval without having been sent. There is no time of them."""


class DriverSelf(Report):
    """What the driver measured of itself in one interval."""

    cpu_us: Count = 0
    user_us: Count = 0
    system_us: Count = 0
    lag: Page | None = None
    """Histogram of sent - due, ns; only in an open loop."""
    loop_delay_p99_us: Measure = 0.0
    steal_percent: Percent = 0.0
    in_flight_max: Count = 0
    reconnects: Count = 0
    saturated: bool = False


class InputOutput(Report):
    """How a driver with a wire protocol waits for replies and sends requests."""

    way: Label
    """`epoll` or `io_uring`."""
    reason: Label
    epoll_ns: Count | None = None
    """The quickest turn of a trial by epoll; None: there was none."""
    io_uring_ns: Count | None = None
    """The same by io_uring."""


class Ready(Report):
    """The driver is connected and waits to begin."""

    event: Literal["ready"] = "ready"
    at_us: Instant
    elapsed_us: Elapsed
    driver: Label
    version: Label
    shards: Order = 1
    connections: Count = 0
    layout: Label | None = None
    io: InputOutput | None = None
    """None: over its makers' library, inside the process, or of an older driver."""
    stream_hash: Label | None = None
    """Hash of the first 10,000 operations that this seed gives."""


class PhaseStarted(Report):
    """A phase began."""

    event: Literal["phase_started"] = "phase_started"
    at_us: Instant
    elapsed_us: Elapsed
    phase: PhaseKind
    index: Order


class Due(NamedTuple):
    """Operations that were due in one interval."""

    start_us: Instant
    """The `start_us` of the interval in which they were due."""
    begun: Count
    """How many were sent."""
    never_sent: Count
    """How many were given up."""


class Interval(Report):
    """What one driver saw in one interval."""

    event: Literal["interval"] = "interval"
    at_us: Instant
    elapsed_us: Elapsed
    phase: PhaseKind
    index: Order
    sequence: Order
    start_us: Instant
    """Begin of the interval, unix time µs."""
    duration_us: Length
    drain: bool = False
    """Whether it lies after the end of a phase of an open loop: what was due in the phase comes
    back, and nothing else is due."""
    due: Many[Due] = ()
    """Of an open loop: the operations that were begun or given up in this interval, by the interval
    in which they were due."""
    operations: FewBy[OperationInterval]
    driver: DriverSelf = DriverSelf()


class Said(Report):
    """What a server, or the library that asks it, said first of operations that failed one way."""

    at_us: Instant
    words: Sentence


class OperationTotals(Report):
    """Counts of one operation over a phase."""

    ok: Count = 0
    not_found: Count = 0
    errors: FewBy[Count] = Field(default_factory=dict)
    said: FewBy[Said] = Field(default_factory=dict)
    """Kind of error → the first words of it."""
    verify_failed: Count = 0
    never_sent: Count = 0


class Wire(Report):
    """Bytes on the driver's connections, as the protocol has them: of TLS, what it carries."""

    sent: Count = 0
    """Of requests."""
    received: Count = 0
    """Of replies."""


class PhaseFinished(Report):
    """A phase ended."""

    event: Literal["phase_finished"] = "phase_finished"
    at_us: Instant
    elapsed_us: Elapsed
    phase: PhaseKind
    index: Order
    duration_us: Elapsed
    operations: FewBy[OperationTotals] = Field(default_factory=dict)
    client_bound: bool = False
    client_bound_reasons: Few[Sentence] = ()
    interrupted: bool = False
    wire: Wire | None = None
    """Of the phase; none where the driver has no connections of its own, as with a library."""
    counted: Counts | None = None
    """Of a system inside the driver: what it counted of its own work in the phase."""


class Failed(Report):
    """The driver gave up."""

    event: Literal["failed"] = "failed"
    at_us: Instant
    elapsed_us: Elapsed
    kind: Label
    message: Told
    hint: Told = ""


class Finished(Report):
    """The driver did all it was asked."""

    event: Literal["finished"] = "finished"
    at_us: Instant
    elapsed_us: Elapsed


DriverEvent = Annotated[
    Ready | PhaseStarted | Interval | PhaseFinished | Failed | Finished,
    Field(discriminator="event"),
]
"""One line of a driver's standard output."""

DRIVER_EVENT: TypeAdapter[DriverEvent] = TypeAdapter(DriverEvent)
"""Parses one line: `DRIVER_EVENT.validate_json(line)`."""
