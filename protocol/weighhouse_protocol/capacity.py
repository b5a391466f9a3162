"""What a record takes in a system, and how much of records a node holds: rules of a manifest.

Data again, for whoever holds an experiment against a store knows no plugin: the platform before
anything is saved, the judge after a run.
"""

from collections.abc import Iterator, Mapping
from typing import Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document, Few, Label, Sentence
from weighhouse_protocol.fairness.rules import Conditions, Wanted
from weighhouse_protocol.record_sizes import names_bytes
from weighhouse_protocol.workload import Workload

WORKLOAD = ("workload:field_count", "workload:field_length", "workload:scans")
"""Facts of a workload that a footprint may depend on; a length is the longest."""

LEAST_GROWTH = 1.01
"""Sizes that hardly grow would be counted one by one."""


class Steps(Document):
    """Sizes that memory is handed out in; a piece takes the next one that it fits into."""

    multiple_of: int = Field(default=1, ge=1, le=2**40)
    """Each size is a multiple of it."""
    least: int = Field(default=0, ge=0, le=2**40)
    """The smallest size, and where growth begins; 0: sizes do not grow by factors."""
    factor: float = Field(default=1.0, ge=1.0, le=100.0)
    """From one size to the next; each is rounded up to `multiple_of`."""
    a_doubling: int = Field(default=0, ge=0, le=1024)
    """So many equal steps from each power of two to the next, beyond `least`."""

    @model_validator(mode="after")
    def _grows_in_one_way(self) -> Self:
        if (self.factor > 1.0) and self.a_doubling:
            message = "sizes grow by `factor` or by steps `a_doubling`, not by both"
            raise ValueError(message)
        if 1.0 < self.factor < LEAST_GROWTH:
            message = f"factor: 1, or from {LEAST_GROWTH:g} on; sizes have to grow"
            raise ValueError(message)
        if (self.factor > 1.0 or self.a_doubling) and not self.least:
            message = "least: where growth begins"
            raise ValueError(message)
        return self

    def over(self, size: float) -> int:
        """The size that a piece takes, bytes."""
        if self.factor > 1.0:
            step = self._multiple(self.least)
            while step < size:
                step = self._multiple(step * self.factor)
            return step
        if self.a_doubling and size > self.least:
            power = 1 << (int(size) - 1).bit_length() - 1
            step = max(1, power // self.a_doubling)
            return -(-int(size) // step) * step
        return self._multiple(size)

    def _multiple(self, size: float) -> int:
        return -(-int(-(-size // 1)) // self.multiple_of) * self.multiple_of


class Footprint(Document):
    """What one copy of a record takes on a node, where all of `when` holds."""

    when: dict[Label, Wanted] = Field(default_factory=dict, max_length=50)
    """By names as `rules.FactName`, or one of `WORKLOAD`."""
    record_bytes: int = Field(ge=0, le=2**40)
    """For each record: its key and what the system keeps beside it."""
    field_bytes: int = Field(default=0, ge=0, le=2**40)
    """For each field, its value apart."""
    head_bytes: int = Field(default=0, ge=0, le=2**40)
    """Within each piece, before sizes are rounded up."""
    beside_bytes: int = Field(default=0, ge=0, le=2**40)
    """In memory for each record, outside of what `x-holds` is the size of: an index."""
    names: bool = False
    """The names of the fields are kept in every record."""
    apart: bool = False
    """The value of each field is a piece of its own; else the whole record is one."""
    steps: Steps = Steps()

    def bytes_of(self, workload: Workload) -> int:
        """Of one record of a workload, `beside_bytes` apart."""
        fields, payload = workload.field_count, workload.record_bytes
        beside = fields * self.field_bytes + (names_bytes(workload) if self.names else 0)
        if self.apart:
            piece = self.steps.over(payload / fields + self.head_bytes)
            return self.record_bytes + beside + fields * piece
        return self.record_bytes + self.steps.over(payload + beside + self.head_bytes)


class Holding(Document):
    """How much of records a node of a system can have.

    The parameter with `x-holds = "data"` says how much it is given, and `x-holds-percentage`, a
    number or another parameter, how much of that records may take. What becomes of more is the
    aspect `eviction`: refused, or evicted; and where one of `disk_beyond` holds it goes to disk.
    """

    footprints: Few[Footprint] = Field(min_length=1)
    """The first that holds decides."""
    node_bytes: int = Field(default=0, ge=0, le=2**40)
    """Memory of a node without a record."""
    disk_beyond: Few[Conditions] = ()
    """Records beyond what a node is given go to disk, where all of one of these holds."""
    on_disk: Few[Conditions] = ()
    """All records are on disk, and what a node is given is a size there, where all of one of these
    holds; else memory is what they need."""
    source: Sentence
    """Where the figures are from: measured on what, or whose page says so."""

    def facts(self) -> Iterator[str]:
        """Names of all that the rules look at, those of workloads left out."""
        rules: list[Mapping[str, Wanted]] = [*self.disk_beyond, *self.on_disk]
        rules += [each.when for each in self.footprints]
        for rule in rules:
            yield from (name for name in rule if name not in WORKLOAD)
