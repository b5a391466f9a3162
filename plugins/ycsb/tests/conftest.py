"""A Redis that YCSB asks."""

from collections.abc import Iterator

import pytest
from weighhouse_plugin_ycsb.plugin import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context, HostOptions
from weighhouse_sdk.errors import BinaryMissing
from weighhouse_sdk.lifecycle import Deployed
from weighhouse_sdk.registry import load_plugin
from weighhouse_sdk.testkit import at_hand


@pytest.fixture(scope="module")
def context(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Context]:
    try:
        PLUGIN.find_versions(HostOptions())
    except BinaryMissing as error:
        where = "or source infra/build/maven.sh ycsb"
        at_hand.not_run(request, f"{error.message}; {error.hint}, {where}")
    folder = tmp_path_factory.mktemp("ycsb") / "attempt"
    context = Context.open(Target(name="t", system="redis"), folder)
    yield context
    load_plugin("redis").clean_up(context)


@pytest.fixture(scope="module")
def redis(context: Context) -> Deployed:
    plugin = load_plugin("redis")
    deployed = plugin.deploy(context)
    plugin.wait_ready(context, deployed)
    return deployed
