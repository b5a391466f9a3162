"""Redis as several nodes: a primary with replicas, and a cluster, on the real redis-server."""

from weighhouse_plugin_redis import PLUGIN
from weighhouse_sdk.testkit.resp_client_sharding import RespClientSharding
from weighhouse_sdk.testkit.resp_membership_testing import RespLeaving
from weighhouse_sdk.testkit.resp_testing import RespCluster, RespReplicas
from weighhouse_sdk.testkit.resp_tls import RespTls


class TestReplicas(RespReplicas):
    plugin = PLUGIN


class TestCluster(RespCluster):
    plugin = PLUGIN


class TestStrangers(RespClientSharding):
    plugin = PLUGIN


class TestTls(RespTls):
    plugin = PLUGIN


class TestLeaving(RespLeaving):
    plugin = PLUGIN
