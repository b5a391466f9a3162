"""Agents as they talk to the platform over a network that loses, repeats and reorders.

An agent here keeps what it measured and sends it as often as it likes, in any order, late or
never; the platform's services are the real ones over a real database. What an agent was told and
what it holds is the model that the database is held against.
"""

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import Engine, select
from sqlalchemy.orm import sessionmaker
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.identity.access import Caller
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.problems import Problem
from weighhouse_backend.kit.services import Services
from weighhouse_backend.measurements.models import Interval as StoredInterval
from weighhouse_backend.results.ingestion import EventService
from weighhouse_backend.results.settlement import SettlementService
from weighhouse_backend.runs.models import Attempt, AttemptMember, Campaign, Run
from weighhouse_backend.runs.states import LIVE_ATTEMPTS, LIVE_MEMBERS
from weighhouse_protocol.driver import Interval
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import (
    AttemptEvent,
    Completion,
    Failure,
    Heartbeat,
    IntervalReported,
    PhaseChanged,
    PhaseEnded,
)
from weighhouse_testing.world import BEGIN, NotedJobs, SetClock, World, make_world

T = TypeVar("T")
RECORDED = Path(__file__).parents[3] / "protocol/fixtures/driver/events-closed.jsonl"
BEGIN_US = 1_795_000_000_000_000
AGENTS = 3
MOST_ROUNDS = 60
"""Of proper work after which everything has come to its end."""
FINAL = {"completed", "failed", "cancelled"}


def measured_interval() -> Interval:
    """An interval of a measured phase, as a driver wrote it once."""
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "interval" and event["phase"] == "measure":
            return Interval.model_validate(event)
    message = f"no interval in {RECORDED}"
    raise AssertionError(message)


TEMPLATE = measured_interval()


@dataclass
class Part:
    """What an agent does for one attempt, as the agent knows it."""

    agent_id: UUID
    order: AttemptOrder
    events: list[AttemptEvent] = field(default_factory=list)
    outcome: str = ""
    """Told at the end; empty while it measures."""
    over: bool = False
    """The platform has taken the outcome, or wants no more of it."""

    @property
    def key(self) -> tuple[UUID, int]:
        """Attempt and member."""
        return self.order.attempt_id, self.order.member

    def measure(self) -> None:
        """Spool one more event: the phase first, then an interval each time."""
        number = len(self.events)
        at_us = BEGIN_US + number * TEMPLATE.duration_us
        if number == 0:
            event: AttemptEvent = PhaseChanged(sequence=0, at_us=at_us, phase="measure")
        else:
            interval = TEMPLATE.model_copy(update={"start_us": at_us, "sequence": number})
            event = IntervalReported(sequence=number, at_us=at_us, interval=interval)
        self.events.append(event)

    def finish(self, outcome: str) -> None:
        """Come to an end; nothing is spooled afterwards."""
        if outcome == "completed":
            while len(self.events) < 2:
                self.measure()
            number = len(self.events)
            at_us = BEGIN_US + number * TEMPLATE.duration_us
            self.events.append(
                PhaseEnded(
                    sequence=number, at_us=at_us, phase="measure",
                    duration_us=(number - 1) * TEMPLATE.duration_us,
                )
            )  # fmt: skip
        self.outcome = outcome

    @property
    def completion(self) -> Completion:
        """What is told at the end."""
        failure = {
            "completed": None,
            "cancelled": Failure(kind="cancelled", message="stopped"),
            "failed": Failure(kind="database", message="the server ended"),
            "broken": Failure(kind="infrastructure", message="the agent was stopped"),
        }[self.outcome]
        outcome = "failed" if self.outcome == "broken" else self.outcome
        return Completion.model_validate(
            {
                "fence": self.order.fence,
                "outcome": outcome,
                "failure": failure,
                "events_count": len(self.events),
            }
        )


class Stage:
    """A project with three agents, made once; each example begins from there.

    Everything happens inside one transaction, which `close` takes back: an example is a savepoint
    in it, and a commit of the services one in that.
    """

    def __init__(self, engine: Engine, settings: Any, redis: Any) -> None:
        self.connection = engine.connect()
        self._outer = self.connection.begin()
        sessions = sessionmaker(
            bind=self.connection, join_transaction_mode="create_savepoint", expire_on_commit=False
        )
        self.world: World = make_world(sessions, settings, redis)
        self.agents = [self.world.agent(name, cpu="same") for name in ("one", "two", "three")]

    def close(self) -> None:
        """Take everything back."""
        self._outer.rollback()
        self.connection.close()


