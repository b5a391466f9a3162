"""A project with agents and a clock that a test sets: what tests above campaigns are written in."""

import datetime
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from redis import Redis
from sqlalchemy import select
from sqlalchemy.orm import Session
from weighhouse_backend.app.services import graph
from weighhouse_backend.campaigns.run_service import RunService
from weighhouse_backend.campaigns.schemas import CampaignCreate
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.catalog.repository import CatalogRepository
from weighhouse_backend.catalog.service import digest_of
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.leases import LeaseService
from weighhouse_backend.execution.rendezvous import RendezvousService
from weighhouse_backend.experiments.schemas import DocumentSource
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import founding
from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.clock import Clock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.events import RedisEvents
from weighhouse_backend.kit.services import Services, services_over
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.runs.models import (
    Attempt,
    AttemptMember,
    Campaign,
    CampaignEvent,
    Run,
)
from weighhouse_protocol.facts import MachineFacts, PolicyStatement
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import (
    Arrival,
    AttemptOrder,
    BarrierState,
    Registration,
    SessionOpening,
)
from weighhouse_protocol.report import Completion, CompletionAnswer, Failure, Heartbeat

_slugs = itertools.count(1)
BEGIN = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=datetime.UTC)

DOCUMENT: dict[str, Any] = {
    "name": "Two stores",
    "targets": [{"name": "redis", "system": "redis"}, {"name": "mc", "system": "memcached"}],
    "workloads": [{"name": "mixed", "record_count": 100, "operations": {"read": 1.0}}],
    "load_levels": [{"model": "closed", "clients": 2}],
    "repetitions": 2,
    "phases": {"warmup_seconds": 1, "measure_seconds": 2},
    "seed": 7,
}
PROCESS_ID = UUID("0197f000-0000-7000-8000-000000000001")
"""Of the program of every agent here: a claim has to be by the one that opened the session."""


def manifest(system: str, **changed: Any) -> Manifest:
    """A system's manifest with what a test wants different."""
    base: dict[str, Any] = {
        "id": system, "version": "0.1.0", "name": system.capitalize(), "vendor": "somebody",
        "licence": "BSD-3-Clause", "architecture": "hash table", "colour": "#D55E00", "mark": "●",
        "operations": ["read", "update", "insert"], "deployments": ["process", "external"],
        "default_deployment": "process", "driver": {"id": "resp"},
        "benchmark_clause": {
            "policy": "open", "text": "none", "source": "licence", "checked_on": "2026-11-20",
        },
    }  # fmt: skip
    return Manifest.model_validate(base | changed)


@dataclass
class SetClock:
    """A clock that stands until it is moved."""

    at: datetime.datetime

    def now(self) -> datetime.datetime:
        """The set instant."""
        return self.at

    def forward(self, seconds: float) -> None:
        """Let time pass."""
        self.at += datetime.timedelta(seconds=seconds)


@dataclass
class NotedJobs:
    """Keeps what would be sent."""

    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def send(self, name: str, **arguments: Any) -> None:
        """Note a job."""
        self.sent.append((name, arguments))

    def named(self, name: str) -> list[dict[str, Any]]:
        """Arguments of the jobs of a name."""
        return [arguments for sent, arguments in self.sent if sent == name]


