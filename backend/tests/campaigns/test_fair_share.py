"""Whose turn it is: between projects by what they used, within one by priority."""

import datetime
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy.orm import Session
from weighhouse_backend.execution.fair_share import LATELY, Shares
from weighhouse_backend.execution.machine_time import shares_lately
from weighhouse_backend.kit.ids import new_id
from weighhouse_testing.world import BEGIN, World

OURS, THEIRS = uuid4(), uuid4()


@dataclass(frozen=True)
class Campaign:
    id: UUID
    project_id: UUID
    priority: int = 0
    created_at: datetime.datetime = BEGIN


def campaign(project_id: UUID, priority: int = 0, minutes: int = 0) -> Campaign:
    at = BEGIN + datetime.timedelta(minutes=minutes)
    return Campaign(new_id(), project_id, priority, at)


def test_the_project_that_used_least_comes_first_whatever_the_others_priority() -> None:
    shares = Shares.of({OURS: 100.0, THEIRS: 50.0})
    urgent, humble = campaign(OURS, priority=100), campaign(THEIRS)
    assert shares.in_turn([urgent, humble]) == [humble, urgent]


def test_within_a_project_priority_then_age_decide() -> None:
    old, new, urgent = campaign(OURS), campaign(OURS, minutes=5), campaign(OURS, 1, minutes=9)
    assert Shares().in_turn([new, old, urgent]) == [urgent, old, new]


def test_projects_take_turns_within_one_round() -> None:
    shares = Shares.of({})
    waiting = [campaign(OURS, minutes=n) for n in range(3)]
    waiting += [campaign(THEIRS, minutes=n) for n in range(3)]
    given: list[UUID] = []
    while waiting:
        first = shares.in_turn(waiting)[0]
        waiting.remove(first)
        shares.charge(first.project_id, machines=2, seconds=10)
        given.append(first.project_id)
    assert given[0] != given[1]
    assert given[::2] == [given[0]] * 3


def test_what_a_project_used_is_counted_by_machine_and_forgotten(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    world.clock.forward(600)

    def used() -> float:
        with world.transaction() as services:
            found = shares_lately(services.get(Session), world.clock.now())
            return found.seconds.get(world.project_id, 0.0)

    assert used() == 600, "one machine, still at work"
    world.end(order)
    world.clock.forward(LATELY.total_seconds() - 300)
    assert used() == 300, "half of it was lately"
    world.clock.forward(400)
    assert used() == 0
