"""Worlds for campaigns' tests: a project a test, all in one database a module."""

import datetime
import itertools
from collections.abc import Callable, Iterator

import pytest
from redis import Redis
from weighhouse_backend.identity.models import Organization, Project
from weighhouse_backend.kit.db import SessionFactory
from weighhouse_backend.kit.events import make_redis
from weighhouse_backend.kit.settings import Settings
from weighhouse_backend.kit.unit_of_work import unit_of_work

from .world import SetClock, World, manifest

_names = itertools.count(1)
BEGIN = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def redis(redis_server: str) -> Iterator[Redis]:
    """A client of the tests' Redis."""
    client = make_redis(redis_server)
    yield client
    client.close()


@pytest.fixture
def make_world(
    session_factory: SessionFactory, settings: Settings, redis: Redis
) -> Callable[[], World]:
    """Makes worlds: each a project of its own that knows redis and memcached."""

    def make() -> World:
        name = f"world-{next(_names)}"
        with unit_of_work(session_factory) as session:
            organization = Organization(slug=name, name=name, created_at=BEGIN)
            session.add(organization)
            session.flush()
            project = Project(
                organization_id=organization.id, slug="main", name="Main", created_at=BEGIN
            )
            session.add(project)
            session.flush()
            project_id = project.id
        made = World(session_factory, settings, redis, project_id, SetClock(BEGIN))
        with made.transaction() as feature:
            feature.catalog.bring([manifest("redis"), manifest("memcached")])
        return made

    return make


@pytest.fixture
def world(make_world: Callable[[], World]) -> World:
    """One world."""
    return make_world()
