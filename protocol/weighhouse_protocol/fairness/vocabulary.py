"""What makes sides comparable, in words that do not depend on a system.

Two sides are alike in an aspect when its values are equal; a value that is not known (None) equals
none, not even another one that is not known.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, TypeAdapter, model_validator

from weighhouse_protocol.base import Document, Name

Copies = Annotated[int, Field(ge=1, le=1000)] | Literal["majority", "all"]
"""A number of copies; `majority` and `all` as long as it is not known of how many."""


class Durability(Document):
    """What is left of an acknowledged write when every process, or the machine, ends at once."""

    kept: Literal["nothing", "memory", "sometimes", "log"]
    """nothing: it was in the memory of one node. memory: it is in that of several. sometimes: the
    data goes to disk from time to time (snapshots, tables), single writes are not logged. log: the
    write, or what it changed, is written down."""
    nodes: Copies | None = None
    """Of `memory`: of how many nodes."""
    reaches: Literal["system", "disk"] | None = None
    """Of `log`: handed to the operating system, which writes it to disk when it likes; or forced to
    the disk."""
    every_seconds: Annotated[float, Field(ge=0, le=1e9)] | None = None
    """Of `log`: how often; 0: before the answer."""

    @model_validator(mode="after")
    def _says_what_belongs_to_it(self) -> Self:
        logged = self.kept == "log"
        if (
            logged != (self.reaches is not None)
            or logged != (self.every_seconds is not None)
            or (self.kept == "memory") != (self.nodes is not None)
        ):
            message = (
                "`nodes` belongs to `memory`; `reaches` and `every_seconds` belong to `log`, "
                "which needs both"
            )
            raise ValueError(message)
        return self


class Acknowledgement(Document):
    """How many copies have a write before it is acknowledged."""

    copies: Copies


class Reads(Document):
    """Whom a read asks."""

    asks: Literal["only", "primary", "any", "several", "quorum", "all"]
    """only: there is one copy. primary: the copy that takes the writes. any: one copy, whichever.
    several: more than one, fewer than a quorum. quorum: so many that a read sees every write that
    as many acknowledged. all: every copy."""
    copies: Annotated[int, Field(ge=1, le=1000)] | None = None
    """How many, where it is known."""


class Memory(Document):
    """Memory of each node for data and caches."""

    bytes: Annotated[int, Field(ge=0, le=2**63 - 1)] | Literal["unlimited"]
    """unlimited: what the machine has."""
    page_cache: bool = False
    """Whether the operating system's page cache serves the data beyond that."""


Processors = Annotated[float, Field(gt=0, le=1e6)] | Literal["all"]
"""Processors' worth of time of each node; `all`: of its machine."""

Compression = Name
"""Method by which the data is compressed where it is kept, for example `lz4`; `none`."""

Encryption = Literal["none", "tls"]
"""Of what goes between driver and system; a call within a process has none."""

Transport = Literal["call", "unix_socket", "loopback", "network"]
"""How an operation reaches the system."""

Eviction = Literal["nothing", "expiring", "anything"]
"""What a system may throw away by itself, unasked: nothing, which refuses writes when it is full;
records that have an expiry; or any record."""

UpdateWrites = Literal["field", "record"]
"""What an update of one field sends and asks to be written."""

MissingUpdate = Literal["creates", "not_found"]
"""What becomes of an update of a record that is not there: it makes one, or says so."""

Value = Durability | Acknowledgement | Reads | Memory | float | str
"""Of any aspect."""


class Comparables(Document):
    """A side in the vocabulary; None: not known."""

    durability: Durability | None = None
    acknowledgement: Acknowledgement | None = None
    reads: Reads | None = None
    memory: Memory | None = None
    processors: Processors | None = None
    compression: Compression | None = None
    encryption: Encryption | None = None
    transport: Transport | None = None
    eviction: Eviction | None = None
    update_writes: UpdateWrites | None = None
    missing_update: MissingUpdate | None = None


AspectName = Annotated[
    str,
    StringConstraints(
        pattern=r"^(?:[a-z][a-z0-9_]*|(?:parameter|setting|option):[A-Za-z0-9_.-]+)$",
        max_length=140,
    ),
]
"""An aspect of the fairness sheet: `durability`, `threads`, `parameter:save`."""
Aspect = Literal[
    "durability",
    "acknowledgement",
    "reads",
    "memory",
    "processors",
    "compression",
    "encryption",
    "transport",
    "eviction",
    "update_writes",
    "missing_update",
]

ASPECTS: tuple[Aspect, ...] = (
    "durability",
    "acknowledgement",
    "reads",
    "memory",
    "processors",
    "compression",
    "encryption",
    "transport",
    "eviction",
    "update_writes",
    "missing_update",
)
"""In reading order; the fields of `Comparables`."""

FORMS: dict[Aspect, TypeAdapter[Value]] = {
    "durability": TypeAdapter(Durability),
    "acknowledgement": TypeAdapter(Acknowledgement),
    "reads": TypeAdapter(Reads),
    "memory": TypeAdapter(Memory),
    "processors": TypeAdapter(Processors),
    "compression": TypeAdapter(Compression),
    "encryption": TypeAdapter(Encryption),
    "transport": TypeAdapter(Transport),
    "eviction": TypeAdapter(Eviction),
    "update_writes": TypeAdapter(UpdateWrites),
    "missing_update": TypeAdapter(MissingUpdate),
}
"""Aspect → what its value has to be."""
