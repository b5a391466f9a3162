"""What an agent knows of its machine, and what its local policy allows."""

import hashlib
import json

from pydantic import Field

from weighhouse_protocol.base import Name, Report


class StorageFacts(Report):
    """Where an agent's directory lies, and with it the data of what it sets up."""

    device: str | None = None
    """Of the kernel, for example `nvme0n1p2`; None: no block device."""
    driver: str | None = None
    """Of the disk, for example `nvme`, `sd`, `virtio_blk`."""
    file_system: str | None = None
    mount_options: str | None = None
    scheduler: str | None = None
    rotational: bool | None = None
    """As the disk says of itself; virtual disks often say so wrongly."""
    size_bytes: int | None = None
    free_bytes: int | None = None
    """For accounts other than root."""


class NetworkFacts(Report):
    """A network device that is no software of the kernel's."""

    name: str
    driver: str | None = None
    state: str | None = None
    """`up`, `down` …"""
    speed_megabits: int | None = None
    """A second; virtual devices have none to tell."""
    duplex: str | None = None
    mtu: int | None = None
    receive_queues: int | None = None
    transmit_queues: int | None = None


class MachineFacts(Report):
    """A machine, as its agent reports it; unknown values are None, never guessed."""

    hostname: str
    machine_id: str
    """Stable hash that tells machines apart; not the raw machine id."""
    cpu_model: str
    cores: int
    memory_bytes: int
    kernel: str
    operating_system: str
    architecture: str
    boot_id: str = ""
    cpu_governor: str | None = None
    simultaneous_multithreading: bool | None = None
    virtualisation: str | None = None
    clock_source: str | None = None
    swap_bytes: int | None = None
    cgroup_version: int | None = None
    cgroup_cpu_limit: float | None = None
    cgroup_memory_limit_bytes: int | None = None
    load_average_1m: float | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of what matters: agent, python, drivers."""
    turbo: bool | None = None
    """Whether cores may run above their nominal frequency for a while."""
    transparent_huge_pages: str | None = None
    """`always`, `madvise`, `never`."""
    numa_nodes: int | None = None
    numa_balancing: bool | None = None
    mitigations: dict[str, str] | None = None
    """Faults of the processor that it is concerned by → what the kernel does about each."""
    swappiness: int | None = None
    steal_percent: float | None = None
    """Share of the processors' time since boot that a hypervisor gave to others."""
    clock_synchronised: bool | None = None
    """Whether something keeps the kernel's clock right."""
    clock_error_us: int | None = None
    """How far the clock may be off, by the kernel's account; None when nothing keeps it right."""
    open_files_limit: int | None = None
    """Of the agent's process; None: no limit or not known."""
    ephemeral_ports: int | None = None
    """How many ports there are for connections that go out, to one address and port."""
    listen_backlog: int | None = None
    """Longest queue of connections that a server has not accepted yet."""
    packet_backlog: int | None = None
    """Longest queue of packets before a processor, those over loopback among them."""
    packets_dropped: int | None = None
    """Since boot, because that queue was full."""
    storage: StorageFacts | None = None
    network_devices: tuple[NetworkFacts, ...] = ()

    def fingerprint(self) -> str:
        """Hash of what makes results of two machines comparable: CPU, memory, kernel, limits.

        Source of the idea: a change of environment begins a new segment of a series.
        """
        facts = self.model_dump(
            include={
                "cpu_model",
                "cores",
                "memory_bytes",
                "kernel",
                "architecture",
                "cpu_governor",
                "simultaneous_multithreading",
                "virtualisation",
                "cgroup_cpu_limit",
                "cgroup_memory_limit_bytes",
            }
        )
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class SlotStatement(Report):
    """What an agent gives to one attempt at a time."""

    name: Name = "machine"
    processors: tuple[int, ...] = ()
    """Numbers of the processors it has for itself; none: all of the machine's."""
    memory_mebibytes: int | None = None


class PolicyStatement(Report):
    """What the agent's local policy file allows, told to the server so that people can see it."""

    plugins: tuple[str, ...] = ("*",)
    networks: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    deployments: tuple[str, ...] = ("process", "in_process")
    max_run_seconds: float = 86_400.0
    max_rate_per_second: float | None = None
    max_clients: int | None = None
    address: str = "127.0.0.1"
    """Where peers of a gang reach servers on this machine."""
    slots: tuple[SlotStatement, ...] = (SlotStatement(),)
