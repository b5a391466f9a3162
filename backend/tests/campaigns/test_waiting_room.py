"""Agents that wait for work: what they cost, and what reaches them."""

import datetime
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import update
from weighhouse_backend.campaigns.outbox import AGENT_CHANNELS
from weighhouse_backend.execution.allocation import Allocator
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.services import transaction_of
from weighhouse_testing.statements import statements
from weighhouse_testing.waits import until
from weighhouse_testing.world import PROCESS_ID, World

from .served import CALLS, Served, Tenant


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis: OwnRedis) -> Settings:
    return Settings(
        database_url=database_url,
        redis_url=f"redis://127.0.0.1:{own_redis.port}/0",
        long_poll_seconds=60,
        lease_seconds=6,
    )


@pytest.fixture(autouse=True)
def hearing(served: Served) -> None:
    until("the subscription stands", lambda: served.app.state.subscriptions.connected)


class Poller:
    """An agent's program: the same process asks again and again."""

    def __init__(self, tenant: Tenant, agent_id: UUID, process_id: UUID = PROCESS_ID) -> None:
        self.tenant, self.agent_id, self.process_id = tenant, agent_id, str(process_id)

    def claim(self, wait: float) -> httpx.Response:
        body = {
            "claim_id": str(uuid4()), "process_id": self.process_id, "wait_seconds": wait,
        }  # fmt: skip
        headers = {"Authorization": f"Bearer {self.tenant.world.tokens[self.agent_id]}"}
        url = f"{self.tenant.url}/agent/v1/claims"
        return CALLS.post(url, json=body, headers=headers)


@contextmanager
def open_poll(served: Served, poller: Poller, wait: float = 60) -> Iterator[Future[httpx.Response]]:
    """A long poll that is being held open."""
    room = served.app.state.waiting_room
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(poller.claim, wait)
        until("it waits", lambda: room.waits(poller.agent_id) or answer.done())
        yield answer


def allocate_silently(world: World) -> None:
    begun = transaction_of(world.sessions, world.settings, clock=world.clock, jobs=world.jobs)
    with begun as services:
        services.get(Allocator).allocate()


def by_token(asked: list[str]) -> list[str]:
    return [one for one in asked if "token_hash = " in one]


def test_a_question_is_not_looked_up_when_nothing_was_heard_since_the_last(tenant: Tenant) -> None:
    poller = Poller(tenant, tenant.world.agent())
    assert poller.claim(0).json()["order"] is None

    with statements() as asked:
        answers = [poller.claim(0.1) for _ in range(5)]

    assert {answer.status_code for answer in answers} == {200}
    assert by_token(asked) == []


def test_another_process_of_the_agent_is_looked_up(tenant: Tenant) -> None:
    agent = tenant.world.agent()
    Poller(tenant, agent).claim(0)
    with statements() as asked:
        refused = Poller(tenant, agent, uuid4()).claim(0)
    assert by_token(asked)
    assert refused.status_code == 409, "the session is another program's"


def _rest(world: World, agent_id: UUID) -> None:
    """As when a database's successor lacks its last commits, the one that it goes on among them."""
    with unit_of_work(world.sessions) as session:
        session.execute(update(Agent).where(Agent.id == agent_id).values(resting="disk full"))


def test_who_comes_for_work_rests_no_more(tenant: Tenant) -> None:
    poller = Poller(tenant, tenant.world.agent())
    assert poller.claim(0).json()["order"] is None  # from now on it is not looked up
    _rest(tenant.world, poller.agent_id)

    def goes_on() -> bool:
        assert poller.claim(0.1).status_code == 200
        return tenant.world.agent_row(poller.agent_id).resting is None

    until("it is found out", goes_on)


def test_who_came_before_it_rested_goes_on_resting(
    new_tenant: Callable[..., Tenant], served: Served
) -> None:
    tenant = new_tenant(Role.MAINTAINER)
    poller = Poller(tenant, tenant.world.agent())
    poller.claim(0)  # the next question is not looked up when it comes
    with open_poll(served, poller) as answer:
        _rest(tenant.world, poller.agent_id)
        with statements() as asked:
            served.app.state.redis.publish(f"{AGENT_CHANNELS}{poller.agent_id}", "")
            until("it looks again", lambda: by_token(asked))
        assert not answer.done()
        assert tenant.world.agent_row(poller.agent_id).resting == "disk full"
        revoked = tenant.request("POST", f"/api/v1/agents/{poller.agent_id}/revoke")
        assert revoked.status_code == 200
        assert answer.result().status_code == 401


