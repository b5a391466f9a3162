"""Blocks stay on their machines; what is lost, late, unreadable or ended is dealt with."""

import pytest
from sqlalchemy.orm import Session
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.experiments.models import ExperimentRevision as Revision
from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.runs.errors import AttemptNotYours
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_testing.world import World


def test_a_block_stays_on_its_machine_while_others_go_elsewhere(world: World) -> None:
    first = world.agent("first")
    world.start(repetitions=2)
    order = world.take(first)
    second = world.agent("second")
    assert world.given() == [second], "the next block, not the other side of the first"
    world.end(order)
    assert world.settle(order.run_id)
    assert world.given() == [first]
    blocks = {
        world.run(attempt.run_id).block: member.agent_id
        for run in world.runs(world.run(order.run_id).campaign_id)
        for attempt in world.attempts(run.id)
        for member in world.members(attempt.id)
    }
    assert blocks == {0: first, 1: second}


@pytest.mark.parametrize(("cpu", "again"), [("cpu", False), ("another", True)])
def test_a_block_whose_machine_is_lost_goes_on_with_one_alike_or_begins_again(
    world: World, cpu: str, again: bool
) -> None:
    lost = world.agent("lost")
    campaign_id = world.start(repetitions=1)
    order = world.take(lost)
    world.end(order)
    assert world.settle(order.run_id)
    world.clock.forward(world.settings.lost_after_seconds)
    successor = world.agent("successor", cpu=cpu)
    assert world.given() == [successor]
    attempt, run = world.attempt(order.attempt_id), world.run(order.run_id)
    assert attempt.status == "completed", "what was measured is kept"
    if again:
        assert "lost was lost before its block was complete" in (attempt.set_aside or "")
        assert (run.status, run.result_attempt_id) in {("queued", None), ("allocated", None)}
        world.finish_everything(successor)
        assert world.run(order.run_id).result_attempt_id != order.attempt_id
    else:
        assert attempt.set_aside is None
        assert (run.status, run.result_attempt_id) == ("completed", order.attempt_id)
        world.finish_everything(successor)
    assert world.campaign(campaign_id).status == "settling"


def test_what_cannot_be_read_is_set_aside_and_everybody_else_goes_on(world: World) -> None:
    agent = world.agent()
    poisoned = world.start(repetitions=1)
    healthy = world.start(repetitions=1)
    with world.transaction() as services:
        campaign = services.get(CampaignRepository).campaign(poisoned)
        assert campaign is not None
        revision = services.get(Session).get_one(Revision, campaign.revision_id)
        revision.document = revision.document | {"targets": "none of your business"}
    (attempt,) = world.allocate()
    assert world.run(attempt.run_id).campaign_id == healthy
    reason = world.campaign(poisoned).set_aside or ""
    assert "targets" in reason
    del agent


def test_the_late_result_of_an_attempt_counts_after_the_third_loss(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    orders = []
    for _ in range(3):
        orders.append(world.take(agent))
        world.clock.forward(world.settings.lost_after_seconds + 1)
        world.watch()
        with world.transaction() as services:
            services.get(FleetService).authenticate(world.tokens[agent])
    run = world.run(orders[0].run_id)
    assert (run.status, world.campaign(campaign_id).status) == ("failed", "settling")
    assert world.beat(orders[1]) == "none", "it may bring its result"
    assert world.end(orders[1]) == "accepted"
    run = world.run(orders[0].run_id)
    assert (run.status, run.result_attempt_id) == ("settling", orders[1].attempt_id)
    assert world.campaign(campaign_id).status == "running"
    assert world.settle(run.id)
    assert world.campaign(campaign_id).status == "settling"
    assert world.end(orders[2]) == "superseded"


def test_what_has_ended_takes_nothing_more_and_a_revoked_agent_gets_in_nowhere(
    world: World,
) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    world.end(order)
    with world.transaction() as services:
        member = services.get(IntakeService).open_batch(order.attempt_id)
        with pytest.raises(AttemptNotYours, match="is completed: it takes nothing more"):
            services.get(IntakeService).require_open(member)
    with world.transaction() as services:
        assert (
            services.get(AttemptService).authenticate(order.attempt_id, order.attempt_token).index
            == 0
        )
        services.get(FleetService).agent(agent).revoked_at = world.clock.now()
    with world.transaction() as services, pytest.raises(AgentRefused):
        services.get(AttemptService).authenticate(order.attempt_id, order.attempt_token)
