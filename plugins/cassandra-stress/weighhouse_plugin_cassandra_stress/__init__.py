"""Lets cassandra-stress make load for Weighhouse."""

from weighhouse_plugin_cassandra_stress.plugin import PLUGIN, main

__all__ = ["PLUGIN", "main"]
