"""The course of one run: it loads, warms up, measures; or measures several workloads in a chain."""

from typing import Self

from pydantic import Field

from weighhouse_protocol.base import Document, Name


class ChainLink(Document):
    """One measured phase of a chain, on the data as the phases before left it."""

    measure: Name
    """A workload of the experiment."""
    warmup_seconds: float | None = Field(default=None, ge=0, le=86_400)
    """Default: as of all."""
    measure_seconds: float | None = Field(default=None, gt=0, le=7 * 86_400)
    """Default: as of all."""
    measure_operations: int | None = Field(default=None, ge=1, le=10**15)
    """Default: as of all."""


class Phases(Document):
    """The course of one run under the scenario `fixed`."""

    load_clients: int = Field(default=8, ge=1, le=10_000)
    """Clients that fill the table."""
    warmup_seconds: float = Field(default=5.0, ge=0, le=86_400)
    """Time cut from the front; its intervals are kept, and stay out of every figure."""
    measure_seconds: float = Field(default=30.0, gt=0, le=7 * 86_400)
    measure_operations: int | None = Field(default=None, ge=1, le=10**15)
    """Operations after which the measured phase ends, should it not have lasted so long."""
    interval_seconds: float = Field(default=1.0, ge=0.1, le=60)
    """Length of one interval."""
    chain: tuple[ChainLink, ...] = Field(default=(), max_length=50)
    """Measured phases that follow each other on one system, which is deployed and loaded once:
    each of the workloads, in this order. Default: each workload has a system of its own."""

    def under(self, workload: str) -> Self:
        """The course under one workload, without the chain it may be a link of."""
        own = {
            name: value
            for link in self.chain
            if link.measure == workload
            for name, value in link.model_dump(exclude={"measure"}).items()
            if value is not None
        }
        return self.model_copy(update={**own, "chain": ()})

    def before(self, workload: str) -> tuple[str, ...]:
        """Names of the workloads that a chain measures before one, in that order."""
        names = [link.measure for link in self.chain]
        return tuple(names[: names.index(workload)]) if workload in names else ()
