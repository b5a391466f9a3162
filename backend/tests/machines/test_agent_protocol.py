"""The agent's protocol under a network that loses, repeats, reorders and delays.

`MACHINE_EXAMPLES=10000 pytest backend/tests/machines` looks longer; a counterexample is printed as
the calls that lead to it.
"""

import os
from typing import Any
from uuid import UUID, uuid4

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Engine
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings

from .simulated import Part, Simulation, Stage

LONG = "MACHINE_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "10"))
STEPS = 30
SEARCH = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    derandomize=not LONG,
    database=None,
    # A counterexample is told as it was found where time is short; a longer search makes it small.
    phases=[Phase.generate, *([Phase.shrink] if LONG else [])],
    suppress_health_check=list(HealthCheck),
)
AGENTS = st.integers(min_value=0, max_value=2)
POSITIONS = st.integers(min_value=0, max_value=6)


def machine(stage: Stage) -> type[RuleBasedStateMachine]:
    """The machine over a stage."""

    class Network(RuleBasedStateMachine):
        """Three agents and one platform."""

        def __init__(self) -> None:
            super().__init__()
            self.simulation = Simulation(stage)
            self.claims: dict[int, UUID] = {}

        @initialize(gang=st.booleans(), repetitions=st.integers(min_value=1, max_value=2))
        def a_campaign_is_started(self, *, gang: bool, repetitions: int) -> None:
            self.simulation.begin(gang=gang, repetitions=repetitions)

        def part(self, number: int) -> Part:
            parts = self.simulation.parts
            return parts[number % len(parts)]

        @rule()
        def work_is_given_out(self) -> None:
            self.simulation.world.allocate()

        @rule(agent=AGENTS, repeated=st.booleans())
        def an_agent_claims(self, *, agent: int, repeated: bool) -> None:
            if not repeated or agent not in self.claims:
                self.claims[agent] = uuid4()
            self.simulation.claim(self.simulation.agents[agent], self.claims[agent])

        @precondition(lambda self: self.simulation.parts)
        @rule(number=POSITIONS)
        def a_start_arrives(self, *, number: int) -> None:
            self.simulation.start(self.part(number))

        @precondition(lambda self: self.simulation.parts)
        @rule(number=POSITIONS, count=st.integers(min_value=1, max_value=3))
        def an_agent_measures(self, *, number: int, count: int) -> None:
            part = self.part(number)
            for _ in range(0 if part.outcome else count):
                part.measure()

        @precondition(lambda self: self.simulation.parts)
        @rule(
            number=POSITIONS,
            begin=POSITIONS,
            length=st.integers(min_value=1, max_value=6),
            shuffle=st.randoms(use_true_random=False),
        )
        def events_arrive(self, *, number: int, begin: int, length: int, shuffle: Any) -> None:
            self.simulation.send(self.part(number), begin, begin + length, shuffle.shuffle)

        @precondition(lambda self: self.simulation.parts)
        @rule(number=POSITIONS)
        def a_heartbeat_arrives(self, *, number: int) -> None:
            self.simulation.beat(self.part(number))

        @precondition(lambda self: self.simulation.parts)
        @rule(
            number=POSITIONS,
            outcome=st.sampled_from(["completed", "completed", "failed", "broken", "cancelled"]),
        )
        def an_agent_ends(self, *, number: int, outcome: str) -> None:
            part = self.part(number)
            if not part.outcome:
                part.finish(outcome)

        @precondition(lambda self: any(part.outcome for part in self.simulation.parts))
        @rule(number=POSITIONS)
        def a_completion_arrives(self, *, number: int) -> None:
            done = [part for part in self.simulation.parts if part.outcome]
            self.simulation.complete(done[number % len(done)])

        @rule()
        def figures_are_written(self) -> None:
            self.simulation.settle()

        @rule(seconds=st.sampled_from([5, 100, 700]))
        def time_passes(self, *, seconds: int) -> None:
            self.simulation.world.clock.forward(seconds)
            self.simulation.world.watch()

        @invariant()
        def the_promises_hold(self) -> None:
            self.simulation.check()

        def teardown(self) -> None:
            try:
                self.simulation.drain()
            finally:
                self.simulation.close()

    return Network


def test_whatever_the_network_does_each_event_is_taken_once(
    engine: Engine, settings: Settings
) -> None:
    stage = Stage(engine, settings, make_redis(settings.redis_url))
    try:
        run_state_machine_as_test(machine(stage), settings=SEARCH)
    finally:
        stage.close()
