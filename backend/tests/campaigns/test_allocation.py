"""Who gets which run, and that two allocators never give the same."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session
from weighhouse_backend.campaigns.placement import Need, Offer, Spot, allows, gang
from weighhouse_backend.execution.allocation import TOLD_EACH, TURN
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.intake import IntakeService
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.runs.models import Attempt, Campaign
from weighhouse_backend.runs.repository import CampaignRepository
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.load import ClosedLoad, OpenLoad
from weighhouse_protocol.target import Target
from weighhouse_testing.statements import statements
from weighhouse_testing.waits import until
from weighhouse_testing.world import World, make_world

BOTH = frozenset({"driver", "server"})


def need(**changed) -> Need:
    values = {
        "target": Target(name="t", system="redis"),
        "load": ClosedLoad(clients=8),
        "labels": {},
        "limit_seconds": 400.0,
    } | changed
    return Need(**values)


def offer(**changed) -> Offer:
    values = {
        "roles": BOTH,
        "labels": {"rack": "a"},
        "deployments": {"redis": ["process"]},
        "policy": PolicyStatement(),
    } | changed
    return Offer(**values)


EXTERNAL = Target(name="t", system="redis", deployment="external", endpoints=("tcp://127.0.0.1:1",))

WITH_TOOL = Target(name="t", system="redis", tool="redis-benchmark")


@pytest.mark.parametrize(
    ("has", "wants", "fits"),
    [
        (offer(), need(), True),
        (offer(), need(labels={"rack": "a"}), True),
        (offer(), need(labels={"rack": "b"}), False),
        (offer(), need(labels={"disk": "nvme"}), False),
        (offer(), need(target=Target(name="t", system="memcached")), False),
        (offer(), need(target=Target(name="t", system="redis", deployment="docker")), False),
        (offer(roles=frozenset({"driver"})), need(), False),
        (offer(roles=frozenset({"driver"}), deployments={"redis": ["external"]}),
         need(target=EXTERNAL), True),
        (offer(roles=frozenset({"server"}), deployments={"redis": ["external"]}),
         need(target=EXTERNAL), False),
        (offer(), need(target=WITH_TOOL), False),
        (offer(deployments={"redis": ["process"], "redis-benchmark": []}),
         need(target=WITH_TOOL), True),
    ],
)  # fmt: skip
def test_roles_labels_plugin_and_deployment_decide(has: Offer, wants: Need, fits: bool) -> None:
    assert (gang([Spot(uuid4(), "machine", has)], wants) is not None) is fits


@pytest.mark.parametrize(
    ("policy", "wants", "allowed"),
    [
        (PolicyStatement(), need(), True),
        (PolicyStatement(plugins=("memcached",)), need(), False),
        (PolicyStatement(plugins=("redis",)), need(target=WITH_TOOL), False),
        (PolicyStatement(plugins=("redis", "redis-benchmark")), need(target=WITH_TOOL), True),
        (PolicyStatement(max_run_seconds=399), need(), False),
        (PolicyStatement(max_clients=7), need(), False),
        (PolicyStatement(max_clients=8), need(load_clients=9), False),
        (PolicyStatement(max_clients=8), need(), True),
        (PolicyStatement(max_rate_per_second=999.0),
         need(load=OpenLoad(model="open", rate_per_second=1000)), False),
        (PolicyStatement(max_rate_per_second=1000.0),
         need(load=OpenLoad(model="open", rate_per_second=1000)), True),
        (PolicyStatement(max_rate_per_second=1.0), need(), True),
    ],
)  # fmt: skip
def test_a_stated_policy_is_looked_at(policy, wants, allowed) -> None:
    assert allows(policy, wants) is allowed


def test_runs_go_out_in_order_to_agents_that_can(world: World) -> None:
    redis_only = world.agent("r", systems=("redis",))
    memcached_only = world.agent("m", systems=("memcached",))
    world.agent("none", systems=())
    campaign_id = world.start()

    given = world.allocate()

    runs = {run.id: run for run in world.runs(campaign_id)}
    positions = {
        world.members(attempt.id)[0].agent_id: runs[attempt.run_id].position for attempt in given
    }
    assert set(positions) == {redis_only, memcached_only}
    assert sorted(positions.values()) == [0, 1]
    assert world.allocate() == [], "an agent carries out one run"


def test_an_agent_whose_policy_allows_it_goes_before_one_that_would_refuse(world: World) -> None:
    strict = world.agent("a", policy=PolicyStatement(plugins=("cassandra",)))
    lenient = world.agent("b")
    world.start(repetitions=1)

    assert world.given()[0] == lenient
    assert set(world.given()) <= {strict}


def test_a_run_waits_for_an_agent_that_lets_it_through(world: World) -> None:
    """While one that would refuse it is free."""
    strict = world.agent("a", policy=PolicyStatement(max_run_seconds=1))
    lenient = world.agent("b")
    first, second = world.start(repetitions=1), world.start(repetitions=1)

    assert world.given() == [lenient]
    assert world.given() == []
    assert {run.status for one in (first, second) for run in world.runs(one)} == {
        "allocated",
        "queued",
    }
    assert world.attempts(world.runs(first)[0].id)
    assert strict not in {
        member.agent_id
        for one in (first, second)
        for run in world.runs(one)
        for attempt in world.attempts(run.id)
        for member in world.members(attempt.id)
    }


def test_when_all_would_refuse_one_is_asked_so_that_it_says_why(world: World) -> None:
    strict = world.agent("a", policy=PolicyStatement(plugins=("cassandra",)))
    world.start(repetitions=1)

    assert world.given() == [strict]


def test_a_campaign_stays_on_machines_like_its_first(world: World) -> None:
    fast = world.agent("fast", cpu="fast")
    campaign_id = world.start()
    world.take(fast)
    slow = world.agent("slow", cpu="slow")
    twin = world.agent("twin", cpu="fast")

    assert set(world.given()) == {twin}
    world.clock.forward(200)  # both of the fast ones are silent now
    with world.transaction() as services:
        services.get(FleetService).authenticate(world.tokens[slow])
    assert world.given() == [], "what they began may still come"
    world.clock.forward(world.settings.lost_after_seconds)
    world.watch()
    with world.transaction() as services:
        services.get(FleetService).authenticate(world.tokens[slow])
    assert set(world.given()) == {slow}
    assert world.campaign(campaign_id).environment == world.agent_row(slow).fingerprint


def test_what_machines_there_are_is_asked_once_and_not_for_each_cell(world: World) -> None:
    first = world.agent("first", cpu="first")
    with statements() as before:
        assert world.given() == []
    world.start(load_levels=[{"model": "closed", "clients": clients} for clients in range(1, 9)])
    world.take(first)
    world.agent("other", cpu="other")
    with statements() as asked:
        assert world.given() == []
    more = Counter(asked) - Counter(before)
    assert max(more.values()) <= 2, more.most_common(3)


def test_while_no_machine_is_free_waiting_campaigns_are_read_by_turns(world: World) -> None:
    """However many wait, looking for work takes no longer; and each is told what it waits for."""
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    fast, wanted = world.agent("fast", labels={"disk": "nvme"}), {"labels": {"disk": "nvme"}}
    waiting = [world.start(repetitions=1, placement=wanted) for _ in range(40)]
    with world.transaction() as services:
        services.get(FleetService).agent(fast).draining = True
    assert world.given() == []
    assert all(world.campaign(each).waiting_for for each in waiting), "at once where it is new"
    with world.transaction() as services:
        services.get(Session).execute(update(Campaign).values(waiting_for=None))
    world.clock.forward(TOLD_EACH.total_seconds())
    for _ in range(round(TOLD_EACH / TURN)):
        world.beat(order)
        with world.transaction() as services:
            services.get(FleetService).authenticate(world.tokens[agent])
        with statements() as asked:
            assert world.given() == []
        assert len(asked) < 15 * len(waiting) / 2, "half of them at once, by chance, at most"
        world.clock.forward(TURN.total_seconds())
    assert all(world.campaign(each).waiting_for for each in waiting)


def test_draining_and_silent_agents_get_nothing(world: World) -> None:
    draining, silent = world.agent("d"), world.agent("s")
    with world.transaction() as services:
        services.get(FleetService).agent(draining).draining = True
    world.start()
    world.clock.forward(200)
    with world.transaction() as services:
        services.get(FleetService).authenticate(world.tokens[draining])

    assert world.allocate() == []
    with world.transaction() as services:
        services.get(FleetService).authenticate(world.tokens[silent])
    assert world.given() == [silent]


def test_another_projects_agents_are_never_used(new_world) -> None:
    ours, theirs = new_world(), new_world()
    theirs.agent()
    ours.start()

    assert ours.allocate() == []


def test_higher_priority_goes_first_and_then_age(world: World) -> None:
    agent = world.agent()
    old, urgent = world.start(repetitions=1), world.start(repetitions=1)
    with world.transaction() as services:
        row = services.get(CampaignRepository).lock_campaign(urgent)
        assert row is not None
        row.priority = 1

    orders = world.finish_everything(agent)

    assert [order.campaign_id for order in orders] == [urgent, urgent, old, old]


def test_concurrent_allocators_give_each_run_and_each_agent_once(new_world) -> None:
    world = new_world()
    agents = [world.agent(f"agent-{number}") for number in range(6)]
    for _ in range(4):
        world.start()
    barrier = threading.Barrier(6)

    def allocate(_: int) -> list[Attempt]:
        barrier.wait()
        return world.allocate()

    with ThreadPoolExecutor(6) as pool:
        for _ in range(3):
            list(pool.map(allocate, range(6)))
    world.allocate()

    with world.sessions() as session:
        rows = session.scalars(select(Attempt).where(Attempt.project_id == world.project_id)).all()
    occupied = [member.agent_id for row in rows for member in world.members(row.id)]
    assert Counter(occupied) == dict.fromkeys(agents, 1)
    assert len({row.run_id for row in rows}) == 6


def test_the_same_claim_made_twice_at_once_gets_one_order(world: World) -> None:
    agent = world.agent()
    world.start()
    world.allocate()
    claim_id = uuid4()

    with ThreadPoolExecutor(6) as pool:
        orders = list(pool.map(lambda _: world.claim(agent, claim_id), range(6)))

    assert orders[0] is not None
    assert all(order == orders[0] for order in orders)


def test_allocators_agents_and_watchers_at_once_never_wait_for_each_other(
    session_factory, settings, redis
) -> None:
    """Locks are taken in one order: no deadlock, whatever happens at the same time."""
    world = make_world(session_factory, settings, redis)
    agents = [world.agent(f"agent-{number}") for number in range(4)]
    campaigns = [world.start(repetitions=2) for _ in range(2)]
    stop = threading.Event()
    failures: list[BaseException] = []

    def repeat(action) -> None:
        while not stop.is_set():
            try:
                action()
            except BaseException as error:  # noqa: BLE001 - reported by the test
                failures.append(error)
                return

    def work(agent) -> None:
        order = world.claim(agent)
        if order is None:
            return
        with world.transaction() as services:
            services.get(AttemptService).start(order.attempt_id, order.fence)
        for phase in ("load", "warmup", "measure"):
            with world.transaction() as services:
                attempt = services.get(IntakeService).open_batch(order.attempt_id, phase)
                services.get(IntakeService).advance(attempt, attempt.events_stored + 1)
            world.beat(order, phase)
        assert world.end(order) == "accepted"
        world.settle(order.run_id)

    threads = [threading.Thread(target=repeat, args=(world.allocate,)) for _ in range(2)]
    threads += [
        threading.Thread(target=repeat, args=(lambda agent=agent: work(agent),)) for agent in agents
    ]
    threads.append(threading.Thread(target=repeat, args=(world.watch,)))
    for thread in threads:
        thread.start()
    try:
        until(
            "all is measured",
            lambda: failures or all(world.campaign(one).status == "settling" for one in campaigns),
        )
    finally:
        stop.set()
        for thread in threads:
            thread.join()

    assert failures == []
    assert [world.campaign(one).status for one in campaigns] == ["settling"] * 2
    for campaign_id in campaigns:
        runs = world.runs(campaign_id)
        assert {run.status for run in runs} == {"completed"}
        assert {run.attempts_count for run in runs} == {1}
