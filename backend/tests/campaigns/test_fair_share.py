"""Whose turn it is: between projects by what they used, within one by priority."""

import datetime
from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.execution.fair_share import LATELY, Shares
from weighhouse_backend.execution.machine_time import shares_lately
from weighhouse_backend.kit.ids import new_id
from weighhouse_backend.runs.repository import CampaignRepository
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


def ahead_of(world: World, campaign_id: UUID) -> tuple[int, int] | None:
    with world.transaction() as services:
        campaign = services.get(CampaignRepository).campaign(campaign_id)
        assert campaign is not None
        ahead = services.get(CampaignViews).campaign(campaign).ahead
        return None if ahead is None else (ahead.campaigns, ahead.runs)


def test_who_waits_is_told_what_stands_before_it_in_the_order_machines_are_given(
    world: World,
) -> None:
    agent = world.agent()
    sizes = {"old": (0, 2), "young": (0, 1), "humble": (-1, 1), "urgent": (5, 3)}
    ids = {}
    for name, (priority, repetitions) in sizes.items():
        made = world.experiment(slug=name, repetitions=repetitions)
        ids[world.campaign_of(made, priority=priority)] = name
        world.clock.forward(1)
    named = {name: campaign_id for campaign_id, name in ids.items()}
    runs = {name: len(world.runs(campaign_id)) for name, campaign_id in named.items()}
    with world.transaction() as services:
        waiting = services.get(CampaignRepository).waiting_campaigns()
        turns = Shares().in_turn(waiting)
        order = [ids[one.id] for one in turns if one.id in ids]
    assert order == ["urgent", "old", "young", "humble"]
    for place, name in enumerate(order):
        before = sum(runs[one] for one in order[:place])
        assert ahead_of(world, named[name]) == (place, before), name
    # What has a machine is still before the others, and waits no more itself.
    taken = world.take(agent)
    assert ahead_of(world, named["urgent"]) is None
    assert ahead_of(world, named["old"]) == (1, runs["urgent"])
    world.end(taken)
    assert ahead_of(world, named["old"]) == (1, runs["urgent"] - 1)
    # One that cannot go on is in nobody's way, and has no place itself.
    with world.transaction() as services:
        services.get(CampaignService).pause(world.caller, named["old"])
    assert ahead_of(world, named["old"]) is None
    assert ahead_of(world, named["young"]) == (1, runs["urgent"] - 1)
