"""How a system's nodes can be laid out, as its plugin's manifest says."""

from typing import Literal

from pydantic import Field

from weighhouse_protocol.base import Document, Few, Sentence
from weighhouse_protocol.target import Target
from weighhouse_protocol.workload import Operation

Feature = Literal["ttl", "varied_ttl", "multi_get"]
"""Further parts of a workload: records that expire, reads of several records at once."""

HASHING = "hashing"
"""The driver option that says how a client spreads keys over nodes."""
BY_ITSELF = "none"
"""Its value where the client does not: the system has its own way, or none."""


class ManifestTopology(Document):
    """How many nodes a system can have here, and what several are."""

    layout: Literal["single", "replicas", "shards", "ring"] = "single"
    """single: one node. replicas: every node has all the data. shards: primaries that share the
    data, each with the same number of replicas. ring: every node has its part of every copy."""
    max_nodes: int = Field(default=1, ge=1, le=1000)
    min_primaries: int = Field(default=2, ge=2, le=1000)
    """Of the layout `shards`: fewest primaries, when there is more than one."""
    nodes_are: Sentence = ""
    """What several nodes are, in words."""
    spread: bool = False
    """Whether its nodes can be on several machines, as its plugin starts them."""
    shards_lack: Few[Operation | Feature] = ()
    """Operations and features that several nodes with a share of the data each do not have."""
    keys_by_client: Literal["never", "always", "hashing"] = "never"
    """Whether several nodes know nothing of each other, and the client spreads the keys over them;
    each record is on one then. hashing: where the driver option of that name says how, and is not
    `none`."""

    endpoints: Literal["primaries", "all"] = "primaries"
    """Which of several nodes clients are told of: one for each share of the data, or all."""

    def by_client(self, target: Target) -> bool:
        """Whether a target has several nodes that know nothing of each other."""
        several = target.topology.nodes > 1 or len(target.endpoints) > 1
        if not several or self.keys_by_client == "never":
            return False
        said = target.driver_options.get(HASHING, BY_ITSELF)
        return self.keys_by_client == "always" or said != BY_ITSELF

    def primaries(self, target: Target) -> int:
        """Over how many nodes, their copies aside, a target's keys are spread."""
        nodes, copies = target.topology.nodes, target.topology.replication_factor
        return max(nodes, len(target.endpoints)) if self.by_client(target) else -(-nodes // copies)

    def ends(self, target: Target) -> int:
        """How many endpoints clients are told of."""
        own = target.topology.nodes if self.endpoints == "all" else self.primaries(target)
        return max(own, len(target.endpoints))

    def lacks(self, target: Target) -> tuple[Operation | Feature, ...]:
        """What the system can do, but not when it is laid out so."""
        shared = self.layout == "shards" or self.keys_by_client != "never"
        return self.shards_lack if shared and self.primaries(target) > 1 else ()

    def problem(self, target: Target) -> str | None:
        """Why a target cannot be laid out as it is to be; None when it can."""
        nodes, copies = target.topology.nodes, target.topology.replication_factor
        if nodes > self.max_nodes:
            plural = "node" if self.max_nodes == 1 else "nodes"
            return f"{nodes} nodes are asked for, it can have up to {self.max_nodes} {plural}"
        if copies > nodes:
            return f"{copies} copies need as many nodes, there are {nodes}"
        if self.by_client(target):
            alone = "the client spreads the keys over nodes that know nothing of each other"
            return None if copies == 1 else f"{alone}: the replication factor is 1, not {copies}"
        if self.layout == "replicas" and copies != nodes:
            return f"every node has a copy of all: the replication factor is {nodes}, not {copies}"
        return self._shares_problem(nodes, copies) if self.layout == "shards" else None

    def _shares_problem(self, nodes: int, copies: int) -> str | None:
        if nodes % copies:
            return f"{nodes} nodes cannot be shared out to {copies} copies"
        primaries = nodes // copies
        if 1 < primaries < self.min_primaries:
            return f"{primaries} primaries are too few: one, or at least {self.min_primaries}"
        return None