class Simulation:
    """One example: what travels between the agents and the platform."""

    def __init__(self, stage: Stage) -> None:
        self._connection = stage.connection
        self._example = stage.connection.begin_nested()
        clock, jobs = SetClock(BEGIN), NotedJobs()
        self.world = replace(stage.world, clock=clock, jobs=jobs, tokens=dict(stage.world.tokens))
        self.agents = list(stage.agents)
        self.revoked: set[UUID] = set()
        self.parts: list[Part] = []
        self.campaigns: list[UUID] = []
        self.ended: dict[UUID, str] = {}
        """Run → the end it was seen in, once that is for good."""

    def close(self) -> None:
        """Take everything back to where the example began."""
        self._example.rollback()

    def call(self, action: Callable[[Services], T]) -> T | None:
        """A call of the API: one transaction; a refusal is an answer, any other error is none."""
        try:
            with self.world.transaction() as services:
                return action(services)
        except Problem:
            return None

    # What agents send

    def claim(self, agent_id: UUID, claim_id: UUID) -> AttemptOrder | None:
        """Ask for work; the order is kept once, however often it is given."""
        token = self.world.tokens[agent_id]

        def ask(services: Services) -> AttemptOrder | None:
            agent = services.get(FleetService).authenticate(token)
            return services.get(AttemptService).claim(agent, claim_id, token)

        order = self.call(ask)
        if order is not None:
            known = [part for part in self.parts if part.key == (order.attempt_id, order.member)]
            for part in known:
                assert part.order.attempt_token == order.attempt_token, "a repeated claim differs"
            if not known:
                self.parts.append(Part(agent_id, order))
        return order

    def _as_member(self, part: Part, action: Callable[[Services, int], T]) -> T | None:
        def ask(services: Services) -> T:
            own = services.get(AttemptService).authenticate(
                part.order.attempt_id, part.order.attempt_token
            )
            assert own.index == part.order.member
            return action(services, own.index)

        return self.call(ask)

    def start(self, part: Part) -> bool:
        """Tell that the work begins."""

        def ask(services: Services, member: int) -> bool:
            services.get(AttemptService).start(part.order.attempt_id, part.order.fence, member)
            return True

        return bool(self._as_member(part, ask))

    def beat(self, part: Part) -> str | None:
        """A sign of life."""
        beat = Heartbeat(fence=part.order.fence, phase="measure", next_sequence=len(part.events))
        answer = self._as_member(
            part,
            lambda services, member: services.get(AttemptService).heartbeat(
                part.order.attempt_id, beat, member
            ),
        )
        return answer.cancel if answer else None

    def send(self, part: Part, begin: int, end: int, order: Callable[[list[Any]], None]) -> None:
        """Send some of the spooled events, in any order."""
        events = part.events[begin:end]
        order(events)
        if not events:
            return
        before = self.stored(part)
        answer = self._as_member(
            part,
            lambda services, member: services.get(EventService).store(
                part.order.attempt_id, events, member
            ),
        )
        after = self.stored(part)
        assert after <= len(part.events)
        if answer is None:
            assert after == before, "refused, and taken all the same"
        else:
            assert answer == after
            if begin <= before:
                assert after == max(before, min(end, len(part.events)))
            else:
                assert after == before, "a gap was passed over"

    def complete(self, part: Part) -> None:
        """Tell the outcome."""
        answer = self._as_member(
            part,
            lambda services, member: services.get(AttemptService).complete(
                part.order.attempt_id, part.completion, member
            ),
        )
        if answer is not None:
            part.over = True
            if answer.result == "accepted":
                assert self.stored(part) == len(part.events)

    # What happens on the platform

    def begin(self, *, gang: bool, repetitions: int) -> None:
        """Start a campaign."""
        placement = {"drivers": {"machines": 2}, "apart": "required"} if gang else {}
        with contextlib.suppress(Problem):  # refused, when there are too few agents left for it
            self.campaigns.append(self.world.start(repetitions=repetitions, placement=placement))

    def settle(self) -> None:
        """Do what jobs would: write the figures of runs that have a result."""
        for run in self.runs():
            if run.status == "settling":
                with self.world.transaction() as services:
                    services.get(SettlementService).settle_run(run.id)

    def revoke(self, agent_id: UUID) -> None:
        """An agent is not wanted any more."""
        world = self.world
        roles = {world.project_id: Role.MAINTAINER}
        with world.transaction() as services:
            services.get(FleetService).revoke(
                Caller("user", world.project_id, "Olga", roles), agent_id
            )
        self.revoked.add(agent_id)

    # Looking

    def rows(self, *columns: Any, where: Any = None) -> list[Any]:
        """Columns of the project's rows, read anew."""
        model = columns[0].class_
        query = select(*columns).where(model.project_id == self.world.project_id)
        if where is not None:
            query = query.where(where)
        return list(self._connection.execute(query))

    def runs(self) -> list[Any]:
        """Of all runs: id, campaign_id, status, result_attempt_id."""
        return self.rows(Run.id, Run.campaign_id, Run.status, Run.result_attempt_id)

    def stored(self, part: Part) -> int:
        """How many of a part's events the platform has."""
        attempt_id, index = part.key
        own = (AttemptMember.attempt_id == attempt_id) & (AttemptMember.index == index)
        ((count,),) = self.rows(AttemptMember.events_stored, where=own)
        return int(count)

    # What always holds

    def check(self) -> None:
        """Every promise that can be seen from outside."""
        attempts = self.rows(Attempt.id, Attempt.run_id, Attempt.status, Attempt.set_aside)
        members = self.rows(
            AttemptMember.attempt_id, AttemptMember.index, AttemptMember.agent_id,
            AttemptMember.slot, AttemptMember.status, AttemptMember.events_stored,
        )  # fmt: skip
        live = [(one.agent_id, one.slot) for one in members if one.status in LIVE_MEMBERS]
        assert len(live) == len(set(live)), "an agent's slot works for two attempts"
        runs = self.runs()
        for run in runs:
            self._check_run(run, [one for one in attempts if one.run_id == run.id])
        self._check_intervals({(one.attempt_id, one.index): one.events_stored for one in members})
        for campaign in self.rows(Campaign.id, Campaign.status):
            mine = {run.status for run in runs if run.campaign_id == campaign.id}
            if campaign.status in FINAL:
                assert mine <= FINAL, f"campaign is {campaign.status}, runs are {mine}"

    def _check_run(self, run: Any, attempts: list[Any]) -> None:
        completed = [one for one in attempts if one.status == "completed" and not one.set_aside]
        assert len(completed) <= 1, "a run has two results"
        if run.status in ("completed", "settling"):
            assert [one.id for one in completed] == [run.result_attempt_id]
        live = [one for one in attempts if one.status in LIVE_ATTEMPTS]
        assert len(live) <= 1, "two attempts at a run are under way"
        assert self.ended.get(run.id, run.status) == run.status, "an end was undone"
        if run.status in ("completed", "cancelled"):
            self.ended[run.id] = run.status
            assert not live or run.status == "cancelled"

    def _check_intervals(self, taken: Mapping[tuple[UUID, int], int]) -> None:
        found: dict[tuple[UUID, int], list[int]] = {}
        for row in self.rows(
            StoredInterval.attempt_id,
            StoredInterval.member,
            StoredInterval.sequence,
            where=StoredInterval.span == 1,
        ):
            found.setdefault((row.attempt_id, row.member), []).append(row.sequence)
        for part in self.parts:
            events = part.events[: taken[part.key]]
            expected = [event.sequence for event in events if event.kind == "interval"]
            stored = sorted(found.pop(part.key, []))
            assert stored == expected, "an interval is lost or doubled"
        assert not found, "intervals of nobody"

    # The end

    def drain(self) -> None:
        """Let everybody work properly until nothing is open; then nothing may be."""
        world = self.world
        while len([one for one in self.agents if one not in self.revoked]) < AGENTS:
            self.agents.append(world.agent(f"spare-{uuid4().hex[:6]}", cpu="same"))
        for campaign_id in self.campaigns:
            self.call(
                lambda services, one=campaign_id: services.get(CampaignService).resume(
                    world.caller, one
                )
            )
        for _ in range(MOST_ROUNDS):
            self.settle()
            if {run.status for run in self.runs()} <= FINAL:
                break
            if not self._work():
                self._wait()
        self.check()
        statuses = {run.status for run in self.runs()}
        assert statuses <= FINAL, f"stuck: {statuses}"

    def _work(self) -> bool:
        """Everybody does what there is to do; whether there was anything."""
        self.world.allocate()
        taken = [self.claim(agent_id, uuid4()) for agent_id in self.agents]
        doing = [one for one in self.parts if not one.over]
        for part in doing:
            self.start(part)
            if not part.outcome:
                part.finish("completed")
            self.send(part, 0, len(part.events), lambda _events: None)
            self.complete(part)
        return any(taken) and any(part.over for part in doing)

    def _wait(self) -> None:
        """Let leases run out of what nobody works on; then everybody shows a sign of life."""
        self.world.clock.forward(700)
        self.world.watch()
        for agent_id in self.agents:
            self.claim(agent_id, uuid4())
