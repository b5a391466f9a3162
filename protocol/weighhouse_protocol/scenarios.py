"""Scenarios: whose loads are chosen while they are measured, and whose runs end when it is full.

Each load level of the file is where one search begins. What varies is its clients in a closed loop
and its rate in an open one, under `peak` its pipeline; all else of the level stays.
"""

from typing import Annotated, Final, Literal, Self, get_args

from pydantic import Field, model_validator

from weighhouse_protocol.base import LONGEST_US, Document
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.percent import percent

Scenario = Literal[
    "fixed", "fault", "noise", "sweep", "calibrate", "peak", "sustained", "soak"
]  # fmt: skip
"""What is asked of each target."""
Searching = Literal["sweep", "calibrate", "peak"]
SEARCHES: Final[tuple[Searching, ...]] = get_args(Searching)
"""Those that choose further loads while they are measured."""
COURSES: Final[tuple[Scenario, ...]] = ("sustained", "soak")
"""Those whose runs have a course of their own to tell: how it fills, what drifts."""
PARTS: Final[tuple[Scenario, ...]] = (*SEARCHES, "sustained")
"""Those that have a part of the document by their name."""
PERCENTILES = (50.0, 95.0, 99.0, 99.9, 99.99)
"""Those that every run has of its merged histogram."""


class LatencyEnvelope(Document):
    """The latency a result has to stay inside to count."""

    percentile: float = Field(default=99.0, gt=0, lt=100)
    limit_us: float = Field(gt=0, le=LONGEST_US)

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
    measurements: int = Field(default=20, ge=4, le=50)
    """Runs a search may take, those that confirm what it found among them."""
    precision_percent: float = Field(default=3.0, ge=0.5, le=50)
    """How near the answer has to be, relative."""


class Peak(Document):
    """A ladder of pipeline depths at the clients of a load level, whose own depth is the first."""

    depths: tuple[Annotated[int, Field(ge=1, le=1000)], ...] = Field(
        default=(2, 5, 10, 20, 50, 100), min_length=1, max_length=30
    )
    """Requests a client keeps in flight, rising; those above a level's own are tried."""
    stop_at: LatencyEnvelope | None = None
    """No deeper once a point is outside; default: only throughput that falls ends it before."""

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if list(self.depths) != sorted(set(self.depths)):
            message = "depths: name each once, the least first"
            raise ValueError(message)
        require_percentile(self.stop_at, "stop_at")
        return self

    def ladder(self, load: ClosedLoad | OpenLoad) -> tuple[int, ...]:
        """The depths that are tried from a load level on, its own the first."""
        first = load.pipeline if isinstance(load, ClosedLoad) else 1
        return (first, *(depth for depth in self.depths if depth > first))


FillKind = Literal["records", "memory_bytes", "disk_bytes", "memory_share", "disk_share"]
DISK_KEPT_FREE = 0.05
"""Share of a disk that no fill takes."""


class FillUntil(Document):
    """When it is full; exactly one is said."""

    records: int | None = Field(default=None, ge=1, le=10**13)
    """Records written: loaded, and inserted since."""
    memory_bytes: int | None = Field(default=None, ge=1, le=2**60)
    """Resident, of all nodes."""
    disk_bytes: int | None = Field(default=None, ge=1, le=2**60)
    """Of all nodes' data."""
    memory_share: float | None = Field(default=None, gt=0, le=1)
    """Of the targets' memory limit (`limits.memory_mebibytes`, times nodes)."""
    disk_share: float | None = Field(default=None, gt=0, le=1 - DISK_KEPT_FREE)
    """Of the disk that holds the data, whatever else is on it."""

    @model_validator(mode="after")
    def _says_one(self) -> Self:
        said = [name for name, value in self if value is not None]
        if len(said) != 1:
            message = (
                "until: say exactly one of records, memory_bytes, disk_bytes, memory_share, "
                f"disk_share; here {' and '.join(said) or 'none'} is said"
            )
            raise ValueError(message)
        return self

    @property
    def said(self) -> tuple[FillKind, float]:
        """What is filled, and how much of it."""
        pairs: tuple[tuple[FillKind, float | None], ...] = (
            ("records", self.records),
            ("memory_bytes", self.memory_bytes),
            ("disk_bytes", self.disk_bytes),
            ("memory_share", self.memory_share),
            ("disk_share", self.disk_share),
        )
        return next((kind, float(value)) for kind, value in pairs if value is not None)

    @property
    def words(self) -> str:
        """For example `1,000,000 records`, `90 % of the memory limit`."""
        kind, value = self.said
        match kind:
            case "records":
                return f"{value:,.0f} records"
            case "memory_share":
                return f"{percent(value, None)} of the memory limit"
            case "disk_share":
                return f"{percent(value, None)} of the disk"
            case _:
                return f"{value:,.0f} bytes of {kind.removesuffix('_bytes')}"


class Sustained(Document):
    """The measured phase lasts until it is full, at most as long as the phase may."""

    until: FillUntil


def fill_ended(
    amount: float | None, target: float | None, disk_free: float | None, disk_size: float | None
) -> Literal["disk_nearly_full", "filled"] | None:
    """Whether a fill is over: the rule of the agent that stops it and of the judge who says why.

    :param amount: records or bytes that are there; None: not known.
    :param disk_free: bytes free on the disk that holds the data, `disk_size` its size.
    """
    if disk_free is not None and disk_size is not None and disk_free < DISK_KEPT_FREE * disk_size:
        return "disk_nearly_full"
    if amount is not None and target is not None and amount >= target:
        return "filled"
    return None


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


def deepened(load: ClosedLoad | OpenLoad, depth: float) -> ClosedLoad | OpenLoad:
    """A level of a closed loop with another pipeline depth, rounded to a whole one.

    :raises ValueError: when a level cannot have that depth, as an open loop.
    """
    return ClosedLoad.model_validate(load.model_dump() | {"pipeline": round(depth)})


def along(load: ClosedLoad | OpenLoad, *, deep: bool) -> float:
    """What a search varies of a load level: its depth, or its clients or rate."""
    return float(load.pipeline) if deep and isinstance(load, ClosedLoad) else load.value


def moved(load: ClosedLoad | OpenLoad, value: float, *, deep: bool) -> ClosedLoad | OpenLoad:
    """A load level at another value of what a search varies.

    :raises ValueError: when a level cannot have that value.
    """
    return deepened(load, value) if deep else varied(load, value)


def same_search(one: ClosedLoad | OpenLoad, other: ClosedLoad | OpenLoad, *, deep: bool) -> bool:
    """Whether two loads differ in nothing but what a search varies."""
    return one.model == other.model and moved(one, along(other, deep=deep), deep=deep) == other


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
