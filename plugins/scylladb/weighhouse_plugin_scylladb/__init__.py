"""ScyllaDB: a wide-column store that speaks Cassandra's protocol, written in C++."""

from weighhouse_plugin_scylladb.plugin import PLUGIN

__all__ = ["PLUGIN"]
