"""What a machine is: read from /proc and /sys, never guessed, no program started."""

import hashlib
import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from weighhouse_protocol.facts import MachineFacts
from weighhouse_sdk.machine.cgroups import Hierarchies, groups_above
from weighhouse_sdk.machine.limits import Unlimited, cpu_limit, memory_limit, tightest
from weighhouse_sdk.machine.processors import usable_processors

from weighhouse_agent.machine import conditions
from weighhouse_agent.machine.conditions import Tree
from weighhouse_agent.machine.home import read_text
from weighhouse_agent.machine.pod import Pod

KIB = 1024
NOTHING = Tree(Path("/dev/null"))
"""In place of the files of a node that lets no pod look."""


def machine_facts(
    instance_id: UUID,
    versions: Mapping[str, str] | None = None,
    *,
    directory: Path | None = None,
) -> MachineFacts:
    """Look at this machine; takes some milliseconds.

    :param instance_id: stands in for a machine id where the system has none.
    :param versions: of what matters, by name.
    :param directory: the agent's, whose disk is looked at; none: no disk is.
    """
    tree, pod = Tree(), Pod.told()
    # What of a container is not its machine's is read of the node, or not at all.
    outside = tree if pod is None else pod.tree or NOTHING
    synchronised, clock_error_us = conditions.clock()
    memory = _colon_table(Path("/proc/meminfo"))
    release = _equals_table(outside.text("/etc/os-release") or "")
    limits = _cgroup()
    raw_id = outside.line("/etc/machine-id") or (pod.node if pod else str(instance_id))
    cores, usable = os.cpu_count() or 1, len(usable_processors())
    smt = _line("/sys/devices/system/cpu/smt/active")
    return MachineFacts(
        hostname=pod.node if pod else socket.gethostname(),
        machine_id=hashlib.sha256(f"weighhouse:{raw_id}".encode()).hexdigest()[:32],
        cpu_model=_cpu_model(),
        cores=cores,
        memory_bytes=_kib(memory.get("MemTotal")) or 0,
        kernel=platform.release(),
        operating_system=release.get("PRETTY_NAME") or platform.system(),
        architecture=platform.machine(),
        boot_id=_line("/proc/sys/kernel/random/boot_id") or "",
        cpu_governor=_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        simultaneous_multithreading=None if smt is None else smt == "1",
        virtualisation=_virtualisation(pod),
        clock_source=_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        swap_bytes=_kib(memory.get("SwapTotal")),
        cgroup_version=limits.version,
        cgroup_cpu_limit=limits.cpus,
        cgroup_memory_limit_bytes=limits.memory_bytes,
        processors=usable if usable < cores else None,
        guaranteed=pod.guaranteed if pod else None,
        load_average_1m=os.getloadavg()[0],
        versions=dict(versions or {}),
        turbo=conditions.turbo(tree),
        transparent_huge_pages=conditions.transparent_huge_pages(tree),
        numa_nodes=conditions.numa_nodes(tree),
        numa_balancing=conditions.numa_balancing(tree),
        mitigations=conditions.mitigations(tree),
        swappiness=conditions.swappiness(tree),
        steal_percent=conditions.steal_percent(tree),
        clock_synchronised=synchronised,
        clock_error_us=clock_error_us,
        open_files_limit=conditions.open_files_limit(),
        ephemeral_ports=conditions.ephemeral_ports(tree),
        listen_backlog=conditions.listen_backlog(tree),
        packet_backlog=conditions.packet_backlog(tree),
        packets_dropped=conditions.packets_dropped(tree),
        storage=conditions.storage(tree, directory) if directory else None,
        network_devices=conditions.network_devices(outside),
    )


def memory_bytes() -> int:
    """Memory of this machine, or what this process' control group may use of it, bytes; 0: not
    known.
    """
    all_of_it = _kib(_colon_table(Path("/proc/meminfo")).get("MemTotal")) or 0
    limit = _cgroup().memory_bytes
    return all_of_it if limit is None else min(all_of_it or limit, limit)


def _line(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def _colon_table(path: Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in (read_text(path) or "").splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def _equals_table(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): value.strip().strip('"') for key, sign, value in pairs if sign}


def _kib(text: str | None) -> int | None:
    return int(text.split()[0]) * KIB if text else None


def _cpu_model() -> str:
    table = _colon_table(Path("/proc/cpuinfo"))
    for key in ("model name", "Model", "Hardware", "cpu model", "CPU part"):
        if table.get(key):
            return table[key]
    return platform.processor() or platform.machine()


def _virtualisation(pod: Pod | None) -> str | None:
    """Container or hypervisor; None when there is no sign of either."""
    container = None
    if pod is not None:
        container = "kubernetes"
    elif Path("/.dockerenv").exists():
        container = "docker"
    elif Path("/run/.containerenv").exists():
        container = "podman"
    machine = _line("/sys/hypervisor/type") or _hypervisor_of_board()
    if (
        machine is None
        and " hypervisor " in f" {_colon_table(Path('/proc/cpuinfo')).get('flags', '')} "
    ):
        machine = "hypervisor"
    found = [each for each in (container, machine) if each]
    return " in ".join(found) or None


def _hypervisor_of_board() -> str | None:
    board = " ".join(
        _line(f"/sys/class/dmi/id/{name}") or "" for name in ("sys_vendor", "product_name")
    ).lower()
    signs = {
        "kvm": "kvm", "qemu": "kvm", "vmware": "vmware", "virtualbox": "virtualbox",
        "amazon ec2": "ec2", "google compute": "gce", "microsoft corporation virtual": "hyperv",
        "xen": "xen", "firecracker": "firecracker",
    }  # fmt: skip
    return next((name for sign, name in signs.items() if sign in board), None)


class _Limits(NamedTuple):
    """Of the control group this process is in, and of those above it; None: there is no limit."""

    version: int | None
    """None: no group tells any."""
    cpus: float | None = None
    memory_bytes: int | None = None


def _cgroup() -> _Limits:
    groups = {name: groups_above("self", name) for name in ("cpu", "memory")}
    cpus = tightest(groups["cpu"], cpu_limit)
    memory = tightest(groups["memory"], memory_limit)
    if cpus is None and memory is None:
        return _Limits(None)
    unified = Hierarchies.found().unified
    version = 2 if unified in (*groups["cpu"], *groups["memory"]) else 1
    return _Limits(
        version,
        None if isinstance(cpus, Unlimited) else cpus,
        None if isinstance(memory, Unlimited) else memory,
    )
