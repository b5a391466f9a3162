"""MongoDB: a document database, run as processes of its own."""

from weighhouse_plugin_mongodb.plugin import PLUGIN

__all__ = ["PLUGIN"]
