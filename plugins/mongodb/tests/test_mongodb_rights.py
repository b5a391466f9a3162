"""What a server may refuse to tell: of mongo-java-server, a wire-compatible stand-in."""

import pytest
from weighhouse_plugin_mongodb import PLUGIN
from weighhouse_sdk.testkit.mongo_rights import MongoRights
from weighhouse_sdk.wire import Address


@pytest.fixture
def there(stand_in: str) -> Address:
    host, _, port = stand_in.removeprefix("tcp://").partition(":")
    return Address(host, int(port))


@pytest.mark.stand_in("of mongo-java-server, a wire-compatible stand-in, not MongoDB")
class TestRights(MongoRights):
    plugin = PLUGIN
