"""What an agent knows of its machine, and what its local policy allows."""

from pydantic import Field

from weighhouse_protocol.base import (
    Bytes,
    Count,
    Label,
    Many,
    ManyBy,
    Measure,
    Name,
    Order,
    Report,
    Sentence,
)


class StorageFacts(Report):
    """Where an agent's directory lies, and with it the data of what it sets up."""

    device: Label | None = None
    """Of the kernel, for example `nvme0n1p2`; None: no block device."""
    driver: Label | None = None
    """Of the disk, for example `nvme`, `sd`, `virtio_blk`."""
    file_system: Label | None = None
    mount_options: Sentence | None = None
    scheduler: Label | None = None
    rotational: bool | None = None
    """As the disk says of itself; virtual disks often say so wrongly."""
    size_bytes: Bytes | None = None
    free_bytes: Bytes | None = None
    """For accounts other than root."""


class NetworkFacts(Report):
    """A network device that is no software of the kernel's."""

    name: Label
    driver: Label | None = None
    state: Label | None = None
    """`up`, `down` …"""
    speed_megabits: Bytes | None = None
    """A second; virtual devices have none to tell."""
    duplex: Label | None = None
    mtu: Bytes | None = None
    receive_queues: Bytes | None = None
    transmit_queues: Bytes | None = None


class MachineFacts(Report):
    """A machine, as its agent reports it; unknown values are None, never guessed."""

    hostname: Label
    machine_id: Label
    """Stable hash that tells machines apart; not the raw machine id."""
    cpu_model: Label
    cores: Count
    memory_bytes: Bytes
    kernel: Label
    operating_system: Label
    architecture: Label
    boot_id: Label = ""
    cpu_governor: Label | None = None
    simultaneous_multithreading: bool | None = None
    virtualisation: Label | None = None
    clock_source: Label | None = None
    swap_bytes: Bytes | None = None
    cgroup_version: Bytes | None = None
    cgroup_cpu_limit: Measure | None = None
    cgroup_memory_limit_bytes: Bytes | None = None
    processors: Count | None = None
    """How many of the cores its control group keeps the agent to (cpuset); None: all of them."""
    guaranteed: bool | None = None
    """Whether its pod asks for all that it may use, and so is of Kubernetes' class Guaranteed;
    None: it is in no pod, or the pod does not tell."""
    load_average_1m: Measure | None = None
    versions: ManyBy[Sentence] = Field(default_factory=dict)
    """Versions of what matters: agent, python, drivers."""
    turbo: bool | None = None
    """Whether cores may run above their nominal frequency for a while."""
    transparent_huge_pages: Label | None = None
    """`always`, `madvise`, `never`."""
    numa_nodes: Bytes | None = None
    numa_balancing: bool | None = None
    mitigations: ManyBy[Sentence] | None = None
    """Faults of the processor that it is concerned by → what the kernel does about each."""
    swappiness: Bytes | None = None
    steal_percent: Measure | None = None
    """Share of the processors' time since boot that a hypervisor gave to others."""
    clock_synchronised: bool | None = None
    """Whether something keeps the kernel's clock right."""
    clock_error_us: Bytes | None = None
    """How far the clock may be off, by the kernel's account; None when nothing keeps it right."""
    open_files_limit: Bytes | None = None
    """Of the agent's process; None: no limit or not known."""
    ephemeral_ports: Bytes | None = None
    """How many ports there are for connections that go out, to one address and port."""
    listen_backlog: Bytes | None = None
    """Longest queue of connections that a server has not accepted yet."""
    packet_backlog: Bytes | None = None
    """Longest queue of packets before a processor, those over loopback among them."""
    packets_dropped: Bytes | None = None
    """Since boot, because that queue was full."""
    storage: StorageFacts | None = None
    network_devices: Many[NetworkFacts] = ()


class SlotStatement(Report):
    """What an agent gives to one attempt at a time."""

    name: Name = "machine"
    processors: Many[Order] = ()
    """Numbers of the processors it has for itself; none: all of the machine's."""
    memory_mebibytes: Bytes | None = None


class PolicyStatement(Report):
    """What the agent's local policy file allows, told to the server so that people can see it."""

    plugins: Many[Label] = ("*",)
    networks: Many[Label] = ("127.0.0.0/8", "::1/128")
    deployments: Many[Label] = ("process", "in_process")
    max_run_seconds: Measure = 86_400.0
    max_rate_per_second: Measure | None = None
    max_clients: Bytes | None = None
    external: Label = "all"
    """What may be done to `external` systems: `read`, nothing is written; `prefix`, only keys with
    a `key_prefix` are; `all`."""
    settings: Many[Label] = ("listed",)
    """Settings beside parameters that targets may have: `listed`, those that plugins list;
    `redis:NAME`."""
    address: Label = "127.0.0.1"
    """Where peers of a gang reach servers on this machine."""
    slots: Many[SlotStatement] = (SlotStatement(),)
    updates: Label = "by_hand"
    """Whether the platform may bring this agent up to its version: `allowed`; `forbidden`, by the
    policy; `by_hand`, it was not installed by the platform's script, as those of before were not.
    """
