"""Redis on several machines, on the real redis-server: replicas, and clusters."""

from weighhouse_plugin_redis import PLUGIN
from weighhouse_sdk.testkit.resp_spread import RespSpreadCluster, RespSpreadReplicas


class TestSpreadReplicas(RespSpreadReplicas):
    plugin = PLUGIN


class TestSpreadCluster(RespSpreadCluster):
    plugin = PLUGIN
