"""Errors of alerts."""

from weighhouse_backend.kit.problems import NotFound


class AlertNotFound(NotFound, title="There is no such alert"):
    """There is no such alert, or not for this caller."""
