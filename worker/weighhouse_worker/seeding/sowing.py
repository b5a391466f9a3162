"""Carries invented campaigns out: the platform's own services, with a clock that is set."""

import datetime
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select, text
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.dependencies import Campaigns
from weighhouse_backend.campaigns.models import Cell, Run
from weighhouse_backend.campaigns.schemas import CampaignCreate
from weighhouse_backend.experiments.schemas import DocumentSource
from weighhouse_backend.gates.dependencies import Gates, gates_over
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.giving import founding
from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.facts import MachineFacts, PolicyStatement
from weighhouse_protocol.manifest import Manifest
from weighhouse_protocol.order import AttemptOrder, Registration, SessionOpening
from weighhouse_protocol.report import ATTEMPT_EVENT, AttemptEvent, Completion, EventBatch

from weighhouse_worker.seeding.figures import HALVES, US, Course, reported
from weighhouse_worker.seeding.plan import LABEL, SIDES, Fate, Sown
from weighhouse_worker.tools import Tools

FACTS = MachineFacts(
    hostname="invented", machine_id="invented", cpu_model="an invented processor", cores=32,
    memory_bytes=64 << 30, kernel="6.1", operating_system="invented", architecture="x86_64",
)  # fmt: skip
MOST_EVENTS = 2000
"""Of a batch; see `EventBatch`."""
BETWEEN_RUNS = 3.0
"""Seconds from one run's end to the next."""
Told = Callable[[str], None]


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


@dataclass
class Hand:
    """An invented machine, and everything it needs to carry out campaigns in one transaction.

    A campaign becomes visible when it is over. Its runs are never seen waiting, so that no real
    agent takes one, and nobody gives up an attempt whose lease ran out years ago.
    """

    session: Session
    campaigns: Campaigns
    gates: Gates
    clock: SetClock
    jobs: OwnJobs
    project_id: UUID
    token: str = ""
    process_id: UUID = field(default_factory=uuid4)
    plugins: dict[str, str] = field(default_factory=dict)
    """Versions of the plugins it has."""

    @property
    def caller(self) -> Caller:
        """Who asks for the campaigns."""
        return Caller("user", self.project_id, "invented", {self.project_id: Role.OWNER})

    def enrol(self, manifests: Sequence[Manifest]) -> None:
        """Register the machine; one of an earlier time gives way, lest it be given the runs."""
        instance = uuid4()
        self.plugins = {manifest.id: manifest.version for manifest in manifests}
        fleet = self.campaigns.fleet
        for earlier in fleet.agents(self.caller, self.project_id, {}):
            if earlier.labels == LABEL and earlier.status != "revoked":
                fleet.revoke(self.caller, earlier.id)
        made = fleet.issue_registration(
            founding(project_id=self.project_id), "invented", labels=LABEL,
            roles=("driver", "server"), lifetime=datetime.timedelta(hours=1), trusted=True,
        )  # fmt: skip
        enrolled = fleet.register(
            made.token,
            Registration.model_validate(
                {
                    "name": f"invented-{instance.hex[:6]}", "instance_id": instance,
                    "roles": ("driver", "server"), "facts": FACTS,
                }
            ),
        )  # fmt: skip
        self.token = enrolled.agent_token
        fleet.open_session(
            self.token,
            SessionOpening(
                instance_id=instance, process_id=self.process_id, agent_version="0",
                manifests=tuple(manifests), facts=FACTS, policy=PolicyStatement(),
            ),
        )  # fmt: skip

    def carry_out(self, sown: Sown, number: int) -> UUID:
        """One campaign, to its end; its id."""
        self.campaigns.experiments.create(
            self.caller, self.project_id, DocumentSource(document=sown.document()), upsert=True
        )
        made = self.campaigns.campaigns.create(
            self.caller, CampaignCreate(experiment=sown.slug, project_id=self.project_id)
        )
        self.do_jobs()
        self._claim()  # a sign of life on this date
        runs = self._runs(made.id)
        half = len(runs) // 2 if number in sown.cancelled else None
        for done in range(len(runs)):
            if done == half:
                self.campaigns.campaigns.cancel(self.caller, made.id)
                self.do_jobs()
                break
            self._run(sown, number)
        return made.id

    def do_jobs(self) -> None:
        """What the worker would do, but now."""
        while self.jobs.waiting:
            name, arguments = self.jobs.waiting.popleft()
            self.session.flush()
            # Whoever claimed work confined the transaction to an agent's projects.
            self.session.execute(text("SET LOCAL ROLE NONE"))
            if name == "results.settle_run":
                self.gates.results.settlement.settle_run(UUID(arguments["run_id"]))
            elif name == "gates.settle_campaign":
                self.gates.settlement.settle_campaign(UUID(arguments["campaign_id"]))
            elif name == "alerts.detect_changes":
                self.gates.alerts.watching.detect([UUID(one) for one in arguments["series_ids"]])

    def _runs(self, campaign_id: UUID) -> list[UUID]:
        query = select(Run.id).where(Run.campaign_id == campaign_id)
        return list(self.session.scalars(query))

    def _run(self, sown: Sown, number: int) -> None:
        """Take the next run and report of it."""
        attempts = self.campaigns.attempts
        self.campaigns.allocator.allocate()
        order = self._claim()
        if order is None:
            message = f"no run of {sown.slug} was offered to the invented machine"
            raise RuntimeError(message)
        attempts.start(order.attempt_id, order.fence, order.member)
        run = self.session.get_one(Run, order.run_id)
        cell = self.session.get_one(Cell, run.cell_id)
        side, clients = sown.side_of(cell.target), int(cell.load_value)
        fate = sown.fates.get((side, clients), "completed")
        drawn_by = f"{sown.slug} {number} {side} {cell.workload} {clients} {run.repetition}"
        seed = zlib.crc32(drawn_by.encode())
        events = self._events(sown, number, order, clients, seed) if fate == "completed" else []
        for begin in range(0, len(events), MOST_EVENTS):
            batch = EventBatch(events=tuple(events[begin : begin + MOST_EVENTS]))
            self.gates.results.events.store(order.attempt_id, batch.events, order.member)
        self._forward(sown.seconds + BETWEEN_RUNS)
        attempts.complete(order.attempt_id, _completion(order, fate, len(events)), order.member)
        self.do_jobs()

    def _claim(self) -> AttemptOrder | None:
        agent = self.campaigns.fleet.authenticate(self.token)
        return self.campaigns.attempts.claim(agent, uuid4(), self.token)

    def _events(
        self, sown: Sown, number: int, order: AttemptOrder, clients: int, seed: int
    ) -> list[AttemptEvent]:
        side = sown.side_of(order.target.name)
        begin_us = round(self.clock.now().timestamp() * US)
        described = {
            "version": sown.version(number), "endpoints": ["tcp://127.0.0.1:1"],
            "effective_configuration": [
                {"name": name, "value": _word(value), "source": "experiment"}
                for name, value in sorted(order.target.parameters.items())
            ],
            "facts": FACTS.model_dump(mode="json") | {"versions": self._versions(order)},
            "co_located": True, "threads": 2,
        }  # fmt: skip
        made = reported(
            SIDES[side], _course(sown, begin_us, order), clients, seed=seed,
            shift=sown.shift(side, number), described=described,
        )  # fmt: skip
        return [ATTEMPT_EVENT.validate_python(event) for event in made]

    def _versions(self, order: AttemptOrder) -> dict[str, str]:
        """Of the plugins that take part, as agents tell them."""
        return {
            f"plugin {plugin}": self.plugins[plugin]
            for plugin in order.target.plugins
            if plugin in self.plugins
        }

    def _forward(self, seconds: float) -> None:
        self.clock.at += datetime.timedelta(seconds=seconds)


