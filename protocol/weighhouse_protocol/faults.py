"""What is done to a system on purpose while it is measured."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from weighhouse_protocol.base import Document
from weighhouse_protocol.target import Topology

FaultVerb = Literal[
    "kill", "stop", "start", "restart", "replace", "remove", "pause", "resume", "network", "heal"
]
"""kill: end a node at once; stop: end it in order; start: bring a node back that was ended, with
its data; restart: stop and start; replace: an empty node takes its place and gets its data from the
others; remove: it leaves for good, its data handed over; pause: freeze it, its connections stay;
resume: go on; network: make its network worse; heal: take that back."""


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


class FaultProblem(NamedTuple):
    """Why a verb makes no sense where it stands."""

    place: int
    """Of the verb, from 0."""
    message: str
    field: Literal["verb", "node"] = "verb"


def layout_problem(fault: Fault, layout: str, topology: Topology, system: str) -> str | None:
    """Why a node cannot be replaced or leave for what it is to the others; None when it can.

    :param layout: of the system's manifest; `system` its name.
    """
    nodes, copies = topology.nodes, topology.replication_factor
    if fault.verb not in ("replace", "remove"):
        return None
    if layout in ("replicas", "shards") and nodes == copies and fault.node == 1:
        return (
            f"`{fault.verb}` node 1: it is the only primary of {system}, and no other node "
            "takes over"
        )
    if fault.verb == "remove" and layout in ("replicas", "shards") and copies == 1:
        return f"`remove` node {fault.node}: no other node of {system} has its data"
    return None


def course_problems(faults: Sequence[Fault], topology: Topology) -> Iterator[FaultProblem]:
    """What is wrong with a course for so many nodes and copies, whatever the system.

    :param faults: in order of time.
    """
    nodes, copies = topology.nodes, topology.replication_factor
    down: set[int] = set()
    gone: set[int] = set()
    for index, fault in enumerate(faults):
        verb, node = fault.verb, fault.node
        if node > nodes:
            yield FaultProblem(index, f"node {node}: there are {nodes}", "node")
        elif node in gone:
            yield FaultProblem(index, f"{verb} node {node}: it was removed before")
        elif copies == 1 and (verb == "replace" or (verb == "remove" and node in down)):
            reason = "there is one copy of its data, which would be lost"
            yield FaultProblem(index, f"{verb} node {node}: {reason}")
        elif verb == "remove" and nodes - len(gone) <= copies:
            left = nodes - len(gone) - 1
            yield FaultProblem(
                index,
                f"remove node {node}: {_counted(left, 'node')} cannot keep "
                f"{_counted(copies, 'copy')} of each record",
            )
        elif verb == "remove":
            gone.add(node)
        if verb in ("kill", "stop"):
            down.add(node)
        elif verb in ("start", "restart", "replace"):
            down.discard(node)


def _counted(number: int, thing: str) -> str:
    plural = thing.removesuffix("y") + "ies" if thing.endswith("y") else f"{thing}s"
    return f"{number} {thing if number == 1 else plural}"
