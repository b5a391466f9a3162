"""The most that a system takes: bytes of a key or a record, connections. Rules of a manifest.

Data again, for whoever holds a workload against a system knows no plugin: the platform before an
experiment is saved, and the agent again once the server that runs was asked.
"""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document, Label, Measure, Sentence
from weighhouse_protocol.fairness.rules import Conditions, Drawn
from weighhouse_protocol.requirements import OPTION

Held = Literal["key", "field", "record", "connections"]
"""What a ceiling is of: the longest key; the value of one field; all that is kept of a record in
one piece; connections to each node."""


class Ceiling(Document):
    """The most of something that a system takes, where all of `when` holds.

    Of several of one kind that hold the lowest counts.
    """

    of: Held
    when: Conditions = Field(default_factory=dict)
    most: Measure | Drawn
    """Bytes, or connections, where less than one is any number of them. A plain number is the same
    for every server of the system, whoever set it up. What is drawn from a parameter or a
    `setting:` is known of servers that the agent sets up, and of others once they were asked:
    `otherwise` is what the vendor ships."""
    record_bytes: int = Field(default=0, ge=0, le=2**30)
    """Of a record: what counts beside its values, once."""
    field_bytes: int = Field(default=0, ge=0, le=2**30)
    """Of a record or a field: what counts beside the value, for each field."""
    names: bool = False
    """Of a record: the names of its fields count."""
    key: bool = False
    """Of a record: its key counts."""
    shared: Label = ""
    """Of connections: the driver option (`option:NAME`) that says how many a thread of the driver
    opens to a node, for all of its clients; empty: each client opens one."""
    mend: Sentence = ""
    """What raises it; empty: nothing does."""
    source: Sentence
    """Where the figures are from: measured on what, or whose page says so."""

    @model_validator(mode="after")
    def _counts_what_there_is(self) -> Self:
        if self.of != "record" and (self.record_bytes or self.names or self.key):
            raise ValueError("record_bytes, names, key: are of a record")
        if self.of not in ("record", "field") and self.field_bytes:
            raise ValueError("field_bytes: are of a record or a field")
        if self.shared and (self.of != "connections" or not self.shared.startswith(OPTION)):
            raise ValueError("shared: names a driver option, `option:NAME`, of connections")
        return self

    def facts(self) -> Iterator[str]:
        """Names of all that it looks at."""
        yield from self.when
        if isinstance(self.most, Drawn):
            yield self.most.of
        if self.shared:
            yield self.shared
