"""Valkey on several machines, on the real valkey-server: replicas, and clusters."""

from weighhouse_plugin_valkey import PLUGIN
from weighhouse_sdk.testkit.resp_spread import RespSpreadCluster, RespSpreadReplicas


class TestSpreadReplicas(RespSpreadReplicas):
    plugin = PLUGIN


class TestSpreadCluster(RespSpreadCluster):
    plugin = PLUGIN
