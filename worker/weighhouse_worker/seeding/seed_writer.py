"""Carries invented campaigns out: the platform's own services, with a clock that is set."""

import datetime
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session
from weighhouse_backend.alerts.watch import WatchService
from weighhouse_backend.app.services import graph
from weighhouse_backend.campaigns.plan import AGAIN
from weighhouse_backend.campaigns.schemas import CampaignCreate
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.experiments.schemas import DocumentSource
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.gates.settlement import CampaignSettlementService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.grants import founding
from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.services import Services, services_over
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_backend.results.ingestion import EventService
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.runs.models import Cell, Run
from weighhouse_backend.runs.states import RunStatus
from weighhouse_protocol.facts import MachineFacts, PolicyStatement
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder, Registered, Registration, SessionOpening
from weighhouse_protocol.report import ATTEMPT_EVENT, AttemptEvent, Completion, EventBatch

from weighhouse_worker.seeding.figures import HALVES, US, Course, reported
from weighhouse_worker.seeding.plan import LABEL, MACHINE, SIDES, Fate, Sown
from weighhouse_worker.tools import Tools

FACTS = MachineFacts(
    hostname=MACHINE, machine_id=MACHINE, cpu_model="an invented processor", cores=32,
    memory_bytes=64 << 30, kernel="6.1", operating_system="invented", architecture="x86_64",
)  # fmt: skip
MOST_EVENTS = 2000
"""Of a batch; see `EventBatch`."""
BETWEEN_RUNS = 3.0
"""Seconds from one run's end to the next."""
Progress = Callable[[str], None]


@dataclass
class SetClock:
    """A clock that stands until it is moved."""

    at: datetime.datetime

    def now(self) -> datetime.datetime:
        """The set instant."""
        return self.at


@dataclass
class OwnJobs:
    """Keeps jobs for who sent them: they are done inside the same transaction."""

    waiting: deque[tuple[str, dict[str, Any]]] = field(default_factory=deque)

    def send(self, name: str, **arguments: Any) -> None:
        """Keep a job."""
        self.waiting.append((name, arguments))


class NoEvents:
    """Nobody follows what is over."""

    def publish(self, channel: str, event_id: int | None, kind: str, data: dict[str, Any]) -> None:
        """Tell nobody."""


@dataclass(frozen=True)
class Told:
    """A run that is to be told of."""

    order: AttemptOrder
    clients: int
    seed: int
    again: bool
    """Does it measure a second time what seemed worse?"""


@dataclass(frozen=True)
class Enrolled:
    """Invented machines that have registered; by name."""

    agents: Mapping[str, UUID]
    tokens: Mapping[str, str]
    plugins: Mapping[str, str]
    """Versions of the plugins they have."""


