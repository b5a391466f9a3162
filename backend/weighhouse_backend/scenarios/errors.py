"""What can go wrong with searches, as problems."""

from weighhouse_backend.kit.problems import NotFound


class NothingSearched(NotFound, title="Nothing was searched"):
    """A campaign's loads were those of its file."""
