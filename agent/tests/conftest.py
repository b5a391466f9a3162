"""A platform, an enrolled agent as a process, and the small system that it measures."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from weighhouse_agent.machine.home import AttemptDirectory, Home
from weighhouse_agent.supervisor.enrolment import enrol
from weighhouse_agent.supervisor.process_watch import record_of, runs
from weighhouse_cli.embedded.directory import free_port
from weighhouse_protocol.order import AttemptOrder
from weighhouse_sdk.machine.procfs import all_processes, working_directory
from weighhouse_testing.platform import until

from .protocol_server import Attempt, Platform, Server

SCALE = Path(__file__).parent / "scale"
MakeOrder = Callable[..., AttemptOrder]


def as_users_have_it(*kept: str) -> dict[str, str]:
    """This process's environment without settings of Weighhouse's: with it an agent has the
    plugins, drivers and tools that are installed.

    :param kept: settings that stay.
    """
    return {
        name: text
        for name, text in os.environ.items()
        if name in kept or not name.startswith("WEIGHHOUSE_")
    }


@pytest.fixture
def order() -> Callable[..., AttemptOrder]:
    """Makes an order for the small system."""

    def make(
        *, measure_seconds: float = 0.4, limit_seconds: float = 240.0, load: Any = None,
        deployment: str = "process", endpoints: tuple[str, ...] = (), system: str = "scale",
        driver: str = "none", tool: str | None = None, workload: Any = None,
        warmup_seconds: float = 0.1, slot: str = "machine", threads: int | None = None,
        **parameters: Any,
    ) -> AttemptOrder:  # fmt: skip
        attempt_id = uuid4()
        return AttemptOrder.model_validate(
            {
                "attempt_id": attempt_id,
                "run_id": uuid4(),
                "campaign_id": uuid4(),
                "fence": 1,
                "attempt_token": f"wht_{attempt_id.hex}",
                "target": {
                    "name": "small",
                    "system": system,
                    "deployment": deployment,
                    "endpoints": endpoints,
                    "parameters": parameters,
                    "driver_options": {"behaviour": driver} if driver != "none" else {},
                    "tool": tool,
                },
                "workload": workload
                or {"name": "mixed", "operations": {"read": 0.5, "update": 0.5}},
                "load": load or {"model": "closed", "clients": 1},
                "phases": [
                    {"kind": "load", "clients": 1},
                    {"kind": "warmup", "duration_seconds": warmup_seconds},
                    {"kind": "measure", "duration_seconds": measure_seconds},
                ],
                "interval_seconds": 0.1,
                "sample_seconds": 0.1,
                "seed": 7,
                "limit_seconds": limit_seconds,
                "slot": slot,
                "threads": threads,
            }
        )

    return make


@pytest.fixture
def server() -> Iterator[Server]:
    """A platform that answers; the agent has kept to the protocol when this ends."""
    made = Server(Platform(), free_port())
    made.start()
    yield made
    made.stop()
    assert made.platform.breaches == []


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With it a Python process finds the small system's plugin and driver, as if installed."""
    site = tmp_path_factory.mktemp("site")
    about = site / "weighhouse_plugin_scale-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: weighhouse-plugin-scale\nVersion: 0.1.0\n"
    )
    # In place, like those of the clone that the agent is of.
    url = json.loads(distribution("weighhouse-agent").read_text("direct_url.json") or "{}")["url"]
    in_place = {"url": f"{url}/tests/scale", "dir_info": {"editable": True}}
    (about / "direct_url.json").write_text(json.dumps(in_place))
    (about / "entry_points.txt").write_text("[weighhouse.plugins]\nscale = scale_plugin:PLUGIN\n")
    return {
        **as_users_have_it(),
        "PYTHONPATH": os.pathsep.join([str(site), str(SCALE), os.environ.get("PYTHONPATH", "")]),
        "WEIGHHOUSE_DRIVERS": str(SCALE),
    }


@dataclass
class RunningAgent:
    """An agent as a process of its own."""

    home: Home
    environment: dict[str, str]
    process: subprocess.Popen[bytes] | None = None
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.home.path.parent / "agent.log"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "weighhouse_agent", "start", "--home", str(self.home.path)],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def signal(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end; the exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(120)

    def wait(self, seconds: float = 120) -> int:
        assert self.process is not None
        return self.process.wait(seconds)

    def attempt(self, attempt_id: UUID) -> AttemptDirectory:
        return self.home.attempt(attempt_id)

    def attempt_pid(self, attempt_id: UUID) -> int:
        """Of the process that carries an attempt out, once it runs."""

        def running() -> int | None:
            record = record_of(self.attempt(attempt_id))
            return record.pid if record is not None and runs(record) else None

        pid: int = until("the attempt's process runs", running, every=0.01)
        return pid

    def processes(self) -> list[int]:
        """Of systems and drivers: whatever works below the home."""
        found = []
        for stat in all_processes():
            where = working_directory(stat.pid) if stat.alive else None
            if where is not None and where.is_relative_to(self.home.path):
                found.append(stat.pid)
        return found

    def end(self) -> None:
        """End everything that is left."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for directory in self.home.attempts():
            record = record_of(directory)
            if record is not None and runs(record):
                os.kill(record.pid, signal.SIGKILL)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def home(tmp_path: Path, server: Server) -> Home:
    """An enrolled home."""
    enrol(server.url, server.platform.registration_token, tmp_path / "home", name="test")
    return Home(tmp_path / "home")


@pytest.fixture
def agent(home: Home, environment: dict[str, str]) -> Iterator[RunningAgent]:
    """An enrolled agent, not yet started."""
    made = RunningAgent(home, environment)
    yield made
    made.end()


@pytest.fixture
def real(agent: RunningAgent) -> RunningAgent:
    """An agent with the plugins, drivers and tools that are installed."""
    agent.environment = as_users_have_it()
    return agent


def carried_out(
    agent: RunningAgent,
    server: Server,
    order: AttemptOrder,
    meanwhile: Callable[[Attempt], None] | None = None,
) -> Attempt:
    """An attempt from its offer until nothing of it is left on the machine.

    :param meanwhile: done once the agent is started.
    """
    attempt = server.platform.offer(order)
    agent.start()
    if meanwhile is not None:
        meanwhile(attempt)
    until("the attempt ends", lambda: ended(attempt), every=0.02)
    until("it is removed", lambda: not agent.attempt(order.attempt_id).path.exists(), every=0.02)
    assert agent.processes() == []
    return attempt


def ended(attempt: Attempt) -> bool:
    return attempt.completion is not None
