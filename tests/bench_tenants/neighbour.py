"""The other tenant: asks ordinary things at a steady pace, and notes how long each took."""

import asyncio
import itertools
import time
from collections import defaultdict
from dataclasses import dataclass, field

from weighhouse_testing.stub_agents import Connection

from bench_tenants.machines import Tenant

CONNECTIONS = 48
MOST_SECONDS = 60.0
"""What is not answered by then counts as that long."""


@dataclass
class Taken:
    """What some requests took."""

    seconds: list[float] = field(default_factory=list)
    by_kind: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: int = 0
    """Answers that were none of 2xx, and requests without one."""


@dataclass
class Neighbour:
    """Asks in turn for what people look at; from when a request is due until it is answered."""

    tenant: Tenant
    paths: dict[str, str]
    """Kind → path."""
    per_second: float

    @classmethod
    async def settled(cls, tenant: Tenant, campaign: str, per_second: float) -> "Neighbour":
        """With the pages of a campaign that was carried out."""
        connection = tenant.connection()
        listed = await connection.ask("GET", f"/api/v1/runs?campaign_id={campaign}", tenant.token)
        run = listed["items"][0]["id"]
        connection.close()
        paths = {
            "ready": "/health/ready",
            "runs": f"/api/v1/runs?campaign_id={campaign}&limit=50",
            "run": f"/api/v1/runs/{run}",
            "series": f"/api/v1/runs/{run}/series",
            "campaigns": "/api/v1/campaigns?limit=20",
            "campaign": f"/api/v1/campaigns/{campaign}",
            "comparison": f"/api/v1/comparisons?campaign={campaign}",
            "agents": "/api/v1/agents",
        }
        return cls(tenant, paths, per_second)

    async def ask(self, seconds: float) -> Taken:
        """Ask for some time; waits for the last answers."""
        taken = Taken()
        idle: asyncio.Queue[Connection] = asyncio.Queue()
        for _ in range(CONNECTIONS):
            idle.put_nowait(self.tenant.connection())
        begun = time.monotonic()
        tasks = []
        for number, (kind, path) in enumerate(itertools.cycle(self.paths.items())):
            due = begun + number / self.per_second
            if due - begun >= seconds:
                break
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            tasks.append(asyncio.create_task(self._one(kind, path, due, idle, taken)))
        await asyncio.gather(*tasks)
        while not idle.empty():
            idle.get_nowait().close()
        return taken

    async def _one(
        self, kind: str, path: str, due: float, idle: asyncio.Queue[Connection], taken: Taken
    ) -> None:
        try:
            async with asyncio.timeout(max(0.0, MOST_SECONDS - (time.monotonic() - due))):
                connection = await idle.get()
                try:
                    status, _, _ = await connection.send("GET", path, self.tenant.token)
                finally:
                    idle.put_nowait(connection)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            status = 0
        took = min(MOST_SECONDS, time.monotonic() - due) if status else MOST_SECONDS
        taken.seconds.append(took)
        taken.by_kind[kind].append(took)
        taken.refused += status not in range(200, 300)