@dataclass
class Hand:
    """Invented machines, and everything they need to carry out campaigns in one transaction.

    A campaign becomes visible when it is over. Its runs are never seen waiting, so that no real
    agent takes one, and nobody gives up an attempt whose lease ran out years ago.
    """

    session: Session
    services: Services
    clock: SetClock
    jobs: OwnJobs
    project_id: UUID

    @property
    def caller(self) -> Caller:
        """Who asks for the campaigns."""
        return Caller("user", self.project_id, "invented", {self.project_id: Role.OWNER})

    def enrol(self, manifests: Sequence[Manifest], names: Collection[str]) -> Enrolled:
        """Register machines; those of an earlier time give way, lest they be given the runs."""
        fleet = self.services.get(FleetService)
        for earlier in fleet.agents(self.caller, self.project_id, {}):
            if earlier.labels == LABEL and earlier.status != "revoked":
                fleet.revoke(self.caller, earlier.id)
        process_id = uuid4()
        made = {name: self._register(manifests, name, process_id) for name in names}
        return Enrolled(
            {name: one.agent_id for name, one in made.items()},
            {name: one.agent_token for name, one in made.items()},
            {one.id: one.version for one in manifests},
        )

    def _register(self, manifests: Sequence[Manifest], name: str, process_id: UUID) -> Registered:
        instance, fleet, facts = uuid4(), self.services.get(FleetService), facts_of(name)
        made = fleet.issue_registration(
            founding(project_id=self.project_id), "invented", labels=LABEL,
            roles=("driver", "server"), lifetime=datetime.timedelta(hours=1), trusted=True,
        )  # fmt: skip
        enrolled = fleet.register(
            made.token,
            Registration.model_validate(
                {
                    "name": f"{name}-{instance.hex[:6]}", "instance_id": instance,
                    "roles": ("driver", "server"), "facts": facts,
                }
            ),
        )  # fmt: skip
        fleet.open_session(
            enrolled.agent_token,
            SessionOpening(
                instance_id=instance, process_id=process_id, agent_version="0",
                manifests=tuple(manifests), facts=facts, policy=PolicyStatement(),
            ),
        )  # fmt: skip
        return enrolled

    def carry_out(self, sown: Sown, number: int, machines: Enrolled) -> UUID:
        """One campaign, to its end, with what is measured again in it; its id."""
        self.services.get(ExperimentService).create(
            self.caller, self.project_id, DocumentSource(document=sown.document()), upsert=True
        )
        made = self.services.get(CampaignService).create(
            self.caller, CampaignCreate(experiment=sown.slug, project_id=self.project_id)
        )
        self.do_jobs()
        self._choose(sown.machine(number), machines)
        self._claim(sown.machine(number), machines)  # a sign of life on this date
        waiting = self._waiting(made.id)
        half = waiting // 2 if number in sown.cancelled else 0
        while waiting > half:
            self._run(sown, number, machines)
            waiting = self._waiting(made.id)
        if half:
            self.services.get(CampaignService).cancel(self.caller, made.id)
            self.do_jobs()
        return made.id

    def do_jobs(self) -> None:
        """What the worker would do, but now."""
        while self.jobs.waiting:
            name, arguments = self.jobs.waiting.popleft()
            self.session.flush()
            # Whoever claimed work confined the transaction to an agent's projects.
            self.session.execute(text("SET LOCAL ROLE NONE"))
            if name == "results.settle_run":
                self.services.get(SettlementService).settle_run(UUID(arguments["run_id"]))
            elif name == "gates.settle_campaign":
                self.services.get(CampaignSettlementService).settle_campaign(
                    UUID(arguments["campaign_id"])
                )
            elif name == "alerts.detect_changes":
                self.services.get(WatchService).detect(
                    [UUID(one) for one in arguments["series_ids"]]
                )

    def _choose(self, machine: str, machines: Enrolled) -> None:
        """Let one machine alone be given runs."""
        for name, agent_id in machines.agents.items():
            draining = name != machine
            if self.session.get_one(Agent, agent_id).draining != draining:
                self.services.get(FleetService).set_draining(
                    self.caller, agent_id, draining=draining
                )

    def _waiting(self, campaign_id: UUID) -> int:
        """How many runs of a campaign are still to be measured."""
        waiting = select(func.count()).where(
            Run.campaign_id == campaign_id, Run.status == RunStatus.QUEUED
        )
        return self.session.scalar(waiting) or 0

    def _run(self, sown: Sown, number: int, machines: Enrolled) -> None:
        """Take the next run and report of it."""
        attempts = self.services.get(AttemptService)
        self.services.get(Allocator).allocate()
        order = self._claim(sown.machine(number), machines)
        if order is None:
            message = f"no run of {sown.slug} was offered to {sown.machine(number)}"
            raise RuntimeError(message)
        attempts.start(order.attempt_id, order.fence, order.member)
        run = self.session.get_one(Run, order.run_id)
        cell = self.session.get_one(Cell, run.cell_id)
        side, clients = sown.side_of(cell.target), int(cell.load_value)
        fate = sown.fates.get((side, clients), "completed")
        drawn_by = f"{sown.slug} {number} {side} {cell.workload} {clients} {run.repetition}"
        told = Told(order, clients, zlib.crc32(drawn_by.encode()), again=run.twin == AGAIN)
        events = self._events(sown, number, told, machines) if fate == "completed" else []
        for begin in range(0, len(events), MOST_EVENTS):
            batch = EventBatch(events=tuple(events[begin : begin + MOST_EVENTS]))
            self.services.get(EventService).store(order.attempt_id, batch.events, order.member)
        self._forward(sown.seconds + BETWEEN_RUNS)
        attempts.complete(order.attempt_id, _completion(order, fate, len(events)), order.member)
        self.do_jobs()

    def _claim(self, machine: str, machines: Enrolled) -> AttemptOrder | None:
        token = machines.tokens[machine]
        agent = self.services.get(FleetService).authenticate(token)
        return self.services.get(AttemptService).claim(agent, uuid4(), token)

    def _events(
        self, sown: Sown, number: int, told: Told, machines: Enrolled
    ) -> list[AttemptEvent]:
        order = told.order
        side = sown.side_of(order.target.name)
        begin_us = round(self.clock.now().timestamp() * US)
        facts = facts_of(sown.machine(number)).model_dump(mode="json")
        described = {
            "version": sown.version(number), "endpoints": ["tcp://127.0.0.1:1"],
            "effective_configuration": [
                {"name": name, "value": _word(value), "source": "experiment"}
                for name, value in sorted(order.target.parameters.items())
            ],
            "facts": facts | {"versions": _versions(order, machines)},
            "co_located": True, "threads": 2,
        }  # fmt: skip
        made = reported(
            SIDES[side], _course(sown, begin_us, order), told.clients, seed=told.seed,
            shift=sown.shift(side, number, again=told.again), described=described,
        )  # fmt: skip
        return [ATTEMPT_EVENT.validate_python(event) for event in made]

    def _forward(self, seconds: float) -> None:
        self.clock.at += datetime.timedelta(seconds=seconds)


