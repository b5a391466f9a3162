"""What a system reads from and writes to disks, and what passes the network, as time goes by."""

import os
from collections.abc import Collection
from dataclasses import dataclass, field

from weighhouse_sdk.machine.procfs import (
    DiskTraffic,
    InterfaceTraffic,
    children,
    disk_traffic,
    interface_traffic,
    network_namespace,
    process_stat,
)

Process = tuple[int, int]
"""Pid and start, in ticks."""
Interface = tuple[str, str]
"""Namespace and name."""


@dataclass
class Traffic:
    """Adds up counters of the kernel that begin anew with each process and each namespace.

    What was there at the first look counts from then on; what comes later, from its own beginning.
    """

    _processes: dict[Process, DiskTraffic] = field(default_factory=dict)
    _interfaces: dict[Interface, InterfaceTraffic] = field(default_factory=dict)
    _disk: list[int] = field(default_factory=lambda: [0, 0])
    _network: dict[str, list[int]] = field(default_factory=dict)
    _begun: bool = False

    def look(self, pids: Collection[int]) -> dict[str, float]:
        """Counters since the first look, by the names of a sample's metrics.

        :param pids: the system's processes on this machine; those that they forked (a server that
            saves a snapshot does) count too. None: the network alone is looked at, in the
            namespace of this program.
        :returns: `system_disk_read_bytes`, `system_disk_written_bytes` where the kernel tells;
            `network_received_bytes.NAME` and the like of each interface that was used.
        """
        told = self._disks(pids) | self._networks(pids or [os.getpid()])
        self._begun = True
        return told

    def _disks(self, pids: Collection[int]) -> dict[str, float]:
        seen: dict[Process, DiskTraffic] = {}
        for pid in [one for root in pids for one in (root, *children(root))]:
            stat, traffic = process_stat(pid), disk_traffic(pid)
            if stat is not None and traffic is not None:
                seen[pid, stat.start_ticks] = traffic
        if not seen:
            return {}
        for process, now in seen.items():
            before = self._processes.get(process, DiskTraffic(0, 0) if self._begun else now)
            self._disk[0] += max(0, now.read - before.read)
            self._disk[1] += max(0, now.written - before.written)
        self._processes = seen
        return {
            "system_disk_read_bytes": float(self._disk[0]),
            "system_disk_written_bytes": float(self._disk[1]),
        }

    def _networks(self, pids: Collection[int]) -> dict[str, float]:
        namespaces = {name: pid for pid in pids if (name := network_namespace(pid)) is not None}
        for namespace, pid in namespaces.items():
            for name, now in interface_traffic(pid).items():
                nothing = InterfaceTraffic(0, 0, 0, 0)
                before = self._interfaces.get((namespace, name), nothing if self._begun else now)
                self._interfaces[namespace, name] = now
                counted = self._network.setdefault(name, [0, 0, 0, 0])
                for at, (earlier, later) in enumerate(
                    zip(_columns(before), _columns(now), strict=True)
                ):
                    counted[at] += max(0, later - earlier)
        return {
            f"network_{what}.{name}": float(count)
            for name, counts in self._network.items()
            if any(counts)
            for what, count in zip(COUNTED, counts, strict=True)
        }


COUNTED = ("received_bytes", "received_packets", "sent_bytes", "sent_packets")


def _columns(traffic: InterfaceTraffic) -> tuple[int, ...]:
    return (
        traffic.received_bytes,
        traffic.received_packets,
        traffic.sent_bytes,
        traffic.sent_packets,
    )
