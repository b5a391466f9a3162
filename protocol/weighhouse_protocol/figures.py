"""The catalogue of figures: what can be said of a run in one number.

A figure stands here once. Whoever shows, judges, watches or exports figures goes through the
catalogue and lists none by name; what works a figure out of a run stands beside the results, under
its name. Percentiles are more than are listed: any of them has a name (`p975_us` is p97.5) and is
worked out of the stored histograms.

The order is that of causes: a figure follows from those before it (clients = throughput × latency,
Little 1961; a higher percentile from a lower one).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

LoadKind = Literal["closed", "open"]
LOAD_KINDS: Final[tuple[LoadKind, ...]] = get_args(LoadKind)
Statistic = Literal["counted", "merged", "read", "sampled"]
"""How the value of a repeat came about: operations counted over a time; out of the histogram merged
over all intervals and drivers; read off the system at one moment; the mean of samples over the
measured phase."""
Scale = Literal["rate", "time", "size", "flow", "share"]
"""How a figure is written: operations a second, µs, bytes, bytes a second, percent."""
Family = Literal["performance", "resources"]
"""What figures are judged together: what clients see of a system, and what it takes to do it. Each
is corrected by itself, so that a question of one costs the other nothing."""
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

_PERCENTILE = re.compile(r"p(?P<digits>\d{2,7})_us")
_WHOLE_DIGITS = 2
_BY_PERCENTILE = ((0.5, 0.05, "p50_percent"), (0.99, 0.10, "p99_percent"))
_BEYOND = (0.20, "p999_percent")
"""Practical thresholds of percentiles, up to which; and of those beyond."""


class UnknownFigure(ValueError):
    """There is no figure of a name; says which there are."""


@dataclass(frozen=True)
class Figure:
    """A figure as everybody names it: pages, exports, sentences."""

    name: str
    label: str
    short: str
    """Where what it is a figure of is plain: `p99`."""
    unit: str
    scale: Scale
    higher_is_better: bool
    note: str
    """What exactly is counted."""
    statistic: Statistic
    read_at: int
    """Its place among those that people read: what they ask for first is first."""
    is_judged: bool = False
    """Are sides judged by it? Else it is shown, and nothing is said of its differences."""
    family: Family = "performance"
    """With which others."""
    threshold: float = 0.05
    """Practical threshold, relative: 0.03 = 3 %."""
    asked_as: str | None = None
    """The field of an experiment's `thresholds` that sets it for a family of figures."""
    in_series: bool = False
    """Is it watched over campaigns?"""
    primary_of: LoadKind | None = None
    """The load model that leaves it free, so that a cell is decided by it."""
    quantile: float | None = None
    """Of a percentile: 0.99 is p99."""
    former_names: tuple[str, ...] = ()
    """That addresses and programs may still use."""

    @property
    def is_latency(self) -> bool:
        """Is it a time that operations took, µs?"""
        return self.scale == "time" and self.statistic == "merged"


@dataclass(frozen=True)
class Value:
    """A figure of one repeat."""

    value: float
    """In the figure's unit."""
    statistic: Statistic


Figures = Mapping[str, Value]
"""What is known of one repeat, by the name of the figure; what was not measured is not in it."""