@dataclass
class World:
    """One project, its agents, and the services, each call a transaction of its own."""

    sessions: SessionFactory
    settings: Settings
    redis: Redis
    project_id: UUID
    clock: SetClock
    jobs: NotedJobs = field(default_factory=NotedJobs)
    tokens: dict[UUID, str] = field(default_factory=dict)

    @property
    def caller(self) -> Caller:
        """A member of the project."""
        return Caller("user", self.project_id, "Mia", {self.project_id: Role.MEMBER})

    @property
    def owner(self) -> Caller:
        """An owner of it."""
        return Caller("user", self.project_id, "Olga", {self.project_id: Role.OWNER})

    @contextmanager
    def transaction(self) -> Iterator[Services]:
        """The services over one transaction."""
        with unit_of_work(self.sessions) as session:
            events = RedisEvents(self.redis, session)
            over = services_over(graph(), session, self.clock, self.settings, self.jobs, events)
            with over as services:
                yield services

    # Agents

    def agent(
        self,
        name: str = "one",
        *,
        systems: tuple[str, ...] = ("redis", "memcached"),
        labels: dict[str, str] | None = None,
        roles: tuple[str, ...] = ("driver", "server"),
        cpu: str = "cpu",
        policy: PolicyStatement | None = None,
        topology: dict[str, Any] | None = None,
    ) -> UUID:
        """Enrol an agent and open its session.

        :param topology: of every system's manifest; default: one node.
        """
        laid_out = {} if topology is None else {"topology": topology}
        facts = MachineFacts(
            hostname=name, machine_id=name, cpu_model=cpu, cores=2, memory_bytes=1 << 30,
            kernel="6", operating_system="os", architecture="x86_64",
        )  # fmt: skip
        instance = uuid4()
        with self.transaction() as services:
            made = services.get(FleetService).issue_registration(
                founding(project_id=self.project_id), "test", labels=labels or {}, roles=roles,
                lifetime=datetime.timedelta(hours=1), trusted=True,
            )  # fmt: skip
            registration = Registration.model_validate(
                {"name": name, "instance_id": instance, "roles": roles, "facts": facts}
            )
            enrolled = services.get(FleetService).register(made.token, registration)
            services.get(FleetService).open_session(
                enrolled.agent_token,
                SessionOpening(
                    instance_id=instance, process_id=PROCESS_ID, agent_version="0.1.0",
                    manifests=tuple(manifest(system, **laid_out) for system in systems),
                    facts=facts, policy=policy or PolicyStatement(),
                ),
            )  # fmt: skip
            self.tokens[enrolled.agent_id] = enrolled.agent_token
        return enrolled.agent_id

    def claim(self, agent_id: UUID, claim_id: UUID | None = None) -> AttemptOrder | None:
        """An agent asks for work, once."""
        token = self.tokens[agent_id]
        with self.transaction() as services:
            agent = services.get(FleetService).authenticate(token)
            return services.get(AttemptService).claim(agent, claim_id or uuid4(), token)

    def take(self, agent_id: UUID) -> AttemptOrder:
        """Allocate, claim and start a run on an agent; there has to be one."""
        self.allocate()
        order = self.claim(agent_id)
        assert order is not None
        with self.transaction() as services:
            services.get(AttemptService).start(order.attempt_id, order.fence, order.member)
        return order

    def beat(self, order: AttemptOrder, phase: str = "measure") -> str:
        """An agent's heartbeat; what it is told about stopping."""
        with self.transaction() as services:
            beat = Heartbeat.model_validate({"fence": order.fence, "phase": phase})
            return (
                services.get(AttemptService).heartbeat(order.attempt_id, beat, order.member).cancel
            )

    def arrive(
        self, order: AttemptOrder, name: str, sent_at_us: int | None = None, **payload: Any
    ) -> BarrierState:
        """A member of a gang is at a barrier.

        :param sent_at_us: its clock; default: as the server's.
        """
        now_us = round(self.clock.now().timestamp() * 1_000_000)
        arrival = Arrival(fence=order.fence, payload=payload, sent_at_us=sent_at_us or now_us)
        with self.transaction() as services:
            return services.get(RendezvousService).arrive(
                order.attempt_id, name, arrival, order.member
            )

    def take_together(self, *agent_ids: UUID) -> list[AttemptOrder]:
        """Allocate, claim and start a run on a gang; its members' orders by index."""
        self.allocate()
        orders = [order for agent_id in agent_ids if (order := self.claim(agent_id)) is not None]
        for order in orders:
            with self.transaction() as services:
                services.get(AttemptService).start(order.attempt_id, order.fence, order.member)
        return sorted(orders, key=lambda order: order.member)

    def end(
        self, order: AttemptOrder, outcome: str = "completed", failure: Failure | None = None
    ) -> str:
        """An agent is done; what became of it."""
        with self.transaction() as services:
            completion = Completion.model_validate(
                {"fence": order.fence, "outcome": outcome, "failure": failure, "events_count": 0}
            )
            answer: CompletionAnswer = services.get(AttemptService).complete(
                order.attempt_id, completion, order.member
            )
            return answer.result

    # Platform

    def start(self, **changed: Any) -> UUID:
        """Store an experiment and start a campaign of it."""
        experiment_id = self.experiment(**changed)
        return self.campaign_of(experiment_id)

    def experiment(self, **changed: Any) -> UUID:
        """Store an experiment."""
        document = DOCUMENT | {"slug": f"experiment-{next(_slugs)}"} | changed
        with self.transaction() as services:
            saved = services.get(ExperimentService).create(
                self.caller, self.project_id, DocumentSource(document=document)
            )
            return saved.experiment.id

    def campaign_of(self, experiment_id: UUID, **wanted: Any) -> UUID:
        """Start a campaign of an experiment."""
        body = CampaignCreate(experiment_id=experiment_id, **wanted)
        with self.transaction() as services:
            return services.get(CampaignService).create(self.caller, body).id

    def allocate(self) -> list[Attempt]:
        """Give out work; the attempts of this project."""
        with self.transaction() as services:
            given = services.get(Allocator).allocate()
            return [attempt for attempt in given if attempt.project_id == self.project_id]

    def given(self) -> list[UUID]:
        """Give out work; the agents that got some, member by member."""
        return [
            member.agent_id for attempt in self.allocate() for member in self.members(attempt.id)
        ]

    def settle(self, run_id: UUID, throughput: float = 1000.0) -> bool:
        """Results wrote a run's summary."""
        with self.transaction() as services:
            return services.get(RunService).complete(run_id, throughput=throughput, p99_us=500.0)

    def watch(self) -> None:
        """The watch over leases, once."""
        with self.transaction() as services:
            found = services.get(LeaseService).watch()
        for attempt_id in found:
            with self.transaction() as services:
                services.get(LeaseService).expire(attempt_id)

    def finish_everything(self, agent_id: UUID) -> list[AttemptOrder]:
        """Measure until nothing is queued; the orders in the order they came."""
        orders: list[AttemptOrder] = []
        while True:
            self.allocate()
            order = self.claim(agent_id)
            if order is None:
                return orders
            with self.transaction() as services:
                services.get(AttemptService).start(order.attempt_id, order.fence, order.member)
            self.clock.forward(4)
            assert self.end(order) == "accepted"
            assert self.settle(order.run_id)
            orders.append(order)

    # Looking

    def campaign(self, campaign_id: UUID) -> Campaign:
        """A campaign's row."""
        with self.sessions() as session:
            return session.get_one(Campaign, campaign_id)

    def run(self, run_id: UUID) -> Run:
        """A run's row."""
        with self.sessions() as session:
            return session.get_one(Run, run_id)

    def runs(self, campaign_id: UUID) -> list[Run]:
        """A campaign's runs in order."""
        with self.sessions() as session:
            query = select(Run).where(Run.campaign_id == campaign_id).order_by(Run.position)
            return list(session.scalars(query))

    def attempt(self, attempt_id: UUID) -> Attempt:
        """An attempt's row."""
        with self.sessions() as session:
            return session.get_one(Attempt, attempt_id)

    def members(self, attempt_id: UUID) -> list[AttemptMember]:
        """The rows of an attempt's members, in order."""
        with self.sessions() as session:
            query = (
                select(AttemptMember)
                .where(AttemptMember.attempt_id == attempt_id)
                .order_by(AttemptMember.index)
            )
            return list(session.scalars(query))

    def attempts(self, run_id: UUID) -> list[Attempt]:
        """A run's attempts in order."""
        with self.sessions() as session:
            query = select(Attempt).where(Attempt.run_id == run_id).order_by(Attempt.number)
            return list(session.scalars(query))

    def events(self, campaign_id: UUID) -> list[CampaignEvent]:
        """A campaign's events in order."""
        with self.sessions() as session:
            query = (
                select(CampaignEvent)
                .where(CampaignEvent.campaign_id == campaign_id)
                .order_by(CampaignEvent.id)
            )
            return list(session.scalars(query))

    def agent_row(self, agent_id: UUID) -> Agent:
        """An agent's row."""
        with self.sessions() as session:
            return session.get_one(Agent, agent_id)