def test_what_came_up_between_two_questions_is_found_by_the_second(tenant: Tenant) -> None:
    world = tenant.world
    poller = Poller(tenant, world.agent())
    assert poller.claim(0).json()["order"] is None
    campaign_id = world.start()
    world.allocate()

    def found() -> dict[str, Any] | None:
        order: dict[str, Any] | None = poller.claim(0).json()["order"]
        return order

    assert until("it is given", found)["campaign_id"] == str(campaign_id)


def test_an_offer_whose_wake_up_was_lost_is_found_by_the_round(
    tenant: Tenant, served: Served
) -> None:
    world = tenant.world
    poller = Poller(tenant, world.agent())
    poller.claim(0)
    with open_poll(served, poller) as answer:
        campaign_id = world.start()
        allocate_silently(world)
        assert answer.result().json()["order"]["campaign_id"] == str(campaign_id)


def test_an_offer_reaches_its_agent_while_redis_is_away(
    tenant: Tenant, served: Served, own_redis: OwnRedis
) -> None:
    world = tenant.world
    poller = Poller(tenant, world.agent())
    poller.claim(0)
    own_redis.kill()
    try:
        with open_poll(served, poller) as answer:
            campaign_id = world.start()
            world.allocate()
            assert answer.result().json()["order"]["campaign_id"] == str(campaign_id)
    finally:
        own_redis.start()


def test_a_revoked_agent_is_refused_in_the_middle_of_its_question(
    new_tenant: Callable[..., Tenant], served: Served
) -> None:
    tenant = new_tenant(Role.MAINTAINER)
    agent = tenant.world.agent()
    poller = Poller(tenant, agent)
    poller.claim(0)
    with open_poll(served, poller) as answer:
        assert tenant.request("POST", f"/api/v1/agents/{agent}/revoke").status_code == 200
        assert answer.result().status_code == 401
    assert poller.claim(0).status_code == 401


def test_agents_that_wait_are_seen_in_one_statement_for_all(
    new_tenant: Callable[..., Tenant], served: Served
) -> None:
    tenant = new_tenant(Role.MAINTAINER)
    world = tenant.world
    agents = [world.agent(f"agent-{number}") for number in range(6)]
    long_ago = world.clock.now() - datetime.timedelta(hours=1)

    def forget() -> None:
        with unit_of_work(world.sessions) as session:
            session.execute(update(Agent).where(Agent.id.in_(agents)).values(seen_at=long_ago))

    def seen_together() -> bool:
        """Whether all were seen by one round, and none by a question of its own."""
        forget()
        asked.clear()
        until("all were seen", lambda: all(_seen(world, agent) > long_ago for agent in agents))
        rounds = [one for one in asked if one.lstrip().startswith("WITH")]
        alone = [one for one in asked if one.lstrip().startswith("UPDATE agents SET seen_at")]
        return 1 <= len(rounds) < len(agents) and not alone

    with ThreadPoolExecutor(len(agents)) as pool, statements() as asked:
        polls = [pool.submit(Poller(tenant, agent).claim, 60) for agent in agents]
        room = served.app.state.waiting_room
        until("all wait", lambda: all(room.waits(agent) for agent in agents))
        # Who waits may still be looking for the first time, and a look notes by itself.
        assert any(seen_together() for _ in range(4))
        for agent in agents:
            assert tenant.request("POST", f"/api/v1/agents/{agent}/revoke").status_code == 200
        assert {poll.result().status_code for poll in polls} == {401}


def _seen(world: World, agent_id: UUID) -> datetime.datetime:
    seen_at = world.agent_row(agent_id).seen_at
    assert seen_at is not None
    return seen_at


def test_claims_wait_in_no_pool_that_ordinary_requests_need(tenant: Tenant, served: Served) -> None:
    """All connections of requests are taken; an agent gets its order all the same."""
    world = tenant.world
    poller = Poller(tenant, world.agent())
    world.start()
    world.allocate()
    pool = served.app.state.engine.pool
    held = [served.app.state.engine.connect() for _ in range(pool.size() * 2)]
    try:
        assert poller.claim(0).json()["order"] is not None
    finally:
        for one in held:
            one.close()
