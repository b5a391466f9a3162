"""The application served for real."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx
from fastapi import FastAPI
from weighhouse_testing.waits import PATIENCE_SECONDS
from weighhouse_testing.world import PROCESS_ID, World

CALLS = httpx.Client(timeout=PATIENCE_SECONDS)
"""Of whoever calls: a client a call would read all certificate authorities each time."""
LONGEST_SECONDS = 60
"""A question is held open for no longer; how long its answer takes is nobody's test."""


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
        return CALLS.request(method, self.url + path, headers=headers, **arguments)


def claim(
    tenant: Tenant, agent_id: UUID, wait: float = 0, claim_id: str | None = None
) -> httpx.Response:
    """An agent asks for work.

    :param wait: seconds the question may be held open.
    """
    body = {
        "claim_id": claim_id or str(uuid4()),
        "process_id": str(PROCESS_ID),
        "wait_seconds": wait,
    }
    headers = {"Authorization": f"Bearer {tenant.world.tokens[agent_id]}"}
    return CALLS.post(f"{tenant.url}/agent/v1/claims", json=body, headers=headers)
