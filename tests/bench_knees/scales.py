"""What the parts of a platform use, while others keep it at work."""

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import psutil
import psycopg
from bench_tenants.machines import Machine, Tenant
from weighhouse_cli.embedded.platform import Platform
from weighhouse_testing.bench_fleet import percentile
from weighhouse_testing.fixtures import plain
from weighhouse_testing.stub_agents import Connection

PARTS = ("backend", "worker", "postgresql", "redis")
LISTS = 40
MOST_SECONDS = 120.0
"""What is waited for comes within so long."""


def say(text: str) -> None:
    """Tell it to whoever waits."""
    print(text, file=sys.stderr, flush=True)


@dataclass
class Scales:
    """What the parts of a platform have used."""

    platform: Platform
    tenant: Tenant
    person: Connection = field(init=False)
    machines: list[Machine] = field(default_factory=list)
    """Those that were enrolled to work: a silent one would be offered what others wait for."""

    def __post_init__(self) -> None:
        self.person = self.tenant.connection()

    def megabytes(self) -> float:
        """Memory of the backend's own."""
        return self._process("backend").memory_full_info().uss / 1e6

    def processor(self) -> dict[str, float]:
        """Seconds of processor time by part, with its children, also those that have ended."""
        return {part: sum(_seconds(self._process(part))) for part in PARTS}

    def written(self) -> int:
        """Bytes of PostgreSQL's log of writes."""
        with psycopg.connect(plain(self.platform.owner_database_url)) as connection:
            row = connection.execute("SELECT pg_current_wal_lsn() - '0/0'").fetchone()
        assert row is not None
        return int(row[0])

    async def enrolled(self, size: int) -> list[Machine]:
        """So many machines."""
        while len(self.machines) < size:
            number = len(self.machines)
            self.machines.append(Machine(self.tenant, number, self.tenant.connection()))
            await self.machines[-1].enrol()
        return self.machines

    async def lists_ms(self) -> float:
        """95th percentile of the list of campaigns."""
        taken = []
        for _ in range(LISTS):
            begun = time.monotonic()
            await self.person.ask("GET", "/api/v1/campaigns?limit=20", self.tenant.token)
            taken.append(1000 * (time.monotonic() - begun))
        return round(percentile(taken, 0.95), 1)

    def _process(self, part: str) -> psutil.Process:
        process = self.platform.supervisor.part(part).process
        assert process is not None
        return psutil.Process(process.pid)


def _seconds(process: psutil.Process) -> Iterator[float]:
    """Of a process and its children."""
    times = process.cpu_times()
    yield times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            used = child.cpu_times()
            yield used.user + used.system
