"""What agents at rest cost: `make bench-fleet AGENTS=1000`.

Starts an embedded platform of its own with a team server's timings, enrols stub agents over the
real HTTP API, lets all of them wait for work, and measures over a bounded time. The last line is
JSON. Goals for 1,000 agents: under 5 % of one core in backend and worker together, under 20
transactions a second, a claim under 1 s at the 99th percentile, lists not slower than 1.5 times.
"""

import argparse
import asyncio
import contextlib
import json
import math
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
import psycopg
from weighhouse_cli.embedded.directory import free_port
from weighhouse_cli.embedded.platform import Platform, PlatformOptions

from weighhouse_testing.fixtures import plain
from weighhouse_testing.stub_agents import EXPERIMENT, Connection, StubAgent, at_work, enrol_all

SERVER_TIMINGS = {
    "WEIGHHOUSE_HEARTBEAT_SECONDS": "15",
    "WEIGHHOUSE_LEASE_SECONDS": "90",
    "WEIGHHOUSE_LOST_AFTER_SECONDS": "600",
    "WEIGHHOUSE_LONG_POLL_SECONDS": "50",
    "WEIGHHOUSE_SWEEP_SECONDS": "30",
}
"""The defaults of a server; an embedded platform's are shorter."""
PARTS = ("backend", "worker", "beat")
LISTED = 20
"""Campaigns in the list that is asked for."""
CLAIM_SECONDS = 60.0
"""A campaign whose run nobody claims within so long ends the benchmark."""
CALM_SECONDS = 10.0
"""After the last agent has begun to wait: until what its enrolment left to do is done."""


