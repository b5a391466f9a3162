"""Agents that fall silent, come back, or come back too late."""

import pytest
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.leases import LeaseService
from weighhouse_backend.fleet.errors import AgentRefused
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.runs.errors import AttemptNotYours
from weighhouse_protocol.report import ClockOffset, Heartbeat
from weighhouse_testing.world import World

LOST = 601


def hours(world: World, agent) -> None:
    """Time passes in which an agent says nothing, and another keeps calling."""
    world.clock.forward(LOST)
    if agent is not None:
        call(world, agent)


def call(world: World, agent) -> None:
    with world.transaction() as services:
        services.get(FleetService).authenticate(world.tokens[agent])


def test_a_silent_agent_is_unreachable_first_and_keeps_its_run(world: World) -> None:
    agent = world.agent()
    world.start()
    order = world.take(agent)

    world.clock.forward(120)
    world.watch()

    assert world.run(order.run_id).status == "running"
    with world.transaction() as services:
        row = services.get(FleetService).agent(agent)
        assert services.get(FleetService).status(row, busy=True) == "unreachable"
    assert world.beat(order) == "none"
    with world.transaction() as services:
        assert (
            services.get(FleetService).status(services.get(FleetService).agent(agent), busy=True)
            == "busy"
        )


def test_a_lost_attempt_is_queued_again_and_another_agent_takes_it(world: World) -> None:
    first, second = world.agent("first"), world.agent("second")
    campaign_id = world.start(repetitions=1)
    with world.transaction() as services:
        services.get(FleetService).agent(second).draining = True
    order = world.take(first)
    with world.transaction() as services:
        services.get(FleetService).agent(second).draining = False
    hours(world, second)

    world.watch()

    run = world.run(order.run_id)
    assert (run.status, run.infrastructure_failures, run.phase) == ("queued", 1, None)
    lost = world.attempt(order.attempt_id)
    assert lost.status == "lost"
    assert "601 s" in lost.failure["message"]
    orders = world.finish_everything(second)
    assert [one.fence for one in orders if one.run_id == order.run_id] == [2]
    assert {one.status for one in world.runs(campaign_id)} == {"completed"}


