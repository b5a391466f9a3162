"""A campaign from its plan to its verdict, and everything that may happen between."""

from uuid import uuid4

import pytest
from weighhouse_backend.campaigns.plan import plan
from weighhouse_backend.campaigns.service import CampaignService
from weighhouse_backend.campaigns.views import CampaignViews
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.experiments.service import ExperimentService
from weighhouse_backend.runs.errors import (
    AttemptNotYours,
    BaseCampaignUnusable,
    EventsMissing,
    NothingToRetry,
    TransitionRefused,
)
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_backend.runs.states import Verdict
from weighhouse_protocol.experiment import Experiment
from weighhouse_protocol.report import Completion, Failure
from weighhouse_testing.world import DOCUMENT, World

DATABASE_FAILED = Failure(
    kind="database", message="the server went away", hint="more memory", log_lines=("oom",)
)
LOST_NETWORK = Failure(kind="infrastructure", message="no route")


def statuses(world: World, campaign_id) -> list[str]:
    return [run.status for run in world.runs(campaign_id)]


def test_a_campaign_is_laid_out_as_planned(world: World) -> None:
    campaign = world.campaign(world.start())

    planned = plan(Experiment.model_validate(DOCUMENT | {"slug": "x"}), 7).runs
    runs = world.runs(campaign.id)

    assert (campaign.status, campaign.seed, campaign.number) == ("queued", 7, 1)
    assert [run.seed for run in runs] == [run.seed for run in planned]
    assert [run.repetition for run in runs] == [1, 1, 2, 2]
    assert world.jobs.named("campaigns.allocate")


