"""Disk, file system, network devices."""

from weighhouse_protocol.facts import MachineFacts, NetworkFacts

from weighhouse_agent.machine.doctor.diagnosis import (
    Diagnosis,
    State,
    advice,
    fine,
    unknown,
    warning,
)

GIB = 2**30
LITTLE_BYTES, SCARCE_BYTES = 20 * GIB, 5 * GIB
IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
LAYERED = ("overlay", "aufs")
REMOTE = ("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "glusterfs", "fuse.sshfs")
UNSAFE_OPTIONS = ("nobarrier", "barrier=0", "data=writeback")
VIRTUAL_DISKS = ("virtio_blk", "xen_blkfront", "vbd", "hv_storvsc", "nbd")
EMULATED_CARDS = ("e1000", "e1000e", "8139cp", "8139too", "pcnet32", "ne2k-pci")
SLOW_MEGABITS = 1_000
MOVE = "the agent's directory onto a local disk: --home, WEIGHHOUSE_AGENT_HOME"


def file_system(facts: MachineFacts) -> Diagnosis:
    """What the agent's directory lies on; data of systems under test lie below it."""
    name, storage = "file-system", facts.storage
    if storage is None or storage.file_system is None:
        return unknown(name, "/proc/self/mountinfo does not tell")
    return _kind(name, storage.file_system) or _mounted(
        name, storage.file_system, storage.mount_options or ""
    )


def _kind(name: str, kind: str) -> Diagnosis | None:
    if kind in IN_MEMORY:
        return advice(
            name, kind, "what is written stays in memory: durability costs nothing here", MOVE
        )
    if kind in LAYERED:
        return warning(
            name, kind,
            "a container's own layer: the first write to a file copies all of it",
            "a volume for " + MOVE,
        )  # fmt: skip
    if kind in REMOTE:
        return warning(name, kind, "every write crosses a network that others use", MOVE)
    return None


def _mounted(name: str, kind: str, text: str) -> Diagnosis:
    options = text.split(",")
    unsafe = [option for option in UNSAFE_OPTIONS if option in options]
    if unsafe:
        return warning(
            name, f"{kind}, {', '.join(unsafe)}",
            "fsync returns before data are safe: durable systems look faster than they are",
            "mount it without " + ", ".join(unsafe),
        )  # fmt: skip
    if "sync" in options:
        return warning(
            name, f"{kind}, sync", "every write waits for the disk", "mount it without sync"
        )
    return fine(name, f"{kind}, {text}")


def space(facts: MachineFacts) -> Diagnosis:
    """What is free for data and for what is not delivered yet."""
    name = "space"
    if facts.storage is None or facts.storage.free_bytes is None:
        return unknown(name, "the file system does not tell")
    free = facts.storage.free_bytes
    found = f"{free / GIB:.1f} GiB free"
    if free >= LITTLE_BYTES:
        return fine(name, found)
    why = "a system that fills the disk fails, and a file system that is nearly full is slow"
    state = State.WARNING if free < SCARCE_BYTES else State.ADVICE
    return Diagnosis(name=name, found=found, state=state, why=why, change=("free some", MOVE))


def disk(facts: MachineFacts) -> Diagnosis:
    """The device below, and the order in which it is asked."""
    name, storage = "disk", facts.storage
    if storage is None or storage.device is None:
        return unknown(name, "the file system is on no block device that is told")
    scheduler = f", scheduler {storage.scheduler}" if storage.scheduler else ""
    kind = f" ({storage.driver})" if storage.driver else ""
    found = f"{storage.device}{kind}{scheduler}"
    if storage.driver in VIRTUAL_DISKS:
        return advice(
            name, found,
            "a virtual disk: what it is made of, and whether fsync reaches it, only the host knows",
            "measure durable systems on a disk of this machine",
        )  # fmt: skip
    if storage.rotational:
        return warning(
            name, f"{found}, rotating",
            "milliseconds a seek: figures of systems that write are the disk's",
            MOVE + " that is an SSD",
        )  # fmt: skip
    if storage.scheduler == "bfq":
        return advice(
            name, found, "bfq shares a disk fairly between programs, at a cost for each request",
            f"echo none > /sys/class/block/{storage.device}/queue/scheduler   # of the whole disk",
        )  # fmt: skip
    return fine(name, found)


def network(facts: MachineFacts) -> Diagnosis:
    """Cards, for loads that come from another machine; offloads are not readable from /sys."""
    name = "network"
    cards = [card for card in facts.network_devices if card.state != "down"]
    if not cards:
        return fine(name, "no card in use", "loads over loopback need none")
    found = "; ".join(_card(card) for card in cards)
    half = [card.name for card in cards if card.duplex == "half"]
    if half:
        return warning(
            name, found, f"{', '.join(half)}: one direction at a time, a cable or a port is broken",
            f"ethtool {half[0]}   # and mend what it negotiates",
        )  # fmt: skip
    emulated = [card.name for card in cards if card.driver in EMULATED_CARDS]
    if emulated:
        return advice(
            name, found, f"{', '.join(emulated)}: emulated by a hypervisor, at much processor time",
            "choose virtio, or pass a card through, in the virtual machine's definition",
        )  # fmt: skip
    slow = [card.name for card in cards if (card.speed_megabits or SLOW_MEGABITS) < SLOW_MEGABITS]
    if slow:
        return warning(
            name, found, f"{', '.join(slow)}: the wire is full before a system is",
            f"ethtool {slow[0]}   # the speed, and what the other side offers",
        )  # fmt: skip
    if all(card.speed_megabits is None for card in cards):
        return Diagnosis(
            name=name, found=found, state=State.UNKNOWN,
            why="the speed is not told; offloads: ethtool -k " + cards[0].name,
        )  # fmt: skip
    return fine(name, found, "offloads: ethtool -k " + cards[0].name)


def _card(card: NetworkFacts) -> str:
    speed = f"{card.speed_megabits:,} Mbit/s" if card.speed_megabits else "speed unknown"
    parts = [card.driver, speed, f"MTU {card.mtu}" if card.mtu else None]
    if card.receive_queues:
        parts.append(f"{card.receive_queues} receive queues")
    return f"{card.name}: " + ", ".join(part for part in parts if part)
