"""What is done to a system on purpose while it is measured."""

from typing import Literal, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document

FaultVerb = Literal["kill", "stop", "start", "restart", "pause", "resume", "network", "heal"]
"""kill: end a node at once; stop: end it in order; start: bring a node back that was ended, with
its data; restart: stop and start; pause: freeze it, its connections stay; resume: go on; network:
make its network worse; heal: take that back."""


class NetworkConditions(Document):
    """What happens to what a node sends, to clients and to other nodes alike."""

    delay_ms: float = Field(default=0.0, ge=0, le=60_000)
    """Added to every packet."""
    jitter_ms: float = Field(default=0.0, ge=0, le=60_000)
    """Largest deviation from the delay, either way; packets stay in order."""
    loss_percent: float = Field(default=0.0, ge=0, le=100)
    """Share of packets that are dropped."""
    bandwidth_mbit: float | None = Field(default=None, gt=0, le=1_000_000)
    """Megabits a second that get through; default: as many as there are."""
    partition: bool = False
    """Nothing passes between the node and the other nodes; clients reach it still."""

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.jitter_ms > self.delay_ms:
            message = f"jitter_ms {self.jitter_ms:g} is above delay_ms {self.delay_ms:g}"
            raise ValueError(message)
        if self == type(self).model_construct():
            message = "nothing is asked: give a delay, a loss, a bandwidth or a partition"
            raise ValueError(message)
        return self


class Fault(Document):
    """One verb at a time of the measured phase."""

    at_seconds: float = Field(ge=0, le=7 * 86_400)
    """From the start of the measured phase."""
    verb: FaultVerb
    node: int = Field(default=1, ge=1, le=1000)
    """Which node, counted from 1."""
    network: NetworkConditions | None = None
    """For the verb `network` alone."""

    @model_validator(mode="after")
    def _network_has_conditions(self) -> Self:
        if (self.verb == "network") != (self.network is not None):
            message = "network: belongs to the verb `network`, and to it alone"
            raise ValueError(message)
        return self
