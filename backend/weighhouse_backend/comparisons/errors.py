"""What can go wrong with comparisons, as problems."""

from weighhouse_backend.kit.problems import Problem


class ComparisonUnclear(Problem):
    """The question does not name sides that can be compared."""

    status = 422
    slug = "comparison-unclear"
    title = "The comparison is not clear"
