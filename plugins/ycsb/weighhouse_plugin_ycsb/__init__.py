"""Lets YCSB make load for Weighhouse."""

from weighhouse_plugin_ycsb.plugin import PLUGIN, main

__all__ = ["PLUGIN", "main"]
