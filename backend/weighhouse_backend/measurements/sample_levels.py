"""Levels of a member's resource samples: 4, 8, 16, … neighbouring samples merged. Pure.

Counted in samples, not in seconds, so that no clock and no gap can make a window anew: window *n*
of a level holds samples *n × width* to *(n + 1) × width − 1* of the member, and never changes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from weighhouse_backend.runs.instants import microseconds

LOWEST = 4
WIDTHS: tuple[int, ...] = tuple(LOWEST * 2**step for step in range(11))
"""Samples, up to 4,096 of them."""
FIGURES = (
    "cpu_percent", "resident_bytes", "disk_bytes", "driver_cpu_percent",
    "driver_resident_bytes", "machine_cpu_percent", "steal_percent",
)  # fmt: skip
"""Columns of a sample that are numbers."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over some samples; those that did not know it do not count."""

    known: int
    total: float
    low: float
    high: float

    @property
    def mean(self) -> float:
        """Of the samples that knew it."""
        return self.total / self.known

    def joined(self, other: "Spread") -> "Spread":
        """Over the samples of both."""
        return Spread(
            self.known + other.known,
            self.total + other.total,
            min(self.low, other.low),
            max(self.high, other.high),
        )


Spreads = Mapping[str, Spread]


@dataclass(frozen=True)
class Samples:
    """One sample, or some neighbouring ones of a member, merged."""

    at_us: int
    """Of the first, unix µs by the member's clock."""
    last_sequence: int
    """Of the last one's event."""
    figures: Spreads
    """By column, `FIGURES`; without those that no sample knew."""
    metrics: Spreads
    """The system's own, by name."""

    @classmethod
    def of(cls, row: Any) -> Self:
        """A sample as it is stored."""
        own = {name: getattr(row, name) for name in FIGURES}
        return cls(microseconds(row.at), row.sequence, _known(own), _known(row.metrics))

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """Neighbours in order, at least one."""
        return cls(
            parts[0].at_us,
            parts[-1].last_sequence,
            _joined(part.figures for part in parts),
            _joined(part.metrics for part in parts),
        )


def windows(
    parts: Iterable[Samples], each: int, *, final: bool = False
) -> Iterator[Samples]:  # fmt: skip
    """`each` neighbours merged at a time; what is left at the end only if nothing follows it."""
    following = iter(parts)
    while held := list(islice(following, each)):
        if final or len(held) == each:
            yield Samples.merged(held)


def packed(spreads: Spreads) -> dict[str, list[float]]:
    """As stored, in JSON: `unpacked` reads it."""
    return {name: [one.known, one.total, one.low, one.high] for name, one in spreads.items()}


def unpacked(stored: Mapping[str, Sequence[Any]]) -> dict[str, Spread]:
    """What `packed` made."""
    return {name: Spread(*values) for name, values in stored.items()}


def _known(values: Mapping[str, Any]) -> dict[str, Spread]:
    return {
        name: Spread(1, value, value, value) for name, value in values.items() if value is not None
    }


def _joined(every: Iterable[Spreads]) -> dict[str, Spread]:
    found: dict[str, Spread] = {}
    for spreads in every:
        for name, one in spreads.items():
            found[name] = found[name].joined(one) if name in found else one
    return found
