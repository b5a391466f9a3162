"""RocksDB: an embedded key-value store that lives inside the driver."""

from weighhouse_plugin_rocksdb.plugin import PLUGIN

__all__ = ["PLUGIN"]
