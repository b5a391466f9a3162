"""What client and servers counted of a run, as the API shows it."""

from pydantic import BaseModel


class CountedRow(BaseModel):
    """Some operations of the client, and what the server counted of them, over all phases."""

    name: str
    operations: list[str]
    commands: list[str]
    """By the server's own names."""
    asked: int
    answered: int
    """Errors that the server answered with included."""
    served: int | None
    """null: the system does not count them as it is set up."""
    difference: float | None
    """What the server served beyond what was answered, as a share of what was asked."""
    server_us: float | None
    """Time that the server spent on one of them, µs; null: not told."""
    says: str
    """What the difference means; empty: they agree, or cannot be compared."""
    why_not: str
    """Why they cannot be compared; empty: they can."""


class ReconciliationRead(BaseModel):
    """What client and server counted of a run."""

    source: str
    """What the server was asked for it."""
    rows: list[CountedRow]
    hits: int | None
    misses: int | None
    received_bytes: int | None
    sent_bytes: int | None
    of_others: dict[str, int]
    """Commands that nobody of the run sends → calls."""
    why_not: str
    """`not told`, or what became of the counters; empty: there are both columns."""
