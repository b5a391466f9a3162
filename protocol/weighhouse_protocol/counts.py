"""What a server counts of its own work, and which of it is which operation of a client.

A plugin says in its manifest which commands an operation becomes (`counts`), and asks its servers
for their counters at a few moments of a run. Whoever judges holds the difference of two moments
against what the driver or tool counted meanwhile.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Bytes, Count, Document, Few, Label, ManyBy, Report, Sentence
from weighhouse_protocol.workload import Operation

CountsMoment = Literal[
    "before", "after_load", "before_restart", "after_restart", "measure", "after"
]
"""Before the driver's first phase and after its last one the system is at rest, and on both sides
of a restart between load and measurement; `after_load` and `measure`, the beginning of the measured
phase, are looks at one that works: right within a few milliseconds."""


class CommandCount(Report):
    """One command's counters since they began."""

    calls: Count
    failed: Count | None = None
    """Of the calls, those that were answered with an error; None: not told."""
    us: Count | None = None
    """Time that the server spent on them, µs; None: not told."""


class Counts(Report):
    """What a system counted: since its counters began, or in a stretch of time."""

    commands: ManyBy[CommandCount] = Field(default_factory=dict)
    """By the system's own names; those never called may be left out."""
    hits: Count | None = None
    """Keys that were asked for and there."""
    misses: Count | None = None
    """Keys that were asked for and not there."""
    received_bytes: Bytes | None = None
    sent_bytes: Bytes | None = None
    lacking: Few[Label] = ()
    """Commands that it does not count as it is set up."""


class NodeCounts(Counts):
    """The counters of one node at a moment."""

    node: Label
    """Its endpoint."""
    life: Label = ""
    """What is another as soon as the counters began anew: the process, its start, resets."""


class CountedCommands(Document):
    """Commands that certain operations become, one for each or one for each key."""

    name: Label
    """What the table of a run calls them: `reads`."""
    operations: Few[Operation] = Field(min_length=1)
    commands: Few[Label] = Field(min_length=1)
    """By the system's own names: what drivers and load tools send for such an operation, whichever
    of them it is."""
    also: Few[Operation] = ()
    """Operations that send them as often as they need: with any of these nothing is compared."""
    keys: Literal["each", "once", "either"] = "either"
    """A read of several keys counts for each, or once; `either`: that depends on how it is asked,
    and nothing is compared where reads are of several."""
    found: bool = False
    """The server's hits and misses are those of these commands."""
    unless: Sentence = Field(default="", exclude_if=lambda words: not words)
    """Of a system that counts them only when it is set up for it: by what, in words."""


class Counting(Document):
    """Of a system that counts what it is asked."""

    source: Sentence
    """What is asked for it: `INFO commandstats`."""
    rows: Few[CountedCommands] = Field(min_length=1)
    beside: Few[Label] = ()
    """Commands that drivers, tools and observers send beside operations; a name that ends in `|*`
    stands for all commands of a container. All others are of somebody else."""

    resets: Few[Label] = ()
    """Commands that set the counters back, and are counted themselves from there on."""

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        named = [command for row in self.rows for command in row.commands] + list(self.beside)
        if twice := sorted({name for name in named if named.count(name) > 1}):
            raise ValueError(f"counts: {', '.join(twice)} is there twice")
        if sum(row.found for row in self.rows) > 1:
            raise ValueError("counts: hits and misses are those of one row")
        return self

    def is_beside(self, command: str) -> bool:
        """Whether drivers and observers send a command beside operations."""
        container = command.partition("|")[0]
        return command in self.beside or f"{container}|*" in self.beside