def _course(sown: Sown, begin_us: int, order: AttemptOrder) -> Course:
    # What is nearly all reads is invented as half reads: only four operations are told apart.
    mix = order.workload.operations.model_dump()
    asked = {name: share for name, share in mix.items() if share}
    shares = asked if len(asked) > len(HALVES) else HALVES
    return Course(begin_us, sown.seconds, sown.interval_us, shares)


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
    told: Told,
) -> int:
    """Carry out all campaigns of some experiments, the latest ending about now.

    Each campaign is a transaction of its own: interrupted, those that were told of are there.

    :param manifests: of the systems that the experiments name.
    :param told: given a line of progress for each experiment and every tenth campaign.
    :return: how many campaigns were carried out.
    """  # fmt: skip
    project_id = _project(tools)
    clock = SetClock(end)
    with unit_of_work(tools.sessions) as session:
        hand = _hand(tools, session, clock, project_id)
        hand.enrol(manifests)
        token, process_id = hand.token, hand.process_id
    carried_out = 0
    for sown in experiments:
        told(f"{sown.name}: {sown.campaigns} date{'s' if sown.campaigns > 1 else ''}")
        for number in range(sown.campaigns):
            if number in sown.missed:
                continue
            ago = (sown.campaigns - number) * sown.days_between
            clock.at = end - datetime.timedelta(days=ago)
            with unit_of_work(tools.sessions) as session:
                hand = _hand(tools, session, clock, project_id)
                hand.token, hand.process_id = token, process_id
                hand.carry_out(sown, number)
            carried_out += 1
            if (number + 1) % 10 == 0:
                told(f"{sown.slug}: {number + 1} of {sown.campaigns}")
    return carried_out


def _project(tools: Tools) -> UUID:
    with unit_of_work(tools.sessions) as session:
        first = select(Project.id).join(Organization).order_by(Project.created_at).limit(1)
        return session.scalars(first).one()


def _hand(tools: Tools, session: Session, clock: SetClock, project_id: UUID) -> Hand:
    jobs = OwnJobs()
    campaigns = Campaigns(session, jobs, NoEvents(), clock, tools.settings)
    return Hand(session, campaigns, gates_over(campaigns), clock, jobs, project_id)
