"""Accounts of a real valkey-server that may not ask everything, as the plugin's page makes them."""

from weighhouse_plugin_valkey import PLUGIN
from weighhouse_sdk.testkit.resp_rights import RespRenames


class TestRights(RespRenames):
    plugin = PLUGIN
    cli = "valkey-cli"
