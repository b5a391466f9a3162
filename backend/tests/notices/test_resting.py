"""An agent says that it takes no work: told when it begins, and again when it begins again."""

import pytest
from sqlalchemy.orm import Session
from weighhouse_backend.fleet.models import Agent
from weighhouse_backend.fleet.unavailability import rest
from weighhouse_backend.kit.events import make_redis
from weighhouse_testing.world import make_world

from backend.tests.notices.kept import notices_of


@pytest.fixture
def world(session_factory, settings):
    redis = make_redis(settings.redis_url)
    yield make_world(session_factory, settings, redis)
    redis.close()


def test_an_agent_that_takes_no_work_is_told_of_once_a_time(world):
    agent_id = world.agent("one")
    for reason in ("the disk is full", "the disk is full", None, "it is under way elsewhere"):
        world.clock.forward(60)
        with world.transaction() as services:
            rest(
                services.get(Session),
                world.clock,
                services.get(Session).get_one(Agent, agent_id),
                reason,
            )
    first, second = notices_of(world.sessions, world.project_id)
    assert (first.kind, first.title) == ("agent_resting", "Agent one takes no work")
    assert (first.words, first.path) == ("The disk is full", f"/agents/{agent_id}")
    assert second.words == "It is under way elsewhere"
