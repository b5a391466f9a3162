"""Budgets of requests, over a real Redis."""

import asyncio

import pytest
from redis import Redis
from weighhouse_backend.kit.rates import PREFIX, Budgets, Rates, Visit, client_address

BUDGETS = Budgets(person=7, token=5, agent=4, address=3)


@pytest.fixture
def url(own_redis_database):
    with Redis.from_url(own_redis_database) as client:
        client.flushdb()
    return own_redis_database


def visit(credential=None, surface="people", address="203.0.113.7"):
    return Visit(credential, surface, address)


async def taken(rates, count, **of):
    """Standings of so many requests of one caller."""
    return [await rates.take(visit(**of)) for _ in range(count)]


def run(url, task, budgets=BUDGETS):
    async def inside():
        rates = Rates(url, budgets)
        try:
            return await task(rates)
        finally:
            await rates.close()

    return asyncio.run(inside())


def test_an_address_has_its_budget_and_is_told_when_to_go_on(url):
    async def task(rates):
        return await taken(rates, 4), await taken(rates, 1, address="203.0.113.8")

    mine, others = run(url, task)
    assert [one.remaining for one in mine] == [2, 1, 0, 0]
    assert [one.wait_seconds > 0 for one in mine] == [False, False, False, True]
    problem = mine[-1].problem()
    # Three a minute: the next is there after twenty seconds.
    assert 18 <= int(problem.headers["Retry-After"]) <= 21
    assert mine[0].headers()["RateLimit-Limit"] == "3"
    assert mine[0].headers()["RateLimit-Policy"] == "3;w=60"
    assert mine[-1].headers()["RateLimit-Reset"] == "60"
    assert others[0].remaining == 2


def test_who_is_recognized_has_a_budget_of_their_own(url):
    async def task(rates):
        first = visit("cookie")
        await rates.take(first)
        first.who = "user:1"
        await rates.settle(first, 200)
        await taken(rates, 5)  # the address has nothing left
        mine = await taken(rates, 2, credential="cookie")
        return mine, await taken(rates, 1, credential="tried out")

    mine, tried = run(url, task)
    assert [(one.limit, one.remaining) for one in mine] == [(7, 6), (7, 5)]
    assert tried[0].wait_seconds > 0


def test_a_persons_browsers_share_one_budget_and_agents_have_theirs(url):
    async def task(rates):
        for credential, who, surface in (
            ("one", "user:1", "people"),
            ("two", "user:1", "people"),
            ("three", "agent:3", "agents"),
        ):
            known = visit(credential, surface)
            await rates.take(known)
            known.who = who
            await rates.settle(known, 200)
        return (
            await taken(rates, 2, credential="one"),
            await taken(rates, 1, credential="two"),
            await taken(rates, 1, credential="three", surface="agents"),
        )

    one, two, agent = run(url, task)
    assert [each.remaining for each in one + two] == [6, 5, 4]
    assert (agent[0].limit, agent[0].remaining) == (4, 3)


def test_a_token_that_was_revoked_is_recognized_no_more(url):
    async def task(rates):
        mine = visit("token")
        await rates.take(mine)
        mine.who = "token:1"
        await rates.settle(mine, 200)
        again = visit("token")
        before = await rates.take(again)
        await rates.settle(again, 401)
        return before, await rates.take(visit("token"))

    before, after = run(url, task)
    assert before.limit == BUDGETS.token
    assert after.limit == BUDGETS.address


def test_no_token_is_kept_in_redis(url):
    async def task(rates):
        await taken(rates, 1, credential="0" * 32)

    run(url, task)
    with Redis.from_url(url) as client:
        keys = {key.decode() for key in client.keys(f"{PREFIX}*")}
        assert all(0 < client.ttl(key) <= 120 for key in keys)
    assert keys == {f"{PREFIX}people:address:203.0.113.7"}


def test_zero_is_without_limit_and_so_is_a_redis_that_is_away(url):
    async def task(rates):
        return await taken(rates, 3)

    assert run(url, task, Budgets(0, 0, 0, 0)) == [None] * 3
    assert run("redis://127.0.0.1:1/0", task) == [None] * 3


@pytest.mark.parametrize(
    ("client", "counted"),
    [
        (("203.0.113.7", 1), "203.0.113.7"),
        (("2001:db8:1:2:3:4:5:6", 1), "2001:db8:1:2::/64"),
        (("::ffff:203.0.113.7", 1), "203.0.113.7"),
        (None, "nowhere"),
    ],
)
def test_an_address_of_ipv6_counts_by_its_network(client, counted):
    assert client_address({"client": client}) == counted
