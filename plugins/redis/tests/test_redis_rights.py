"""Accounts of a real redis-server that may not ask everything, as the plugin's page makes them."""

from weighhouse_plugin_redis import PLUGIN
from weighhouse_sdk.testkit.resp_rights import RespRenames


class TestRights(RespRenames):
    plugin = PLUGIN
