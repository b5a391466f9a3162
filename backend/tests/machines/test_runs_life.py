"""The life of runs and campaigns: cancelled, paused, tried again, their agents revoked or lost.

See `test_agent_protocol.py` for how to look longer.
"""

from uuid import uuid4

import hypothesis.strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Engine
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings

from .simulated import Simulation, Stage
from .test_agent_protocol import AGENTS, POSITIONS, SEARCH


def machine(stage: Stage) -> type[RuleBasedStateMachine]:
    """The machine over a stage."""

    class Life(RuleBasedStateMachine):
        """People, agents and time."""

        def __init__(self) -> None:
            super().__init__()
            self.simulation = Simulation(stage)

        @initialize()
        def a_campaign_is_there(self) -> None:
            self.simulation.begin(gang=False, repetitions=1)

        @precondition(lambda self: len(self.simulation.campaigns) < 2)
        @rule(gang=st.booleans())
        def another_is_started(self, *, gang: bool) -> None:
            self.simulation.begin(gang=gang, repetitions=1)

        @rule()
        def agents_take_work(self) -> None:
            self.simulation.world.allocate()
            for agent_id in self.simulation.agents:
                self.simulation.claim(agent_id, uuid4())

        @precondition(lambda self: self.simulation.parts)
        @rule(number=POSITIONS)
        def a_part_begins(self, *, number: int) -> None:
            parts = self.simulation.parts
            self.simulation.start(parts[number % len(parts)])

        @precondition(lambda self: any(not part.over for part in self.simulation.parts))
        @rule(
            number=POSITIONS,
            outcome=st.sampled_from(["completed", "completed", "failed", "broken"]),
        )
        def a_part_ends(self, *, number: int, outcome: str) -> None:
            parts = [part for part in self.simulation.parts if not part.over]
            part = parts[number % len(parts)]
            if self.simulation.beat(part) in ("graceful", "kill"):
                outcome = "cancelled"
            if not part.outcome:
                part.finish(outcome)
            self.simulation.send(part, 0, len(part.events), lambda _events: None)
            self.simulation.complete(part)

        @rule(verb=st.sampled_from(["cancel", "pause", "resume", "retry_failed"]), number=POSITIONS)
        def somebody_decides(self, *, verb: str, number: int) -> None:
            campaigns = self.simulation.campaigns
            chosen = campaigns[number % len(campaigns)]
            caller = self.simulation.world.caller
            self.simulation.call(
                lambda services: getattr(services.get(CampaignService), verb)(caller, chosen)
            )

        @precondition(lambda self: not self.simulation.revoked)
        @rule(agent=AGENTS)
        def an_agent_is_revoked(self, *, agent: int) -> None:
            self.simulation.revoke(self.simulation.agents[agent])

        @rule(seconds=st.sampled_from([5, 100, 700]))
        def time_passes(self, *, seconds: int) -> None:
            self.simulation.world.clock.forward(seconds)
            self.simulation.world.watch()

        @rule()
        def figures_are_written(self) -> None:
            self.simulation.settle()

        @invariant()
        def the_promises_hold(self) -> None:
            self.simulation.check()

        def teardown(self) -> None:
            try:
                self.simulation.drain()
            finally:
                self.simulation.close()

    return Life


def test_every_run_comes_to_one_end(engine: Engine, settings: Settings) -> None:
    stage = Stage(engine, settings, make_redis(settings.redis_url))
    try:
        run_state_machine_as_test(machine(stage), settings=SEARCH)
    finally:
        stage.close()
