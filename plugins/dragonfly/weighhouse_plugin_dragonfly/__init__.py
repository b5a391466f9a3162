"""Dragonfly: an in-memory store whose threads each own a part of the data."""

from weighhouse_plugin_dragonfly.plugin import PLUGIN

__all__ = ["PLUGIN"]
