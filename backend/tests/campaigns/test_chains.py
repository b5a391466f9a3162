"""Runs of a chain: one attempt measures them all, and they end together or each with its part."""

import datetime
from uuid import UUID

import pytest
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.execution.chain_runs import ChainService
from weighhouse_backend.runs.models import Run
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_protocol.order import AttemptOrder
from weighhouse_protocol.report import Failure
from weighhouse_testing.world import World

WRITES = {"name": "writes", "record_count": 100, "operations": {"update": 1.0}}
READS = {"name": "reads", "record_count": 100, "operations": {"read": 1.0}}
SCANS = {"name": "others", "record_count": 100, "operations": {"read": 0.5, "update": 0.5}}
BROKE = Failure(kind="database", message="the server went away")
LOST = Failure(kind="infrastructure", message="no route")


def start(world: World, **changes: object) -> UUID:
    """One target under three workloads, in another order than they are listed."""
    chain = [
        {"measure": "writes"},
        {"measure": "reads", "warmup_seconds": 0},
        {"measure": "others"},
    ]
    base = {
        "targets": [{"name": "redis", "system": "redis"}],
        "workloads": [READS, WRITES, SCANS],
        "phases": {"warmup_seconds": 1, "measure_seconds": 2, "chain": chain},
        "repetitions": 1,
    }
    return world.start(**base | changes)


def statuses(world: World, campaign_id: UUID) -> list[str]:
    return [run.status for run in world.runs(campaign_id)]


def share_out(world: World, order: AttemptOrder, parts: int = 2) -> None:
    """What settling does first, with begins a second after each other."""
    with world.transaction() as services:
        leader = services.get(ChainService).awaits_parts(order.run_id)
        assert leader is not None
        begin = world.clock.now()
        begins = [begin + datetime.timedelta(seconds=place) for place in range(parts)]
        services.get(ChainService).give_parts(leader, begins)


