"""What can go wrong with keeping and deleting, as problems."""

from weighhouse_backend.kit.problems import Problem


class CampaignHeld(Problem):
    """A campaign is to be deleted that has not ended, or that something rests on."""

    status = 409
    slug = "campaign-held"
    title = "The campaign cannot be deleted"
