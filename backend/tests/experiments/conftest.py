"""The API of experiments, in a project that knows Redis."""

import pytest
from weighhouse_backend.experiments.endpoints import router
from weighhouse_backend.kit.clock import SystemClock
from weighhouse_backend.kit.unit_of_work import unit_of_work
from weighhouse_protocol.manifest import load_manifest
from weighhouse_testing.tree import REPOSITORY
from weighhouse_testing.world import accept

REDIS = load_manifest(REPOSITORY / "plugins/redis/weighhouse_plugin_redis/plugin.toml")


@pytest.fixture(scope="module")
def client(make_client, session_factory, tenants):
    with unit_of_work(session_factory) as session:
        for tenant in tenants:
            accept(session, SystemClock(), tenant.organization_id, [REDIS])
    return make_client(router)


@pytest.fixture
def ours(tenants):
    return tenants[0].headers
