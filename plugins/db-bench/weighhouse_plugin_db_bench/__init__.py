"""Lets db_bench make load for Weighhouse."""

from weighhouse_plugin_db_bench.plugin import PLUGIN, main

__all__ = ["PLUGIN", "main"]
