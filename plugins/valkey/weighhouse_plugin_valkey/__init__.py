"""Valkey: an in-memory key-value store, the Linux Foundation's continuation of Redis 7.2."""

from weighhouse_plugin_valkey.plugin import PLUGIN

__all__ = ["PLUGIN"]