def test_the_first_is_ordered_with_all_that_follow(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    order = world.take(agent)
    first, *others = world.runs(campaign_id)
    assert order.run_id == first.id
    assert order.workload.name == "writes"
    assert [phase.kind for phase in order.phases] == ["load", "warmup", "measure"]
    assert [
        (link.workload.name, [phase.kind for phase in link.phases]) for link in order.chain
    ] == [
        ("reads", ["measure"]),
        ("others", ["warmup", "measure"]),
    ]
    assert {run.leader_id for run in others} == {first.id}
    assert statuses(world, campaign_id) == ["running", "queued", "queued"]
    assert world.allocate() == [], "nobody else is given what follows"
    assert world.claim(world.agent("second")) is None


def test_without_a_chain_an_order_is_what_it_was(world: World) -> None:
    agent = world.agent()
    world.start()
    assert world.take(agent).chain == ()


def test_each_run_gets_its_part_and_is_settled_by_itself(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    order = world.take(agent)
    world.end(order)
    assert statuses(world, campaign_id) == ["settling", "queued", "queued"]
    assert world.allocate() == [], "what follows waits for its part, not for an agent"
    with world.transaction() as services:
        assert campaign_id not in {
            one.id for one in services.get(CampaignRepository).waiting_campaigns()
        }
    share_out(world, order)
    first, second, third = world.runs(campaign_id)
    assert statuses(world, campaign_id) == ["settling"] * 3
    assert len({run.result_attempt_id for run in (first, second, third)}) == 3
    assert first.finished_at == second.started_at
    assert second.finished_at == third.started_at
    assert {job["run_id"] for job in world.jobs.named("results.settle_run")} == {
        str(run.id) for run in (first, second, third)
    }
    for run in (second, third):
        [attempt] = world.attempts(run.id)
        [member] = world.members(attempt.id)
        assert (attempt.status, member.status) == ("completed", "completed")
        assert member.agent_id == agent
        assert member.claimed_at is None, "it had no machine of its own"
        assert world.settle(run.id)
    assert world.campaign(campaign_id).status == "running", "the first is not settled yet"
    assert world.settle(first.id)
    assert world.campaign(campaign_id).status == "settling"
    with world.transaction() as services:
        assert services.get(ChainService).awaits_parts(first.id) is None, "shared out once"


def test_the_next_run_given_is_the_first_of_the_next_chain(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world, repetitions=2)
    world.end(world.take(agent))
    assert world.take(agent).run_id == world.runs(campaign_id)[3].id


def test_what_breaks_the_first_ends_all(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    world.end(world.take(agent), "failed", BROKE)
    assert statuses(world, campaign_id) == ["failed"] * 3
    assert {run.failure["message"] for run in world.runs(campaign_id) if run.failure} == {
        BROKE.message
    }
    assert world.campaign(campaign_id).status == "settling"


def test_the_infrastructure_s_failure_tries_the_whole_chain_again(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    world.end(world.take(agent), "failed", LOST)
    assert statuses(world, campaign_id) == ["queued"] * 3
    again = world.take(agent)
    assert (again.fence, len(again.chain)) == (2, 2)
    world.end(again)
    share_out(world, again)
    assert statuses(world, campaign_id) == ["settling"] * 3


def test_a_cancelled_campaign_leaves_nothing_open(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    order = world.take(agent)
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)
    world.end(order, "cancelled")
    assert statuses(world, campaign_id) == ["cancelled"] * 3
    assert world.campaign(campaign_id).status == "cancelled"


def test_a_result_that_comes_while_it_is_cancelled_is_parted_all_the_same(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    order = world.take(agent)
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)
    world.end(order)
    share_out(world, order)
    runs = world.runs(campaign_id)
    assert [run.status for run in runs] == ["settling", "cancelled", "cancelled"]
    assert [len(world.attempts(run.id)) for run in runs] == [1, 1, 1]
    assert [run.result_attempt_id is None for run in runs] == [False, True, True]


def ended_short(world: World, campaign_id: UUID, agent: UUID) -> list[Run]:
    """An agent that knows nothing of chains measured the first alone."""
    order = world.take(agent)
    world.end(order)
    share_out(world, order, parts=0)
    assert world.settle(order.run_id)
    return world.runs(campaign_id)


def test_an_agent_of_before_fails_what_it_did_not_measure(world: World) -> None:
    runs = ended_short(world, start(world), world.agent())
    assert [run.status for run in runs] == ["completed", "failed", "failed"]
    assert runs[1].failure is not None
    assert "older than chains" in runs[1].failure["hint"]


def test_failed_runs_are_tried_again_with_their_whole_chain(world: World) -> None:
    agent = world.agent()
    campaign_id = start(world)
    runs = ended_short(world, campaign_id, agent)
    former = runs[0].result_attempt_id
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(campaign_id, None)
        services.get(CampaignService).retry_failed(world.caller, campaign_id)
    assert statuses(world, campaign_id) == ["queued"] * 3
    assert former is not None
    assert "measured again" in (world.attempt(former).set_aside or "")
    order = world.take(agent)
    world.end(order)
    share_out(world, order)
    assert statuses(world, campaign_id) == ["settling"] * 3


@pytest.mark.parametrize("cpu", ["another"])
def test_a_block_that_begins_again_takes_its_chains_along(world: World, cpu: str) -> None:
    lost = world.agent("lost")
    targets = [{"name": "redis", "system": "redis"}, {"name": "mc", "system": "memcached"}]
    campaign_id = start(world, targets=targets)
    order = world.take(lost)
    world.end(order)
    share_out(world, order)
    for run in world.runs(campaign_id)[:3]:
        assert world.settle(run.id)
    world.clock.forward(world.settings.lost_after_seconds)
    successor = world.agent("successor", cpu=cpu)
    assert world.given() == [successor]
    found = statuses(world, campaign_id)
    assert sorted(found) == ["allocated", *["queued"] * 5]
