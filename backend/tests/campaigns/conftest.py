"""Worlds for campaigns' tests: a project a test, all in one database a module."""

import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
import uvicorn
from redis import Redis
from sqlalchemy.orm import Session
from weighhouse_backend.app.factory import create_app
from weighhouse_backend.identity.models import ApiToken
from weighhouse_backend.identity.roles import Role
from weighhouse_backend.identity.secrets import new_token, token_hash, token_prefix
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings
from weighhouse_cli.embedded.directory import free_port
from weighhouse_testing.own_redis import OwnRedis
from weighhouse_testing.waits import until
from weighhouse_testing.world import SetClock, World, make_world

from .served import Served, Tenant


@pytest.fixture(scope="module")
def redis(settings: Settings) -> Iterator[Redis]:
    """A client of the Redis that the settings name."""
    client = make_redis(settings.redis_url)
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


@pytest.fixture(scope="module")
def own_redis() -> Iterator[OwnRedis]:
    """A Redis that tests may kill."""
    found = OwnRedis(free_port())
    found.start()
    yield found
    found.kill()


@pytest.fixture(scope="module")
def served(settings: Settings) -> Iterator[Served]:
    """The application, served for real."""
    app = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    # Held from the beginning: nobody else can have taken the port when the server comes to it.
    with socket.create_server(("127.0.0.1", 0)) as held:
        thread = threading.Thread(target=server.run, args=([held],))
        thread.start()
        until("the server is up", lambda: server.started)
        yield Served(f"http://127.0.0.1:{held.getsockname()[1]}", app)
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def new_tenant(
    session_factory: SessionFactory, settings: Settings, redis: Redis, served: Served
) -> Callable[..., Tenant]:
    """Makes tenants, each with a token of a role."""

    def make(role: Role = Role.MEMBER) -> Tenant:
        clock = SetClock(SystemClock().now())
        clock.now = SystemClock().now  # type: ignore[method-assign]
        world = make_world(session_factory, settings, redis, clock)
        token = new_token("p")
        with world.transaction() as services:
            services.get(Session).add(
                ApiToken(
                    project_id=world.project_id, name="ci", role=role,
                    prefix=token_prefix(token), token_hash=token_hash(token), created_by="test",
                    created_at=clock.now(),
                )
            )  # fmt: skip
        return Tenant(world, served.url, token)

    return make


@pytest.fixture(scope="module")
def module_tenant(new_tenant: Callable[..., Tenant]) -> Tenant:
    """One that a module's tests look at together."""
    return new_tenant()


@pytest.fixture
def tenant(new_tenant: Callable[..., Tenant]) -> Tenant:
    """A tenant with a member's token."""
    return new_tenant()
