"""What a machine is: read from /proc and /sys, never guessed, no program started."""

import hashlib
import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

from weighhouse_protocol.facts import MachineFacts

from weighhouse_agent import conditions
from weighhouse_agent.conditions import Tree
from weighhouse_agent.home import read_text

KIB = 1024
UNLIMITED_BYTES = 1 << 60
"""Version 1 of control groups writes a number above this for no limit."""


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
    tree = Tree()
    synchronised, clock_error_us = conditions.clock()
    memory = _colon_table(Path("/proc/meminfo"))
    release = _equals_table(Path("/etc/os-release"))
    limits = _cgroup()
    raw_id = _line("/etc/machine-id") or str(instance_id)
    smt = _line("/sys/devices/system/cpu/smt/active")
    return MachineFacts(
        hostname=socket.gethostname(),
        machine_id=hashlib.sha256(f"weighhouse:{raw_id}".encode()).hexdigest()[:32],
        cpu_model=_cpu_model(),
        cores=os.cpu_count() or 1,
        memory_bytes=_kib(memory.get("MemTotal")) or 0,
        kernel=platform.release(),
        operating_system=release.get("PRETTY_NAME") or platform.system(),
        architecture=platform.machine(),
        boot_id=_line("/proc/sys/kernel/random/boot_id") or "",
        cpu_governor=_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        simultaneous_multithreading=None if smt is None else smt == "1",
        virtualisation=_virtualisation(),
        clock_source=_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        swap_bytes=_kib(memory.get("SwapTotal")),
        cgroup_version=limits.version,
        cgroup_cpu_limit=limits.cpus,
        cgroup_memory_limit_bytes=limits.memory_bytes,
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
        network_devices=conditions.network_devices(tree),
    )


def _line(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip() or None
    except OSError:
        return None


def _colon_table(path: Path) -> dict[str, str]:
    pairs = (line.partition(":") for line in (read_text(path) or "").splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def _equals_table(path: Path) -> dict[str, str]:
    pairs = (line.partition("=") for line in (read_text(path) or "").splitlines())
    return {key.strip(): value.strip().strip('"') for key, sign, value in pairs if sign}


def _kib(text: str | None) -> int | None:
    return int(text.split()[0]) * KIB if text else None


def _cpu_model() -> str:
    table = _colon_table(Path("/proc/cpuinfo"))
    for key in ("model name", "Model", "Hardware", "cpu model", "CPU part"):
        if table.get(key):
            return table[key]
    return platform.processor() or platform.machine()


def _virtualisation() -> str | None:
    """Container or hypervisor; None when there is no sign of either."""
    container = None
    if Path("/.dockerenv").exists():
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


class _Limits:
    """Of the control group this process is in."""

    def __init__(
        self, version: int | None, cpus: float | None = None, memory_bytes: int | None = None
    ) -> None:
        self.version = version
        self.cpus = cpus
        self.memory_bytes = memory_bytes


def _cgroup() -> _Limits:
    root = Path("/sys/fs/cgroup")
    if not (root / "cgroup.controllers").exists():
        return _cgroup_v1(root) if (root / "cpu").exists() else _Limits(None)
    return _Limits(2, *tightest(cgroup_directories()))


def cgroup_directories() -> list[Path]:
    """Directories of this process's control group and all above it (version 2); may be empty."""
    root = Path("/sys/fs/cgroup")
    own = next(
        (line[3:] for line in (read_text(Path("/proc/self/cgroup")) or "").splitlines()
         if line.startswith("0::")),
        "/",
    )  # fmt: skip
    place = root / own.strip().lstrip("/")
    chain = [place, *place.parents]
    return [each for each in chain if each.is_relative_to(root) and each.is_dir()]


def tightest(directories: list[Path]) -> tuple[float | None, int | None]:
    """The tightest limits of some control groups (version 2): processors, bytes of memory."""
    cpus: list[float] = []
    memory: list[int] = []
    for directory in directories:
        quota, _, period = (read_text(directory / "cpu.max") or "max").strip().partition(" ")
        if quota != "max" and period:
            cpus.append(int(quota) / int(period))
        limit = (read_text(directory / "memory.max") or "max").strip()
        if limit != "max":
            memory.append(int(limit))
    return min(cpus, default=None), min(memory, default=None)


def _cgroup_v1(root: Path) -> _Limits:
    processor, store = _own_group_v1(root, "cpu"), _own_group_v1(root, "memory")
    quota = _line(str(processor / "cpu.cfs_quota_us"))
    period = _line(str(processor / "cpu.cfs_period_us"))
    limit = _line(str(store / "memory.limit_in_bytes"))
    cpus = int(quota) / int(period) if quota and period and int(quota) > 0 else None
    memory = int(limit) if limit and int(limit) < UNLIMITED_BYTES else None
    return _Limits(1, cpus, memory)


def _own_group_v1(root: Path, controller: str) -> Path:
    for line in (read_text(Path("/proc/self/cgroup")) or "").splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(","):
            place = root / controller / path.lstrip("/")
            return place if place.is_dir() else root / controller
    return root / controller
