"""KeyDB: a fork of Redis 6 whose threads all execute commands."""

from weighhouse_plugin_keydb.plugin import PLUGIN

__all__ = ["PLUGIN"]