@dataclass(frozen=True)
class Catalogue:
    """All figures that have a place, in the order of causes."""

    figures: dict[str, Figure] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Figure]:
        """Each figure, causes first."""
        return iter(list(self.figures.values()))

    def __contains__(self, name: object) -> bool:
        """Has a figure of this name a place?"""
        return name in self.figures

    def __getitem__(self, name: str) -> Figure:
        """The figure of a name: one that has a place, today's or a former name, or a percentile.

        :raises UnknownFigure: when there is none.
        """
        found = self.figures.get(self.current_name(name)) or percentile_named(name)
        if found is None:
            raise UnknownFigure(
                f"figure {name!r} is not known; one of {', '.join(self.figures)}, or any other "
                "percentile by its name, as p975_us for p97.5"
            )
        return self.figures.get(found.name, found)

    def find(self, name: str) -> Figure | None:
        """The same; None when there is none."""
        try:
            return self[name]
        except UnknownFigure:
            return None

    def current_name(self, name: str) -> str:
        """A figure's name of today."""
        return next((one.name for one in self if name in one.former_names), name)

    @property
    def as_read(self) -> list[Figure]:
        """Each figure in the order that people read them in."""
        return sorted(self, key=lambda one: one.read_at)

    @property
    def judged(self) -> list[Figure]:
        """Those that sides are judged by."""
        return [one for one in self if one.is_judged]

    def judged_in(self, family: Family) -> list[Figure]:
        """Those of one family."""
        return [one for one in self.judged if one.family == family]

    @property
    def in_series(self) -> list[Figure]:
        """Those that are watched over campaigns."""
        return [one for one in self if one.in_series]

    @property
    def latencies(self) -> list[Figure]:
        """Those that are times of operations."""
        return [one for one in self if one.is_latency]

    def primary(self, kind: LoadKind) -> Figure:
        """The figure that cells under a load model are decided by."""
        return next(one for one in self if one.primary_of == kind)

    def cause_rank(self, name: str) -> int:
        """How far up a figure stands among causes; those without a place come last."""
        return list(self.figures).index(name) if name in self.figures else len(self.figures)


def percentile(percent: float) -> Figure:
    """The figure of a percentile: 99.9 is p99.9.

    :raises UnknownFigure: where it is none of 0.00001 to 99.99999.
    """
    digits = f"{percent:08.5f}".replace(".", "")
    found = percentile_named(f"p{digits}_us")
    if found is None:
        raise UnknownFigure(f"{percent:g} is no percentile; give more than 0 and less than 100")
    return CATALOGUE.figures.get(found.name, found)


def percentile_named(name: str) -> Figure | None:
    """The figure of any percentile: `p50_us`, `p97_us`, `p99995_us`; None for another name.

    The first two digits are whole percents. Zeros at the end say nothing: `p990_us` is p99.
    """
    match = _PERCENTILE.fullmatch(name)
    if match is None or not int(match["digits"]):
        return None
    whole, rest = match["digits"][:_WHOLE_DIGITS], match["digits"][_WHOLE_DIGITS:].rstrip("0")
    short = f"p{whole}.{rest}" if rest else f"p{whole}"
    quantile = float(f"0.{whole}{rest}")
    threshold, asked_as = next(
        ((limit, asked) for most, limit, asked in _BY_PERCENTILE if quantile <= most), _BEYOND
    )
    return Figure(
        f"p{whole}{rest}_us", f"{short} latency", short, "µs", "time", False, _MERGED, "merged",
        read_at=_OTHER_PERCENTILES, is_judged=True, threshold=threshold,
        asked_as=asked_as, quantile=quantile,
    )  # fmt: skip


_MERGED = "of the merged histogram of each run"
_OTHER_PERCENTILES = 50


def _percentile(name: str, read_at: int, **other: object) -> Figure:
    found = percentile_named(name)
    assert found is not None  # noqa: S101 - the names below are percentiles
    return Figure(**{**vars(found), "read_at": read_at, **other})


