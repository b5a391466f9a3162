"""Agents that do nothing but speak: a thousand in one process, each with one connection.

They enrol, open a session, wait for work in long polls over the real HTTP API, and report whatever
they are given as failed at once. Cheap on purpose: what is measured is the other side.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

SYSTEM = "stub"
PAUSE_SECONDS = 0.5
MANIFEST: dict[str, Any] = {
    "id": SYSTEM, "version": "1.0.0", "name": "Stub", "vendor": "nobody", "licence": "none",
    "architecture": "none", "colour": "#0072B2", "mark": "●", "operations": ["read"],
    "deployments": ["external"], "default_deployment": "external", "driver": {"id": "stub"},
    "benchmark_clause": {
        "policy": "open", "text": "none", "source": "none", "checked_on": "2026-11-22",
    },
}  # fmt: skip
EXPERIMENT = """
name: Stub
slug: {slug}
targets: [{{name: stub, system: stub, deployment: external, endpoints: ["127.0.0.1:1"]}}]
workloads: [{{name: reads, record_count: 1, operations: {{read: 1.0}}}}]
load_levels: [{{model: closed, clients: 1}}]
repetitions: 1
phases: {{warmup_seconds: 0, measure_seconds: 1}}
"""


class Answered(Exception):
    """The server said no."""


@dataclass
class Connection:
    """HTTP/1.1 over one connection, one request at a time, bodies with a length."""

    host: str
    port: int
    _reader: asyncio.StreamReader | None = None
    _writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, token: str, body: object = None) -> Any:
        """Ask, and give back the answer's JSON.

        :raises Answered: with status and body, when the status is 400 or above.
        """
        content = b"" if body is None else json.dumps(body).encode()
        status, _, answer = await self.send(method, path, token, content)
        if status >= 400:
            raise Answered(f"{method} {path}: {status} {answer[:300]!r}")
        return json.loads(answer) if answer else None

    async def send(
        self,
        method: str,
        path: str,
        token: str,
        content: bytes = b"",
        media_type: str = "application/json",
    ) -> tuple[int, bytes, bytes]:
        """Status, head in lower case and body of an answer, whatever it is; a connection that was
        closed is made anew.
        """
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: {media_type}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        try:
            return await self._exchange(head.encode() + content)
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            return await self._exchange(head.encode() + content)
        except asyncio.CancelledError:
            self.close()  # else its answer would be taken for the next one's
            raise

    def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _exchange(self, request: bytes) -> tuple[int, bytes, bytes]:
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self.host, self.port)
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        length = 0
        for line in head.split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        answer = await self._reader.readexactly(length)
        if b"connection: close" in head:
            self.close()
        return int(head.split(b" ", 2)[1]), head, answer


Claimed = Callable[[str, float], None]
"""Told the campaign of an order, and when it came (`time.monotonic`)."""


@dataclass
class StubAgent:
    """One agent."""

    name: str
    connection: Connection
    claimed: Claimed
    instance_id: str = field(default_factory=lambda: str(uuid4()))
    process_id: str = field(default_factory=lambda: str(uuid4()))
    token: str = ""
    wait_seconds: float = 50.0
    asked: int = 0
    """Questions for work so far."""

    async def enrol(self, api_token: str) -> None:
        """Register and open a session."""
        made = await self.connection.ask("POST", "/api/v1/agent-registration-tokens", api_token, {})
        facts = {
            "hostname": self.name, "machine_id": self.name, "cpu_model": "stub", "cores": 2,
            "memory_bytes": 1 << 30, "kernel": "6", "operating_system": "none",
            "architecture": "x86_64",
        }  # fmt: skip
        registration = {"name": self.name, "instance_id": self.instance_id, "facts": facts}
        enrolled = await self.connection.ask(
            "POST", "/agent/v1/register", made["token"], registration
        )
        self.token = enrolled["agent_token"]
        opening = {
            "instance_id": self.instance_id, "process_id": self.process_id,
            "agent_version": "0.1.0", "manifests": [MANIFEST], "facts": facts,
            "policy": {"deployments": ["external"]},
        }  # fmt: skip
        opened = await self.connection.ask("PUT", "/agent/v1/session", self.token, opening)
        self.wait_seconds = opened["timings"]["long_poll_seconds"]

    async def work(self) -> None:
        """Wait for work for ever; what comes is reported as failed."""
        while True:
            body = {
                "claim_id": str(uuid4()), "process_id": self.process_id,
                "wait_seconds": self.wait_seconds,
            }  # fmt: skip
            self.asked += 1
            try:
                answer = await self.connection.ask("POST", "/agent/v1/claims", self.token, body)
                if answer["order"] is not None:
                    self.claimed(answer["order"]["campaign_id"], time.monotonic())
                    await self._fail(answer["order"])
            except (OSError, asyncio.IncompleteReadError, Answered):
                self.connection.close()
                await asyncio.sleep(PAUSE_SECONDS)

    async def _fail(self, order: dict[str, Any]) -> None:
        path, fence = f"/agent/v1/attempts/{order['attempt_id']}", order["fence"]
        token = order["attempt_token"]
        await self.connection.ask("POST", f"{path}/start", token, {"fence": fence})
        completion = {
            "fence": fence, "outcome": "failed", "events_count": 0,
            "failure": {"kind": "driver", "message": "a stub makes no load"},
        }  # fmt: skip
        await self.connection.ask("POST", f"{path}/complete", token, completion)


async def enrol_all(agents: Sequence[StubAgent], api_token: str, at_a_time: int = 8) -> None:
    """Enrol agents, a few at a time."""
    turns = asyncio.Semaphore(at_a_time)

    async def enrol(agent: StubAgent) -> None:
        async with turns:
            await agent.enrol(api_token)

    await asyncio.gather(*(enrol(agent) for agent in agents))


@contextlib.asynccontextmanager
async def at_work(agents: Sequence[StubAgent], spread_seconds: float) -> Any:
    """Agents in their long polls, begun evenly over a time; hung up at the end."""

    async def begin(agent: StubAgent, after: float) -> None:
        await asyncio.sleep(after)
        await agent.work()

    pause = spread_seconds / max(1, len(agents))
    tasks = [asyncio.create_task(begin(agent, pause * n)) for n, agent in enumerate(agents)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for agent in agents:
            agent.connection.close()
