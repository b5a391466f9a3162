"""What can go wrong with searches, as problems."""

from weighhouse_backend.kit.problems import NotFound


class NothingSearched(NotFound):
    """A campaign's loads were those of its file."""

    slug = "nothing-searched"
    title = "Nothing was searched"
