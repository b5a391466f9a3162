"""What can go wrong with keeping and deleting, as problems."""

from weighhouse_backend.kit.problems import Problem


class CampaignHeld(Problem, status=409, title="The campaign cannot be deleted"):
    """A campaign is to be deleted that has not ended, or that something rests on."""
