"""What can go wrong with gates, as problems."""

from weighhouse_backend.kit.problems import Invalid, NotFound, Problem


class CampaignStillOpen(Problem, status=409, title="The campaign has not ended"):
    """A verdict was asked of a campaign that has not ended."""


class RejudgementNotFound(NotFound, title="Rejudgement not found"):
    """There is no such rejudgement, or it is not the caller's to see."""


class SeveralProjects(Invalid, title="The campaigns are of several projects"):
    """Campaigns of several projects were named in one request."""
