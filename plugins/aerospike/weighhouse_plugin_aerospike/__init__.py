"""Aerospike: a distributed store of records by key, run as processes of its own."""

from weighhouse_plugin_aerospike.plugin import PLUGIN

__all__ = ["PLUGIN"]
