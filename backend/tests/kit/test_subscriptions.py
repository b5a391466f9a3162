"""One subscription for all listeners: however many, and whatever becomes of Redis."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from redis import Redis
from weighhouse_backend.kit.subscriptions import QUEUE, Subscriptions
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import PATIENCE_SECONDS


@pytest.fixture
def own_redis() -> Iterator[OwnRedis]:
    found = OwnRedis(free_port())
    found.start()
    yield found
    found.kill()


@pytest.fixture
def client(own_redis: OwnRedis) -> Iterator[Redis]:
    made = Redis(port=own_redis.port)
    yield made
    made.close()


def url(own_redis: OwnRedis) -> str:
    return f"redis://127.0.0.1:{own_redis.port}/0"


@asynccontextmanager
async def running(subscriptions: Subscriptions) -> AsyncIterator[None]:
    task = asyncio.create_task(subscriptions.run())
    try:
        await until(lambda: subscriptions.connected)
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(question: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not question():
        assert time.monotonic() < deadline, "not within the time"
        await asyncio.sleep(0.02)


def message(number: int) -> str:
    return json.dumps({"id": number, "kind": "run", "data": {}})


def test_three_hundred_listeners_share_one_connection(own_redis: OwnRedis, client: Redis) -> None:
    heard: list[str] = []

    async def listen() -> None:
        subscriptions = Subscriptions(url(own_redis))
        subscriptions.watch("agent:", heard.append, lambda: None)
        async with running(subscriptions), AsyncExitStack() as stack:
            listeners = [
                await stack.enter_async_context(subscriptions.listening(f"campaign:{n}"))
                for n in range(300)
            ]
            assert len(client.client_list(_type="pubsub")) == 1
            client.publish("campaign:250", message(7))
            client.publish("agent:some", "{}")

            found = await listeners[250].wait(PATIENCE_SECONDS)

            assert found is not None
            assert found["id"] == 7
            await until(lambda: heard == ["some"])
            stack.pop_all()
            await asyncio.gather(*(_leave(subscriptions, n) for n in range(3)))

    asyncio.run(listen())


async def _leave(subscriptions: Subscriptions, number: int) -> None:
    async with subscriptions.listening(f"other:{number}"):
        pass
    assert f"other:{number}" not in subscriptions._listeners


def test_whoever_listens_is_told_to_look_when_redis_goes_and_hears_again_when_it_is_back(
    own_redis: OwnRedis, client: Redis
) -> None:
    lost: list[bool] = []

    async def listen() -> None:
        subscriptions = Subscriptions(url(own_redis))
        subscriptions.watch("agent:", lambda _: None, lambda: lost.append(True))
        async with running(subscriptions), subscriptions.listening("campaign:1") as listener:
            epoch = subscriptions.epoch
            own_redis.kill()
            await until(lambda: subscriptions.epoch > epoch)
            assert not subscriptions.connected
            assert lost
            assert await listener.wait(0) is None, "it was told to look"
            own_redis.start()
            await until(lambda: subscriptions.connected)

            async def heard() -> int | None:
                client.publish("campaign:1", message(9))
                found = await listener.wait(0.2)
                return found["id"] if found else None

            deadline = time.monotonic() + PATIENCE_SECONDS
            while await heard() != 9:
                assert time.monotonic() < deadline

    asyncio.run(listen())


def test_listeners_may_come_and_go_while_redis_goes(own_redis: OwnRedis) -> None:
    async def listen() -> None:
        subscriptions = Subscriptions(url(own_redis))
        subscriptions.watch("agent:", lambda _: None, lambda: None)

        async def come_and_go(number: int) -> None:
            while True:
                async with subscriptions.listening(f"campaign:{number}") as listener:
                    await listener.wait(0.01)

        async with running(subscriptions):
            several = [asyncio.create_task(come_and_go(number)) for number in range(5)]
            for _ in range(4):
                await asyncio.to_thread(own_redis.kill)
                await until(lambda: not subscriptions.connected)
                await asyncio.to_thread(own_redis.start)
                await until(lambda: subscriptions.connected)
            assert not [task for task in several if task.done()]
            for task in several:
                task.cancel()
            await asyncio.gather(*several, return_exceptions=True)

    asyncio.run(listen())


def test_a_slow_listener_is_told_to_look_instead_of_filling_memory(
    own_redis: OwnRedis, client: Redis
) -> None:
    async def listen() -> None:
        subscriptions = Subscriptions(url(own_redis))
        subscriptions.watch("agent:", lambda _: None, lambda: None)
        async with running(subscriptions), subscriptions.listening("campaign:1") as listener:
            with client.pipeline() as pipe:
                for number in range(QUEUE + 10):
                    pipe.publish("campaign:1", message(number))
                pipe.execute()
            await until(lambda: listener._look)
            assert await listener.wait(60) is None
            client.publish("campaign:1", message(1))
            while (found := await listener.wait(60)) is None or found["id"] != 1:
                pass

    asyncio.run(listen())
