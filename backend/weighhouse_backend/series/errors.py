"""What can go wrong with series, as problems."""

from weighhouse_backend.kit.problems import Problem


class SeriesNotFound(Problem):
    """There is no such series, or it is not the caller's to see."""

    status = 404
    slug = "series-not-found"
    title = "Series not found"
