"""What a real FerretDB may refuse to tell, behind what refuses it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from weighhouse_plugin_ferretdb import PLUGIN
from weighhouse_protocol.target import Target
from weighhouse_sdk.context import Context
from weighhouse_sdk.testkit import at_hand
from weighhouse_sdk.testkit.mongo_rights import MongoRights
from weighhouse_sdk.wire import Address


@pytest.fixture
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Address]:
    at_hand.server(
        request, "ferretdb", "WEIGHHOUSE_FERRETDB", "infra/build/ferretdb.sh builds it with Go"
    )
    context = Context.open(Target(name="f", system="ferretdb"), tmp_path / "theirs")
    deployed = PLUGIN.deploy(context)
    PLUGIN.wait_ready(context, deployed)
    yield deployed.nodes[0].place.address
    PLUGIN.stop(context, deployed)
    PLUGIN.clean_up(context)


class TestRights(MongoRights):
    plugin = PLUGIN
