"""A machine to install on: a network namespace that reaches nothing but the platform's port, and
mounts of its own over the folders that an installation writes to. Takes root.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from weighhouse_sdk.machine.certificates import CERTIFICATE, KEY

from weighhouse_testing.ways import secure_way

PLATFORM, OWN = "10.213.78.1", "10.213.78.7"
"""Addresses there."""
PLATFORM_URL = f"https://{PLATFORM}"
HIDDEN = ("/opt", "/var/lib", "/usr/local/sbin", "/run/systemd")
"""Empty there, and its own."""
WATCHED = ("/etc", "/opt", "/var/lib", "/usr/local/sbin", "/usr/local/bin")
OF_ACCOUNTS = frozenset(
    {"/etc/.pwd.lock", *(f"/etc/{name}-" for name in ("passwd", "shadow", "group", "gshadow"))}
)
"""What useradd keeps for itself, whoever calls it: copies of before, and its lock."""
ACCOUNTS = ("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow")


@dataclass(frozen=True)
class BareMachine:
    """A machine with the programs of this one, and files and a network of its own."""

    holder: int
    """The process that keeps its namespaces."""

    def command(self, *words: str) -> list[str]:
        """A program there, as root."""
        return ["nsenter", "--target", str(self.holder), "--mount", "--net", "--", *words]

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Have a shell there do something, with an environment that has nothing of this one."""
        return subprocess.run(
            self.command("sh", "-c", script), capture_output=True, text=True, check=False,
            cwd="/", env=environment(), stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def files(self) -> set[str]:
        """Names of all files in the folders that an installation writes to."""
        done = self.run(f"find {' '.join(WATCHED)} 2>/dev/null")
        return set(done.stdout.splitlines()) - OF_ACCOUNTS

    def accounts(self) -> dict[str, str]:
        """Users and groups, as their files have them."""
        return {name: self.run(f"cat {name}").stdout for name in ACCOUNTS}


def environment() -> dict[str, str]:
    """What a machine's root has."""
    return {"PATH": "/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LANG": "C.UTF-8"}


@contextmanager
def bare_machine(port: int, certificates: Path) -> Iterator[BareMachine]:
    """Make one that reaches a platform by PLATFORM_URL.

    Everything in it is ended, and nothing of it is left.

    :param port: where the platform listens on this machine's loopback.
    :param certificates: a folder that `certify` made for PLATFORM.
    """
    name = f"whbare{uuid4().hex[:8]}"
    with (
        tempfile.TemporaryDirectory(prefix="weighhouse-bare-", ignore_cleanup_errors=True) as work,
        ExitStack() as closing,
    ):
        subprocess.run(["ip", "netns", "add", name], check=True)
        started: list[subprocess.Popen[bytes]] = []
        try:
            subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
            for address in (PLATFORM, OWN):
                words = ["ip", "-n", name, "address", "add", f"{address}/24", "dev", "lo"]
                subprocess.run(words, check=True)
            own, key = certificates / CERTIFICATE, certificates / KEY
            closing.enter_context(secure_way(name, (PLATFORM, 443), port, own, key))
            hidden = " ".join(one for one in HIDDEN if Path(one).is_dir())
            Path(work, "etc").mkdir()
            script = (
                f"cp -a /etc/. {work}/etc && mount --bind {work}/etc /etc && "
                f"for one in {hidden}; do mount -t tmpfs none $one; done && "
                "echo listens && exec sleep infinity"
            )
            holder = _listening(
                ["ip", "netns", "exec", name, "unshare", "--mount", "--propagation", "private",
                 "sh", "-c", script]
            )  # fmt: skip
            started.append(holder)
            yield BareMachine(holder.pid)
        finally:
            _end_all(name)
            for one in started:
                one.kill()
                one.wait()
            subprocess.run(["ip", "netns", "delete", name], check=True)


def _listening(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a program, and wait until it says that it is ready."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"listens\n", command
    return process


def _end_all(name: str) -> None:
    told = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=True)
    for pid in told.stdout.split():
        if int(pid) != os.getpid():
            subprocess.run(["kill", "-KILL", pid], stderr=subprocess.DEVNULL, check=False)
