"""Lets memtier_benchmark make load for Weighhouse."""

from weighhouse_plugin_memtier_benchmark.plugin import PLUGIN, main

__all__ = ["PLUGIN", "main"]
