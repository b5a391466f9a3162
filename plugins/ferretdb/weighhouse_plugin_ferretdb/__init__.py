"""FerretDB: MongoDB's protocol in front of SQLite or PostgreSQL."""

from weighhouse_plugin_ferretdb.plugin import PLUGIN

__all__ = ["PLUGIN"]