def test_a_run_that_loses_three_agents_has_failed(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    for _ in range(3):
        order = world.take(agent)
        hours(world, None)
        world.watch()
        call(world, agent)

    run = world.run(order.run_id)
    assert run.status == "failed"
    assert run.failure["kind"] == "infrastructure"
    assert run.failure["hint"]


def test_an_agent_that_comes_back_while_its_run_waits_goes_on(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    hours(world, None)
    world.watch()
    assert world.run(order.run_id).status == "queued"

    assert world.beat(order) == "none"

    assert world.run(order.run_id).status == "running"
    back = world.attempt(order.attempt_id)
    assert (back.status, back.failure, back.finished_at) == ("running", None, None)
    assert world.run(order.run_id).infrastructure_failures == 0
    assert world.end(order) == "accepted"
    assert world.run(order.run_id).status == "settling"
    assert len(world.attempts(order.run_id)) == 1


def test_an_agent_that_comes_back_takes_its_run_back_from_an_offer(world: World) -> None:
    first, second = world.agent("first"), world.agent("second")
    world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    order = world.take(first)
    other = second if world.members(order.attempt_id)[0].agent_id == first else first
    hours(world, other)
    world.watch()
    offer = world.allocate()[0]
    assert offer.run_id == order.run_id

    assert world.beat(order) == "none"

    assert world.attempt(offer.id).status == "superseded"
    assert world.claim(other) is None
    assert world.run(order.run_id).status == "running"


def test_a_sign_of_life_changes_nothing_of_what_has_ended(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    world.beat(order)
    world.end(order)
    (before,) = world.members(order.attempt_id)
    world.clock.forward(5)
    beat = Heartbeat(
        fence=order.fence, phase="load", progress=0.25, clock=ClockOffset(offset_us=7, error_us=1)
    )
    with world.transaction() as services:
        answer = services.get(AttemptService).heartbeat(order.attempt_id, beat)
    assert answer.cancel == "kill"
    (after,) = world.members(order.attempt_id)
    for name in ("heartbeat_at", "progress", "phase", "clock_offset_us", "clock_error_us"):
        assert getattr(after, name) == getattr(before, name), name


def test_a_late_result_counts_while_no_other_has_come(world: World) -> None:
    first, second = world.agent("first"), world.agent("second")
    world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    order = world.take(first)
    hours(world, second)
    world.watch()
    again = world.take(second)
    assert again.run_id == order.run_id
    assert world.beat(order) == "none", "its result may still count"

    assert world.end(order) == "accepted"

    run = world.run(order.run_id)
    assert (run.status, run.result_attempt_id) == ("settling", order.attempt_id)
    assert world.beat(again) == "kill"
    assert world.end(again) == "superseded"
    assert world.attempt(again.attempt_id).status == "superseded"
    assert len(world.jobs.named("results.settle_run")) == 1


def test_a_late_result_is_kept_apart_when_another_has_come(world: World) -> None:
    first, second = world.agent("first"), world.agent("second")
    world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    order = world.take(first)
    hours(world, second)
    world.watch()
    again = world.take(second)
    assert world.end(again) == "accepted"

    assert world.end(order) == "superseded"
    assert world.end(order) == "superseded", "as often as it asks"

    run = world.run(order.run_id)
    assert run.result_attempt_id == again.attempt_id
    assert world.attempt(order.attempt_id).status == "superseded"
    assert world.settle(run.id)
    with pytest.raises(AttemptNotYours), world.transaction() as services:
        services.get(AttemptService).start(order.attempt_id, order.fence)


def test_a_late_failure_of_the_infrastructure_costs_nothing_twice(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    hours(world, None)
    world.watch()

    world.end(order, "failed")

    run = world.run(order.run_id)
    assert (run.status, run.infrastructure_failures) == ("queued", 1)


def test_an_offer_nobody_takes_goes_back_and_costs_nothing(world: World) -> None:
    world.agent()
    campaign_id = world.start()
    offer = world.allocate()[0]

    world.clock.forward(91)
    world.watch()

    run = world.run(offer.run_id)
    assert (run.status, run.infrastructure_failures) == ("queued", 0)
    assert world.attempt(offer.id).status == "lost"
    assert world.campaign(campaign_id).status == "queued"


def test_a_claim_that_is_never_begun_is_given_up(world: World) -> None:
    agent = world.agent()
    world.start()
    world.allocate()
    order = world.claim(agent)
    assert order is not None

    world.clock.forward(91)
    world.watch()

    assert world.run(order.run_id).status == "queued"
    assert "did not begin" in world.attempt(order.attempt_id).failure["message"]


def test_a_run_past_its_limit_is_stopped_and_then_given_up(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    until = order.limit_seconds + 61
    while until > 0:
        world.clock.forward(min(until, 60))
        until -= 60
        assert world.beat(order) == "none"

    world.watch()
    assert world.beat(order) == "kill"
    assert world.run(order.run_id).status == "running", "it has time to stop"
    world.clock.forward(121)
    world.beat(order)
    world.watch()

    run = world.run(order.run_id)
    assert (run.status, run.failure["kind"]) == ("failed", "timeout")
    assert world.beat(order) == "kill"
    assert world.end(order, "failed") == "already_accepted"


def test_a_cancelled_campaign_ends_although_its_agent_is_gone(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start()
    order = world.take(agent)
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)
    hours(world, None)

    world.watch()

    assert world.run(order.run_id).status == "cancelled"
    assert world.campaign(campaign_id).status == "cancelled"
    assert world.end(order) == "superseded"


def test_the_sweep_sends_again_what_is_stuck(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    order = world.take(agent)
    world.end(order)

    def sweep() -> list[str]:
        world.jobs.sent.clear()
        with world.transaction() as services:
            services.get(LeaseService).sweep()
        mine = {str(campaign_id), str(order.run_id)}
        return [name for name, arguments in world.jobs.sent if mine & set(arguments.values())]

    assert sweep() == [], "not what has only just begun"
    world.clock.forward(20)
    assert sweep() == ["results.settle_run"]
    world.settle(order.run_id)
    assert sweep() == []
    world.clock.forward(20)
    assert sweep() == ["gates.settle_campaign"]


def test_a_revoked_agents_run_goes_to_another_at_once(world: World) -> None:
    first = world.agent("first")
    world.start(repetitions=1, targets=[{"name": "redis", "system": "redis"}])
    taken = world.take(first)
    with world.transaction() as services:
        services.get(FleetService).agent(first).revoked_at = world.clock.now()
    second = world.agent("second")

    world.watch()
    order = world.take(second)

    assert (order.run_id, order.fence) == (taken.run_id, 2)
    assert "revoked" in world.attempt(taken.attempt_id).failure["message"]
    with pytest.raises(AgentRefused):
        world.end(taken)
