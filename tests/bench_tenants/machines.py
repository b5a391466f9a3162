"""A tenant of a real platform, and its machines, over the API alone."""

import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from weighhouse_testing.stub_agents import Connection
from weighhouse_testing.waits import PATIENCE_SECONDS

from backend.tests.results.laboratory import experiment, manifest
from backend.tests.results.reports import FACTS, whole_run

SYSTEMS = ("redis", "memcached")
BEAT_SECONDS = 4.0
"""An attempt whose machine is heard of so often keeps its lease."""


@dataclass(frozen=True)
class Tenant:
    """A project, and a token of each kind that it may have."""

    host: str
    port: int
    name: str
    token: str
    viewer: str
    shared: str = ""
    """Id of something that the platform shows everybody."""

    def connection(self) -> Connection:
        """A connection of its own to the platform."""
        return Connection(self.host, self.port)


def founded(url: str, email: str, password: str, name: str) -> Tenant:
    """An organization of its own with a token of a member and of a viewer."""
    address = httpx.URL(url)
    with httpx.Client(
        base_url=f"{url}/api/v1", headers={"X-Weighhouse": "1"}, timeout=PATIENCE_SECONDS
    ) as client:

        def post(path: str, body: Any) -> Any:
            return client.post(path, json=body).raise_for_status().json()

        post("/sessions", {"email": email, "password": password})
        project = post("/organizations", {"slug": name, "name": name.capitalize()})["id"]
        tokens = [
            post("/api-tokens", {"name": f"{name} {role}", "role": role, "project_id": project})
            for role in ("maintainer", "viewer")
        ]
    return Tenant(address.host, address.port or 80, name, *(one["token"] for one in tokens))


@dataclass
class Machine:
    """A machine that speaks as an agent does, and weighs nothing."""

    tenant: Tenant
    number: int
    connection: Connection
    token: str = ""
    instance_id: str = field(default_factory=lambda: str(uuid4()))
    process_id: str = field(default_factory=lambda: str(uuid4()))
    beaten_at: float = 0.0

    @property
    def facts(self) -> dict[str, Any]:
        """Of the machine: no two are taken for one."""
        return FACTS | {"hostname": self.name, "machine_id": self.instance_id}

    @property
    def name(self) -> str:
        """Of the machine."""
        return f"{self.tenant.name}-{self.number}-{self.instance_id[:8]}"

    async def enrol(self) -> None:
        """Register, and open a session with systems that ask for nothing special."""
        ask = self.connection.ask
        made = await ask("POST", "/api/v1/agent-registration-tokens", self.tenant.token, {})
        body = {"name": self.name, "instance_id": self.instance_id, "facts": self.facts}
        enrolled = await ask("POST", "/agent/v1/register", made["token"], body)
        self.token = enrolled["agent_token"]
        opening = self.opening([manifest(system) for system in SYSTEMS])
        await ask("PUT", "/agent/v1/session", self.token, opening)

    def opening(self, manifests: list[dict[str, Any]]) -> dict[str, Any]:
        """The body of a session that brings some manifests."""
        return {
            "instance_id": self.instance_id, "process_id": self.process_id,
            "agent_version": "0.1.0", "manifests": manifests, "facts": self.facts, "policy": {},
        }  # fmt: skip

    async def claim(self, wait_seconds: float = 5.0) -> dict[str, Any] | None:
        """The next order, begun; None: there is none."""
        body = {"claim_id": str(uuid4()), "process_id": self.process_id,
                "wait_seconds": wait_seconds}  # fmt: skip
        answer = await self.connection.ask("POST", "/agent/v1/claims", self.token, body)
        order: dict[str, Any] | None = answer["order"]
        if order is not None:
            await self.of(order, "POST", "start", {"fence": order["fence"]})
        return order

    async def of(self, order: dict[str, Any], method: str, path: str, body: Any) -> Any:
        """A call of an attempt, with its own token."""
        address = f"/agent/v1/attempts/{order['attempt_id']}/{path}"
        return await self.connection.ask(method, address, order["attempt_token"], body)

    async def beat(self, order: dict[str, Any]) -> None:
        """Keep an attempt alive; no more often than that takes."""
        if time.monotonic() - self.beaten_at < BEAT_SECONDS:
            return
        self.beaten_at = time.monotonic()
        await self.of(order, "POST", "heartbeat", {"fence": order["fence"], "phase": "measure"})

    async def carry_out(self, order: dict[str, Any], seconds: int) -> None:
        """Report a run as it should be."""
        events = whole_run(seed=order["seed"] % 5, seconds=seconds)
        await self.of(order, "POST", "events", {"events": events})
        body = {"fence": order["fence"], "outcome": "completed", "events_count": len(events)}
        await self.of(order, "POST", "complete", body)


async def begin_campaign(tenant: Tenant, slug: str, repetitions: int) -> str:
    """Have runs to be carried out; the campaign's id."""
    connection = tenant.connection()
    document = experiment(slug, repetitions=repetitions)
    await connection.ask(
        "POST", "/api/v1/experiments?upsert=true", tenant.token, {"document": document}
    )
    made = await connection.ask("POST", "/api/v1/campaigns", tenant.token, {"experiment": slug})
    connection.close()
    return str(made["id"])


def shown_to_everybody(url: str, token: str, campaign: str) -> str:
    """Share a campaign with the public, whatever its systems' terms; the share's id."""
    with httpx.Client(
        base_url=f"{url}/api/v1",
        headers={"Authorization": f"Bearer {token}"},
        timeout=PATIENCE_SECONDS,
    ) as client:

        def post(path: str, body: Any) -> Any:
            return client.post(path, json=body).raise_for_status().json()

        for system in SYSTEMS:
            allowed = {"system_id": system, "audience": "public", "reason": "To be measured."}
            post(f"/campaigns/{campaign}/overrides", allowed)
        wanted = {"campaign_id": campaign, "title": "Weighed", "visibility": "public"}
        return str(post("/shares", wanted)["id"])


async def weighed(tenant: Tenant, repetitions: int, seconds: int) -> str:
    """A campaign that was carried out and settled; its id."""
    machine = Machine(tenant, 0, tenant.connection())
    await machine.enrol()
    campaign = await begin_campaign(tenant, "weighed", repetitions)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if (order := await machine.claim()) is not None:
            await machine.carry_out(order, seconds)
            continue
        path = f"/api/v1/campaigns/{campaign}"
        found = await machine.connection.ask("GET", path, tenant.token)
        if found["status"] in {"completed", "failed", "cancelled"}:
            machine.connection.close()
            return campaign
    raise SystemExit(f"campaign {campaign} did not end")
