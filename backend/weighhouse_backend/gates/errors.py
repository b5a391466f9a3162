"""What can go wrong with gates, as problems."""

from weighhouse_backend.kit.problems import Problem


class CampaignStillOpen(Problem):
    """A verdict was asked of a campaign that has not ended."""

    status = 409
    slug = "campaign-still-open"
    title = "The campaign has not ended"
