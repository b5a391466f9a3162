"""Agents at work say that they are there; who is silent is shown so within seconds."""

import math
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from weighhouse_backend.fleet.agent_signs import KEPT_SECONDS, SIGNS_A_SECOND, AgentSigns
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until
from weighhouse_testing.world import World

from .served import CALLS, Served, Tenant, claim

EVERY_SECONDS = 0.5


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis: OwnRedis) -> Settings:
    return Settings(
        database_url=database_url,
        redis_url=f"redis://127.0.0.1:{own_redis.port}/0",
        agent_sign_seconds=EVERY_SECONDS,
    )


def give_sign(tenant: Tenant, token: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    return CALLS.post(f"{tenant.url}/agent/v1/signs", headers=headers)


def shown(tenant: Tenant, agent: UUID) -> tuple[str, str | None]:
    """Status and why there is no work: on its page, as in the list, which is asked an instant later
    and may say what is so by then.
    """
    seen: list[dict[str, Any]] = []

    def agree() -> bool:
        alone = tenant.request("GET", f"/api/v1/agents/{agent}").json()
        listed: list[dict[str, Any]] = tenant.request("GET", "/api/v1/agents").json()["items"]
        seen[:] = [next(one for one in listed if one["id"] == str(agent)), alone]
        return bool(seen[0]["status"] == seen[1]["status"])

    until("page and list agree", agree)
    return seen[0]["status"], seen[0]["no_work"]


def at_work(world: World, tenant: Tenant) -> UUID:
    agent = world.agent()
    world.start()
    world.allocate()
    assert claim(tenant, agent).json()["order"] is not None
    return agent


def test_an_agent_at_work_that_falls_silent_is_unreachable_until_it_is_heard_again(
    tenant: Tenant, served: Served
) -> None:
    agent = at_work(tenant.world, tenant)
    assert shown(tenant, agent)[0] == "busy"
    assert give_sign(tenant, tenant.world.tokens[agent]).status_code == 200
    until("it is told silent", lambda: shown(tenant, agent)[0] == "unreachable")
    told = shown(tenant, agent)[1]
    assert told is not None
    assert "though it is at work" in told
    assert give_sign(tenant, tenant.world.tokens[agent]).status_code == 200
    until("it is heard", lambda: shown(tenant, agent)[0] == "busy")


def test_an_agent_at_rest_gives_no_signs_and_is_not_silent(tenant: Tenant, served: Served) -> None:
    agent = tenant.world.agent("at-rest")
    give_sign(tenant, tenant.world.tokens[agent])
    signs: AgentSigns = served.app.state.agent_signs
    until("its sign is old", lambda: agent in signs.silent([agent]))
    assert shown(tenant, agent)[0] == "online"

    def asks_and_is_heard() -> bool:
        claim(tenant, agent)
        return agent not in signs.silent([agent])

    until("it is heard of", asks_and_is_heard)


def test_an_agent_that_is_cut_off_before_its_first_sign_of_a_run_is_silent(
    tenant: Tenant, served: Served
) -> None:
    """The answer to its claim was lost: it holds a run, and does not know."""
    agent = tenant.world.agent("cut-off")
    give_sign(tenant, tenant.world.tokens[agent])  # of the run before
    signs: AgentSigns = served.app.state.agent_signs
    until("its sign is old", lambda: agent in signs.silent([agent]))
    tenant.world.start()
    tenant.world.allocate()
    redis, key = make_redis(served.app.state.settings.redis_url), f"sign:agent:{agent}"
    left_ms = redis.pttl(key)
    assert claim(tenant, agent).json()["order"] is not None
    until("it begins anew", lambda: redis.pttl(key) > left_ms)
    until("it is told silent", lambda: shown(tenant, agent)[0] == "unreachable")


def test_an_agent_that_begins_anew_may_be_one_that_gives_no_signs(
    tenant: Tenant, served: Served
) -> None:
    agent = tenant.world.agent("older")
    give_sign(tenant, tenant.world.tokens[agent])
    signs: AgentSigns = served.app.state.agent_signs
    until("its sign is old", lambda: agent in signs.silent([agent]))
    signs.begin(agent)
    assert signs.silent([agent]) == {}
    signs._write({}, [agent])  # that it asks for work
    assert make_redis(served.app.state.settings.redis_url).exists(f"sign:agent:{agent}") == 0


def test_an_agent_that_gives_no_signs_is_not_called_silent(tenant: Tenant, served: Served) -> None:
    silent = at_work(tenant.world, tenant)
    other = tenant.world.agent("gives-one")
    give_sign(tenant, tenant.world.tokens[other])
    signs: AgentSigns = served.app.state.agent_signs
    until("the other's is old", lambda: other in signs.silent([other]))
    assert shown(tenant, silent)[0] == "busy"


def test_a_sign_is_taken_of_agents_alone(tenant: Tenant) -> None:
    assert give_sign(tenant, "wha_nobody").status_code == 401
    assert CALLS.post(f"{tenant.url}/agent/v1/signs").status_code == 401


def test_a_process_that_cannot_know_calls_nobody_silent(settings: Settings) -> None:
    agent = uuid4()
    before = AgentSigns(make_redis(settings.redis_url), EVERY_SECONDS)
    before._write({agent: EVERY_SECONDS})
    assert before.silent([agent]) == {}  # it never wrote in its own course
    away = AgentSigns(make_redis("redis://127.0.0.1:1/0"), EVERY_SECONDS)
    away._sound_since = 0.0
    assert away.silent([agent]) == {}
    never_asked = AgentSigns(make_redis(settings.redis_url), 0)
    never_asked._sound_since = 0.0
    assert never_asked.silent([agent]) == {}


def test_who_was_asked_to_say_so_more_seldom_is_silent_later(settings: Settings) -> None:
    redis, often, seldom = make_redis(settings.redis_url), uuid4(), uuid4()
    signs = AgentSigns(redis, 1.0)
    signs._write({often: 1.0, seldom: 4.0})
    signs._sound_since = -math.inf

    def silent_after(seconds: float) -> set[UUID]:
        for agent in (often, seldom):
            redis.pexpire(f"sign:agent:{agent}", round(1000 * (KEPT_SECONDS - seconds)))
        return set(signs.silent([often, seldom]))

    assert silent_after(3.5) == set()
    assert silent_after(6.0) == {often}
    assert silent_after(14.0) == {often, seldom}


def test_where_many_say_so_they_are_asked_to_say_so_more_seldom(settings: Settings) -> None:
    now = [0.0]
    signs = AgentSigns(make_redis(settings.redis_url), 1.0, now=lambda: now[0])
    agents = [uuid4() for _ in range(100)]
    for _ in range(30):
        now[0] += signs.pause_seconds
        told = {signs.give(agent) for agent in agents}
    assert all(each == pytest.approx(100 / SIGNS_A_SECOND, rel=0.2) for each in told)
    quiet = AgentSigns(make_redis(settings.redis_url), 1.0, now=lambda: now[0])
    for _ in range(30):
        now[0] += 1.0
        assert quiet.give(agents[0]) is None
