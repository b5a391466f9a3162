"""What can go wrong with analysis, as problems."""

from weighhouse_backend.kit.problems import Problem


class ComparisonUnclear(Problem):
    """The question does not name sides that can be compared."""

    status = 422
    slug = "comparison-unclear"
    title = "The comparison is not clear"


class CampaignStillOpen(Problem):
    """A verdict was asked of a campaign that has not ended."""

    status = 409
    slug = "campaign-still-open"
    title = "The campaign has not ended"


class SeriesNotFound(Problem):
    """There is no such series, or it is not the caller's to see."""

    status = 404
    slug = "series-not-found"
    title = "Series not found"
