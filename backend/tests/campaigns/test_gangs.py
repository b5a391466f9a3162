"""A run as the work of several agents: allocation, barriers, one end for all."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weighhouse_backend.campaigns.placement import Need, Offer, Spot, gang, lacking
from weighhouse_backend.execution.attempts import AttemptService
from weighhouse_backend.execution.load_shares import share_of_load, share_of_phase
from weighhouse_backend.experiments.errors import ExperimentInvalid
from weighhouse_backend.fleet.service import FleetService
from weighhouse_backend.runs.errors import AttemptNotYours, NoSuchBarrier
from weighhouse_protocol.facts import PolicyStatement
from weighhouse_protocol.load import ClosedLoad, OpenLoad, Phase, Share
from weighhouse_protocol.order import AttemptOrder, barriers
from weighhouse_protocol.placement import Placement
from weighhouse_protocol.report import Failure
from weighhouse_protocol.target import Target
from weighhouse_testing.world import World

SPREAD = {
    "servers": {"machines": 2, "labels": {"role": "db"}},
    "drivers": {"machines": 2, "labels": {"role": "load"}},
    "apart": "required",
}
THREE_NODES = {"name": "redis", "system": "redis", "topology": {"nodes": 3}}
RING = {"layout": "ring", "max_nodes": 9, "nodes_are": "members", "spread": True}
ALL = barriers(3)
"""Of a load, a warmup and a measured phase."""


def spots(count: int, **labels: str) -> list[Spot]:
    offer = Offer(
        frozenset({"driver", "server"}), labels, {"redis": ["process"]}, PolicyStatement()
    )
    return [Spot(uuid4(), "machine", offer) for _ in range(count)]


def need(**placement: Any) -> Need:
    target = Target.model_validate({"name": "redis", "system": "redis", "topology": {"nodes": 4}})
    return Need(target, ClosedLoad(clients=8), {}, 60, Placement.model_validate(placement))


def test_without_a_placement_one_agent_does_everything() -> None:
    (part,) = gang(spots(3), need()) or []
    assert (part.roles, part.nodes, part.share) == (
        ("driver", "server"), (1, 2, 3, 4), Share(index=0, of=1),
    )  # fmt: skip


def test_nodes_are_dealt_in_turn_and_every_member_is_another_agent() -> None:
    wanted = need(
        servers={"machines": 3, "labels": {"role": "db"}},
        drivers={"machines": 2, "labels": {"role": "load"}},
        apart="required",
    )
    parts = gang([*spots(2, role="load"), *spots(3, role="db")], wanted) or []
    assert [part.roles for part in parts] == [("server",)] * 3 + [("driver",)] * 2
    assert [part.nodes for part in parts] == [(1, 4), (2,), (3,), (), ()]
    assert [part.share for part in parts[3:]] == [Share(index=0, of=2), Share(index=1, of=2)]
    assert len({part.spot.agent_id for part in parts}) == 5


@pytest.mark.parametrize(
    ("free", "wanted", "words"),
    [
        (spots(1, role="db"), need(servers={"machines": 3, "labels": {"role": "db"}}),
         "you need 3 agents with role server and plugin redis, label role=db; there is 1"),
        (spots(1), need(drivers={"machines": 2}),
         "you need 2 agents with role driver and plugin redis; there is 1"),
        (spots(3), need(servers={"machines": 2}, drivers={"machines": 2}, apart="required"),
         "on machines of their own"),
    ],
)  # fmt: skip
def test_what_is_lacking_is_said(free: list[Spot], wanted: Need, words: str) -> None:
    assert gang(free, wanted) is None
    assert words in (lacking(free, wanted) or "")


def test_preferred_apart_is_apart_where_there_is_room() -> None:
    wanted = need(apart="preferred")
    assert [part.roles for part in gang(spots(2), wanted) or []] == [("server",), ("driver",)]
    assert [part.roles for part in gang(spots(1), wanted) or []] == [("driver", "server")]


def test_two_slots_of_an_agent_are_one_machine() -> None:
    (one,) = spots(1)
    both = [one, Spot(one.agent_id, "other", one.offer)]
    assert gang(both, need(apart="required")) is None


@given(st.integers(1, 50), st.integers(0, 950), st.floats(0.001, 5e7), st.integers(1, 10**12))
def test_shares_add_up_to_the_whole(parts: int, more: int, rate: float, count: int) -> None:
    shares = [Share(index=index, of=parts) for index in range(parts)]
    clients = parts + more
    closed = [share_of_load(ClosedLoad(clients=clients), share) for share in shares]
    assert sum(load.clients for load in closed if isinstance(load, ClosedLoad)) == clients
    whole = OpenLoad(model="open", rate_per_second=rate, connections=clients)
    opened = [share_of_load(whole, share) for share in shares]
    rates = [load.rate_per_second for load in opened if isinstance(load, OpenLoad)]
    assert sum(rates) == pytest.approx(rate, rel=1e-12)
    phase = Phase(kind="measure", operation_count=count + parts)
    counted = [share_of_phase(phase, share).operation_count or 0 for share in shares]
    assert sum(counted) == count + parts


@pytest.fixture
def four(world: World) -> list[UUID]:
    """Two machines for databases, two for load."""
    return [
        world.agent(f"{role}{number}", labels={"role": role}, topology=RING)
        for role in ("db", "load")
        for number in (1, 2)
    ]


def begin(world: World, agents: list[UUID]) -> list[AttemptOrder]:
    world.start(
        targets=[THREE_NODES], placement=SPREAD, repetitions=1,
        load_levels=[{"model": "closed", "clients": 3}],
    )  # fmt: skip
    return world.take_together(*agents)


def pass_all(world: World, orders: list[AttemptOrder], names: tuple[str, ...] = ALL) -> None:
    for name in names:
        for order in orders:
            state = world.arrive(order, name)
        assert state.released, name


def test_a_gang_is_given_out_whole_or_not_at_all(world: World) -> None:
    world.agent("db1", labels={"role": "db"}, topology=RING)
    loads = [
        world.agent(f"load{number}", labels={"role": "load"}, topology=RING) for number in (1, 2)
    ]
    second = world.agent("db2", labels={"role": "db"}, topology=RING)
    with world.transaction() as services:
        services.get(FleetService).agent(second).draining = True
    campaign_id = world.start(targets=[THREE_NODES], placement=SPREAD, repetitions=1)
    assert world.allocate() == []
    assert all(world.claim(agent) is None for agent in loads)
    waiting = world.campaign(campaign_id).waiting_for
    assert waiting == (
        "you need 2 agents with role server and plugin redis, label role=db; there is 1"
    )
    with world.transaction() as services:
        services.get(FleetService).agent(second).draining = False
    assert second in world.given()
    assert world.campaign(campaign_id).waiting_for is None


def test_orders_tell_each_member_its_part(world: World, four: list[UUID]) -> None:
    orders = begin(world, four)
    assert [order.member for order in orders] == [0, 1, 2, 3]
    assert len({order.attempt_token for order in orders}) == 4
    (gang_told,) = {order.gang for order in orders}
    assert [member.nodes for member in gang_told] == [(1, 3), (2,), (), ()]
    clients = [order.load.clients for order in orders if isinstance(order.load, ClosedLoad)]
    assert clients[2:] == [2, 1]
    assert orders[2].phases[0].clients == 4  # of the eight that load


def test_a_gang_keeps_step_and_is_complete_when_all_its_members_are(
    world: World, four: list[UUID]
) -> None:
    orders = begin(world, four)
    attempt_id, run_id = orders[0].attempt_id, orders[0].run_id
    assert world.attempt(attempt_id).status == "preparing"
    first = world.arrive(orders[0], "placed", nodes={"1": {"port": 7001}})
    assert (first.released, first.waiting_for) == (False, (1, 2, 3))
    # A repeated arrival changes nothing: the first payload stays.
    again = world.arrive(orders[0], "placed", nodes={"1": {"port": 9999}})
    assert again.payloads == {0: {"nodes": {"1": {"port": 7001}}}}
    pass_all(world, orders, ALL[:3])
    assert world.attempt(attempt_id).status == "ready"
    for order in orders:
        state = world.arrive(order, "connected")
    assert state.begins_at_us == round(world.clock.now().timestamp() * 1e6) + 2_000_000
    attempt = world.attempt(attempt_id)
    assert attempt.status == "running"
    assert attempt.start_at is not None
    assert attempt.start_at.timestamp() * 1e6 == state.begins_at_us
    pass_all(world, orders, ALL[4:])
    for order in orders[:-1]:
        assert world.end(order) == "accepted"
        assert world.run(run_id).status == "running"
    assert world.end(orders[-1]) == "accepted"
    assert world.run(run_id).status == "settling"
    assert world.run(run_id).result_attempt_id == attempt_id
    assert world.attempt(attempt_id).status == "completed"


@pytest.mark.parametrize(
    ("failure", "run", "told"),
    [
        (Failure(kind="infrastructure", message="disk full"), "queued", "kill"),
        (Failure(kind="database", message="it crashed"), "failed", "graceful"),
    ],
)
def test_one_member_that_fails_ends_the_gang(
    world: World, four: list[UUID], failure: Failure, run: str, told: str
) -> None:
    orders = begin(world, four)
    assert world.end(orders[1], "failed", failure) == "accepted"
    attempt = world.attempt(orders[0].attempt_id)
    assert attempt.status == "failed"
    assert "member 1, agent db2" in (attempt.failure or {})["message"]
    assert world.run(orders[0].run_id).status == run
    assert [world.beat(orders[index]) for index in (0, 2, 3)] == [told] * 3
    assert world.arrive(orders[0], "placed").cancel == told
    # The others stay in their slots until they have ended, so nothing else is given to them.
    assert world.allocate() == []
    for index in (0, 2, 3):
        world.end(orders[index], "cancelled")
    assert world.attempt(orders[0].attempt_id).status == "failed"
    assert len(world.allocate()) == (1 if run == "queued" else 0)


def test_one_lost_member_ends_the_gang_and_the_run_is_tried_again(
    world: World, four: list[UUID]
) -> None:
    orders = begin(world, four)
    world.clock.forward(world.settings.lost_after_seconds - 1)
    for order in (orders[0], orders[1], orders[3]):
        world.beat(order)
    world.clock.forward(2)
    world.watch()
    statuses = [member.status for member in world.members(orders[0].attempt_id)]
    assert statuses == ["running", "running", "lost", "running"]
    assert world.attempt(orders[0].attempt_id).status == "lost"
    assert world.run(orders[0].run_id).status == "queued"
    assert world.beat(orders[0]) == "kill"
    assert world.beat(orders[2]) == "kill", "a gang that was lost does not go on without the others"
    with world.transaction() as services, pytest.raises(AttemptNotYours):
        services.get(AttemptService).start(orders[2].attempt_id, 1, 2)
    # The others were stopped; and what a driver says of a system that goes is no result any more.
    world.end(orders[0], "cancelled")
    world.end(orders[3], "failed", Failure(kind="database", message="connection closed"))
    attempt = world.attempt(orders[0].attempt_id)
    assert attempt.status == "lost"
    assert "nothing was heard" in (attempt.failure or {})["message"]
    assert world.run(orders[0].run_id).status == "queued"
    statuses = [member.status for member in world.members(orders[0].attempt_id)]
    assert statuses == ["cancelled", "running", "lost", "failed"]


def test_who_stays_away_from_a_barrier_ends_the_gang_by_name(
    world: World, four: list[UUID]
) -> None:
    orders = begin(world, four)
    pass_all(world, orders, ALL[:4])
    world.clock.forward(12)  # two before it begins, ten of loading
    for order in orders[:3]:
        world.arrive(order, "phase-1")
    world.clock.forward(70)  # 60, and twice what the first took, is the limit
    beats(world, orders)
    world.watch()
    assert world.attempt(orders[0].attempt_id).status == "running"
    world.clock.forward(15)
    beats(world, orders)
    world.watch()
    attempt = world.attempt(orders[0].attempt_id)
    assert attempt.status == "failed"
    assert "load2 (member 3) did not come to phase-1" in (attempt.failure or {})["message"]
    assert world.run(orders[0].run_id).status == "queued"


def beats(world: World, orders: list[AttemptOrder]) -> None:
    for order in orders:
        world.beat(order)


def test_a_clock_off_by_more_than_a_phase_keeps_the_gang_from_starting(
    world: World, four: list[UUID]
) -> None:
    orders = begin(world, four)
    now_us = round(world.clock.now().timestamp() * 1e6)
    for name in ALL[:4]:
        for order in orders:
            late = 1_500_000 if order.member == 3 else 0
            state = world.arrive(order, name, sent_at_us=now_us - late)
    assert not state.released
    attempt = world.attempt(orders[0].attempt_id)
    assert attempt.status == "failed"
    assert (
        "the clock of agent load2 (member 3) is off by 1.5 s" in (attempt.failure or {})["message"]
    )
    assert (attempt.failure or {})["kind"] == "infrastructure"


def test_what_no_gang_has_is_refused(world: World, four: list[UUID]) -> None:
    orders = begin(world, four)
    with pytest.raises(NoSuchBarrier, match="phase-9 is none of placed, up"):
        world.arrive(orders[0], "phase-9")


def test_an_agent_that_works_alone_meets_nobody(world: World) -> None:
    agent = world.agent()
    world.start(repetitions=1)
    order = world.take(agent)
    assert order.gang == ()
    with pytest.raises(NoSuchBarrier, match="alone"):
        world.arrive(order, "placed")


def test_an_offer_that_one_member_does_not_take_goes_back_for_all(
    world: World, four: list[UUID]
) -> None:
    world.start(targets=[THREE_NODES], placement=SPREAD, repetitions=1)
    world.allocate()
    taken = [world.claim(agent) for agent in four[:3]]
    assert all(taken)
    world.clock.forward(world.settings.lease_seconds + 1)
    with world.transaction() as services:
        for order in taken:
            if order is not None:
                services.get(AttemptService).start(order.attempt_id, order.fence, order.member)
    world.watch()
    run = world.run(taken[0].run_id) if taken[0] else None
    assert run is not None
    assert (run.status, run.infrastructure_failures) == ("queued", 0)
    assert [world.beat(order) for order in taken if order] == ["kill"] * 3


def test_a_placement_nobody_could_ever_fulfil_is_refused_by_name(
    world: World, four: list[UUID]
) -> None:
    del four
    wanted = SPREAD | {"servers": {"machines": 3, "labels": {"role": "db"}}}
    with pytest.raises(
        ExperimentInvalid,
        match=r"no agents could do this: you need 3 agents with role server .* there are 2",
    ):
        world.start(targets=[THREE_NODES], placement=wanted, repetitions=1)


def test_fewer_clients_than_drivers_are_refused_by_name(world: World, four: list[UUID]) -> None:
    del four
    level = {"model": "closed", "clients": 1}
    with pytest.raises(ExperimentInvalid, match="1 clients cannot be shared by 2 drivers"):
        world.start(targets=[THREE_NODES], placement=SPREAD, load_levels=[level])
