"""Lets redis-benchmark make load for Weighhouse."""

from weighhouse_plugin_redis_benchmark.plugin import PLUGIN, main

__all__ = ["PLUGIN", "main"]
