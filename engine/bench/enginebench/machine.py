"""The machine that is measured on: what it is, and who runs on which core."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path


def cores() -> list[int]:
    """Numbers of the cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


def server_prefix() -> list[str]:
    """A prefix that keeps a server on the first core, where there are several."""
    return ["taskset", "-c", str(cores()[0])] if len(cores()) > 1 else []


def client_prefix(threads: int = 1) -> list[str]:
    """A prefix that keeps a client off the server's core; none when it has more `threads` than that
    leaves. One thread gets one core.
    """
    rest = cores()[1:]
    if len(rest) < threads:
        return []
    mine = rest[:1] if threads == 1 else rest
    return ["taskset", "-c", ",".join(map(str, mine))]


def output_of(command: list[str]) -> str:
    """What a program prints, on either stream; nothing when it cannot be started."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout + done.stderr


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _field(path: str, pattern: str) -> str:
    found = re.search(pattern, _text(path), re.MULTILINE)
    return found.group(1) if found else "unknown"


def description(driver_version: str, peers: list[str]) -> str:
    """The machine and the programs in a few lines; `peers` are names with versions."""
    virtual = re.search(r"^flags.*\bhypervisor\b", _text("/proc/cpuinfo"), re.MULTILINE)
    memory = int(_field("/proc/meminfo", r"^MemTotal: +(\d+) kB")) / 1024**2
    redis = re.search(r"v=(\S+)", output_of(["redis-server", "--version"]))
    model = _field("/proc/cpuinfo", r"^model name[^:]*: (.+)$")
    count = len(cores())
    place = "server and client on a core each" if count > 1 else "server and client on one core"
    load = ", ".join(f"{one:.2f}" for one in os.getloadavg())
    lines = [
        f"machine: {model}, {count} cores{', virtual' if virtual else ''}; {memory:.0f} GiB",
        f"kernel: {platform.system()} {platform.release()}; load average at the start {load}",
        f"server: Redis {redis.group(1) if redis else 'unknown'} over loopback TCP; {place}",
        f"clients: weighhouse {driver_version}{''.join(f', {peer}' for peer in peers)}",
    ]
    return "\n".join(lines)


class Bystanders:
    """What other programs use of the machine from now on."""

    def __init__(self) -> None:
        self._began = self._now()

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Seconds: on the clock, busy on all cores, and those of ours that have ended."""
        # user, nice, system, idle, iowait, irq, softirq, steal, in ticks
        ticks = [int(one) for one in _field("/proc/stat", r"^cpu +([\d ]+)").split()[:8]]
        busy = sum(ticks) - ticks[3] - ticks[4]
        times = os.times()
        ours = times.user + times.system + times.children_user + times.children_system
        return times.elapsed, busy / os.sysconf("SC_CLK_TCK"), ours

    def __str__(self) -> str:
        """To be asked when all of ours has ended."""
        elapsed, busy, ours = (
            now - then for now, then in zip(self._now(), self._began, strict=True)
        )
        share = max(busy - ours, 0.0) / elapsed * 100
        return f"other programs meanwhile: {share:.0f} % of one core"


PACKAGES = {"taskset": "util-linux"}
"""Debian's package of a program, where it has another name."""


def require(*programs: str) -> None:
    """Ends the program when one of `programs` is not there, with the package that brings it."""
    for program in programs:
        if shutil.which(program) is None:
            package = PACKAGES.get(program, program)
            raise SystemExit(
                f"{program} is missing: Debian's package {package} brings it (apt-get install "
                f"{package}, or infra/bootstrap/debian.sh servers bench for all that is needed)"
            )