def make_world(
    sessions: SessionFactory, settings: Settings, redis: Redis, clock: SetClock | None = None
) -> World:
    """A world: a project of its own, on a platform that knows redis and memcached.

    :param clock: default: stands at `BEGIN`.
    """
    name = f"world-{uuid4().hex[:12]}"
    with unit_of_work(sessions) as session:
        organization = Organization(slug=name, name=name, created_at=BEGIN)
        session.add(organization)
        session.flush()
        project = Project(
            organization_id=organization.id, slug="main", name="Main", created_at=BEGIN
        )
        session.add(project)
        session.flush()
        project_id, organization_id = project.id, organization.id
    world = World(sessions, settings, redis, project_id, clock or SetClock(BEGIN))
    with world.transaction() as services:
        accept(services.get(Session), clock or world.clock, organization_id,
               [manifest("redis"), manifest("memcached")])  # fmt: skip
    return world


def accept(
    session: Session, clock: Clock, organization_id: UUID, manifests: Iterable[Manifest]
) -> None:
    """Let manifests be in force in an organization that no agent has brought yet."""
    repository, now = CatalogRepository(session), clock.now()
    for one in manifests:
        digest = digest_of(one)
        repository.keep(organization_id, one, digest, now)
        repository.accept(organization_id, None, (one.id, digest), "a test", now)
