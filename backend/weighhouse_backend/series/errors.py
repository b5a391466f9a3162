"""What can go wrong with series, as problems."""

from weighhouse_backend.kit.problems import Problem


class SeriesNotFound(Problem, status=404, title="Series not found"):
    """There is no such series, or it is not the caller's to see."""
