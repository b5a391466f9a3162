"""Valkey as somebody else set it up, whose servers name each other."""

from weighhouse_plugin_valkey import PLUGIN
from weighhouse_sdk.testkit.resp_announced import RespAnnounced


class TestAnnounced(RespAnnounced):
    plugin = PLUGIN
