"""What can go wrong with prices, as problems."""

from weighhouse_backend.kit.problems import Problem


class PriceUnknown(Problem, status=422, title="There is no such price"):
    """Neither the organization nor the shipped table has a price of that name."""
