"""Barriers as agents call them: held open, released together, nobody else gets in."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until

from .served import CALLS, LONGEST_SECONDS, Served, Tenant, claim


@pytest.fixture(scope="module")
def settings(database_url: str, own_redis: OwnRedis) -> Settings:
    return Settings(
        database_url=database_url,
        redis_url=f"redis://127.0.0.1:{own_redis.port}/0",
        long_poll_seconds=LONGEST_SECONDS,
    )


def arrive(tenant: Tenant, order: dict[str, Any], name: str, wait: float) -> httpx.Response:
    return CALLS.post(
        f"{tenant.url}/agent/v1/attempts/{order['attempt_id']}/barriers/{name}",
        json={
            "fence": order["fence"],
            "payload": {"member": order["member"]},
            "sent_at_us": time.time_ns() // 1000,
            "wait_seconds": wait,
        },
        headers={"Authorization": f"Bearer {order['attempt_token']}"},
    )


def test_a_barrier_is_held_open_until_the_last_member_is_there(
    tenant: Tenant, served: Served
) -> None:
    world = tenant.world
    agents = [world.agent("one"), world.agent("two")]
    world.start(placement={"drivers": {"machines": 2}}, repetitions=1)
    world.allocate()
    orders = [claim(tenant, agent).json()["order"] for agent in agents]
    assert sorted(order["member"] for order in orders) == [0, 1]

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(arrive, tenant, orders[0], "placed", LONGEST_SECONDS)

        def arrived() -> bool:
            members = world.members(orders[0]["attempt_id"])
            return "placed" in members[orders[0]["member"]].arrivals

        until("the first has arrived", arrived)
        # What is held open says how long: it is told apart from what comes back at once.
        time.sleep(0.3)
        assert not waiting.done()
        last = arrive(tenant, orders[1], "placed", 0).json()
        first = waiting.result().json()
    for state in (first, last):
        assert state["released"] is True
        assert state["waiting_for"] == []
        assert state["payloads"] == {"0": {"member": 0}, "1": {"member": 1}}
        assert state["received_at_us"] <= state["answered_at_us"]
    # Held open, it says so: what the call waited does not count for its way.
    assert first["answered_at_us"] - first["received_at_us"] > 300_000
    assert served.connections_in_use() == 0

    other = {**orders[0], "attempt_token": orders[1]["attempt_token"][:-1] + "x"}
    assert arrive(tenant, other, "up", 0).status_code == 401
