"""What can go wrong with comparisons, as problems."""

from weighhouse_backend.kit.problems import Problem


class ComparisonUnclear(Problem, status=422, title="The comparison is not clear"):
    """The question does not name sides that can be compared."""
