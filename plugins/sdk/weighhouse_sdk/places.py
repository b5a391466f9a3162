"""Where the nodes of a system live, here and on other machines."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from weighhouse_protocol.base import Scalar

from weighhouse_sdk.wire import Address

ELSEWHERE = Path(os.devnull)
"""Directory of a node that another machine has: nothing can be read or written below it."""


def is_loopback(host: str) -> bool:
    """Whether an address, or a name, is reached from its own machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class NodeAddress:
    """Ports held for a node on its machine, as all members of a deployment are told of it."""

    number: int
    """Counted from 1, over all machines."""
    host: str
    """What peers and clients reach its machine by."""
    port: int
    """For clients."""
    peer_port: int | None = None
    """For other nodes alone; None: the system wants none."""


@dataclass(frozen=True)
class Place:
    """Where a node lives, and among whom; stays the same when the node is started again."""

    number: int
    """Counted from 1."""
    name: str
    """Unique among the deployment's; names process, log and directory."""
    address: Address
    """Where clients reach it."""
    directory: Path
    """Its data, and where it works; closed to other users. `ELSEWHERE` of another machine's."""
    addresses: tuple[Address, ...]
    """Of all nodes in order that it is to know of, this one among them."""
    replication_factor: int = 1
    peer_port: int | None = None
    """A second port, for other nodes or for the operator; None: the system wants none."""
    peer_addresses: tuple[Address, ...] = ()
    """Of all nodes' second ports in order, for systems whose nodes are told of each other when they
    start; empty: the system wants none."""

    settings: Mapping[str, Scalar] = field(default_factory=dict, hash=False)
    """The target's settings beside parameters, by the system's own names; none where the vendor's
    defaults are asked."""
    fresh: bool = False
    """It begins empty, in the place of a node that is gone."""

    @property
    def alone(self) -> bool:
        """Whether it is the only node, or knows of no other."""
        return len(self.addresses) == 1
