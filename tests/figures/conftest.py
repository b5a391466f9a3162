"""What these tests share: one cell, whose noise is weighed once, and somebody else's server."""

import contextlib
from collections.abc import Iterator

import pytest
from redis import Redis
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.builds import RATE, builds_of, paced_experiment
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.platform import RunningPlatform


@pytest.fixture(scope="session")
def known_noise(platform: RunningPlatform) -> None:
    """By how much campaigns of `paced_experiment` differ, on a server that keeps its pace."""
    with builds_of(platform, "redis-server") as builds:
        builds.use(RATE)
        platform.weigh_noise(paced_experiment("weighed-noise"))


@pytest.fixture
def server() -> Iterator[tuple[OwnRedis, Redis]]:
    """A Redis that somebody else set up, and its keeper's client."""
    found = OwnRedis(free_port())
    found.start()
    try:
        with contextlib.closing(Redis(port=found.port)) as client:
            yield found, client
    finally:
        found.kill()
