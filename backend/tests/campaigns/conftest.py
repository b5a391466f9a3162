"""Worlds for campaigns' tests: a project a test, all in one database a module."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from redis import Redis
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings
from weighhouse_testing.world import World, make_world


@pytest.fixture(scope="module")
def redis(redis_server: str) -> Iterator[Redis]:
    """A client of the tests' Redis."""
    client = make_redis(redis_server)
    yield client
    client.close()


@pytest.fixture
def new_world(
    session_factory: SessionFactory, settings: Settings, redis: Redis
) -> Callable[[], World]:
    """Makes worlds, each a project of its own."""
    return partial(make_world, session_factory, settings, redis)


@pytest.fixture
def world(new_world: Callable[[], World]) -> World:
    """One world."""
    return new_world()
