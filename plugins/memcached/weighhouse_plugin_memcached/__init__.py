"""Memcached: an in-memory cache, run as a process of its own."""

from weighhouse_plugin_memcached.plugin import PLUGIN

__all__ = ["PLUGIN"]
