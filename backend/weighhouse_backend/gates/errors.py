"""What can go wrong with gates, as problems."""

from weighhouse_backend.kit.problems import Invalid, NotFound, Problem


class CampaignStillOpen(Problem):
    """A verdict was asked of a campaign that has not ended."""

    status = 409
    slug = "campaign-still-open"
    title = "The campaign has not ended"


class RejudgementNotFound(NotFound):
    """There is no such rejudgement, or it is not the caller's to see."""

    slug = "rejudgement-not-found"
    title = "Rejudgement not found"


class SeveralProjects(Invalid):
    """Campaigns of several projects were named in one request."""

    slug = "several-projects"
    title = "The campaigns are of several projects"
