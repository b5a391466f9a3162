"""Memory, clock, descriptors, ports and queues, as the kernel is set."""

from weighhouse_protocol.facts import MachineFacts

from weighhouse_agent.machine.doctor.diagnosis import (
    Diagnosis,
    advice,
    container,
    fine,
    unknown,
    warning,
)

SWAPPINESS = 10
GOOD_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "xen")
SLOW_CLOCKS = ("acpi_pm", "hpet", "jiffies", "refined-jiffies")
CLOCK_ERROR_US = 500_000
"""Members of a gang begin together by their clocks; the shortest interval is of this order."""
FEW_FILES, MANY_FILES = 4_096, 65_536
MORE_FILES = {
    "kubernetes": ("LimitNOFILE=1048576 in the unit of the node's container runtime (containerd)",),
    "docker": ("--ulimit nofile=1048576, or `ulimits` of the service in Compose",),
    "podman": ("--ulimit nofile=1048576",),
    None: (
        "LimitNOFILE=1048576 in the agent's unit (infra/agent/weighhouse-agent.service)",
        "ulimit -n 1048576   # for an agent started by hand",
    ),
}
"""What gives the agent more files, by whose container it is in."""
FEW_PORTS = 20_000
SHORT_LISTEN, SHORT_QUEUE = 1_024, 1_000


def huge_pages(facts: MachineFacts) -> Diagnosis:
    """Whether any process gets huge pages unasked."""
    name, found = "thp", facts.transparent_huge_pages
    if found is None:
        return unknown(name, "the kernel has no transparent huge pages, or does not tell")
    if found != "always":
        return fine(name, found)
    return advice(
        name, found,
        "compaction and copying of 2 MiB pages pause databases by chance, a fork of Redis most;"
        " their vendors ask for madvise or never",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        "for good: transparent_hugepage=madvise in the kernel's command line",
    )  # fmt: skip


def swap(facts: MachineFacts) -> Diagnosis:
    """Whether memory under test can end on a disk."""
    name, size = "swap", facts.swap_bytes
    if size is None:
        return unknown(name, "/proc/meminfo does not tell")
    if size == 0:
        return fine(name, "none")
    found = f"{size / 2**30:.1f} GiB, swappiness {facts.swappiness}"
    if facts.swappiness is not None and facts.swappiness <= SWAPPINESS:
        return fine(name, found)
    return advice(
        name, found,
        "pages of a database that are swapped out make single operations a thousand times slower",
        "swapoff -a",
        "or sysctl -w vm.swappiness=1",
    )  # fmt: skip


def clock_source(facts: MachineFacts) -> Diagnosis:
    """What reading the clock costs; a driver reads it for every operation."""
    name, found = "clock-source", facts.clock_source
    if found is None:
        return unknown(name, "the kernel does not tell")
    if found in SLOW_CLOCKS:
        return warning(
            name, found,
            "every look at the clock is a system call to slow hardware, a microsecond or more; the"
            " driver looks twice an operation",
            "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource",
            "for good: clocksource=tsc tsc=reliable in the kernel's command line",
        )  # fmt: skip
    if found in GOOD_CLOCKS:
        return fine(name, found)
    return unknown(name, f"{found}: what reading it costs is not known here")


def synchronisation(facts: MachineFacts) -> Diagnosis:
    """Whether the time of day is right."""
    name, error = "clock", facts.clock_error_us
    if facts.clock_synchronised is None:
        return unknown(name, "the kernel did not answer adjtimex")
    how = (
        "apt-get install chrony   # with `rtcsync` in /etc/chrony/chrony.conf, its default",
        "chronyc tracking   # or: timedatectl timesync-status",
    )
    if not facts.clock_synchronised:
        return warning(
            name, "nothing keeps it right",
            "by the kernel's account no program corrects the clock: machines of one run begin and"
            " end at different moments, and marks stand beside the wrong interval",
            *how,
        )  # fmt: skip
    found = "kept right" if error is None else f"kept right, to {error / 1000:.1f} ms"
    if error is not None and error > CLOCK_ERROR_US:
        return warning(
            name, found, "machines of one run may be that far apart, an interval or more", *how
        )
    return fine(name, found)


def open_files(facts: MachineFacts) -> Diagnosis:
    """How many connections and files a process may have."""
    name, limit = "open-files", facts.open_files_limit
    if limit is None:
        return fine(name, "no limit, or none that is told")
    if limit >= MANY_FILES:
        return fine(name, f"{limit:,}")
    why = "a driver needs one for each connection, a system for each connection and file"
    change = MORE_FILES[container(facts)]
    if limit < FEW_FILES:
        return warning(name, f"{limit:,}", why, *change)
    return advice(name, f"{limit:,}", why, *change)


def ports(facts: MachineFacts) -> Diagnosis:
    """How many connections can go out to one server."""
    name, count = "ports", facts.ephemeral_ports
    if count is None:
        return unknown(name, "/proc/sys/net/ipv4/ip_local_port_range is not readable")
    if count >= FEW_PORTS:
        return fine(name, f"{count:,}")
    return advice(
        name, f"{count:,}",
        "that many connections to one address and port; closed ones hold theirs for a minute",
        'sysctl -w net.ipv4.ip_local_port_range="20000 65535"',
    )  # fmt: skip


def listen_queue(facts: MachineFacts) -> Diagnosis:
    """Connections that wait to be accepted."""
    name, length = "listen-backlog", facts.listen_backlog
    if length is None:
        return unknown(name, "/proc/sys/net/core/somaxconn is not readable")
    if length >= SHORT_LISTEN:
        return fine(name, f"{length:,}")
    return advice(
        name, f"{length:,}",
        "when many clients connect at once the rest is sent away and tries again a second later",
        "sysctl -w net.core.somaxconn=4096",
    )  # fmt: skip


def packet_queue(facts: MachineFacts) -> Diagnosis:
    """Packets that wait for a processor, those over loopback among them."""
    name, length, dropped = "packet-backlog", facts.packet_backlog, facts.packets_dropped
    if length is None:
        return unknown(name, "/proc/sys/net/core/netdev_max_backlog is not readable")
    lost = "" if dropped is None else f", {dropped:,} packets dropped since boot"
    change = "sysctl -w net.core.netdev_max_backlog=10000"
    if dropped:
        return warning(
            name, f"{length:,}{lost}",
            "a packet that finds the queue full is sent again after 200 ms: a tail that is the"
            " network stack's and looks like the system's",
            change,
        )  # fmt: skip
    if length < SHORT_QUEUE:
        return advice(name, f"{length:,}{lost}", "shorter than the kernel's own default", change)
    return fine(name, f"{length:,}{lost}")