_RESOURCE: Final[Mapping[str, Any]] = {
    "is_judged": True, "in_series": True, "family": "resources",
}  # fmt: skip
_ALL = (
    Figure("throughput", "Throughput", "Throughput", "1/s", "rate", True,
           "successful operations per second", "counted", read_at=10, is_judged=True,
           threshold=0.03, asked_as="throughput_percent", in_series=True, primary_of="closed"),
    Figure("mean_us", "Mean latency", "mean", "µs", "time", False, _MERGED, "merged", read_at=51),
    _percentile("p50_us", 30, label="Median latency", in_series=True),
    _percentile("p95_us", 40),
    _percentile("p99_us", 20, in_series=True, primary_of="open"),
    _percentile("p999_us", 45, in_series=True),
    _percentile("p9999_us", 46, is_judged=False),
    Figure("max_us", "Highest latency", "max", "µs", "time", False, _MERGED, "merged", read_at=52),
    Figure("load_throughput", "Load throughput", "Load throughput", "1/s", "rate", True,
           "inserts per second", "counted", read_at=60, is_judged=True, threshold=0.03,
           asked_as="throughput_percent", in_series=True),
    Figure("memory_before_bytes", "Memory before the load", "Memory before the load", "bytes",
           "size", False, "resident, of the empty system", "read", read_at=80),
    Figure("memory_after_load_bytes", "Memory after the load", "Memory after the load", "bytes",
           "size", False, "resident, between load and run", "read", read_at=75, in_series=True,
           former_names=("memory_bytes",)),
    Figure("memory_after_bytes", "Memory after the run", "Memory after the run", "bytes", "size",
           False, "resident, after the measured phase", "read", read_at=70, is_judged=True,
           threshold=0.03, asked_as="memory_percent"),
    Figure("server_cpu_us", "Processor time an operation", "processor time", "µs", "time", False,
           "of the system’s processes in the measured phase, an operation answered", "sampled",
           read_at=65, **_RESOURCE),
    Figure("server_call_us", "Server time a call", "server time", "µs", "time", False,
           "by the server’s own count, a command of the operations asked, in the measured phase",
           "counted", read_at=64, **_RESOURCE),
    Figure("hit_ratio", "Hit ratio", "hit ratio", "%", "share", True,
           "of the keys that the server was asked for in the measured phase, by its own count, "
           "those that were there", "counted", read_at=68, **_RESOURCE),
    Figure("server_bytes", "Bytes a call", "bytes a call", "bytes", "size", False,
           "received and sent by the server’s own count, a command of the operations asked, in the "
           "measured phase", "counted", read_at=63, **_RESOURCE),
    Figure("client_hit_ratio", "Hit ratio of reads", "client’s hit ratio", "%", "share", True,
           "of the reads answered where misses are filled, by the client’s count, those that found "
           "their record", "counted", read_at=69,
           **_RESOURCE),
    Figure("wire_bytes", "Bytes an operation", "bytes an operation", "bytes", "size", False,
           "of requests and replies on the driver’s connections, an operation sent", "counted",
           read_at=66, **_RESOURCE),
    Figure("bytes_per_second", "Bytes a second", "bytes a second", "bytes/s", "flow", True,
           "of requests and replies on the driver’s connections", "counted", read_at=67),
    Figure("read_bytes_per_second", "Values read a second", "values read", "bytes/s", "flow", True,
           "bytes of values that successful operations asked for; not told of scans", "counted",
           read_at=61),
    Figure("written_bytes_per_second", "Values written a second", "values written", "bytes/s",
           "flow", True, "bytes of values that successful operations wrote", "counted",
           read_at=62),
    Figure("memory_per_record_bytes", "Memory a record", "Memory a record", "bytes", "size", False,
           "resident memory that the load added, a record loaded", "read", read_at=85,
           **_RESOURCE, threshold=0.03, asked_as="memory_percent"),
    Figure("used_per_record_bytes", "Bytes a key", "bytes a key", "bytes", "size", False,
           "that the load added by the system’s own count of what its data takes, a record loaded",
           "read", read_at=84, **_RESOURCE, threshold=0.03, asked_as="memory_percent"),
    Figure("disk_per_record_bytes", "Disk a record", "Disk a record", "bytes", "size", False,
           "bytes of files that the load added, a record loaded", "read", read_at=86,
           **_RESOURCE),
)  # fmt: skip

CATALOGUE: Final = Catalogue({figure.name: figure for figure in _ALL})
"""Every figure of a run that has a place."""
