"""What this machine offers to disturb a network with, found out by trying.

Each way is tried in a network namespace that ends with the try (`unshare --net`), so that nothing
of the machine's own network is touched.
"""

import functools
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from weighhouse_protocol.faults import Fault, NetworkConditions

from weighhouse_sdk.errors import BinaryMissing, DeployFailed
from weighhouse_sdk.machine.programs import locate_program

DELAYER = "weighhouse-netdelay"
PACKAGES = {"iptables-restore": "iptables", "iptables-save": "iptables", "tc": "iproute2"}
"""Program → the Debian package that brings it."""
COMMAND_SECONDS = 30.0
CAP_NET_ADMIN = 12
"""Its bit (capability.h of the kernel)."""
RULES = "firewall rules"
LOSS = "random loss"
SHAPING = "shaping"
NETEM = "netem"
QUEUE = "packet queues"
GROUPS = "matching by control group"
TRIED = {
    RULES: "-A OUTPUT -s 127.0.0.1 -p tcp --sport 1 -m comment --comment weighhouse:try -j DROP\n"
    "-A OUTPUT -o lo -j MARK --set-mark 0x1\n-A INPUT -i lo -m mark --mark 0x1 -j DROP",
    LOSS: "-A INPUT -m statistic --mode random --probability 0.5 -j DROP",
    SHAPING: "-A OUTPUT -j CLASSIFY --set-class 1:1",
    QUEUE: "-A INPUT -j NFQUEUE --queue-num 1 --queue-bypass",
    GROUPS: "-A OUTPUT -m cgroup --path / -j DROP",
}


def may_change_network() -> bool:
    """Whether this process may change rules of the network: it has CAP_NET_ADMIN
    (capabilities(7)), as root has outside of containers.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    has = next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(has, 16) >> CAP_NET_ADMIN & 1)


@dataclass(frozen=True)
class Tools:
    """The programs that are called, found on the operator's search path."""

    search_path: str

    def has(self, program: str) -> bool:
        """Whether a program is there."""
        return shutil.which(program, path=self.search_path) is not None

    def run(self, program: str, *arguments: str, text: str = "", apart: bool = False) -> str:
        """Run one and return what it prints.

        :param text: its standard input.
        :param apart: in a network namespace that ends with it.
        :raises DeployFailed: when it is not there, with its package, or when it refuses.
        """
        found = shutil.which(program, path=self.search_path)
        if found is None:
            raise DeployFailed(
                f"{program} is not installed on this machine",
                f"apt-get install {PACKAGES.get(program, 'util-linux')}",
            )
        command = [found, *arguments]
        if apart:
            command = ["unshare", "--net", "--", *command]
        try:
            done = subprocess.run(
                command,
                input=text.encode(),
                capture_output=True,
                check=False,
                timeout=COMMAND_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeployFailed(f"{program} did not end: {error}", "run it by hand") from error
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", errors="replace").strip().splitlines()
            said = lines[0] if lines else f"it ended with {done.returncode}"
            raise DeployFailed(
                f"{program} refused: {said}",
                "network faults need root and a kernel that has what they are made of",
                lines,
            )
        return done.stdout.decode("utf-8", errors="replace")


@dataclass(frozen=True)
class Ways:
    """What can be done here, and why the rest cannot."""

    lacking: Mapping[str, str]
    """What this machine does not offer → why; the names are this module's."""

    def has(self, *names: str) -> bool:
        """Whether all of these are offered."""
        return not any(name in self.lacking for name in names)

    def uses_netem(self, wanted: NetworkConditions) -> bool:
        """Whether the kernel's own emulator does delay and loss. Not under a jitter: netem then
        lets packets overtake each other (tc-netem(8)), and here they stay in order.
        """
        return self.has(RULES, SHAPING, NETEM) and not wanted.jitter_ms

    def check(self, wanted: NetworkConditions) -> None:
        """Ask whether these conditions can be made.

        :raises DeployFailed: with the reason, when they cannot.
        """
        needed = [RULES]
        if wanted.bandwidth_mbit is not None:
            needed.append(SHAPING)
        if not self.uses_netem(wanted):
            needed += [QUEUE] if wanted.delay_ms else []
            needed += [LOSS] if wanted.loss_percent else []
        for name in needed:
            if name in self.lacking:
                raise DeployFailed(
                    f"this machine cannot disturb a network: {name}: {self.lacking[name]}",
                    "run the agent as root on a machine with iptables and iproute2"
                    " (apt-get install iptables iproute2)",
                )


def check_network(faults: Iterable[Fault], search_path: str) -> None:
    """Ask before a run whether its network faults can be carried out here.

    :param search_path: `HostOptions.search_path`.
    :raises DeployFailed: with the reason, when one cannot.
    """
    for fault in faults:
        if fault.network is not None:
            ways(search_path).check(fault.network)


@functools.cache
def ways(search_path: str) -> Ways:
    """Find out what this machine offers; tried once in a process, which takes about 0.2 s.

    :param search_path: `HostOptions.search_path`.
    """
    tools = Tools(search_path)
    if os.geteuid() != 0:
        why = "this process is not root"
        return Ways(dict.fromkeys((*TRIED, NETEM), why))
    lacking = {}
    for name, rule in TRIED.items():
        refusal = _refusal(tools, "iptables-restore", text=f"*mangle\n{rule}\nCOMMIT\n")
        if refusal is not None:
            lacking[name] = refusal
    for name, discipline in ((SHAPING, "htb default 0"), (NETEM, "netem delay 1ms")):
        refusal = _refusal(tools, "tc", *f"qdisc add dev lo root {discipline}".split())
        if refusal is not None:
            lacking.setdefault(name, refusal)
    try:
        locate_program(DELAYER)
    except BinaryMissing as error:
        lacking.setdefault(QUEUE, error.message)
    return Ways(lacking)


def _refusal(tools: Tools, program: str, *arguments: str, text: str = "") -> str | None:
    try:
        tools.run(program, *arguments, text=text, apart=True)
    except DeployFailed as error:
        return error.message
    return None
