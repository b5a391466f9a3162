"""What can go wrong with prices, as problems."""

from weighhouse_backend.kit.problems import Problem


class PriceUnknown(Problem):
    """Neither the organization nor the shipped table has a price of that name."""

    status = 422
    slug = "price-unknown"
    title = "There is no such price"