def facts_of(machine: str) -> MachineFacts:
    """What an invented machine tells of itself: another name, and the same kind."""
    return FACTS.model_copy(update={"hostname": machine, "machine_id": machine})


def _versions(order: AttemptOrder, machines: Enrolled) -> dict[str, str]:
    """Of the plugins that take part, as agents tell them."""
    return {
        f"plugin {plugin}": machines.plugins[plugin]
        for plugin in order.target.plugins
        if plugin in machines.plugins
    }


def _course(sown: Sown, begin_us: int, order: AttemptOrder) -> Course:
    # What is nearly all reads is invented as half reads: only four operations are told apart.
    mix = order.workload.operations.model_dump()
    asked = {name: share for name, share in mix.items() if share}
    shares = asked if len(asked) > len(HALVES) else HALVES
    return Course(begin_us, sown.seconds, sown.interval_us, shares, sown.stall_every)


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _completion(order: AttemptOrder, fate: Fate, events_count: int) -> Completion:
    failure = {"kind": "database", "message": "invented: the server ended with status 137"}
    return Completion.model_validate(
        {
            "fence": order.fence,
            "outcome": fate,
            "failure": None if fate == "completed" else failure,
            "events_count": events_count,
        }
    )


def sow(
    tools: Tools,
    manifests: Sequence[Manifest],
    experiments: Sequence[Sown],
    end: datetime.datetime,
    told: Progress,
) -> int:
    """Carry out all campaigns of some experiments, the latest ending about now.

    Each campaign is a transaction of its own: interrupted, those that were told of are there.

    :param manifests: of the systems that the experiments name.
    :param told: given a line of progress for each experiment and every tenth campaign.
    :return: how many campaigns were carried out.
    """  # fmt: skip
    names = {one.machine(number) for one in experiments for number in range(one.campaigns)}
    machines = enrolled(tools, manifests, sorted(names), end)
    carried_out = 0
    for sown in experiments:
        told(f"{sown.name}: {sown.campaigns} date{'s' if sown.campaigns > 1 else ''}")
        for number in range(sown.campaigns):
            if number in sown.missed:
                continue
            ago = (sown.campaigns - number) * sown.days_between
            carry_out(tools, machines, sown, number, end - datetime.timedelta(days=ago))
            carried_out += 1
            if (number + 1) % 10 == 0:
                told(f"{sown.slug}: {number + 1} of {sown.campaigns}")
    return carried_out


def enrolled(
    tools: Tools, manifests: Sequence[Manifest], names: Collection[str], at: datetime.datetime
) -> Enrolled:
    """Register invented machines with the first project, in a transaction of its own."""
    project_id = _project(tools)
    with unit_of_work(tools.sessions) as session, _hand(tools, session, at, project_id) as hand:
        return hand.enrol(manifests, names)


def carry_out(
    tools: Tools, machines: Enrolled, sown: Sown, number: int, at: datetime.datetime
) -> UUID:
    """Carry out one campaign on a date, in a transaction of its own; its id."""
    project_id = _project(tools)
    with unit_of_work(tools.sessions) as session, _hand(tools, session, at, project_id) as hand:
        return hand.carry_out(sown, number, machines)


def _project(tools: Tools) -> UUID:
    with unit_of_work(tools.sessions) as session:
        first = select(Project.id).join(Organization).order_by(Project.created_at).limit(1)
        return session.scalars(first).one()


@contextmanager
def _hand(
    tools: Tools, session: Session, at: datetime.datetime, project_id: UUID
) -> Iterator[Hand]:
    clock, jobs = SetClock(at), OwnJobs()
    over = services_over(graph(), session, clock, tools.settings, jobs, NoEvents())
    with over as services:
        yield Hand(session, services, clock, jobs, project_id)
