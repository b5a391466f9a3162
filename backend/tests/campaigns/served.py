"""The application served for real, over a Redis that a test may kill."""

import subprocess
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx
from fastapi import FastAPI
from redis import Redis
from redis.exceptions import RedisError
from weighhouse_cli.embedded.binaries import redis_server as redis_binary
from weighhouse_testing.platform import until
from weighhouse_testing.world import World


@dataclass
class OwnRedis:
    """A Redis that a test may kill and start again on the same port."""

    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        self.process = subprocess.Popen(
            [str(redis_binary()), "--port", str(self.port), "--bind", "127.0.0.1",
             "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        client = Redis(port=self.port)
        until("Redis answers", lambda: _answers(client))
        client.close()

    def kill(self) -> None:
        """Kill it as a crash would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(timeout=10)


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except (RedisError, OSError):
        return False


@dataclass(frozen=True)
class Served:
    """An application that answers at an address."""

    url: str
    app: FastAPI

    def connections_in_use(self) -> int:
        """Database connections that some request holds right now."""
        return int(self.app.state.engine.pool.checkedout())


@dataclass
class Tenant:
    """A world with a token for the API."""

    world: World
    url: str
    token: str

    def request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Call the API with the token."""
        headers = {"Authorization": f"Bearer {self.token}"} | arguments.pop("headers", {})
        return httpx.request(method, self.url + path, headers=headers, timeout=40, **arguments)


def claim(
    tenant: Tenant, agent_id: UUID, wait: float = 0, claim_id: str | None = None
) -> httpx.Response:
    """An agent asks for work.

    :param wait: seconds the question may be held open.
    """
    body = {
        "claim_id": claim_id or str(uuid4()),
        "process_id": str(uuid4()),
        "wait_seconds": wait,
    }
    headers = {"Authorization": f"Bearer {tenant.world.tokens[agent_id]}"}
    return httpx.post(f"{tenant.url}/agent/v1/claims", json=body, headers=headers, timeout=40)
