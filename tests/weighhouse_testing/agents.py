"""Several agents on one machine, each with a home, a name, an address and a link of its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from weighhouse_agent.supervisor.enrolment import enrol

from weighhouse_testing.clocks import MovedClock, library
from weighhouse_testing.link import Link, link_to
from weighhouse_testing.platform import RunningPlatform
from weighhouse_testing.waits import until

PAUSE_SECONDS = 0.5
"""Before an agent that has ended is started again, as a service manager does."""
STOP_SECONDS = 60.0


def address_of(number: int) -> str:
    """The loopback address of an agent, as if it had a machine of its own.

    :param number: from 1 to 254.
    """
    return f"127.0.1.{number}"


@dataclass
class TestedAgent:
    """One agent, kept running like a service."""

    __test__ = False

    name: str
    address: str
    home: Path
    link: Link
    clock: MovedClock | None = None
    """Its own wall clock; None: the machine's."""
    python: str = sys.executable
    """What it is installed in; with another one it sees nothing of this process's."""
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _wanted: threading.Event = field(default_factory=threading.Event)
    _keeper: threading.Thread | None = None

    @property
    def pid(self) -> int:
        """The agent's program."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> Path:
        """What it tells of itself."""
        return self.home / "agent.log"

    def start(self) -> None:
        """Start it, and start it again whenever it ends, until `stop`."""
        self._wanted.set()
        self._keeper = threading.Thread(target=self._keep, name=f"keeper {self.name}", daemon=True)
        self._keeper.start()

    def kill(self) -> None:
        """End its program at once; what it started goes on."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)

    def stop(self) -> None:
        """End it in good order, with all that it started."""
        self._wanted.clear()
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        if self._keeper is not None:
            self._keeper.join(STOP_SECONDS)
        for left in self.processes():
            with contextlib.suppress(psutil.Error):
                left.kill()

    def processes(self, named: str = "") -> list[psutil.Process]:
        """What works within its home: attempts, drivers, databases.

        :param named: only those whose command line has this in it.
        """
        found = []
        for process in psutil.process_iter(["cwd", "cmdline"]):
            words = " ".join(process.info["cmdline"] or ())
            where = process.info["cwd"] or ""
            if str(self.home) in f"{words} {where}" and named in words:
                found.append(process)
        return found

    def _keep(self) -> None:
        while self._wanted.is_set():
            with self.log.open("ab") as log:
                self._process = subprocess.Popen(
                    (self.python, "-m", "weighhouse_agent", "start"),
                    env=self._environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            self.starts += 1
            self._process.wait()
            if self._wanted.is_set():
                threading.Event().wait(PAUSE_SECONDS)

    def _environment(self) -> dict[str, str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("WEIGHHOUSE_") or name == "WEIGHHOUSE_DRIVERS"
        }
        if self.python != sys.executable:
            for name in ("PYTHONPATH", "WEIGHHOUSE_DRIVERS", "CARGO_TARGET_DIR"):
                environment.pop(name, None)
        environment |= {
            "PYTHONUNBUFFERED": "1",
            "WEIGHHOUSE_AGENT_HOME": str(self.home),
            "WEIGHHOUSE_URL": self.link.url,
        }
        return environment | (self.clock.environment if self.clock else {})


def policy(address: str, peers: Sequence[str] = ("127.0.0.0/8",)) -> str:
    """A policy file: servers listen on the agent's own address."""
    networks = ", ".join(f'"{each}"' for each in peers)
    return f'networks = [{networks}]\n\n[machine]\nhost = "{address}"\n'


@contextlib.contextmanager
def policy_of(platform: RunningPlatform, text: str) -> Iterator[None]:
    """Another policy of the platform's own agent for as long as it lasts; it is read anew for every
    attempt.
    """
    file = platform.inner.directory.folder("agent") / "policy.toml"
    before = file.read_text() if file.exists() else None
    file.write_text(text)
    try:
        yield
    finally:
        file.unlink() if before is None else file.write_text(before)


@contextlib.contextmanager
def agents_of(
    platform: RunningPlatform,
    *names: str,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    homes: Path | None = None,
    own_clocks: bool = False,
    python: str = sys.executable,
    policy_lines: str = "",
) -> Iterator[dict[str, TestedAgent]]:
    """Enrol and start agents of a platform, and stop them afterwards.

    :param names: one agent each, in the order of their addresses.
    :param labels: name → labels that its registration carries.
    :param homes: where their homes are made; default: a temporary directory.
    :param own_clocks: whether each has a clock that can be moved.
    :param python: what they are installed in.
    :param policy_lines: that stand at the top of their policies.
    """
    folder = Path(tempfile.mkdtemp(prefix="weighhouse-agents-", dir=homes))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        clocks = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="weighhouse-clocks-")))
        moved = library(clocks) if own_clocks else clocks
        found = {}
        for number, name in enumerate(names, 1):
            link = stack.enter_context(link_to(platform.inner.options.port))
            home = folder / name
            made = TestedAgent(name, address_of(number), home, link, python=python)
            if own_clocks:
                made.clock = MovedClock(moved, clocks)
            token = platform.request(
                "POST",
                "/agent-registration-tokens",
                json={
                    "project_id": platform.inner.credentials["project_id"],
                    "labels": dict((labels or {}).get(name, {})),
                    "expires_in_minutes": 60,
                },
            )["token"]
            enrol(link.url, token, home, name=name)
            text = f"{policy_lines}\n{policy(made.address)}"
            (home / "policy.toml").write_text(text, encoding="utf-8")
            stack.callback(made.stop)
            made.start()
            found[name] = made
        until("all agents are online", lambda: online(platform) >= set(names))
        yield found


def online(platform: RunningPlatform) -> set[str]:
    """Names of the agents that the platform hears of."""
    listed = platform.request("GET", "/agents")["items"]
    return {each["name"] for each in listed if each["status"] in ("online", "busy")}
