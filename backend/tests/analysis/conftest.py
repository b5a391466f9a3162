"""A machine that measures, over a fresh database."""

import pytest
from weighhouse_backend.kit.settings import Settings

from backend.tests.results.laboratory import ROUTERS, Laboratory


@pytest.fixture(scope="module")
def settings(database_url, redis_server, tmp_path_factory):
    """Settings over a fresh database; files lie in a directory of their own."""
    return Settings(
        database_url=database_url,
        redis_url=redis_server,
        artifact_dir=tmp_path_factory.mktemp("artifacts"),
    )


@pytest.fixture(scope="module")
def laboratory(make_client, session_factory, settings, tenants):
    """The first tenant's machine, enrolled."""
    made = Laboratory(make_client(*ROUTERS), session_factory, settings, tenants[0].headers)
    made.enrol()
    return made
