"""Redis: an in-memory key-value store, run as a process of its own."""

from weighhouse_plugin_redis.plugin import PLUGIN

__all__ = ["PLUGIN"]
