"""Apache Cassandra: a distributed wide-column store, run as a process of its own."""

from weighhouse_plugin_cassandra.plugin import PLUGIN

__all__ = ["PLUGIN"]