@dataclass(frozen=True)
class Figures:
    """What was measured."""

    agents: int
    backend_cpu_percent: float
    """Of one core: backend, worker and its timetable."""
    transactions_per_second: float
    claim_p99_seconds: float
    claim_median_seconds: float
    list_p95_ms_idle: float
    list_p95_ms_fleet: float
    polls_per_second: float


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least a share of all do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def cpu_seconds(platform: Platform) -> dict[str, float]:
    """Processor time that each of the platform's own parts has used, children included."""
    found = dict.fromkeys(PARTS, 0.0)
    for name in PARTS:
        process = platform.supervisor.part(name).process
        assert process is not None
        top = psutil.Process(process.pid)
        for one in (top, *top.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                found[name] += times.user + times.system
    return found


def transactions(platform: Platform) -> int:
    """Transactions of the platform's database so far, asked by way of another database."""
    url, name = plain(platform.database_url).rsplit("/", 1)
    other = "template1" if name == "postgres" else "postgres"
    with psycopg.connect(f"{url}/{other}", autocommit=True) as connection:
        row = connection.execute(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = %s",
            [name.partition("?")[0]],
        ).fetchone()
    assert row is not None
    return int(row[0])


class Bench:
    """The steps, over one platform."""

    def __init__(self, platform: Platform, options: argparse.Namespace) -> None:
        """:param options: `agents`, `seconds`, `claims`, `lists`."""
        self.platform = platform
        self.options = options
        self.api_token: str = platform.credentials["api_token"]
        self.person = self._connection()
        self.claimed: dict[str, float] = {}
        """Campaign → when it was claimed."""

    async def run(self) -> Figures:
        """Measure everything."""
        wanted: int = self.options.agents
        agents = [
            StubAgent(f"stub-{n:04}", self._connection(), self._note_claim) for n in range(wanted)
        ]
        await enrol_all(agents[:1], self.api_token)
        await self._fill_list()
        idle = await self._lists()
        _say(f"lists, nobody waits: p95 {idle:.1f} ms")
        begun = time.monotonic()
        await enrol_all(agents[1:], self.api_token)
        _say(f"{wanted} agents enrolled in {time.monotonic() - begun:.0f} s")
        spread = float(SERVER_TIMINGS["WEIGHHOUSE_LONG_POLL_SECONDS"])
        async with at_work(agents, spread):
            await asyncio.sleep(spread + CALM_SECONDS)
            cpu, rate, polls = await self._rest(agents)
            fleet = await self._lists()
            _say(f"lists, all wait: p95 {fleet:.1f} ms")
            waits = [await self._claim_once() for _ in range(self.options.claims)]
        return Figures(
            agents=wanted,
            backend_cpu_percent=round(cpu, 2),
            transactions_per_second=round(rate, 2),
            claim_p99_seconds=round(percentile(waits, 0.99), 3),
            claim_median_seconds=round(percentile(waits, 0.5), 3),
            list_p95_ms_idle=round(idle, 1),
            list_p95_ms_fleet=round(fleet, 1),
            polls_per_second=round(polls, 1),
        )

    async def _rest(self, agents: Sequence[StubAgent]) -> tuple[float, float, float]:
        seconds: float = self.options.seconds
        _say(f"all wait; measuring for {seconds:.0f} s")
        used = cpu_seconds(self.platform)
        before = transactions(self.platform), _asked(agents)
        begun = time.monotonic()
        await asyncio.sleep(seconds)
        after = transactions(self.platform), _asked(agents)
        taken = time.monotonic() - begun
        parts = {
            name: 100 * (now - used[name]) / taken
            for name, now in cpu_seconds(self.platform).items()
        }
        rate, polls = ((b - a) / taken for a, b in zip(before, after, strict=True))
        shares = ", ".join(f"{name} {share:.2f} %" for name, share in parts.items())
        _say(f"of one core: {shares}; {rate:.2f} transactions/s, {polls:.1f} polls/s")
        return sum(parts.values()), rate, polls

    async def _fill_list(self) -> None:
        """An experiment and some campaigns that ended, so that the list has something to show."""
        yaml = EXPERIMENT.format(slug="stub")
        made = await self._ask("POST", "/experiments?upsert=true", {"yaml": yaml})
        self.experiment_id: str = made["id"]
        for _ in range(LISTED):
            campaign = await self._start()
            await self._ask("POST", f"/campaigns/{campaign}/cancel")

    async def _lists(self) -> float:
        """95th percentile of `GET /campaigns`, in ms."""
        taken = []
        for _ in range(self.options.lists):
            begun = time.monotonic()
            await self._ask("GET", f"/campaigns?limit={LISTED}")
            taken.append(1000 * (time.monotonic() - begun))
        return percentile(taken, 0.95)

    async def _claim_once(self) -> float:
        """From the request that starts a campaign until an agent has its order, in seconds."""
        begun = time.monotonic()
        campaign = await self._start()
        while campaign not in self.claimed:
            if time.monotonic() - begun > CLAIM_SECONDS:
                raise AssertionError(f"campaign {campaign} was not claimed")
            await asyncio.sleep(0.002)
        return self.claimed[campaign] - begun

    async def _start(self) -> str:
        made = await self._ask("POST", "/campaigns", {"experiment_id": self.experiment_id})
        return str(made["id"])

    async def _ask(self, method: str, path: str, body: object = None):  # type: ignore[no-untyped-def]
        return await self.person.ask(method, f"/api/v1{path}", self.api_token, body)

    def _note_claim(self, campaign_id: str, at: float) -> None:
        self.claimed[campaign_id] = at

    def _connection(self) -> Connection:
        return Connection("127.0.0.1", self.platform.options.port)


def _asked(agents: Sequence[StubAgent]) -> int:
    return sum(agent.asked for agent in agents)


def _say(text: str) -> None:
    print(text, flush=True)


def allow_connections(agents: int) -> None:
    """Both ends of every connection are files; the platform's parts inherit the limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = agents + 1024
    if most != resource.RLIM_INFINITY and most < wanted:
        raise SystemExit(f"{agents} agents take {wanted} open files, {most} are allowed: ulimit -n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long is measured at rest")
    parser.add_argument("--claims", type=int, default=100, help="campaigns started one by one")
    parser.add_argument("--lists", type=int, default=200, help="lists asked for, each time")
    options = parser.parse_args()
    allow_connections(options.agents)
    path = Path(tempfile.mkdtemp(prefix="weighhouse-bench-"))
    path.chmod(0o711)
    try:
        chosen = PlatformOptions(
            directory=path, port=free_port(), agent=False, settings=SERVER_TIMINGS
        )
        with Platform(chosen) as platform:
            _say(f"a platform runs at {platform.url}")
            figures = asyncio.run(Bench(platform, options).run())
    finally:
        shutil.rmtree(path, ignore_errors=True)
    _say(json.dumps(asdict(figures)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
