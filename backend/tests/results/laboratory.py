"""A machine that carries out campaigns over the real endpoints, without a database to load."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from fastapi.testclient import TestClient
from weighhouse_backend.alerts.endpoints import router as alerts
from weighhouse_backend.annotations.endpoints import router as annotations
from weighhouse_backend.campaigns.endpoints import router as campaigns
from weighhouse_backend.comparisons.endpoints import router as comparisons
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.endpoints import router as campaigns_agent
from weighhouse_backend.experiments.endpoints import router as experiments
from weighhouse_backend.findings.endpoints import router as findings
from weighhouse_backend.fleet.endpoints import agent_router as fleet_agent
from weighhouse_backend.fleet.endpoints import router as fleet
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.gates.endpoints import router as gates
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.services import Services
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.noise.endpoints import router as noise
from weighhouse_backend.prices.endpoints import router as prices
from weighhouse_backend.publishing.endpoints import router as publishing
from weighhouse_backend.reports.endpoints import router as reports
from weighhouse_backend.results.endpoints import agent_router as results_agent
from weighhouse_backend.results.endpoints import router as results
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.retention.endpoints import router as retention
from weighhouse_backend.retention.enforcement import CarryingOutService, take_turn
from weighhouse_backend.scenarios.endpoints import router as scenarios
from weighhouse_backend.sources.endpoints import router as sources
from weighhouse_backend.studies.endpoints import router as studies
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import AttemptEvent, EventBatch
from weighhouse_testing.services import transaction_of

from .again import Memory
from .reports import FACTS, whole_run

ROUTERS = (
    reports, sources, studies, prices, noise, findings, scenarios, comparisons, publishing, alerts,
    annotations, gates, results, retention, campaigns, experiments, fleet, results_agent,
    campaigns_agent, fleet_agent,
)  # fmt: skip
Report = Callable[[dict[str, Any]], list[dict[str, Any]]]


@dataclass
class Ledger:
    """Keeps what was to be sent; the jobs port and the events port in one."""

    jobs: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    events: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    def send(self, name: str, **arguments: Any) -> None:
        self.jobs.append((name, arguments))

    def publish(self, channel: str, event_id: int | None, kind: str, data: dict[str, Any]) -> None:
        del event_id
        self.events.append((channel, kind, data))


def manifest(system: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": system, "version": "0.1.0", "name": system.capitalize(), "vendor": "somebody",
        "licence": "BSD-3-Clause", "architecture": "in memory", "colour": "#D55E00", "mark": "●",
        "operations": ["read", "update", "insert"], "deployments": ["process"],
        "default_deployment": "process", "driver": {"id": "resp"},
        "aspects": {"durability": f"{system}: none"},
        "parameters": {
            "type": "object",
            "properties": {
                "appendonly": {
                    "title": "Log", "description": "A log.", "type": "boolean",
                    "default": False, "x-aspect": "durability",
                },
                "hz": {"title": "Hz", "description": "Hz.", "type": "integer", "default": 10},
            },
        },
        "fairness": {
            "durability": [
                {"when": {"appendonly": False}, "value": {"kept": "nothing"}},
                {"value": {"kept": "log", "reaches": "disk", "every_seconds": 0}},
            ],
            "eviction": [{"value": "anything" if system == "memcached" else "nothing"}],
        },
        "benchmark_clause": {
            "policy": "open", "text": "none", "source": "licence", "checked_on": "2026-11-20",
        },
        "causes": [{"word": "READONLY", "hint": "It is a replica: name the primary's endpoint."}],
        "disclaimers": [{"id": "note", "title": f"About {system}", "text": "Mind this."}],
        **changes,
    }  # fmt: skip


def experiment(slug: str, **changes: Any) -> dict[str, Any]:
    return {
        "slug": slug,
        "name": slug.capitalize(),
        "targets": [
            {"name": "redis", "system": "redis"},
            {"name": "memcached", "system": "memcached"},
        ],
        "workloads": [{"name": "balanced", "record_count": 50,
                       "operations": {"read": 0.5, "update": 0.5}}],
        "load_levels": [{"model": "closed", "clients": 4}],
        "repetitions": 5,
        "phases": {"warmup_seconds": 1, "measure_seconds": 3},
        **changes,
    }  # fmt: skip


@dataclass
class Laboratory:
    """One tenant's machine."""

    client: TestClient
    sessions: SessionFactory
    settings: Settings
    headers: dict[str, str]
    agent: dict[str, str] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    memory: Memory = field(default_factory=Memory)

    def enrol(self, *manifests: dict[str, Any]) -> None:
        """A machine of the tenant's own, whose manifests are in force by themselves."""
        made = self.client.post("/api/v1/agent-registration-tokens", json={}, headers=self.headers)
        instance = str(uuid4())
        registered = self.client.post(
            "/agent/v1/register",
            json={"name": "laboratory", "instance_id": instance, "facts": FACTS},
            headers=_bearer(made.json()["token"]),
        ).json()
        self.agent = _bearer(registered["agent_token"])
        self.memory = Memory()
        with unit_of_work(self.sessions) as session:
            session.get_one(Agent, UUID(registered["agent_id"])).trusted = True
        opening = {
            "instance_id": instance, "process_id": str(uuid4()), "agent_version": "0.1.0",
            "manifests": manifests or [manifest("redis"), manifest("memcached")],
            "facts": FACTS, "policy": {},
        }  # fmt: skip
        opened = self.client.put("/agent/v1/session", json=opening, headers=self.agent)
        assert opened.status_code == 200, opened.text

    def campaign(self, document: dict[str, Any], **wanted: Any) -> str:
        """Ask for a campaign of an experiment, saved as it is."""
        saved = self.client.post(
            "/api/v1/experiments", params={"upsert": True}, json={"document": document},
            headers=self.headers,
        )  # fmt: skip
        assert saved.status_code in {200, 201}, saved.text
        made = self.client.post(
            "/api/v1/campaigns",
            json={"experiment": document["slug"], **wanted},
            headers=self.headers,
        )
        assert made.status_code == 201, made.text
        campaign_id = str(made.json()["id"])
        self.memory.documents[campaign_id] = deepcopy(document)
        return campaign_id

    def begin(self) -> dict[str, Any]:
        """Take up the next run; its order."""
        token = self.agent["Authorization"].removeprefix("Bearer ")
        orders: list[AttemptOrder | None] = []

        def take(services: Services) -> None:
            attempts = services.get(AttemptService)
            services.get(Allocator).allocate()
            order = attempts.claim(services.get(FleetService).authenticate(token), uuid4(), token)
            orders.append(order)
            if order is not None:
                attempts.start(order.attempt_id, order.fence, order.member)

        self.work(take)
        assert orders[0] is not None, "nothing was offered"
        return orders[0].model_dump(mode="json")

    def attempt(self, order: dict[str, Any], method: str, path: str, **arguments: Any) -> Any:
        """A call with the attempt's own token."""
        headers = _bearer(order["attempt_token"]) | arguments.pop("headers", {})
        address = f"/agent/v1/attempts/{order['attempt_id']}/{path}"
        return self.client.request(method, address, headers=headers, **arguments)

    def send(self, order: dict[str, Any], events: list[dict[str, Any]]) -> int:
        """Send events; the next sequence expected."""
        answer = self.attempt(order, "POST", "events", json={"events": events})
        assert answer.status_code == 200, answer.text
        return int(answer.json()["next_sequence"])

    def parsed(self, events: list[dict[str, Any]]) -> tuple[AttemptEvent, ...]:
        """Events as the endpoint would read them."""
        return EventBatch.model_validate({"events": events}).events

    def complete(self, order: dict[str, Any], events_count: int, **changes: Any) -> str:
        body = {"fence": order["fence"], "outcome": "completed", "events_count": events_count}
        answer = self.attempt(order, "POST", "complete", json=body | changes)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["result"])

    def measure(self, report: Report, runs: int) -> list[dict[str, Any]]:
        """Carry out the next runs; their orders."""
        orders = []
        for _ in range(runs):
            order = self.begin()
            orders.append(order)
            events = report(order)
            if events:
                self.report(order, events)
            else:
                failure = {"kind": "database", "message": "it crashed"}
                self.complete(order, 0, outcome="failed", failure=failure)
        return orders

    def report(self, order: dict[str, Any], events: list[dict[str, Any]]) -> None:
        """Report all events of a run and settle it: as another that reported the same, if any."""
        key = self.memory.key(order["campaign_id"], order, events)
        with self.sessions() as session:
            kept = self.memory.recall(session, key)
        if kept is not None:
            self.work(lambda services: self.memory.complete(services, kept, order, len(events)))
            return
        self.send(order, events)
        self.complete(order, len(events))
        self.settle(order["run_id"])
        if key:
            with self.sessions() as session:
                self.memory.remember(session, key, UUID(order["run_id"]))

    def carry_out(self, document: dict[str, Any], report: Report, **wanted: Any) -> str:
        """A whole campaign: every run reports what `report` makes of its order, and so does the
        second measurement of what seemed worse.
        """
        campaign_id = self.campaign(document, **wanted)
        with unit_of_work(self.sessions) as session:
            left = self.memory.write(session, campaign_id, report)
        self.measure(lambda order: left[order["run_id"]], len(left))
        self.work(
            lambda services: services.get(CampaignSettlementService).settle_campaign(
                UUID(campaign_id)
            )
        )
        if again := self.get(f"/campaigns/{campaign_id}")["runs"]["queued"]:
            self.measure(report, again)
            self.work(
                lambda services: services.get(CampaignSettlementService).settle_campaign(
                    UUID(campaign_id)
                )
            )
        return campaign_id

    def settle(self, run_id: str) -> None:
        self.work(lambda services: services.get(SettlementService).settle_run(UUID(run_id)))

    def work(self, task: Callable[[Services], object]) -> None:
        """Do what a worker would, in a transaction."""
        with self.begun() as services:
            task(services)

    def begun(self) -> AbstractContextManager[Services]:
        """A worker's transaction."""
        return transaction_of(self.sessions, self.settings, jobs=self.ledger, events=self.ledger)

    def clear_away(self) -> None:
        """Carry retention out, as a worker would; what it thinned is no model for others."""
        self.memory.kept.clear()

        @contextmanager
        def transaction() -> Iterator[CarryingOutService]:
            with self.begun() as services:
                yield services.get(CarryingOutService)

        take_turn(transaction)

    def get(self, path: str, **parameters: Any) -> Any:
        answer = self.client.get(f"/api/v1{path}", params=parameters, headers=self.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()


def steady(order: dict[str, Any]) -> list[dict[str, Any]]:
    """A plausible report that differs a little from repeat to repeat."""
    return whole_run(seed=order["seed"] % 5, rate=200 + order["seed"] % 3)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