def test_without_a_seed_one_is_drawn_and_kept(world: World) -> None:
    seeds = {world.campaign(world.start(seed=None)).seed for _ in range(3)}

    assert len(seeds) == 3
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_everything_goes_well(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start()

    orders = world.finish_everything(agent)

    assert [order.run_id for order in orders] == [run.id for run in world.runs(campaign_id)]
    assert statuses(world, campaign_id) == ["completed"] * 4
    assert world.campaign(campaign_id).status == "settling"
    assert world.jobs.named("gates.settle_campaign") == [{"campaign_id": str(campaign_id)}]
    assert len(world.jobs.named("results.settle_run")) == 4
    with world.transaction() as services:
        assert services.get(CampaignService).set_verdict(campaign_id, Verdict.NO_BASELINE)
    ended = world.campaign(campaign_id)
    assert (ended.status, ended.verdict) == ("completed", "no_baseline")
    assert ended.finished_at == world.clock.now()
    with world.transaction() as services:
        card = services.get(ExperimentService).summary(
            services.get(ExperimentService).get(ended.experiment_id)
        )
    assert card.last_campaign is not None
    assert card.last_campaign.model_dump() == {
        "id": campaign_id, "state": "completed", "status": "completed", "verdict": "no_baseline",
        "finished_at": ended.finished_at,
    }  # fmt: skip


def test_the_order_says_everything(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(seed=7)

    order = world.take(agent)

    run = world.runs(campaign_id)[0]
    assert (order.run_id, order.fence, order.seed) == (run.id, 1, run.seed)
    assert order.target.system in {"redis", "memcached"}
    assert [(phase.kind, phase.duration_seconds) for phase in order.phases] == [
        ("load", None), ("warmup", 1.0), ("measure", 2.0),
    ]  # fmt: skip
    assert order.phases[0].clients == 8
    assert order.limit_seconds > 300
    assert order.attempt_token.startswith("wht_")
    assert world.run(run.id).status == "running"
    assert world.campaign(campaign_id).status == "running"


def test_without_warm_up_there_is_no_such_phase(world: World) -> None:
    agent = world.agent()
    world.start(phases={"warmup_seconds": 0, "measure_seconds": 2})

    assert [phase.kind for phase in world.take(agent).phases] == ["load", "measure"]


def test_a_claim_that_is_repeated_gets_the_same_order(world: World) -> None:
    agent = world.agent()
    world.start()
    world.allocate()
    claim_id = uuid4()

    first = world.claim(agent, claim_id)
    again = world.claim(agent, claim_id)

    assert first is not None
    assert first == again
    with world.transaction() as services:
        services.get(AttemptService).authenticate(first.attempt_id, first.attempt_token)
    world.end(first)
    assert world.claim(agent, claim_id) is None, "what has ended is not begun again"


def test_an_agent_that_forgot_its_claim_gets_the_run_again(world: World) -> None:
    agent = world.agent()
    world.start()
    world.allocate()
    forgotten = world.claim(agent)
    assert forgotten is not None

    assert world.claim(agent) is None
    world.allocate()
    order = world.claim(agent)

    assert order is not None
    assert (order.run_id, order.fence) == (forgotten.run_id, 2)
    with pytest.raises(AttemptNotYours), world.transaction() as services:
        services.get(AttemptService).start(forgotten.attempt_id, 1)


def test_start_and_completion_may_be_repeated(world: World) -> None:
    agent = world.agent()
    world.start()
    order = world.take(agent)
    with world.transaction() as services:
        services.get(AttemptService).start(order.attempt_id, order.fence)

    assert world.end(order) == "accepted"
    assert world.end(order) == "already_accepted"
    assert len(world.jobs.named("results.settle_run")) == 1
    assert world.settle(order.run_id)
    assert not world.settle(order.run_id)


def test_another_fence_is_refused(world: World) -> None:
    order = world_order(world)

    with pytest.raises(AttemptNotYours, match="fence"), world.transaction() as services:
        services.get(AttemptService).complete(
            order.attempt_id, Completion(fence=9, outcome="completed", events_count=0)
        )


def world_order(world: World):
    agent = world.agent()
    world.start()
    return world.take(agent)


def test_a_completion_waits_for_its_events(world: World) -> None:
    order = world_order(world)
    completion = Completion(fence=1, outcome="completed", events_count=3)

    with pytest.raises(EventsMissing, match="0 of 3"), world.transaction() as services:
        services.get(AttemptService).complete(order.attempt_id, completion)
    with world.transaction() as services:
        attempt = services.get(IntakeService).open_batch(order.attempt_id, "measure")
        services.get(IntakeService).advance(attempt, 3)
    with world.transaction() as services:
        assert services.get(AttemptService).state(order.attempt_id).next_sequence == 3
        assert (
            services.get(AttemptService).complete(order.attempt_id, completion).result == "accepted"
        )


def test_a_failing_database_is_a_result_and_the_campaign_goes_on(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    order = world.take(agent)

    world.end(order, "failed", DATABASE_FAILED)

    run = world.run(order.run_id)
    assert run.status == "failed"
    assert run.failure == DATABASE_FAILED.model_dump(mode="json")
    assert run.attempts_count == 1, "it is not tried again"
    assert run.result_attempt_id == order.attempt_id
    world.finish_everything(agent)
    assert sorted(statuses(world, campaign_id)) == ["completed", "failed"]
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(campaign_id, Verdict.INCONCLUSIVE)
    assert world.campaign(campaign_id).status == "completed"


def test_infrastructure_is_tried_again_twice(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    fences = []
    for _ in range(3):
        order = world.take(agent)
        fences.append(order.fence)
        world.end(order, "failed", LOST_NETWORK)

    run = world.run(order.run_id)
    assert fences == [1, 2, 3]
    assert (run.status, run.failure["kind"]) == ("failed", "infrastructure")
    assert [one.status for one in world.attempts(run.id)] == ["failed"] * 3


def test_an_agent_that_stops_by_itself_costs_an_attempt_only(world: World) -> None:
    agent = world.agent()
    world.start()
    order = world.take(agent)

    world.end(order, "cancelled", Failure(kind="cancelled", message="the agent was stopped"))

    assert world.run(order.run_id).status == "queued"


def test_a_campaign_of_failures_has_failed(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    for _ in range(2):
        world.end(world.take(agent), "failed", DATABASE_FAILED)

    assert world.campaign(campaign_id).status == "settling"
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(campaign_id, Verdict.INFRASTRUCTURE)
    assert world.campaign(campaign_id).status == "failed"


def test_failed_runs_are_retried_on_demand(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    failed = world.take(agent)
    world.end(failed, "failed", DATABASE_FAILED)
    world.finish_everything(agent)
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(campaign_id, Verdict.REGRESSION)

    with world.transaction() as services:
        services.get(CampaignService).retry_failed(world.caller, campaign_id)

    again = world.campaign(campaign_id)
    assert (again.status, again.verdict, again.finished_at) == ("running", None, None)
    with world.transaction() as services:
        assert not services.get(CampaignService).set_verdict(campaign_id, Verdict.REGRESSION), (
            "too late"
        )
    orders = world.finish_everything(agent)
    assert [(order.run_id, order.fence) for order in orders] == [(failed.run_id, 2)]
    assert statuses(world, campaign_id) == ["completed"] * 2
    assert world.run(failed.run_id).failure is None
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(campaign_id, Verdict.PASSED)
    with pytest.raises(NothingToRetry), world.transaction() as services:
        services.get(CampaignService).retry_failed(world.caller, campaign_id)


def test_cancelling_ends_what_waits_and_stops_what_runs(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start()
    order = world.take(agent)

    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)

    assert sorted(statuses(world, campaign_id)) == ["cancelled"] * 3 + ["running"]
    assert world.campaign(campaign_id).status == "running", "one is still stopping"
    assert world.beat(order) == "graceful"
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)
    assert world.beat(order) == "kill"
    world.end(order, "cancelled", Failure(kind="cancelled", message="as asked"))
    assert statuses(world, campaign_id) == ["cancelled"] * 4
    ended = world.campaign(campaign_id)
    assert ended.status == "cancelled"
    assert ended.finished_at is not None
    with world.transaction() as services:
        assert services.get(CampaignService).cancel(world.caller, campaign_id).status == "cancelled"
        with pytest.raises(TransitionRefused):
            services.get(CampaignService).retry_failed(world.caller, campaign_id)
    assert world.allocate() == []


def test_nothing_is_tried_again_while_a_campaign_is_being_cancelled(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=1)
    failed = world.take(agent)
    world.end(failed, "failed", DATABASE_FAILED)
    going_on = world.take(agent)
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)

    with pytest.raises(TransitionRefused, match="is being cancelled"), world.transaction() as one:
        one.get(CampaignService).retry_failed(world.caller, campaign_id)

    world.end(going_on, "cancelled", Failure(kind="cancelled", message="as asked"))
    assert sorted(statuses(world, campaign_id)) == ["cancelled", "failed"]
    assert world.campaign(campaign_id).status == "cancelled"


def test_cancelling_takes_back_an_offer(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start()
    world.allocate()

    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)

    assert world.campaign(campaign_id).status == "cancelled"
    assert world.claim(agent) is None


def test_a_run_that_finishes_although_cancelled_keeps_its_result(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start()
    order = world.take(agent)
    with world.transaction() as services:
        services.get(CampaignService).cancel(world.caller, campaign_id)

    assert world.end(order) == "accepted"
    world.settle(order.run_id)

    assert world.run(order.run_id).status == "completed"
    assert world.campaign(campaign_id).status == "cancelled"


def test_a_paused_campaign_gives_out_nothing(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start()
    with world.transaction() as services:
        services.get(CampaignService).pause(world.caller, campaign_id)
    assert world.allocate() == []

    with world.transaction() as services:
        services.get(CampaignService).resume(world.caller, campaign_id)

    assert world.given() == [agent]


def test_a_base_is_chosen_when_it_is_judged_unless_one_is_named(world: World) -> None:
    agent = world.agent()
    experiment_id = world.experiment(repetitions=1)
    first = world.campaign_of(experiment_id)
    assert world.campaign(first).base_campaign_id is None
    with pytest.raises(BaseCampaignUnusable, match="queued"):
        world.campaign_of(experiment_id, base_campaign_id=first)
    world.finish_everything(agent)
    with world.transaction() as services:
        services.get(CampaignService).set_verdict(first, Verdict.NO_BASELINE)

    second = world.campaign_of(experiment_id, base_campaign_id=first)
    third = world.campaign_of(experiment_id, base_campaign_id=None)

    assert world.campaign(first).base == "pooled"
    assert world.campaign(second).base_campaign_id == first
    assert world.campaign(third).base == "none"
    assert [world.campaign(one).number for one in (first, second, third)] == [1, 2, 3]
    with pytest.raises(BaseCampaignUnusable, match="no campaign"):
        world.campaign_of(experiment_id, base_campaign_id=uuid4())


def test_time_left_shrinks_and_learns_from_finished_runs(world: World) -> None:
    agent = world.agent()
    campaign_id = world.start(repetitions=3)

    def left() -> float | None:
        with world.transaction() as services:
            row = services.get(CampaignRepository).campaign(campaign_id)
            assert row is not None
            return services.get(CampaignViews).campaign(row).seconds_left

    assert left() is None, "it waits for its first agent"
    order = world.take(agent)
    planned = left()
    assert planned is not None
    world.clock.forward(40)  # ten times as long as planned
    world.end(order)
    world.settle(order.run_id)
    learned = left()
    assert learned is not None
    assert learned > 3 * planned
    world.finish_everything(agent)
    assert left() == 0.0
