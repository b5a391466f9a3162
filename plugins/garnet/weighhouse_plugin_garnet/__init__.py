"""Garnet: a cache store on .NET that speaks Redis' protocol."""

from weighhouse_plugin_garnet.plugin import PLUGIN

__all__ = ["PLUGIN"]
