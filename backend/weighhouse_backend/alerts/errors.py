"""Errors of alerts."""

from weighhouse_backend.kit.problems import NotFound


class AlertNotFound(NotFound):
    """There is no such alert, or not for this caller."""

    slug = "alert-not-found"
    title = "There is no such alert"
